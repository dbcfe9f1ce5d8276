package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	wal "github.com/hashicorp/raft-wal"
	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// log is where a member keeps entries: a raft-wal that is opened anew after an error, because it
// does not go on by itself, and cut to what Raft knows to be stored. Until then nothing is stored,
// reading goes on as long as it can, and then waits: an error would end the process.
type log struct {
	dir         string // of this member; the log's own is below it
	disk        *disk
	limit       time.Duration
	segmentSize int
	logger      hclog.Logger
	say         func(level, message string)
	mark        types.WritableFile
	closed      chan struct{}

	mu        sync.Mutex
	wal       *wal.WAL // nil while it is being opened
	last      uint64   // entry that Raft knows to be stored; the mark says the same on the disk
	lastTerm  uint64
	failed    error         // nil: all is well
	well      chan struct{} // closed when it is again
	truncated bool          // Raft believes that entries are there that have been deleted, until it stores others
	pause     time.Duration // before the next attempt
	underway  sync.WaitGroup
	recovery  sync.WaitGroup
	stored    atomic.Uint64 // bytes
}

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

func openLog(dir string, o Options, d *disk, logger hclog.Logger) (*log, error) {
	l := &log{dir: dir, disk: d, limit: o.StoreLimit, segmentSize: o.SegmentSize, logger: logger, say: o.Log,
		closed: make(chan struct{}), pause: firstPause}
	if err := makeDir(l.path()); err != nil {
		return nil, err
	}
	var err error
	if l.mark, err = d.always().openFile(l.path(), "mark", recordSize); err != nil {
		return nil, err
	}
	if l.wal, err = l.openWAL(); err != nil {
		l.mark.Close()
		return nil, err
	}
	l.last, err = l.wal.LastIndex()
	return l, err
}

func (l *log) path() string { return filepath.Join(l.dir, "log") }

// openWAL closes the list of files if raft-wal does not open, which leaves it open and so locked.
func (l *log) openWAL() (*wal.WAL, error) {
	list := &segments{disk: l.disk, mark: l.readMark()}
	w, err := wal.Open(l.path(), wal.WithLogger(l.logger), wal.WithSegmentSize(l.segmentSize), wal.WithMetaStore(list),
		wal.WithSegmentFiler(segment.NewFiler(l.path(), l.disk)))
	if err != nil {
		return nil, errors.Join(err, list.Close())
	}
	return w, nil
}

// StoreLogs implements raft.LogStore. After a suffix has been deleted it waits until it can store
// others: Raft still believes that the old ones are there.
func (l *log) StoreLogs(logs []*raft.Log) error {
	checked, newest := withChecksums(logs), logs[len(logs)-1].Index
	limit := l.limit + time.Duration(size(logs))*time.Second/slowest
	for {
		err := l.change(limit, func(w *wal.WAL) error {
			if err := w.StoreLogs(checked); err != nil {
				return err
			}
			return l.writeMark(newest)
		})
		if err == nil {
			l.hasStored(logs)
			return nil
		}
		if !l.isTruncated() {
			return err
		}
		l.await()
	}
}

// slowest is how many bytes a second a disk must store, so that many bytes have more time.
const slowest = 16 << 20

func size(logs []*raft.Log) (bytes int) {
	for _, e := range logs {
		bytes += len(e.Data)
	}
	return bytes
}

func (l *log) hasStored(logs []*raft.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := logs[len(logs)-1]
	l.last, l.lastTerm, l.truncated, l.pause = newest.Index, newest.Term, false, firstPause
	l.stored.Add(uint64(size(logs)))
}

// StoreLog implements raft.LogStore.
func (l *log) StoreLog(e *raft.Log) error { return l.StoreLogs([]*raft.Log{e}) }

// DeleteRange implements raft.LogStore. It waits until it has succeeded: Raft would go on as if it
// had.
func (l *log) DeleteRange(from, to uint64) error {
	last := l.willDelete(from, to)
	for l.change(l.limit, func(w *wal.WAL) error { return l.shorten(w, last, from, to) }) != nil {
		l.await()
	}
	return nil
}

// willDelete returns what the last entry will be.
func (l *log) willDelete(from, to uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to < l.last || from > l.last {
		return l.last
	}
	first, _ := l.firstLocked()
	if l.last, l.truncated = from-1, true; from <= first {
		l.last, l.truncated = 0, false
	}
	return l.last
}

// shorten lowers the mark before it deletes entries at the end, so that the mark never promises
// entries that have been deleted.
func (l *log) shorten(w *wal.WAL, last, from, to uint64) error {
	if to > last {
		if err := errors.Join(l.writeMark(last), l.mark.Sync()); err != nil {
			return err
		}
	}
	return w.DeleteRange(from, to)
}

// writeMark notes up to where the log must reach at the next start. A higher mark needs no
// synchronization: what a crash of the machine leaves is the lower one.
func (l *log) writeMark(last uint64) error {
	return record{l.mark, 0}.write(binary.LittleEndian.AppendUint64(nil, last))
}

func (l *log) readMark() uint64 {
	if b := (record{l.mark, 0}).read(); len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// change runs what writes, for a limit of time.
func (l *log) change(limit time.Duration, fn func(*wal.WAL) error) error {
	l.mu.Lock()
	w, failed := l.wal, l.failed
	if failed == nil {
		l.underway.Add(1)
	}
	l.mu.Unlock()
	if failed != nil {
		return failed
	}
	err := within(limit, func() error {
		defer l.underway.Done()
		return l.disk.explain(fn(w))
	})
	if err != nil {
		l.fail(err)
	}
	return err
}

// fail begins the recovery.
func (l *log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return
	}
	l.say("warning", "The disk of this member fails, it cannot lead: "+err.Error())
	l.failed, l.well = err, make(chan struct{})
	l.recovery.Go(l.recover)
}

// recover opens the log again, and tries until it can be written. It says once that entries are
// missing: only a start puts such a log aside.
func (l *log) recover() {
	l.underway.Wait()
	l.take(nil).Close()
	said := false
	for l.sleep() {
		err := l.reopen()
		if err == nil {
			l.say("notice", "The disk of this member works again")
			return
		}
		l.logger.Debug("the disk still fails", "error", err)
		if errors.Is(err, errShort) && !said {
			said = true
			l.say("warning", err.Error()+". Start this member again, so that it gets them from the others")
		}
	}
}

func (l *log) take(w *wal.WAL) (old *wal.WAL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, l.wal = l.wal, w
	return old
}

// sleep waits before the next attempt; false: the log is closed.
func (l *log) sleep() bool {
	l.mu.Lock()
	pause := l.pause
	l.pause = min(2*pause, lastPause)
	l.mu.Unlock()
	select {
	case <-time.After(pause):
		return true
	case <-l.closed:
		return false
	}
}

func (l *log) reopen() error {
	if err := l.disk.probe(l.dir); err != nil {
		return err
	}
	w, err := l.openWAL()
	if err != nil {
		return err
	}
	for {
		last, _ := l.LastIndex()
		if err := l.cut(w, last); err != nil {
			w.Close()
			return err
		}
		if l.resume(w, last) {
			return nil
		}
	}
}

// resume goes on with a log that ends with that entry, unless Raft has deleted others meanwhile.
func (l *log) resume(w *wal.WAL, last uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last != last {
		return false
	}
	l.wal, l.failed = w, nil
	close(l.well)
	return true
}

// cut deletes entries that were stored after all, although Raft was told otherwise.
func (l *log) cut(w *wal.WAL, keep uint64) error {
	last, err := w.LastIndex()
	switch {
	case err != nil || last == keep:
		return err
	case last < keep:
		return fmt.Errorf("%w: it ends with entry %d, but had %d", errShort, last, keep)
	}
	return l.shorten(w, keep, keep+1, last)
}

// await waits until the disk works. When the log is closed before that, it ends the goroutine: it
// is one of Raft's, which would panic if it went on.
func (l *log) await() {
	l.mu.Lock()
	well, failed := l.well, l.failed
	l.mu.Unlock()
	if failed == nil {
		return
	}
	select {
	case <-well:
	case <-l.closed:
		runtime.Goexit()
	}
}

// pauseOrEnd waits, and ends the goroutine if closed is.
func pauseOrEnd(closed chan struct{}, pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-closed:
		runtime.Goexit()
	}
}

// GetLog implements raft.LogStore.
func (l *log) GetLog(index uint64, e *raft.Log) error {
	for {
		w := l.readable()
		if w == nil {
			l.await()
			continue
		}
		err := read(w, index, e)
		if errors.Is(err, wal.ErrClosed) && !l.isClosed() {
			continue
		}
		return err
	}
}

// read does not return entries at the beginning that have been deleted. raft-wal does, as long as
// the file is there.
func read(w *wal.WAL, index uint64, e *raft.Log) error {
	first, err := w.FirstIndex()
	if err == nil && index < first {
		err = raft.ErrLogNotFound
	}
	if err == nil {
		err = w.GetLog(index, e)
	}
	if err == nil {
		err = check(e, index)
	}
	return err
}

func (l *log) readable() *wal.WAL {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wal
}

// FirstIndex implements raft.LogStore.
func (l *log) FirstIndex() (uint64, error) {
	for l.readable() == nil {
		l.await()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.firstLocked()
}

// first returns 0 while the log is being opened, or empty.
func (l *log) first() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	first, _ := l.firstLocked()
	return first
}

// firstLocked returns 0 while the log is being opened.
func (l *log) firstLocked() (uint64, error) {
	if l.wal == nil {
		return 0, nil
	}
	return l.wal.FirstIndex()
}

// LastIndex implements raft.LogStore.
func (l *log) LastIndex() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, nil
}

// IsMonotonic implements raft.MonotonicLogStore.
func (l *log) IsMonotonic() bool { return true }

// failure returns why nothing can be stored at the moment.
func (l *log) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

func (l *log) isTruncated() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.truncated
}

func (l *log) term() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastTerm
}

func (l *log) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// stop lets those who wait for the disk give up.
func (l *log) stop() { close(l.closed) }

// Close closes the files. It waits for a disk that hangs only as long as for any change.
func (l *log) Close() {
	within(l.limit, func() error {
		l.recovery.Wait()
		if w := l.take(nil); w != nil {
			w.Close()
		}
		return l.mark.Close()
	})
}
