package journal

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// status is what INFO shows and what decides about rewrites. The engine's lock guards it.
type status struct {
	rewriting *baseFile // being written; nil for none
	cancelled int       // rewrites that were cancelled and have not ended yet
	scheduled bool      // a rewrite must begin as soon as it can
	// The offset of the data when the file that is to be closed was complete; noOffset if it is of
	// no use.
	end         int64
	rewriteOK   bool // the last rewrite succeeded
	rewrites    int64
	failures    int // rewrites that failed in a row
	began       time.Time
	lastRewrite int64     // duration in seconds; -1 for none
	baseSize    int64     // of all files after the last rewrite, or at start
	retry       time.Time // no rewrite begins before
	loadStart   int64     // seconds since the epoch
	loadTotal   int64     // bytes; 0 if nothing is being loaded
}

// requestRewrite starts a rewrite, or schedules one if there is another snapshot or the caller is
// in a transaction. It reports whether it started, or begins with the journal itself. It is called
// under the engine's lock, like all that changes the status.
func (j *Journal) requestRewrite(nested bool) (started bool) {
	j.status.retry = time.Time{}
	started = !nested && j.mayRewrite()
	if started && j.live {
		j.startRewrite()
		return true
	}
	j.status.scheduled = true
	j.wakeUp()
	return started
}

// mayRewrite reports whether nothing else keeps a rewrite from beginning. One that was cancelled
// ends first.
func (j *Journal) mayRewrite() bool {
	return j.status.rewriting == nil && (j.status.cancelled > 0 || !j.engine.Home().Snapshotting())
}

// rewriteDue reports whether a rewrite must begin now by itself.
func (j *Journal) rewriteDue(now time.Time) bool {
	f := &j.status
	return j.live && j.mayRewrite() && !j.engine.InTx() && !now.Before(f.retry) && (f.scheduled || j.grown())
}

// startRewrite starts a rewrite, which goes on in the background. No other snapshot can begin
// before it ends.
func (j *Journal) startRewrite() {
	f := j.newRewrite()
	if j.state != on || f.dir == j.dir { // else the file in use is completed first
		_ = j.begin(f) // which is tried again in the background
	}
	j.ended.Add(1)
	j.opts.Background(func() {
		j.rewrite(f)
		j.ended.Done()
	})
}

func (j *Journal) newRewrite() *baseFile {
	f := &baseFile{journal: j, temp: fmt.Sprintf("temp-rewriteaof-bg-%d.aof", os.Getpid()), dir: j.chosenDir()}
	j.status.rewriting, j.status.scheduled, j.status.began = f, false, time.Now()
	j.status.rewrites++
	j.engine.ReserveSnapshot(true)
	return f
}

// cancelRewrite ends the rewrite that is under way, as Redis kills its child process. That is not a
// failure.
func (j *Journal) cancelRewrite() {
	f := j.status.rewriting
	if f == nil {
		return
	}
	f.cancelled = true
	if f.slicer != nil {
		f.slicer.Cancel()
	}
	j.forgo(f)
	j.status.rewriting = nil
	j.status.cancelled++
	j.engine.ReserveSnapshot(false)
}

// grown reports whether the files have grown enough for an automatic rewrite.
func (j *Journal) grown() bool {
	if j.state != on || j.set.growth == 0 {
		return false
	}
	size := j.total.Load()
	return size > j.set.minSize && (size-j.status.baseSize)*100 >= j.set.growth*max(j.status.baseSize, 1)
}

// rewrite writes a new base, removes the files that it replaces, and updates the status.
func (j *Journal) rewrite(f *baseFile) {
	j.turn.Lock()
	err := j.rewriteOnce(f)
	j.turn.Unlock()
	j.engine.With(func() { j.rewritten(f, err) })
	j.wakeUp()
}

// rewritten records how a rewrite ended.
func (j *Journal) rewritten(f *baseFile, err error) {
	s := &j.status
	if f.cancelled {
		s.cancelled--
		return
	}
	s.rewriting = nil
	j.engine.ReserveSnapshot(false)
	if err == errBusy {
		s.scheduled = true
		s.rewrites--
		return
	}
	s.rewriteOK = err == nil
	s.lastRewrite = int64(time.Since(s.began).Seconds())
	if err == nil {
		s.failures, s.retry = 0, time.Time{}
		j.log('*', "Background AOF rewrite finished successfully")
		return
	}
	s.failures++
	s.retry = time.Now().Add(min(time.Hour, time.Second<<min(s.failures, 12)))
	s.scheduled = s.scheduled || j.state == waitRewrite
	j.log('#', "Background AOF rewrite failed: %v", err)
}

var (
	errCancelled = errors.New("the rewrite was cancelled")
	errBusy      = errors.New("another snapshot of the data is being taken")
)

func (j *Journal) rewriteOnce(f *baseFile) error {
	defer f.close()
	defer func() { j.engine.With(func() { j.forgo(f) }) }() // after an error
	j.closeStopped()
	if err := j.openDir(f.dir); err != nil {
		return err
	}
	if err := f.open(); err != nil {
		return err
	}
	if err := j.beginLate(f); err != nil {
		return err
	}
	if err := j.openIncrOf(f); err != nil {
		return err
	}
	if err := f.save(); err != nil {
		j.abandon(f)
		return err
	}
	return j.install(f)
}

// begin starts the snapshot of the new base. What is appended from this moment on belongs to a new
// file. It is called under the engine's lock, and does no I/O.
func (j *Journal) begin(f *baseFile) error {
	switch {
	case f.cancelled:
		return errCancelled
	case j.engine.Home().Keyspace.Snapshotting():
		return errBusy
	}
	f.begin()
	if f.incr.start, f.follows = j.offset(), j.state == on; j.state != off {
		j.seal()
		j.next.Store(f)
		j.engine.SetPropagate(partName, j.append)
	}
	return nil
}

// beginLate begins a rewrite that could not begin before.
func (j *Journal) beginLate(f *baseFile) (err error) {
	j.engine.With(func() {
		switch {
		case f.slicer != nil:
		case j.engine.InTx():
			err = errBusy
		default:
			err = j.begin(f)
		}
	})
	return err
}

// forgo makes no new file follow the one in use, unless it is open already. It is called under the
// engine's lock.
func (j *Journal) forgo(f *baseFile) {
	if j.next.Load() != f {
		return
	}
	j.next.Store(nil)
	j.unseal(f.follows)
	if !f.follows {
		j.engine.SetPropagate(partName, nil)
	}
}

// openIncrOf opens the file of the commands since a rewrite began, if there is one and it is not
// open yet.
func (j *Journal) openIncrOf(f *baseFile) error {
	j.files.Lock()
	defer j.files.Unlock()
	return j.switchIncr(f)
}

// switchIncr is openIncrOf while the files are locked.
func (j *Journal) switchIncr(f *baseFile) error {
	if j.next.Load() == f {
		if f.failed = j.openNext(f); f.failed != nil {
			j.engine.With(func() { j.forgo(f) })
		}
	}
	return f.failed
}

// openNext opens the next file of commands. The one in use is completed before, if it is of any
// use.
func (j *Journal) openNext(f *baseFile) error {
	file, next, err := j.createIncr()
	if err != nil {
		return err
	}
	next.start = f.incr.start
	var t blocks
	var end int64
	j.engine.With(func() {
		if f.cancelled {
			err = errCancelled
			return
		}
		t, end = j.drain(nil)
	})
	switch {
	case err != nil:
		_ = file.Close()
		_ = j.disk.Remove(j.path(next.name))
		return err
	case f.follows:
		err = j.finishIncr(t, end, next)
	default:
		if j.file != nil { // left by an attempt that failed
			_ = j.file.Close()
		}
		j.forgetFailure()
	}
	if err != nil {
		_ = file.Close() // not removed: a manifest may name it, see writeManifest
		return err
	}
	j.use(file, 0)
	j.end, f.incr = end, next
	j.engine.With(func() {
		if j.next.CompareAndSwap(f, nil) {
			j.unseal(true)
		}
	})
	return nil
}

// finishIncr writes and syncs the last text of the old file, and names the new file in the
// manifest. What is appended in the meantime belongs to the new file.
func (j *Journal) finishIncr(t blocks, end int64, next part) error {
	j.add(t)
	j.end = end
	err := j.flush(true)
	j.setFailure(err)
	if err != nil {
		return err
	}
	if err := j.writeManifest(j.manifest.withIncr(next)); err != nil {
		return err
	}
	j.otherSize += j.size
	_ = j.file.Close() // flush synced it
	return nil
}

// install names the new base in the manifest, in place of all files that it replaces.
func (j *Journal) install(f *baseFile) error {
	j.files.Lock()
	defer j.files.Unlock()
	old, incr, appending := j.manifest, f.incr.seq, f.incr.seq != 0
	if j.isCancelled(f) {
		return errCancelled
	}
	if n := len(old.incrs); appending && (n == 0 || old.incrs[n-1].seq < incr) { // the state was waitRewrite
		old = old.withIncr(f.incr)
	}
	if !appending {
		incr = old.nextIncr()
	}
	seq := old.nextBase()
	base := newPart(fmt.Sprintf("%s.%d.base.%s", j.set.fileName, seq, f.suffix), seq, kindBase)
	if err := j.timed("aof-rename", func() error { return j.place(f.path(), base.name) }); err != nil {
		return err
	}
	if err := j.writeManifest(old.rebased(base, incr)); err != nil {
		if !j.manifest.names(base.name) {
			_ = j.disk.Remove(j.path(base.name))
		}
		return err
	}
	j.removeHistory()
	err := j.timed("aof-fstat", func() (err error) {
		j.otherSize, err = j.disk.Size(j.path(base.name))
		return err
	})
	j.engine.With(func() {
		if j.state == waitRewrite && appending && !j.stopping.Load() {
			j.state = on
		}
		j.updateTotal()
		j.status.baseSize = j.total.Load()
		j.applySettings()
	})
	return err
}

// isCancelled reports whether a rewrite was cancelled.
func (j *Journal) isCancelled(f *baseFile) (yes bool) {
	j.engine.With(func() { yes = f.cancelled })
	return yes
}

// removeHistory removes the files that the manifest calls history.
func (j *Journal) removeHistory() {
	if err := j.writeManifest(j.manifest.removeHistory(j.disk, j.dir)); err != nil {
		j.log('#', "Can't drop removed files from the AOF manifest: %v", err)
	}
}
