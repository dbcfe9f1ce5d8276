package consensus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// openLog reads all files of a log. With salvage it takes what is before the first damage, and
// deletes the rest; else damage is an error.
func openLog(dir string, o Options, d *disk, salvage bool) (l *log, err error) {
	l = &log{dir: filepath.Join(dir, "log"), disk: d, size: int64(min(o.SegmentSize, maxSegment)), number: 1}
	if err := makeDir(l.dir); err != nil {
		return nil, err
	}
	if l.mark, err = d.always().open(filepath.Join(dir, "mark"), recordSize); err != nil {
		return nil, err
	}
	if err := l.scan(salvage); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *log) scan(salvage bool) error {
	paths, err := filepath.Glob(filepath.Join(l.dir, "*.wal"))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for i, path := range paths {
		if _, err := fmt.Sscanf(filepath.Base(path), "%d.wal", &l.number); err != nil {
			return fmt.Errorf("%w: the name %s", errDamage, path)
		}
		l.number++
		s := &segment{path: path}
		l.segments = append(l.segments, s)
		end, err := l.scanFile(s, i == len(paths)-1)
		if err != nil && salvage && errors.Is(err, errDamage) {
			return l.endAt(s, end, paths[i+1:])
		}
		if err != nil {
			return err
		}
		if i == len(paths)-1 {
			return l.endAt(s, end, nil)
		}
	}
	return l.room(0)
}

// endAt lets the log go on at an offset of a file, and deletes what follows.
func (l *log) endAt(s *segment, end int64, rest []string) error {
	for _, path := range rest {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if end == 0 { // not even its head is there
		l.segments = l.segments[:len(l.segments)-1]
		if err := os.Remove(s.path); err != nil {
			return err
		}
		return l.room(0)
	}
	if s.file, err = l.disk.open(s.path, 0); err != nil {
		return err
	}
	l.current, l.next = s, end
	// What was not written whole must not be met again behind what is written in its place.
	err = s.file.Truncate(end)
	_ = reserve(s.file.File, info.Size()) // without room, storing fails later
	return errors.Join(err, s.file.File.Sync())
}

// scanFile reads a file up to the end of what is whole, and tells damage from a last write that was
// cut off.
func (l *log) scanFile(s *segment, isLast bool) (end int64, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	var head [segmentHead]byte
	if n, _ := f.ReadAt(head[:], 0); n < segmentHead || string(head[:len(magic)]) != magic {
		if written, err := written(f, segmentHead); err == nil && isLast && written == segmentHead {
			return 0, nil // it was just being made
		}
		return 0, fmt.Errorf("%w: %s has no head", errDamage, s.path)
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, segmentHead, info.Size()), 256<<10)
	var b []byte
	for at := int64(segmentHead); ; {
		if b, err = readRecord(r, b, info.Size()-at); err != nil {
			return at, l.rest(f, at, isLast)
		}
		record, err := parseRecord(b)
		if err != nil {
			return at, l.rest(f, at, isLast)
		}
		if err := l.take(s, at, record); err != nil {
			return at, err
		}
		at += int64(len(b))
	}
}

// readRecord reads as many bytes as the next record says that it has.
func readRecord(r *bufio.Reader, b []byte, most int64) ([]byte, error) {
	head, err := r.Peek(recordHead)
	if err != nil {
		return b, err
	}
	size := recordSizeOf(int(binary.LittleEndian.Uint32(head)) - recordFields)
	if size > most || size < recordHead+recordFields {
		return b, io.ErrUnexpectedEOF
	}
	b = slices.Grow(b[:0], int(size))[:size]
	_, err = io.ReadFull(r, b)
	return b, err
}

// written returns where what a file has behind an offset ends: the rest is zero.
func written(f *os.File, at int64) (end int64, err error) {
	b := make([]byte, 256<<10)
	end = at
	for {
		n, err := f.ReadAt(b, at)
		if trimmed := len(bytes.TrimRight(b[:n], "\x00")); trimmed > 0 {
			end = at + int64(trimmed)
		}
		if at += int64(n); errors.Is(err, io.EOF) {
			return end, nil
		} else if err != nil {
			return end, err
		}
	}
}

// take takes a record into account that was read.
func (l *log) take(s *segment, at int64, r scanned) error {
	last := l.lastLocked().index
	switch {
	case r.kind == kindReset:
		l.base, l.places = r.position, nil
		return nil
	case r.kind != kindEntry || r.index == 0:
		return fmt.Errorf("%w: a record of no known kind", errDamage)
	case l.base == position{} && len(l.places) == 0:
		l.base.index = r.index - 1 // its term is not known; see openLogs
	case r.index <= l.base.index:
		return fmt.Errorf("%w: entry %d before the first", errDamage, r.index)
	case r.index > last+1:
		return fmt.Errorf("%w: entry %d follows entry %d", errDamage, r.index, last)
	}
	l.cut(r.index)
	l.places = append(l.places, place{s, uint32(at), uint32(len(r.data)), r.term, r.entry})
	return nil
}

// rest returns an error if what follows is not what a write leaves that was cut off.
func (l *log) rest(f *os.File, at int64, isLast bool) error {
	end, err := written(f, at)
	if err != nil || end == at {
		return err
	}
	damage := fmt.Errorf("%w: after entry %d: %w", errDamage, l.lastLocked().index, errChecksum)
	if !isLast {
		return damage
	}
	b := make([]byte, end-at+maxPart) // a record may end with zeros
	n, _ := f.ReadAt(b, at)
	for i := 8; i+recordHead < n; i += 8 {
		if k := b[i+recordHead]; k != kindEntry && k != kindReset {
			continue
		}
		if r, err := parseRecord(b[i:n]); err == nil && r.begin > at {
			return damage
		}
	}
	return nil
}

// startAfter makes the log continue the newest snapshot. A crash may have left a snapshot of the
// leader beside a log that ends before it, or that has other entries.
func (l *log) startAfter(snapshot position) error {
	if snapshot.index == 0 {
		return nil
	}
	term, err := l.Term(snapshot.index)
	switch {
	case l.base.index == snapshot.index:
		l.base.term = snapshot.term
		return nil
	case err == nil && term == snapshot.term:
	case l.base.index > snapshot.index:
		return nil // inspect tells
	default:
		return l.reset(snapshot)
	}
	if l.base.term == 0 { // the term of the entry before the first is not known
		l.base = position{l.base.index + 1, l.places[0].term}
		l.places = slices.Clone(l.places[1:])
	}
	return nil
}

// bytesAfter returns how many bytes the entries behind an index have.
func (l *log) bytesAfter(index uint64) (bytes uint64) {
	for i := range l.places {
		if l.base.index+uint64(i)+1 > index {
			bytes += uint64(l.places[i].size)
		}
	}
	return bytes
}
