package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Load loads the journal's files if appendonly is yes, and journals changes from then on. Meanwhile
// clients get LOADING errors. Load must be called once, whether appendonly is yes or not.
func (j *Journal) Load() error {
	j.locate()
	if j.set.enabled {
		if err := j.open(); err != nil {
			return err
		}
	}
	j.engine.With(j.goLive)
	j.ended.Go(j.run)
	return nil
}

// goLive makes CONFIG SET appendonly effective, also one that came while the files were loaded.
func (j *Journal) goLive() {
	want := j.set.enabled
	j.live, j.set.enabled = true, j.state != off
	_ = j.enable(want) // which logs an error
}

// open loads the files, or creates the first ones, and starts to append.
func (j *Journal) open() error {
	j.files.Lock()
	defer j.files.Unlock()
	j.engine.StartLoading() // not stopped after an error: half the data must not be served
	for _, step := range []func() error{j.readDir, j.upgrade, j.loadAll} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(j.manifest.data()) == 0 {
		if err := j.writeFirstBase(); err != nil {
			return fmt.Errorf("can't write the first base of the append-only file: %w", err)
		}
	}
	if err := j.openIncr(); err != nil {
		return fmt.Errorf("can't open the append-only file: %w", err)
	}
	j.updateTotal()
	j.engine.With(func() {
		j.state, j.db = on, -1
		j.status.baseSize = j.total.Load()
		j.engine.SetPropagate(partName, j.append)
		j.applySettings()
	})
	j.engine.StopLoading()
	return nil
}

// locate makes the directory that the parameters name the one in use.
func (j *Journal) locate() { j.engine.With(func() { j.dir = j.chosenDir() }) }

// openDir makes a directory the one in use, unless it is.
func (j *Journal) openDir(dir string) error {
	j.files.Lock()
	defer j.files.Unlock()
	if dir == j.dir && j.manifest != nil {
		return nil
	}
	return j.beginIn(dir)
}

// beginIn begins the journal in a directory from which nothing was loaded: the one of the start,
// after a start with appendonly no, or another that CONFIG SET dir names. A manifest that is
// already there names data that were not loaded. It stays until the first one is written, and its
// numbers are not used again. The files in the former directory stay, and are complete up to now.
func (j *Journal) beginIn(dir string) error {
	if err := j.makeDir(dir); err != nil {
		return err
	}
	if !j.commitLocked(true) {
		return errors.New("the former append-only file cannot be written")
	}
	former := j.dir
	j.engine.With(func() { j.dir = dir })
	if j.file != nil {
		j.engine.With(j.leave)
		_ = j.closeFile("when dir changed", noOffset)
	}
	j.manifest = new(manifest)
	if there, err := j.readManifest(); err == nil {
		j.manifest = there.numbers()
	}
	if former != dir {
		j.log('*', "The append-only file moves from %s to %s", former, dir)
	}
	return nil
}

func (j *Journal) makeDir(dir string) error {
	if err := j.disk.MakeDir(dir); err != nil {
		return fmt.Errorf("can't open or create append-only dir %s: %w", j.set.dirName, err)
	}
	return nil
}

// leave stops appending to a file that is about to be closed. The next base holds the changes from
// now on.
func (j *Journal) leave() {
	if j.state == on {
		j.state = waitRewrite
		j.engine.SetPropagate(partName, nil)
	}
}

// readDir makes the directory and reads its manifest.
func (j *Journal) readDir() error {
	m, err := j.readManifest()
	switch {
	case errors.Is(err, os.ErrNotExist):
		m = new(manifest)
	case err != nil:
		return err
	}
	if err := j.makeDir(j.dir); err != nil {
		return err
	}
	j.manifest = m
	return nil
}

// chosenDir returns the journal's directory as the parameters name it. It is called under the
// engine's lock.
func (j *Journal) chosenDir() string {
	return filepath.Join(j.engine.Params.Named("dir").Get(), j.set.dirName)
}

// upgrade makes the single file of Redis 6 and older the base, if the manifest is empty.
func (j *Journal) upgrade() error {
	if len(j.manifest.all()) > 0 {
		return nil
	}
	single := filepath.Join(filepath.Dir(j.dir), j.set.fileName)
	if _, err := j.disk.Size(single); err == nil {
		if err := j.place(single, j.set.fileName); err != nil {
			return err
		}
		j.log('*', "Migrated the old-style AOF file %s into %s", j.set.fileName, j.set.dirName)
	}
	if _, err := j.disk.Size(j.path(j.set.fileName)); err != nil {
		return nil
	}
	base := newPart(j.set.fileName, 1, kindBase)
	return j.writeManifest(&manifest{base: &base})
}

// loadAll loads the files that hold the data.
func (j *Journal) loadAll() error {
	parts := j.manifest.data()
	if len(parts) == 0 {
		return nil
	}
	for _, p := range parts {
		size, err := j.disk.Size(j.path(p.name))
		if err != nil {
			return fmt.Errorf("the AOF file %s that the manifest names can't be read: %w", p.name, err)
		}
		j.otherSize += size
	}
	j.engine.With(func() {
		j.status.loadStart, j.status.loadTotal = j.engine.Home().Micros()/1e6, j.otherSize
		j.opts.Loaded(0, 0)
	})
	defer j.engine.With(func() { j.status.loadTotal = 0 })
	for i, p := range parts {
		if err := j.loadFile(j.path(p.name), i == len(parts)-1); err != nil {
			return err
		}
	}
	j.log('*', "DB loaded from append only file: %d bytes", j.otherSize)
	return nil
}

// writeFirstBase writes the base of a new journal: the data that were there at the start.
func (j *Journal) writeFirstBase() error {
	f := &baseFile{journal: j, temp: "temp-base.aof", dir: j.dir}
	defer f.close()
	if err := f.open(); err != nil {
		return err
	}
	j.engine.With(f.begin)
	if err := f.save(); err != nil {
		return err
	}
	base := newPart(fmt.Sprintf("%s.1.base.%s", j.set.fileName, f.suffix), 1, kindBase)
	if err := j.place(f.path(), base.name); err != nil {
		return err
	}
	size, err := j.disk.Size(j.path(base.name))
	j.otherSize = size
	j.manifest = &manifest{base: &base} // openIncr writes it
	return err
}

// openIncr opens the last file of commands, or creates the first.
func (j *Journal) openIncr() error {
	if n := len(j.manifest.incrs); n > 0 {
		path := j.path(j.manifest.incrs[n-1].name)
		file, err := j.disk.Append(path)
		if err != nil {
			return err
		}
		size, err := j.disk.Size(path)
		if err == nil {
			err = j.resume(size)
		}
		j.otherSize -= size
		j.use(file, size)
		return err
	}
	file, incr, err := j.createIncr()
	if err != nil {
		return err
	}
	j.engine.With(func() { incr.start = j.offset() })
	if err := j.writeManifest(j.manifest.withIncr(incr)); err != nil {
		return errors.Join(err, file.Close())
	}
	j.use(file, 0)
	return nil
}

// keepsOffsets are the releases whose manifest has replication offsets.
var keepsOffsets = release.From("8.0.0")

// offset returns where in the replication stream the data are, noOffset if the manifest has no
// offsets. It is called under the engine's lock.
func (j *Journal) offset() int64 {
	if j.opts.Stream == nil || !j.engine.Release.Has(keepsOffsets) {
		return noOffset
	}
	return j.opts.Stream().Offset()
}

// resume sets where in the replication stream the data are: where the last file of commands ends.
// If nothing tells that, its size bounds how much follows its start. More commands follow it from
// now on.
func (j *Journal) resume(size int64) error {
	last := j.manifest.incrs[len(j.manifest.incrs)-1]
	end := max(last.start, 0) + size
	if last.end != noOffset {
		end = last.end
		if err := j.writeManifest(j.manifest.lastEnds(noOffset)); err != nil {
			return err
		}
	}
	j.engine.With(func() {
		if j.offset() != noOffset {
			j.opts.Stream().Begin(end)
		}
	})
	return nil
}

// incrName returns the name of a file of commands.
func (j *Journal) incrName(seq int64) string {
	return fmt.Sprintf("%s.%d.incr.aof", j.set.fileName, seq)
}

// createIncr creates the next file of commands. The manifest does not name it yet.
func (j *Journal) createIncr() (File, part, error) {
	seq := j.manifest.nextIncr()
	incr := newPart(j.incrName(seq), seq, kindIncr)
	if err := j.setAside(incr.name); err != nil {
		return nil, incr, err
	}
	file, err := j.disk.Create(j.path(incr.name))
	return file, incr, err
}

// place moves a file, whose path is given, to its name in the journal's directory.
func (j *Journal) place(from, name string) error {
	if err := j.setAside(name); err != nil {
		return err
	}
	return j.disk.Rename(from, j.path(name))
}

// setAside renames a file whose name the journal is about to use. It was not loaded, but may be all
// that is left of something: Redis appends to such a file, or replaces it.
func (j *Journal) setAside(name string) error {
	size, err := j.disk.Size(j.path(name))
	if errors.Is(err, os.ErrNotExist) || err == nil && size == 0 {
		return nil
	}
	kept := ""
	for n := 1; err == nil; n++ {
		kept = fmt.Sprintf("%s.unused-%d", name, n)
		_, err = j.disk.Size(j.path(kept))
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	j.log('#', "The file %s in %s was not loaded. It is kept as %s.", name, j.dir, kept)
	return j.disk.Rename(j.path(name), j.path(kept))
}

// applySettings puts changed settings into effect. It is called under the engine's lock.
func (j *Journal) applySettings() {
	j.always.Store(j.state == on && j.set.fsync == always)
	j.stamping = j.set.timestamps
	j.wakeUp()
}

// enable implements CONFIG SET appendonly. It is called under the engine's lock.
func (j *Journal) enable(yes bool) error {
	if yes == j.set.enabled {
		return nil
	}
	switch {
	case !j.live:
	case yes:
		if err := j.disk.MakeDir(j.chosenDir()); err != nil {
			j.log('#', "Can't open or create append-only dir %s: %v", j.set.dirName, err)
			return command.Error("Unable to turn on AOF. Check server logs.")
		}
		j.cancelRewrite() // its base is no use to the file that begins now
		j.state = waitRewrite
		j.failing.Store(false) // of another file
		j.requestRewrite(j.engine.RunsTx())
	default:
		j.cancelRewrite()
		if j.state == on {
			j.status.end = j.offset()
		}
		j.state, j.status.scheduled = off, false
		j.stopping.Store(true)
		j.engine.SetPropagate(partName, nil)
		j.engine.DenyWrites(partName, nil)
	}
	j.set.enabled = yes
	j.applySettings()
	return nil
}
