package journal

import (
	"errors"
	"path/filepath"

	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// baseFile is the file of a base, the data at one moment, while it is being written.
type baseFile struct {
	journal  *Journal
	temp     string // name of the file
	suffix   string // of its final name
	preamble bool
	file     File
	to       rdb.Target // the file, with or without incremental syncs
	base     base
	slicer   *snapshot.Slicer // nil before begin
	dir      string           // where it lies
	follows  bool             // the commands since go to a file that follows another one in use
	incr     part             // that file; of the zero value if the journal is off
	failed   error            // it could not be opened

	cancelled bool // by cancelRewrite; under the engine's lock
}

// path returns the path of the file until it has its final name.
func (f *baseFile) path() string { return filepath.Join(f.dir, f.temp) }

// open creates the file.
func (f *baseFile) open() (err error) {
	j := f.journal
	if f.file, err = j.disk.Create(f.path()); err != nil {
		return err
	}
	f.to = f.file
	j.engine.With(func() {
		if j.set.incrementalFsync {
			f.to = &disk.IncrementalSync{WriteBacker: f.file}
		}
	})
	return nil
}

// begin starts the snapshot: the base holds the data as they are now. It is called under the
// engine's lock, and does no I/O.
func (f *baseFile) begin() {
	j := f.journal
	f.suffix = "aof"
	if f.preamble = j.set.preamble; f.preamble {
		f.suffix = "rdb"
		f.base = &snapshotBase{Records: snapshot.NewRecords(j.engine, snapshot.Content{Compress: true},
			"aof-base", "1")}
	} else {
		stamp := int64(0)
		if j.set.timestamps {
			stamp = j.engine.Home().Micros() / 1e6
		}
		f.base = newCommandBase(stamp, j.engine.Parts.Libraries.Sources(j.engine.Home()), payload.Format(j.engine),
			j.engine.Parts.Types)
	}
	f.slicer = snapshot.NewSlicer(j.engine, "aof-rewrite", f.base)
	f.slicer.Start()
}

// save writes and syncs the data while commands go on.
func (f *baseFile) save() error {
	f.base.open(f.to)
	if err := f.slicer.Run(f.base.write); err != nil {
		return err
	}
	if err := f.base.end(); err != nil {
		return err
	}
	return errors.Join(f.file.Sync(), f.file.Close()) // Windows renames no open file
}

// close removes the file unless it has its final name, and ends a snapshot that was begun but not
// saved.
func (f *baseFile) close() {
	if f.file != nil {
		_ = f.file.Close()
		_ = f.journal.disk.Remove(f.path())
	}
	if f.slicer != nil {
		f.slicer.Abandon()
	}
}
