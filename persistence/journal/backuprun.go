package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// backupRun writes the files of a backup. One goroutine saves the base, and another one writes the
// changes since, so that few of them wait in memory however long the base takes.
type backupRun struct {
	*backups
	base    *baseFile
	incr    part
	changes buffer
	wake    chan struct{} // there are changes
	stop    chan struct{} // closed when the backup is to end

	// Under the engine's lock:
	stopped bool
	reason  error // why it fails; nil if it is to be sealed
}

// begin starts the snapshot and collects what changes from now on. It is called under the engine's
// lock, outside of transactions and scripts.
func (b *backups) begin() {
	j := b.journal
	r := &backupRun{backups: b, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	r.base = &baseFile{journal: j, temp: "temp-" + j.set.fileName, dir: b.dir}
	r.incr = newPart(j.incrName(1), 1, kindIncr)
	r.incr.start = j.offset()
	r.changes.db, r.changes.stamping = -1, j.set.timestamps
	b.state, b.run = backupSnapshotting, r
	j.engine.ReserveSnapshot(true)
	r.base.begin()
	j.engine.SetPropagate(backupPart, r.append)
	j.ended.Add(1)
	j.opts.Background(func() {
		r.write()
		j.ended.Done()
	})
}

// append adds a change. It is called under the engine's lock.
func (r *backupRun) append(db int, args [][]byte) {
	switch {
	case r.stopped && r.reason != nil:
	case r.changes.length() > maxAhead:
		r.end(errSlow)
	case r.changes.put(r.journal.engine.Home().Micros(), db, args):
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// end ends the backup: with an error, or sealed. It is called under the engine's lock.
func (r *backupRun) end(reason error) {
	if reason != nil && r.reason == nil {
		r.reason = reason
		r.base.slicer.Cancel()
	}
	if !r.stopped {
		r.stopped = true
		close(r.stop)
	}
}

// write writes all files, and removes them if that fails or the backup is to fail.
func (r *backupRun) write() {
	saved := make(chan error, 1)
	r.journal.opts.Background(func() { saved <- r.saveBase() })
	err := r.writeChanges()
	if err != nil {
		r.journal.engine.With(func() { r.end(err) })
	}
	if err = errors.Join(err, <-saved); err == nil {
		err = r.seal()
	}
	r.journal.engine.With(func() {
		if r.reason != nil {
			err = r.reason
		}
		if err == nil {
			r.conclude(nil)
		}
	})
	if err != nil {
		r.remove()
		r.journal.engine.With(func() { r.conclude(err) })
	}
}

// conclude records how the backup has ended.
func (r *backupRun) conclude(err error) {
	r.journal.engine.SetPropagate(backupPart, nil)
	r.run = nil
	r.finish(err)
}

// saveBase writes the base and gives it its name.
func (r *backupRun) saveBase() error {
	f, j := r.base, r.journal
	err := f.open()
	if err == nil {
		err = f.save()
	}
	if err == nil {
		err = j.disk.Rename(f.path(), filepath.Join(r.dir, r.baseName()))
	}
	f.close()
	j.engine.With(func() {
		j.engine.ReserveSnapshot(false)
		switch {
		case err != nil:
			r.end(err)
		case r.reason == nil:
			r.state, r.files = backupIncrementing, []string{r.baseName()}
		}
	})
	return err
}

func (r *backupRun) baseName() string {
	return fmt.Sprintf("%s.1.base.%s", r.journal.set.fileName, r.base.suffix)
}

// writeChanges writes the file of commands until the backup is to end.
func (r *backupRun) writeChanges() error {
	file, err := r.journal.disk.Create(filepath.Join(r.dir, r.incr.name))
	if err != nil {
		return err
	}
	var text blocks
	for last := false; !last && err == nil; {
		stopped, end := r.pause(), int64(0)
		r.journal.engine.With(func() {
			if last = stopped && !r.journal.engine.InTx(); last {
				r.journal.engine.SetPropagate(backupPart, nil)
				r.incr.end = r.journal.offset()
			}
			text, end = r.changes.drain(text)
		})
		if err = text.writeTo(file); err == nil {
			r.changes.written.Store(end)
		}
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// pause waits until there are changes to write, a few of them together, or the backup is to end.
// Then it still leaves a moment to a script that runs.
func (r *backupRun) pause() (stopped bool) {
	const moment = time.Millisecond
	select {
	case <-r.stop:
		time.Sleep(moment)
		return true
	case <-r.wake:
	}
	select {
	case <-r.stop:
		return true
	case <-time.After(pause):
		return false
	}
}

// seal writes the manifest, unless the backup is to fail.
func (r *backupRun) seal() (err error) {
	j := r.journal
	j.engine.With(func() { err = r.reason })
	if err != nil {
		return err
	}
	base := newPart(r.baseName(), 1, kindBase)
	names := []string{base.name, r.incr.name, j.manifestName()}
	m := &manifest{base: &base, incrs: []part{r.incr}}
	_, err = writeWhole(j.disk, filepath.Join(r.dir, j.manifestName()), m.text(), func() error { return nil })
	j.engine.With(func() { r.files = names })
	return err
}

// remove removes all files of the backup.
func (r *backupRun) remove() {
	for _, name := range []string{r.baseName(), r.incr.name, r.journal.manifestName()} {
		_ = r.journal.disk.Remove(filepath.Join(r.dir, name))
	}
}

// memory returns the bytes of the changes that wait to be written.
func (b *backups) memory() int {
	if b.run == nil {
		return 0
	}
	return b.run.changes.memory()
}
