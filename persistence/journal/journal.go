// Package journal writes every change to an append-only file, and replays the file at the start.
//
//	engine ─append─▶ buffer ─commit─▶ appendonly.aof.1.incr.aof      the commands since
//	                                  appendonly.aof.1.base.rdb      the data at one moment
//	                                  appendonly.aof.manifest        which files are valid
//
// The files are those of Redis 7: each server loads what the other wrote. The commands in them are
// the effects of what clients called, see engine.Call.Propagate. Executing them again at any time
// yields the same data.
//
// A change is appended to a buffer under the engine's lock. That costs one copy. Commit writes the
// buffer. With appendfsync always, an event loop commits once per round, before the replies of the
// round leave (server.Journal). Otherwise an event loop commits every hundredth of a second and
// every 64 KB, or the background does if the loops are idle. The loops do not leave all writing to
// the background: on a single processor its system calls could delay them. While the background
// syncs, the loops write nothing, since the system might make them wait for the disk. The buffer
// grows meanwhile. Beyond a bound, replies wait.
//
// A rewrite takes a snapshot of the data at the moment of the command, while writes go on, and a
// new file for further changes. The buffer keeps these apart until that file is open. Then the
// rewrite names the snapshot and the new file in the manifest, in one step.
//
// Invariants:
//  1. The files that the manifest names hold, in its order, all changes up to those in the buffer.
//  2. With appendfsync always, no reply leaves before the changes it confirms are synced.
//  3. What could not be written stays in memory and is written later. Until then writes are denied.
//  4. The manifest names a file before the file holds anything that no other file holds. A file is
//     removed only after the manifest no longer names it. So a crash at any time leaves files that
//     load.
//  5. The lock of the files is taken before the engine's lock.
//
// Unlike Redis, the server does not exit when a write fails with appendfsync always. Replies wait
// until the disk works again. Redis also writes in each round of its event loop. Here, a process
// that is killed with appendfsync everysec or no may lose its last few hundredths of a second.
package journal

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Options are what a journal needs from outside.
type Options struct {
	Disk Disk // OS if nil
	// Log writes a line to the log. The mark is the level, as in Redis: # warning, * notice, -
	// verbose. It may be nil.
	Log func(mark byte, format string, args ...any)
	// Spawn starts a goroutine that runs a function, if possible on another processor; go run() if
	// nil.
	Spawn func(run func())
	// Background starts a goroutine for a rewrite, which mostly waits: an event loop encodes, see
	// snapshot.Slicer. Spawn if nil.
	Background func(run func())
	// Loaded is called under the engine's lock with the number of keys of a snapshot that were
	// loaded, and skipped because their types are unknown. It may be nil.
	Loaded func(keys, skipped int64)
	// Stream returns the replication stream, whose offsets the manifest has; none if nil.
	Stream func() Stream
}

// Stream is the replication stream. It is called under the engine's lock.
type Stream interface {
	// Offset returns where in the stream the data are.
	Offset() int64
	// Begin sets where in the stream the data are that were loaded.
	Begin(offset int64)
	// Count counts a change, if the stream does not do that itself.
	Count()
}

// Journal is the append-only file of an engine.
type Journal struct {
	engine *engine.Engine
	disk   Disk
	log    func(mark byte, format string, args ...any)
	opts   Options

	set       settings     // under the engine's lock
	state     state        // under the engine's lock
	live      bool         // Load has returned; under the engine's lock
	status    status       // under the engine's lock
	waits     []syncWait   // under the engine's lock
	waitCount atomic.Int32 // len(waits), to be read without the lock
	always    atomic.Bool
	stopping  atomic.Bool  // the file must be closed, which is of no use to a state other than off
	loaded    atomic.Int64 // bytes, by Load
	seen      int64        // value of written at the last tick

	// next is the rewrite whose file of commands is to be opened: what was appended since it began
	// waits for that. It changes under the engine's lock.
	next atomic.Pointer[baseFile]

	buffer
	files
	backups backups

	wake  chan struct{} // wakes the background
	stop  chan struct{}
	ended sync.WaitGroup
	turn  sync.Mutex // of rewrites: one that was cancelled ends before the next begins
}

// state is the state of the journal, as Redis' aof_state.
type state int

const (
	off         state = iota
	waitRewrite       // changes go to a file that the manifest does not name until the first base is written
	on
)

// settings are the values of the parameters.
type settings struct {
	enabled          bool
	fsync            string // always, everysec, no
	dirName          string
	fileName         string
	loadTruncated    bool
	corruptTail      int64 // aof-load-corrupt-tail-max-size
	timestamps       bool
	preamble         bool
	growth           int64 // percent
	minSize          int64
	noFsyncOnRewrite bool // no-appendfsync-on-rewrite
	incrementalFsync bool // aof-rewrite-incremental-fsync
}

// New returns a journal for an engine. Join its Part to the engine. The journal does nothing until
// Load.
func New(e *engine.Engine, o Options) *Journal {
	if o.Disk == nil {
		o.Disk = OS{}
	}
	if o.Log == nil {
		o.Log = func(byte, string, ...any) {}
	}
	if o.Loaded == nil {
		o.Loaded = func(_, _ int64) {}
	}
	if o.Spawn == nil {
		o.Spawn = func(run func()) { go run() }
	}
	if o.Background == nil {
		o.Background = o.Spawn
	}
	j := &Journal{engine: e, disk: o.Disk, log: o.Log, opts: o, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	j.set = settings{fsync: everysec, dirName: "appendonlydir", fileName: "appendonly.aof", loadTruncated: true,
		preamble: true, incrementalFsync: true, growth: 100, minSize: 64 << 20}
	j.status = status{lastRewrite: -1, rewriteOK: true, end: noOffset}
	j.backups = backups{journal: j, dirName: "backupdir", state: backupIdle}
	return j
}

// partName is the journal's name in the engine.
const partName = "journal"

// Part returns what the journal adds to its engine.
func (j *Journal) Part() engine.Part {
	return engine.Part{
		Name:     partName,
		State:    j,
		Families: []command.Family{family},
		Params:   j.params(),
		Debug: []engine.DebugLine{{Name: "loadaof", Most: math.MaxInt,
			About: "Load the append-only file again, in place of the data.", Run: j.debugLoad, HomeOnly: true}},
		Sections: []engine.Section{{Name: "Persistence", Fill: j.fill}, {Name: "Memory", Fill: j.fillMemory}},
		Shutdown: j.shutdown,
		Caches: []engine.Cache{{Name: "aof.buffer", Bytes: func(*engine.World) int { return j.unwritten() },
			Uncounted: true}},
	}
}

// Enabled reports whether appendonly is yes.
func (j *Journal) Enabled() bool { return j.set.enabled }

// Close writes and syncs what is in the buffer, and ends the journal.
func (j *Journal) Close() {
	select {
	case <-j.stop:
		return
	default:
	}
	close(j.stop)
	j.engine.With(func() {
		j.live = false // no rewrite begins any more
		j.backups.fail(errShutdown)
	})
	j.ended.Wait()
	j.files.Lock()
	defer j.files.Unlock()
	if j.file == nil {
		return
	}
	end := int64(noOffset)
	j.engine.With(func() {
		if j.state == on {
			end = j.offset()
		}
	})
	_ = j.closeFile("at shutdown", end)
}

// shutdown ends a rewrite. Without its first base the journal has no data, and the process goes on
// to write it.
func (j *Journal) shutdown(how engine.Shutdown) error {
	switch {
	case j.status.rewriting == nil:
		return nil
	case j.state == waitRewrite && !how.Force:
		j.log('#', "Writing initial AOF, can't exit.")
		return engine.ErrShutdown
	case j.state == waitRewrite:
		j.log('#', "Writing initial AOF. Exit anyway.")
	}
	j.log('#', "The AOF is being rewritten. That ends.")
	j.cancelRewrite()
	return nil
}

// The values of appendfsync.
const (
	always   = "always"
	everysec = "everysec"
	never    = "no"
)

// Intervals of the background's work.
const (
	pause    = 20 * time.Millisecond  // until the background writes what no event loop has written
	second   = time.Second            // between syncs with everysec
	tryAgain = 100 * time.Millisecond // after an error
	forEver  = math.MaxInt64          // until wakeUp
)

// wakeUp makes the background tick soon.
func (j *Journal) wakeUp() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// run is the loop of the background goroutine. It writes what was appended, syncs once a second,
// retries what failed, and starts rewrites.
func (j *Journal) run() {
	timer := time.NewTimer(forEver)
	defer timer.Stop()
	for {
		select {
		case <-j.stop:
			return
		case <-j.wake:
			timer.Reset(pause)
			select {
			case <-j.stop:
				return
			case <-timer.C:
			}
		case <-timer.C:
		}
		wait := j.tick(time.Now())
		if wait == 0 {
			wait = forEver
		}
		timer.Reset(wait)
	}
}

// tick does the work that is due. It returns the time until the next tick; 0 for none before
// wakeUp.
func (j *Journal) tick(now time.Time) time.Duration {
	j.closeStopped()
	var sync, later, everySecond bool
	j.engine.With(func() {
		everySecond = j.set.fsync == everysec && !(j.set.noFsyncOnRewrite && j.status.rewriting != nil)
		sync = j.always.Load() || len(j.waits) > 0 && j.set.fsync != never ||
			everySecond && now.Sub(j.syncedAt()) >= second
		if j.rewriteDue(now) {
			j.startRewrite()
		}
		later = j.status.scheduled
	})
	idle := j.written.Load() == j.seen // nothing was written since, not even by the event loops
	ok := !sync && !idle && !j.failing.Load() || j.commit(sync)
	j.seen = j.written.Load()
	switch {
	case !ok || later:
		return tryAgain
	case !idle:
		return pause
	case everySecond && j.synced.Load() < j.written.Load():
		return max(pause, second-now.Sub(j.syncedAt()))
	}
	return 0
}
