package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// log is where a member keeps entries: files to which records are appended.
//
//	file     head, record, record ... and room that is reserved and zero
//	record   length, CRC-32C of the rest, kind, type, group, begin, index, term, data;
//	         a multiple of 8 bytes
//
// A record of an entry replaces that of the same index and all behind it, so nothing is ever
// deleted at the end. Begin is where in the file the write began that the record belongs to: it
// tells a write that was cut off (what is whole behind a broken record began no later) from damage
// (a later write is there, so the broken one had been synchronized). Files are deleted when all of
// their entries are in a snapshot.
//
// Where each entry is is in memory, with its term, and the newest entries are, too. So the loop
// never reads: what it is given of older entries has no data (absent), and who sends or applies
// them reads those.
//
// The group of a record is 0. It is there for several groups with one log.
//
// One goroutine writes. It holds the lock only while it changes what is in memory.
type log struct {
	dir     string
	disk    *disk
	size    int64 // of a file
	mark    *file
	current *segment // that is being written
	next    int64    // offset at which the next record goes there
	number  uint64   // of the file after it
	buffer  []byte

	mu       sync.Mutex
	segments []*segment
	base     position // the entry before the first
	places   []place
	cache    []pb.Entry // the newest ones
	cached   int        // bytes
	stored   atomic.Uint64
}

// position is that of an entry.
type position struct{ index, term uint64 }

// place is where an entry is.
type place struct {
	segment *segment
	at      uint32
	size    uint32 // of its data
	term    uint64
	kind    pb.EntryType
}

// segment is a file of the log.
type segment struct {
	path string
	file *file // nil if it is full
}

const (
	magic        = "msgroup1"
	segmentHead  = 16 // magic and number
	recordHead   = 8  // length and checksum
	recordFields = 24
	kindEntry    = 1
	kindReset    = 2 // the log begins anew behind this position
	cacheEntries = 512
	cacheBytes   = 16 << 20
	maxSegment   = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// absent stands for data that are on the disk only.
var absent = []byte{0}

func isAbsent(e *pb.Entry) bool { return len(e.Data) == 1 && &e.Data[0] == &absent[0] }

// append stores entries: when it returns they are on the disk. After an error it may be called
// again with the same ones, and writes them to the same place.
func (l *log) append(entries []pb.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	newest := entries[len(entries)-1].Index
	for len(entries) > 0 {
		if first := entries[0].Index; first <= l.last().index { // the mark never promises what is replaced
			if err := errors.Join(l.writeMark(first-1), l.mark.Sync()); err != nil {
				return err
			}
		}
		n, err := l.write(entries)
		if err != nil {
			return err
		}
		entries = entries[n:]
	}
	return l.writeMark(newest)
}

// write stores as many of the entries as follow each other, and the file has room for.
func (l *log) write(entries []pb.Entry) (int, error) {
	if err := l.room(recordSizeOf(len(entries[0].Data))); err != nil {
		return 0, err
	}
	l.buffer = l.buffer[:0]
	var places []place
	for i, e := range entries {
		at := l.next + int64(len(l.buffer))
		if i > 0 && (at+recordSizeOf(len(e.Data)) > l.size || e.Index != entries[i-1].Index+1) {
			break
		}
		places = append(places, place{l.current, uint32(at), uint32(len(e.Data)), e.Term, e.Type})
		l.buffer = appendRecord(l.buffer, kindEntry, e.Type, uint32(l.next), position{e.Index, e.Term}, e.Data)
	}
	if err := l.flush(); err != nil {
		return 0, err
	}
	l.remember(entries[:len(places)], places)
	return len(places), nil
}

func (l *log) flush() error {
	if _, err := l.current.file.WriteAt(l.buffer, l.next); err != nil {
		return err
	}
	if err := l.current.file.Sync(); err != nil {
		return err
	}
	l.next += int64(len(l.buffer))
	if cap(l.buffer) > 4*maxPart {
		l.buffer = nil
	}
	return nil
}

// room makes the next file, if a record does not fit into this one.
func (l *log) room(size int64) error {
	if l.current != nil && (l.next+size <= l.size || l.next == segmentHead) {
		return nil
	}
	path := filepath.Join(l.dir, fmt.Sprintf("%020d.wal", l.number))
	f, err := l.disk.create(path, max(l.size, segmentHead+size))
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(binary.LittleEndian.AppendUint64([]byte(magic), l.number), 0); err != nil {
		return errors.Join(err, f.Close())
	}
	if l.current != nil {
		l.current.file.Close()
		l.current.file = nil
	}
	l.current, l.next = &segment{path, f}, segmentHead
	l.number++
	l.mu.Lock()
	defer l.mu.Unlock()
	l.segments = append(l.segments, l.current)
	return nil
}

func recordSizeOf(data int) int64 { return int64(recordHead+recordFields+data+7) &^ 7 }

func appendRecord(b []byte, kind byte, t pb.EntryType, begin uint32, p position, data []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(recordFields+len(data)))
	b = append(b, 0, 0, 0, 0, kind, byte(t), 0, 0)
	b = binary.LittleEndian.AppendUint32(b, begin)
	b = binary.LittleEndian.AppendUint64(b, p.index)
	b = binary.LittleEndian.AppendUint64(b, p.term)
	b = append(b, data...)
	binary.LittleEndian.PutUint32(b[start+4:], checksum(b[start:]))
	return append(b, make([]byte, -len(b)&7)...)
}

// checksum is that of a record, of its length too.
func checksum(record []byte) uint32 {
	return crc32.Update(crc32.Checksum(record[:4], castagnoli), castagnoli, record[recordHead:])
}

// remember notes where entries are that have been stored.
func (l *log) remember(entries []pb.Entry, places []place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut(entries[0].Index)
	l.places = append(l.places, places...)
	for _, e := range entries {
		l.cache = append(l.cache, e)
		l.cached += len(e.Data)
		l.stored.Add(uint64(len(e.Data)))
	}
	drop := 0
	for drop < len(l.cache)-1 && (len(l.cache)-drop > cacheEntries || l.cached > cacheBytes) {
		l.cached -= len(l.cache[drop].Data)
		drop++
	}
	if drop > 0 {
		l.cache = slices.Delete(l.cache, 0, drop)
	}
}

// cut forgets the entries from an index on.
func (l *log) cut(from uint64) {
	keep := from - l.base.index - 1
	if keep >= uint64(len(l.places)) {
		return
	}
	l.places = l.places[:keep]
	for n := len(l.cache); n > 0 && l.cache[n-1].Index >= from; n-- {
		l.cached -= len(l.cache[n-1].Data)
		l.cache[n-1] = pb.Entry{}
		l.cache = l.cache[:n-1]
	}
}

// reset begins the log anew behind a position: a snapshot takes the place of what is before.
func (l *log) reset(p position) error {
	if err := errors.Join(l.writeMark(0), l.mark.Sync(), l.room(recordSizeOf(0))); err != nil {
		return err
	}
	l.buffer = appendRecord(l.buffer[:0], kindReset, 0, uint32(l.next), p, nil)
	if err := l.flush(); err != nil {
		return err
	}
	l.mu.Lock()
	l.base, l.places, l.cache, l.cached = p, nil, nil, 0
	l.mu.Unlock()
	l.deleteFiles()
	return l.writeMark(p.index)
}

// compact forgets entries at the beginning: those up to an index, but for so many entries and
// bytes before it.
func (l *log) compact(index uint64, entries, bytes uint64) {
	l.mu.Lock()
	if index > l.base.index {
		keep := min(index-l.base.index, uint64(len(l.places)))
		for kept := uint64(0); keep > 0 && kept < entries && uint64(l.places[keep-1].size) <= bytes; kept++ {
			keep--
			bytes -= uint64(l.places[keep].size)
		}
		if keep > 0 {
			l.base = position{l.base.index + keep, l.places[keep-1].term}
			l.places = slices.Clone(l.places[keep:])
		}
	}
	l.mu.Unlock()
	l.deleteFiles()
}

// deleteFiles deletes those before the first entry.
func (l *log) deleteFiles() {
	l.mu.Lock()
	first := l.segments[len(l.segments)-1]
	if len(l.places) > 0 {
		first = l.places[0].segment
	}
	i := slices.Index(l.segments, first)
	old := l.segments[:i]
	l.segments = slices.Clone(l.segments[i:])
	l.mu.Unlock()
	for _, s := range old {
		_ = os.Remove(s.path) // it is read again at the start, which does no harm
	}
}

// writeMark notes up to where the log must reach at the next start. A higher mark needs no
// synchronization: what a crash of the machine leaves is the lower one.
func (l *log) writeMark(last uint64) error {
	return record{l.mark, 0}.write(binary.LittleEndian.AppendUint64(nil, last))
}

func (l *log) readMark() (mark uint64, ok bool) {
	if b := (record{l.mark, 0}).read(); len(b) == 8 {
		return binary.LittleEndian.Uint64(b), true
	}
	return 0, false
}

// last returns the position of the last entry.
func (l *log) last() position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastLocked()
}

func (l *log) lastLocked() position {
	if n := len(l.places); n > 0 {
		return position{l.base.index + uint64(n), l.places[n-1].term}
	}
	return l.base
}

func (l *log) first() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.base.index + 1
}

// Term implements raft.Storage.
func (l *log) Term(i uint64) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case i < l.base.index:
		return 0, raft.ErrCompacted
	case i == l.base.index:
		return l.base.term, nil
	case i > l.lastLocked().index:
		return 0, raft.ErrUnavailable
	}
	return l.places[i-l.base.index-1].term, nil
}

// FirstIndex implements raft.Storage.
func (l *log) FirstIndex() (uint64, error) { return l.first(), nil }

// LastIndex implements raft.Storage.
func (l *log) LastIndex() (uint64, error) { return l.last().index, nil }

// Entries implements raft.Storage. The data of those that are not in memory are absent.
func (l *log) Entries(from, to, bytes uint64) (entries []pb.Entry, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from <= l.base.index {
		return nil, raft.ErrCompacted
	}
	if to > l.lastLocked().index+1 {
		return nil, raft.ErrUnavailable
	}
	for i := from; i < to; i++ {
		p := l.places[i-l.base.index-1]
		if uint64(p.size) > bytes && len(entries) > 0 {
			break
		}
		bytes -= min(bytes, uint64(p.size))
		e := pb.Entry{Index: i, Term: p.term, Type: p.kind, Data: absent}
		if n := len(l.cache); n > 0 && i >= l.cache[0].Index {
			e = l.cache[i-l.cache[0].Index]
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// fill reads the data of entries that are absent, into copies of these entries.
func (l *log) fill(entries []pb.Entry) ([]pb.Entry, error) {
	if !slices.ContainsFunc(entries, func(e pb.Entry) bool { return isAbsent(&e) }) {
		return entries, nil
	}
	entries = slices.Clone(entries)
	var r reader
	defer r.close()
	for i := range entries {
		if e := &entries[i]; isAbsent(e) {
			if err := l.read(&r, e); err != nil {
				return nil, err
			}
		}
	}
	return entries, nil
}

// read reads an entry of that index and term.
func (l *log) read(r *reader, e *pb.Entry) error {
	l.mu.Lock()
	if e.Index <= l.base.index || e.Index > l.lastLocked().index {
		l.mu.Unlock()
		return errGone
	}
	p := l.places[e.Index-l.base.index-1]
	l.mu.Unlock()
	if p.term != e.Term {
		return errGone
	}
	got, err := r.at(p.segment.path, int64(p.at), int(p.size))
	if errors.Is(err, os.ErrNotExist) && e.Index < l.first() {
		return errGone
	}
	if err == nil && (got.position != position{e.Index, e.Term} || got.kind != kindEntry) {
		err = errChecksum
	}
	if err != nil {
		return fmt.Errorf("%w: entry %d: %w", errDamage, e.Index, err)
	}
	e.Type, e.Data = got.entry, got.data
	return nil
}

// reader reads records, and keeps the file open between two of the same.
type reader struct {
	path string
	file *os.File
}

func (r *reader) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// at reads a record with so many bytes of data.
func (r *reader) at(path string, at int64, size int) (scanned, error) {
	if r.path != path {
		r.close()
		f, err := os.Open(path)
		if r.file, r.path = f, path; err != nil {
			r.file, r.path = nil, ""
			return scanned{}, err
		}
	}
	b := make([]byte, recordHead+recordFields+size)
	if _, err := r.file.ReadAt(b, at); err != nil {
		return scanned{}, err
	}
	return parseRecord(b)
}

// scanned is a record that was read.
type scanned struct {
	position
	kind  byte
	entry pb.EntryType
	begin int64
	data  []byte
}

// parseRecord reads a record at the beginning of the bytes.
func parseRecord(b []byte) (s scanned, err error) {
	if len(b) < recordHead+recordFields {
		return s, io.ErrUnexpectedEOF
	}
	size := int(binary.LittleEndian.Uint32(b))
	if size < recordFields || size > len(b)-recordHead {
		return s, io.ErrUnexpectedEOF
	}
	b = b[:recordHead+size]
	if checksum(b) != binary.LittleEndian.Uint32(b[4:]) {
		return s, errChecksum
	}
	f := b[recordHead:]
	return scanned{position{binary.LittleEndian.Uint64(f[8:]), binary.LittleEndian.Uint64(f[16:])}, f[0],
		pb.EntryType(f[1]), int64(binary.LittleEndian.Uint32(f[4:])), f[recordFields:]}, nil
}

// close closes the files.
func (l *log) close() error {
	if l.current == nil || l.current.file == nil {
		return l.mark.Close()
	}
	return errors.Join(l.current.file.Close(), l.mark.Close())
}
