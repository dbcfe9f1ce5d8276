// Package journal writes every change to an append-only file, and replays the file at the start.
//
//	engine ─append─▶ buffer ─commit─▶ appendonly.aof.1.incr.aof      the commands since
//	                                  appendonly.aof.1.base.rdb      the data at one moment
//	                                  appendonly.aof.manifest        which files count
//
// The files are those of Redis 7: either server loads what the other wrote. Commands stand there by
// their effect, see engine.Call.Log: to execute them again at any time gives the same data.
//
// A change is appended to a buffer under the engine's lock, which costs a copy. The buffer is written
// by commit: with appendfsync always before the replies leave, for all that an event loop executed in
// one round at once (server.Journal); otherwise by an event loop every hundredth of a second and every
// 64 KB, or in the background if the loops are idle. They do not leave it all to the background, for with
// one processor its system calls may hold them up. But while the background syncs they write nothing, for
// the system might have them wait for the disk: the buffer grows meanwhile, up to a bound from which on
// replies wait.
//
// A rewrite begins a new file for what is appended from now on, takes a snapshot of the data at
// this moment while writes go on, and then names the snapshot and the new file in the manifest, in one step.
//
// Invariants:
//  1. The files that the manifest names hold, in its order, all changes up to those in the buffer.
//  2. With appendfsync always no reply leaves before what it promises is synced.
//  3. What could not be written is kept and written later; writes are refused until then.
//  4. A file is named in the manifest before anything is written to it that nothing else holds, and
//     removed after it is named no more. So a crash at any time leaves files that load.
//  5. Of the locks that of the files is taken before the engine's.
//
// Unlike Redis the server does not end when a write fails with appendfsync always: replies that cannot
// be given wait until the disk is well again. And where Redis writes in each round of its event loop,
// a process that is killed with appendfsync everysec or no may lose its last few hundredths of a second.
package journal

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/engine"
)

// Options are what a journal needs from outside.
type Options struct {
	Disk Disk // OS if nil
	// Log tells of events; the mark says how much they matter: # warning, * notice, - detail. It may
	// be nil.
	Log func(mark byte, format string, args ...any)
	// Beside starts a goroutine on a processor of its own; go run() if nil.
	Beside func(run func())
}

// Journal is the append-only file of an engine.
type Journal struct {
	engine *engine.Engine
	disk   Disk
	log    func(mark byte, format string, args ...any)
	opts   Options

	set       settings     // under the engine's lock
	state     state        // under the engine's lock
	live      bool         // Load is through; under the engine's lock
	status    status       // under the engine's lock
	waits     []syncWait   // under the engine's lock
	waitCount atomic.Int32 // how many they are
	always    atomic.Bool
	loaded    atomic.Int64 // bytes, by Load
	seen      int64        // of what was written, when the background last looked

	buffer
	files

	wake  chan struct{} // the background has something to do
	stop  chan struct{}
	ended sync.WaitGroup
}

// state is how far the journal is in use.
type state int

const (
	off         state = iota
	waitRewrite       // changes go to a file that is not named yet, until the first base is written
	on
)

// settings are the parameters.
type settings struct {
	enabled          bool
	fsync            string // always, everysec, no
	dirName          string
	fileName         string
	loadTruncated    bool
	timestamps       bool
	preamble         bool
	growth           int64 // percent
	minSize          int64
	noFsyncOnRewrite bool // no-appendfsync-on-rewrite
	incrementalFsync bool // aof-rewrite-incremental-fsync
}

// New returns the journal of an engine, which Part adds to it. It does nothing until Load.
func New(e *engine.Engine, o Options) *Journal {
	if o.Disk == nil {
		o.Disk = OS{}
	}
	if o.Log == nil {
		o.Log = func(byte, string, ...any) {}
	}
	if o.Beside == nil {
		o.Beside = func(run func()) { go run() }
	}
	j := &Journal{engine: e, disk: o.Disk, log: o.Log, opts: o, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	j.set = settings{fsync: everysec, dirName: "appendonlydir", fileName: "appendonly.aof", loadTruncated: true,
		preamble: true, incrementalFsync: true, growth: 100, minSize: 64 << 20}
	j.status = status{lastRewrite: -1, rewriteOK: true}
	return j
}

// partName is the journal's name in the engine.
const partName = "journal"

// Part returns what the journal adds to its engine.
func (j *Journal) Part() engine.Part {
	return engine.Part{
		Name:     partName,
		Families: []engine.Family{j.family()},
		Params:   j.params(),
		Sections: []engine.Section{{Name: "Persistence", Fill: j.fill}},
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
	j.ended.Wait()
	j.files.Lock()
	defer j.files.Unlock()
	if j.file != nil {
		if err := j.writeBuffer(true); err != nil {
			j.log('#', "Error writing to the AOF file at shutdown: %v", err)
		}
		_ = j.file.Close()
		j.file = nil
	}
}

// The values of appendfsync.
const (
	always   = "always"
	everysec = "everysec"
	never    = "no"
)

// Times of the background's work.
const (
	pause     = 20 * time.Millisecond  // after which what was appended is written, unless an event loop did it
	second    = time.Second            // after which it is synced, with everysec
	tryAgain  = 100 * time.Millisecond // after an error
	longQuiet = time.Hour
)

// wakeUp wakes the background.
func (j *Journal) wakeUp() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// run is the background: it writes what was appended, syncs it once a second, tries again what
// failed, and rewrites.
func (j *Journal) run() {
	timer := time.NewTimer(longQuiet)
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
			wait = longQuiet
		}
		timer.Reset(wait)
	}
}

// tick does what is to be done now, and returns after what time to look again; 0 for when woken.
func (j *Journal) tick(now time.Time) time.Duration {
	var sync, rewrite, later, everySecond, stopping bool
	j.engine.With(func() {
		stopping, j.status.stopping = j.status.stopping, false
		everySecond = j.set.fsync == everysec && !(j.set.noFsyncOnRewrite && j.status.rewriting)
		sync = j.always.Load() || len(j.waits) > 0 || everySecond && now.Sub(j.syncedAt()) >= second
		rewrite = j.rewriteDue(now)
		later = j.status.scheduled && !j.status.rewriting
	})
	if stopping {
		j.closeFile()
	}
	idle := j.written.Load() == j.seen // or the event loops write
	ok := !sync && !idle && !j.failing.Load() || j.commit(sync)
	j.seen = j.written.Load()
	if rewrite {
		j.ended.Add(1)
		j.opts.Beside(func() {
			j.rewrite()
			j.ended.Done()
		})
	}
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
