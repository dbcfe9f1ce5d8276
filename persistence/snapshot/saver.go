// Package snapshot keeps the data of an engine in a file, dump.rdb, as it was at one moment: when SAVE
// or BGSAVE is called, when enough has changed, at the end. At the start the file is loaded.
//
//	SAVE     lock ──────── encode ──────────── unlock       while a second goroutine writes
//	BGSAVE   lock, start ─┬─ lock, some keys, unlock ─ write ─ lock, some keys, unlock ─ write ─ ...
//	                      └─ commands go on; one that changes a key not saved yet saves it first
//
// There is no fork. The keyspace takes a picture of itself (keyspace.Snapshot), of a few hundred keys or of
// some of the elements of a large value at a time, and a save costs neither a copy of the data nor a pause. But
// who changes a large value that is not saved yet waits until it is, all of it, for a fraction of a microsecond
// an element; and with him all others.
//
// Invariants:
//  1. The file is always whole: a save writes to another one beside it, syncs that and renames it. If
//     any of this fails the old file stays.
//  2. A save that runs in the background contains all that was there when it began, and nothing else.
//  3. What was loaded is all of the file or nothing: an error ends the start of the server.
//
// Unlike in Redis, where FLUSHALL kills the saving process, a save goes on through it; and there are no
// save points by default, since a server for tests should leave nothing behind.
package snapshot

import (
	"path/filepath"

	"github.com/miniserver-go/miniserver/engine"
)

// Options are what a Saver needs from outside. Each may be nil.
type Options struct {
	// Log tells of events; the mark says how much they matter: # warning, * notice, - detail.
	Log func(mark byte, format string, args ...any)
	// Beside starts a goroutine on a processor of its own; go run() if nil.
	Beside func(run func())
	// Disk is where the snapshot lies; OS if nil.
	Disk Disk
	// Progress is told how far loading is, in bytes.
	Progress func(done, total int64)
}

// Saver keeps snapshots of an engine. All its fields are touched under the engine's lock only.
type Saver struct {
	engine *engine.Engine
	opts   Options

	dir, name        string
	points           []point
	compress         bool
	checksum         bool
	incrementalFsync bool // rdb-save-incremental-fsync
	stopOnError      bool
	serving          bool // loading is over, and CONFIG SET replaces save points

	running   *bgsave // the save in the background; nil if none
	scheduled bool
	stats     stats
	ended     bool
}

// point is a save point: save after some seconds if there were so many changes.
type point struct{ seconds, changes int64 }

// stats are what INFO tells.
type stats struct {
	lastSave    int64 // seconds since the epoch
	lastTry     int64 // of a save in the background
	lastOK      bool
	lastSeconds int64 // that the last one took; -1 if there was none
	saves       int64
	loaded      int64 // keys
	expired     int64 // keys that were not loaded because they were due

	loading              bool
	loadStart            int64
	loadBytes, loadTotal int64
}

// New returns the saver of an engine, which Part adds to it.
func New(e *engine.Engine, o Options) *Saver {
	if o.Log == nil {
		o.Log = func(byte, string, ...any) {}
	}
	if o.Beside == nil {
		o.Beside = func(run func()) { go run() }
	}
	if o.Disk == nil {
		o.Disk = OS{}
	}
	s := &Saver{engine: e, opts: o, name: "dump.rdb", compress: true, checksum: true, incrementalFsync: true, stopOnError: true}
	s.dir, _ = filepath.Abs(".")
	s.stats = stats{lastOK: true, lastSeconds: -1, lastSave: e.Micros() / 1e6}
	return s
}

// partName is the saver's name in the engine.
const partName = "snapshot"

// Part returns what the saver adds to its engine.
func (s *Saver) Part() engine.Part {
	return engine.Part{
		Name:     partName,
		Families: []engine.Family{s.family()},
		Params:   s.params(),
		Sections: []engine.Section{{Name: "Persistence", Fill: s.fill}},
		Debug:    s.debugLines(),
		Tick:     s.tick,
		Flushed:  s.flushed,
		Shutdown: s.shutdown,
	}
}

// path is where the snapshot lies.
func (s *Saver) path() string { return filepath.Join(s.dir, s.name) }

// seconds is the time in seconds since the epoch.
func (s *Saver) seconds() int64 { return s.engine.Micros() / 1e6 }

// tick starts saves that are due.
func (s *Saver) tick() {
	switch {
	case s.busy() || !s.serving:
	case s.scheduled && s.mayRetry():
		s.scheduled = false
		s.startBackground()
	case s.due():
		s.startBackground()
	}
}

// busy reports whether a picture of the data is being taken, by this saver or for someone else.
func (s *Saver) busy() bool { return s.engine.Keyspace.Snapshotting() }

// retryAfter is how long a save that failed is not tried again, in seconds.
const retryAfter = 5

func (s *Saver) mayRetry() bool { return s.stats.lastOK || s.seconds()-s.stats.lastTry > retryAfter }

// due reports whether a save point is reached.
func (s *Saver) due() bool {
	for _, p := range s.points {
		if s.engine.Dirty() >= p.changes && s.seconds()-s.stats.lastSave > p.seconds && s.mayRetry() {
			s.opts.Log('*', "%d changes in %d seconds. Saving...", p.changes, p.seconds)
			return true
		}
	}
	return false
}

// flushed saves the emptiness after FLUSHALL, as Redis does, so that what is gone does not come back.
func (s *Saver) flushed() {
	if len(s.points) > 0 && !s.busy() {
		_ = s.save()
		s.engine.SetDirty(1)
	}
}

// shutdown saves if there are save points, or as it was asked to; but never over data that are not loaded
// yet, or could not be.
func (s *Saver) shutdown(how engine.Shutdown) error {
	if s.serving && !how.NoSave && (how.Save || len(s.points) > 0) {
		s.opts.Log('*', "Saving the final RDB snapshot before exiting.")
		if err := s.save(); err != nil && !how.Force {
			s.opts.Log('#', "Error trying to save the DB, can't exit: %v", err)
			return engine.ErrShutdown
		}
	}
	if s.running != nil {
		s.running.out.file.Abandon() // it is not worth waiting for
	}
	s.ended = true
	return nil
}

// Close saves, if there are save points and SHUTDOWN did not already. The server must not run any more.
func (s *Saver) Close() {
	s.engine.With(func() {
		if !s.ended {
			s.shutdown(engine.Shutdown{Force: true})
		}
	})
}

// errMisconf refuses writes after a save failed.
const errMisconf = engine.Error("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
	"Commands that may modify the data set are disabled, because this instance is configured to report errors " +
	"during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). " +
	"Please check the Redis logs for details about the RDB error.")

// updateDenial has writes refused or allowed again.
func (s *Saver) updateDenial() {
	var err error
	if !s.stats.lastOK && s.stopOnError && len(s.points) > 0 {
		err = errMisconf
	}
	s.engine.DenyWrites(partName, err)
}
