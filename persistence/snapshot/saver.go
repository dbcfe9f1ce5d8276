// Package snapshot saves the data of an engine in a file, dump.rdb, as they are at one moment: at
// SAVE and BGSAVE, at save points, and at shutdown. At the start it loads the file.
//
//	SAVE     lock ──────── encode ──────────── unlock       while a second goroutine writes
//	BGSAVE   lock, start ─┬─ lock, some keys, unlock ─ write ─ lock, some keys, unlock ─ ...
//	                      └─ commands go on; one that changes a key not saved yet saves it first
//
// There is no fork. A save walks the keyspace in steps (keyspace.Snapshot): some keys, or some
// elements of a large value, at a time. It costs neither a copy of the data nor a pause. A command
// that changes a large collection which is not saved yet copies the elements, or blocks of them,
// that it changes. But of a string it must first save the rest, which blocks all clients for a
// fraction of a millisecond per megabyte.
//
// Invariants:
//  1. The file is always complete: a save writes a temporary file, syncs it and renames it. If any
//     step fails, the old file stays.
//  2. A save in the background contains exactly the data at the moment when it began.
//  3. The whole file is loaded or nothing is: an error stops the start of the server.
//
// Unlike in Redis there are no save points by default, since a server for tests should leave
// nothing behind.
package snapshot

import (
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// Options are what a Saver needs from outside. Each may be nil.
type Options struct {
	// Log writes a line to the log. The mark is the level, as in Redis: # warning, * notice, -
	// verbose.
	Log func(mark byte, format string, args ...any)
	// Spawn starts a goroutine that runs a function, if possible on another processor; go run() if
	// nil.
	Spawn func(run func())
	// Background starts a goroutine for a save in the background, which mostly waits: an event loop
	// encodes, see Slicer. Spawn if nil.
	Background func(run func())
	// Disk stores the snapshot; disk.OS if nil.
	Disk disk.Disk
	// History returns where in the replication stream the data are; false if there is none. It is
	// called under the lock.
	History func() (h History, ok bool)
	// Resume is called under the lock when the data are loaded that were at a place in a
	// replication stream.
	Resume func(h History)
	// Progress is called while a snapshot is loaded, with the bytes loaded so far and their total.
	Progress func(done, total int64)
}

// Saver saves and loads the snapshot of an engine. The engine's lock guards all its fields.
type Saver struct {
	engine *engine.Engine
	opts   Options

	dir, name        string
	points           []point
	compress         bool
	checksum         bool
	incrementalFsync bool // rdb-save-incremental-fsync
	stopOnError      bool
	serving          bool // loading has ended, and CONFIG SET replaces save points

	running   *bgsave // the save in the background; nil for none
	scheduled bool
	stats     stats
	ended     bool // shutdown is done
}

// point is a save point: the data are saved after so many seconds if there are so many changes.
type point struct{ seconds, changes int64 }

// stats is what INFO shows.
type stats struct {
	lastSave    int64 // seconds since the epoch
	lastTry     int64 // of a save in the background
	lastOK      bool
	lastSeconds int64 // that the last save in the background took; -1 for none
	saves       int64 // that began; FLUSHALL, DEBUG RELOAD and the end of the process count none
	failures    int64 // of saves in the background since one succeeded
	loaded      int64 // keys
	expired     int64 // keys that were not loaded because their deadline had passed
	skipped     int64 // keys that were not loaded because their values are of unknown module types

	loading              bool
	loadStart            int64
	loadBytes, loadTotal int64
}

// New returns a saver for an engine. Join its Part to the engine.
func New(e *engine.Engine, o Options) *Saver {
	if o.Log == nil {
		o.Log = func(byte, string, ...any) {}
	}
	if o.Spawn == nil {
		o.Spawn = func(run func()) { go run() }
	}
	if o.Background == nil {
		o.Background = o.Spawn
	}
	if o.History == nil {
		o.History = func() (h History, ok bool) { return h, false }
	}
	if o.Resume == nil {
		o.Resume = func(History) {}
	}
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	s := &Saver{engine: e, opts: o, name: "dump.rdb", compress: true, checksum: true, incrementalFsync: true,
		stopOnError: true}
	s.dir, _ = filepath.Abs(".")
	s.stats = stats{lastOK: true, lastSeconds: -1, lastSave: e.Home().Micros() / 1e6}
	return s
}

// partName is the saver's name in the engine.
const partName = "snapshot"

// Part returns what the saver adds to its engine.
func (s *Saver) Part() engine.Part {
	return engine.Part{
		State:    s,
		Name:     partName,
		Families: []command.Family{family},
		Params:   s.params(),
		Sections: []engine.Section{{Name: "Persistence", Fill: s.fill}},
		Debug:    s.debugLines(),
		Tick:     s.tick,
		Flushed:  s.flushed,
		Shutdown: s.shutdown,
	}
}

// path returns the path of the snapshot.
func (s *Saver) path() string { return filepath.Join(s.dir, s.name) }

// seconds returns the time in seconds since the epoch.
func (s *Saver) seconds() int64 { return s.engine.Home().Micros() / 1e6 }

// tick starts a save that was scheduled or that a save point requires. It returns when the next
// save point is reached if nothing more changes, in milliseconds since the epoch; 0 for never.
func (s *Saver) tick() (next int64) {
	switch {
	case s.busy() || !s.serving:
		return 0
	case s.scheduled && s.mayRetry():
		s.scheduled = false
		s.saveInTime()
	case s.due():
		s.saveInTime()
	}
	return s.nextDue()
}

// saveInTime saves in the background. While a test moves the clock ahead it saves in the
// foreground, so that the save is complete before the clock moves on.
func (s *Saver) saveInTime() {
	if !s.engine.Home().Passing() {
		s.startBackground()
		return
	}
	s.stats.lastTry = s.seconds()
	s.stats.saves++
	if s.save() != nil {
		s.failed()
	}
}

// busy reports whether a snapshot is being taken: by this saver, a rewrite or a full
// synchronization.
func (s *Saver) busy() bool { return s.engine.Home().Snapshotting() }

// retryAfter is the time between a failed save and the next automatic one, in seconds.
const retryAfter = 5

func (s *Saver) mayRetry() bool { return s.stats.lastOK || s.seconds()-s.stats.lastTry > retryAfter }

// due reports whether a save point is reached.
func (s *Saver) due() bool {
	for _, p := range s.points {
		if s.engine.Home().Unsaved >= p.changes && s.seconds()-s.stats.lastSave > p.seconds && s.mayRetry() {
			s.opts.Log('*', "%d changes in %d seconds. Saving...", p.changes, p.seconds)
			return true
		}
	}
	return false
}

// nextDue returns when a save point is reached by the changes so far, in milliseconds since the
// epoch; 0 for never.
func (s *Saver) nextDue() (next int64) {
	if s.busy() {
		return 0
	}
	if s.scheduled {
		next = (s.stats.lastTry + retryAfter + 1) * 1000
	}
	for _, p := range s.points {
		if s.engine.Home().Unsaved < p.changes {
			continue
		}
		at := s.stats.lastSave + p.seconds + 1
		if !s.stats.lastOK {
			at = max(at, s.stats.lastTry+retryAfter+1)
		}
		if next == 0 || at*1000 < next {
			next = at * 1000
		}
	}
	return next
}

// flushed saves the empty keyspace after FLUSHALL, as Redis does. Otherwise a restart would bring
// the old data back. A save in the background ends.
func (s *Saver) flushed() {
	if s.running != nil {
		s.running.Cancel()
	}
	if len(s.points) > 0 {
		_ = s.save()
	}
}

// shutdown saves if there are save points or SHUTDOWN asks for it. It never overwrites a snapshot
// that is not loaded completely.
func (s *Saver) shutdown(how engine.Shutdown) error {
	ended := s.running
	if ended != nil {
		s.opts.Log('#', "There is a save in the background. It ends without a file.")
		ended.Cancel()
		s.running = nil
	}
	if s.serving && !how.NoSave && (how.Save || len(s.points) > 0) {
		s.opts.Log('*', "Saving the final RDB snapshot before exiting.")
		if err := s.save(); err != nil && !how.Force {
			s.opts.Log('#', "Error trying to save the DB, can't exit: %v", err)
			return engine.ErrShutdown
		}
	}
	if ended != nil && ended.out != nil {
		ended.out.file.Abandon() // waiting for its end is of no use
	}
	s.ended = true
	return nil
}

// Close saves if there are save points, unless SHUTDOWN has done so. The server must have stopped.
func (s *Saver) Close() {
	s.engine.With(func() {
		if !s.ended {
			s.shutdown(engine.Shutdown{Force: true})
		}
	})
}

// errSavePoints is the error of a parameter save that cannot be read.
const errSavePoints = command.Error("Invalid save parameters")

// errMisconf is the error of writes that are denied after a failed save.
const errMisconf = command.Error("MISCONF Redis " +
	"is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
	"Commands that may modify the data set are disabled, because this instance is configured to report errors " +
	"during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). " +
	"Please check the Redis logs for details about the RDB error.")

// updateDenial denies writes after a failed save, if configured so, or allows them again.
func (s *Saver) updateDenial() {
	var err error
	if !s.stats.lastOK && s.stopOnError && len(s.points) > 0 {
		err = errMisconf
	}
	s.engine.DenyWrites(partName, err)
}
