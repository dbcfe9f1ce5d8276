package journal

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/errno"
)

// files are the journal's files, guarded by their own lock.
type files struct {
	sync.Mutex
	dir          string // changes under the engine's lock, too
	manifest     *manifest
	file         File  // the one being appended to; nil if the journal is off
	size         int64 // of file
	syncedSize   int64 // bytes of file that are synced
	otherSize    int64 // bytes of the other files
	total        atomic.Int64
	rest         blocks // drained from the buffer; kept until it is written, and synced if that is asked for
	done         int    // bytes of rest that are written
	used         blocks // a former rest, whose blocks go back to the buffer
	end          int64  // offset of the end of rest
	needsRewrite bool   // a sync failed, and some data may be lost: a rewrite must write them again
	failure      string // error text of the last write; empty if it succeeded
	failing      atomic.Bool
	lastSync     atomic.Int64  // nanoseconds since epoch
	writing      time.Duration // of the last flush; these two are 0 if it did not
	syncing      time.Duration
}

// Behind implements server.Journal. It also writes what is due, unless the background holds the
// files, perhaps for a sync: event loops must not wait for the disk.
func (j *Journal) Behind() bool {
	switch {
	case j.failing.Load():
		return false // held replies stay held; new ones need not wait, since writes are denied
	case j.stopping.Load():
		return true // also what was confirmed before appendonly was set to no is written, as in Redis
	case j.always.Load():
		return j.appended.Load() > j.synced.Load()
	case j.due.Load() && j.files.TryLock():
		j.commitLocked(false)
		j.files.Unlock()
	}
	return j.length() > maxAhead
}

// Commit implements server.Journal.
func (j *Journal) Commit() bool {
	j.closeStopped()
	return j.commit(j.always.Load())
}

// commit writes the buffer, and syncs it if sync is true. It reports whether that succeeded.
func (j *Journal) commit(sync bool) bool {
	j.files.Lock()
	defer j.files.Unlock()
	return j.commitLocked(sync)
}

func (j *Journal) commitLocked(sync bool) bool {
	if j.file == nil {
		return true
	}
	if f := j.next.Load(); f != nil && f.follows {
		_ = j.switchIncr(f) // if that fails the rewrite does, and all goes on in this file
	}
	err := j.writeBuffer(sync)
	j.sampleLatency()
	j.setFailure(err)
	if err != nil && j.length() > maxAhead {
		j.engine.With(j.shed)
	}
	if sync && err == nil && j.waitCount.Load() > 0 {
		j.engine.With(j.endWaits)
	}
	return err == nil
}

// sampleLatency adds what the last flush took to the events of LATENCY, with Redis' names. One
// goroutine at a time writes and syncs, so that no write waits for a sync that another has begun
// (Redis' aof-write-pending-fsync).
func (j *Journal) sampleLatency() {
	f := &j.files
	if max(f.writing, f.syncing) < time.Millisecond {
		return // below any threshold
	}
	j.engine.With(func() {
		beside := "aof-write-alone"
		if j.engine.Home().Snapshotting() {
			beside = "aof-write-active-child"
		}
		j.engine.Home().AddLatency(beside, f.writing.Microseconds())
		j.engine.Home().AddLatency("aof-write", f.writing.Microseconds())
		if j.always.Load() {
			j.engine.Home().AddLatency("aof-fsync-always", f.syncing.Microseconds())
		}
	})
}

// timed does what clients may wait for, as it keeps the files locked, and adds the time to an event
// of LATENCY.
func (j *Journal) timed(event string, do func() error) error {
	began := time.Now()
	err := do()
	if took := time.Since(began); took >= time.Millisecond {
		j.engine.With(func() { j.engine.Home().AddLatency(event, took.Microseconds()) })
	}
	return err
}

// writeBuffer drains, writes and possibly syncs the buffer. The files must be locked.
func (j *Journal) writeBuffer(sync bool) error {
	if f := &j.files; j.appended.Load() > f.end {
		j.engine.With(func() {
			var t blocks
			t, f.end = j.drain(f.used)
			f.used = nil
			f.add(t)
		})
	}
	return j.flush(sync)
}

// flush writes what was drained from the buffer, and syncs it if sync is true.
func (j *Journal) flush(sync bool) error {
	f := &j.files
	began := time.Now()
	err := f.write()
	f.writing, f.syncing = time.Since(began), 0
	f.updateTotal()
	if err != nil {
		return err
	}
	j.written.Store(f.end)
	if sync && (j.synced.Load() < f.end || f.needsRewrite) {
		began := time.Now()
		err := f.file.Sync()
		if f.syncing = time.Since(began); err != nil {
			f.syncFailed()
			return err
		}
		f.syncedSize = f.size
		j.synced.Store(f.end)
		f.lastSync.Store(int64(time.Since(epoch)))
	}
	if len(f.rest) > 0 {
		f.used, f.rest, f.done = f.rest, nil, 0
	}
	return nil
}

// updateTotal publishes the size of all files to readers without the lock.
func (f *files) updateTotal() { f.total.Store(f.otherSize + f.size) }

// add appends text to what is to be written.
func (f *files) add(t blocks) {
	if len(f.rest) == 0 {
		f.rest, f.done = t, 0
		return
	}
	f.rest = append(f.rest, t...)
}

// write writes what is left of rest. After an error it truncates the file to its former size, so
// that no command is cut off.
func (f *files) write() error {
	done, size, at := f.done, f.size, 0
	for _, block := range f.rest {
		if at += len(block); at <= f.done {
			continue
		}
		n, err := f.file.Write(block[len(block)-(at-f.done):])
		f.size += int64(n)
		f.done += n
		if err != nil {
			if f.done > done && f.file.Truncate(size) == nil {
				f.size, f.done = size, done
			}
			return err
		}
	}
	return nil
}

// syncFailed prepares to write again what the failed sync was to cover. The system may have dropped
// those pages, and a second sync would succeed without them. If they are no longer in memory, the
// data need a rewrite.
func (f *files) syncFailed() {
	if f.syncedSize == f.size-int64(f.done) && f.file.Truncate(f.syncedSize) == nil {
		f.size, f.done = f.syncedSize, 0
		return
	}
	f.needsRewrite = true
}

// setFailure denies writes after an error, and allows them again after a success.
func (j *Journal) setFailure(err error) {
	failure := ""
	if err != nil {
		failure = errno.Text(err)
	}
	if failure == j.failure {
		return
	}
	j.failure = failure
	j.failing.Store(err != nil)
	j.engine.With(func() {
		if err == nil {
			j.log('*', "AOF write error looks solved. The server can write again.")
			j.engine.DenyWrites(partName, nil)
			j.status.scheduled = j.status.scheduled || j.needsRewrite
			j.needsRewrite = false
			j.wakeUp()
			return
		}
		j.log('#', "Error writing to the AOF file: %v", err)
		j.engine.DenyWrites(partName, command.Errorf(errMisconf, failure))
	})
}

// forgetFailure allows writes again, because the file that could not be written is in use no more.
func (j *Journal) forgetFailure() {
	j.failure = ""
	j.failing.Store(false)
	j.engine.With(func() { j.engine.DenyWrites(partName, nil) })
}

// shed drops text that cannot be written, if it comes from a master. Clients are refused while the
// disk fails; a master's changes cannot be, and would fill the memory. When the disk works again, a
// rewrite writes all data. It is called under the engine's lock.
func (j *Journal) shed() {
	if j.state == on && j.engine.Role().Replica {
		j.log('#', "The master's changes cannot be written to the AOF file, and are dropped from memory. "+
			"The file begins anew when the disk works again.")
		j.beginAnew()
	}
}

// errMisconf is the error of denied writes, in Redis' words.
const errMisconf = "MISCONF Errors writing to the AOF file: %s"

// epoch is when the process started. Times since then are right whatever the wall clock is set to.
var epoch = time.Now()

// syncedAt returns the time of the last sync.
func (j *Journal) syncedAt() time.Time { return epoch.Add(time.Duration(j.lastSync.Load())) }

func (j *Journal) path(name string) string { return filepath.Join(j.dir, name) }

func (j *Journal) manifestName() string { return j.set.fileName + ".manifest" }

func (j *Journal) readManifest() (*manifest, error) {
	return readManifest(j.disk, j.path(j.manifestName()))
}

// writeManifest makes m the manifest. If m is in place but may not be durable, the former manifest
// stays in use. After a loss of power either one may be found, so the files that only m names must
// not be reused.
func (j *Journal) writeManifest(m *manifest) error {
	placed, err := writeWhole(j.disk, j.path(j.manifestName()), m.text(), func() error {
		if len(j.manifest.all()) > 0 {
			return nil // it is the journal's own that m replaces
		}
		return j.setAside(j.manifestName())
	})
	switch {
	case err == nil:
		j.manifest = m
	case placed:
		j.manifest = j.manifest.withHistoryOf(m)
	}
	return err
}

// use makes file, of the given size, the one that is appended to.
func (j *Journal) use(file File, size int64) {
	j.file, j.size, j.syncedSize = file, size, size
	j.rest, j.done, j.needsRewrite = nil, 0, false
}

// closeStopped closes the file if appendonly was set to no since the file was opened, even if it is
// yes again by now.
func (j *Journal) closeStopped() {
	if !j.stopping.Load() {
		return
	}
	j.files.Lock()
	defer j.files.Unlock()
	if !j.stopping.Load() { // another goroutine has closed it, and perhaps opened the next
		return
	}
	end, last := int64(noOffset), false
	j.engine.With(func() { end, j.status.end, last = j.status.end, noOffset, j.state == off })
	if j.file != nil {
		err := j.closeFile("when it was turned off", end)
		if last {
			j.needsRewrite = false // no file follows that could have the data
			j.setFailure(err)      // which INFO tells until one does
		}
		if err != nil {
			j.discard()
		}
	}
	j.engine.With(func() { j.engine.DenyWrites(partName, nil) })
	j.stopping.Store(false)
}

// closeFile ends appending, at a replication offset that the manifest then tells unless it is
// noOffset. It writes and syncs the buffer first. If the sync fails, the text is at least written:
// the failed sync truncated the file.
func (j *Journal) closeFile(when string, end int64) error {
	err := j.writeBuffer(true)
	if err == nil && end != noOffset {
		_ = j.writeManifest(j.manifest.lastEnds(end)) // which tells more exactly what the file's size tells, too
	}
	if err != nil {
		j.log('#', "Error writing to the AOF file %s: %v", when, err)
		_ = j.flush(false)
	}
	_ = j.file.Close()
	j.file = nil
	return err
}

// abandon closes the file that has the changes since a base, which could not be written. The file
// is of no use without it, and to keep more changes for it would take memory. The next rewrite
// begins another one.
func (j *Journal) abandon(f *baseFile) {
	j.files.Lock()
	defer j.files.Unlock()
	useless := false
	j.engine.With(func() {
		if useless = j.state == waitRewrite && !f.cancelled; useless {
			j.engine.SetPropagate(partName, nil)
		}
	})
	if !useless || j.file == nil {
		return
	}
	_ = j.file.Close()
	_ = j.disk.Remove(j.path(f.incr.name))
	j.file = nil
	j.discard()
	j.forgetFailure()
}

// discard drops what could not be written to the file.
func (j *Journal) discard() {
	j.engine.With(func() {
		if !j.sealed {
			j.db = -1
		}
		_, j.end = j.drain(nil)
	})
	j.written.Store(j.end)
	j.synced.Store(j.end)
}
