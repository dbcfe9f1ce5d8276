package journal

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// status are what INFO tells, and what a rewrite is decided by. All under the engine's lock.
type status struct {
	rewriting   bool
	scheduled   bool // a rewrite is to begin as soon as it can
	stopping    bool // the file is to be closed
	rewriteOK   bool // the last one
	rewrites    int64
	failures    int // in a row
	began       time.Time
	lastRewrite int64 // seconds; -1 for none
	baseSize    int64 // of all files after the last rewrite, or at start
	retry       time.Time
	loadStart   int64 // seconds since the epoch
	loadTotal   int64 // bytes; 0 if nothing is being loaded
}

// rewriteDue decides whether a rewrite is to begin now, and says so in the status. It is called under the
// engine's lock.
func (j *Journal) rewriteDue(now time.Time) bool {
	f := &j.status
	if f.rewriting || f.stopping || j.engine.InTx() || j.engine.Keyspace.Snapshotting() || now.Before(f.retry) {
		return false
	}
	if !f.scheduled && !j.grown() {
		return false
	}
	f.scheduled, f.rewriting, f.began = false, true, now
	return true
}

// grown reports whether the files are as large as a rewrite by itself wants them.
func (j *Journal) grown() bool {
	if j.state != on || j.set.growth == 0 {
		return false
	}
	size := j.total.Load()
	return size > j.set.minSize && (size-j.status.baseSize)*100 >= j.set.growth*max(j.status.baseSize, 1)
}

// rewrite puts the data down anew, and forgets the files before.
func (j *Journal) rewrite() {
	err := j.rewriteOnce()
	j.engine.With(func() {
		f := &j.status
		if err == errBusy {
			f.rewriting, f.scheduled = false, true
			return
		}
		f.rewriting, f.rewriteOK = false, err == nil
		f.lastRewrite = int64(time.Since(f.began).Seconds())
		f.rewrites++
		if err == nil {
			f.failures, f.retry = 0, time.Time{}
			j.log('*', "Background AOF rewrite finished successfully")
			return
		}
		f.failures++
		f.retry = time.Now().Add(min(time.Hour, time.Second<<min(f.failures, 12)))
		f.scheduled = f.scheduled || j.state == waitRewrite
		j.log('#', "Background AOF rewrite failed: %v", err)
	})
	j.wakeUp()
}

var (
	errTurnedOff = errors.New("the append-only file was turned off meanwhile")
	errBusy      = errors.New("another snapshot of the data is being taken")
)

func (j *Journal) rewriteOnce() error {
	f := &baseFile{journal: j, temp: fmt.Sprintf("temp-rewriteaof-bg-%d.aof", os.Getpid())}
	defer f.close()
	if err := j.openDir(); err != nil {
		return err
	}
	if err := f.open(); err != nil {
		return err
	}
	incr, err := j.switchIncr(f)
	if err != nil {
		return err
	}
	if err := f.save(); err != nil {
		return err
	}
	return j.install(f, incr)
}

// switchIncr begins the new base, and the file to which what changes from now on is appended. It returns that
// file's number, 0 if the journal is off.
func (j *Journal) switchIncr(f *baseFile) (incr int64, err error) {
	j.files.Lock()
	defer j.files.Unlock()
	file, next, err := j.createIncr()
	if err != nil {
		return 0, err
	}
	var was state
	var t blocks
	var end int64
	j.engine.With(func() {
		if j.engine.Keyspace.Snapshotting() || j.engine.InTx() {
			err = errBusy
			return
		}
		f.begin()
		if was = j.state; was != off {
			t, end = j.endFile()
			j.engine.SetPropagate(partName, j.append)
		}
	})
	if err != nil || was == off {
		_ = file.Close()
		_ = j.disk.Remove(j.path(next.name))
		return 0, err
	}
	if was == on {
		err = j.finishIncr(t, end, next)
	} else if j.file != nil { // of an attempt that failed
		_ = j.file.Close()
	}
	if err != nil {
		_ = file.Close() // it stays, for a manifest may name it, see writeManifest
		return 0, err
	}
	j.use(file, 0)
	j.end = end
	return next.seq, nil
}

// finishIncr writes the last of the old file, and names the new one in the manifest. What is appended
// meanwhile is for the new one.
func (j *Journal) finishIncr(t blocks, end int64, next part) error {
	j.add(t)
	j.end = end
	err := j.flush(true)
	j.setFailure(err)
	if err != nil {
		return err
	}
	if err := j.writeManifest(j.manifest.with(next)); err != nil {
		return err
	}
	j.others += j.size
	_ = j.file.Close() // it is synced
	return nil
}

// install names the new base in the manifest, in place of all that was before it.
func (j *Journal) install(f *baseFile, incr int64) error {
	j.files.Lock()
	defer j.files.Unlock()
	old := j.manifest
	if incr != 0 && j.file == nil {
		return errTurnedOff
	}
	if n := len(old.incrs); incr != 0 && (n == 0 || old.incrs[n-1].seq < incr) { // it was waitRewrite
		old = old.with(part{fmt.Sprintf("%s.%d.incr.aof", j.set.fileName, incr), incr, kindIncr})
	}
	if incr == 0 {
		incr = old.nextIncr()
	}
	seq := old.nextBase()
	base := part{fmt.Sprintf("%s.%d.base.%s", j.set.fileName, seq, f.suffix), seq, kindBase}
	if err := j.disk.Rename(j.path(f.temp), j.path(base.name)); err != nil {
		return err
	}
	if err := j.writeManifest(old.rebased(base, incr)); err != nil {
		return err
	}
	j.removeHistory()
	size, err := j.disk.Size(j.path(base.name))
	j.others = size
	j.engine.With(func() {
		if j.state == waitRewrite {
			j.state = on
		}
		j.updateTotal()
		j.status.baseSize = j.total.Load()
		j.applySettings()
	})
	return err
}

// removeHistory removes the files that the manifest calls history.
func (j *Journal) removeHistory() {
	if err := j.writeManifest(j.manifest.removeHistory(j.disk, j.dir)); err != nil {
		j.log('#', "Can't take removed files out of the AOF manifest: %v", err)
	}
}
