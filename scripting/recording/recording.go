// Package recording counts and times what the scripts and functions of a world do.
//
// The code of each chunk that runs is exchanged for code that does so, in place, until the
// recording stops. A chunk is followed from its first run in that time on; whoever has the chunks
// compiles them plainly again when both measures have stopped. The figures belong to the source:
// they outlast the chunk, and a library that is loaded again adds to them.
package recording

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/profile"
	"github.com/miniserver-go/miniserver/scripting/program"
)

// Recording is what a world's scripts and functions do between SCRIPT COVERAGE START and STOP, and
// between SCRIPT PROFILE START and STOP. Its methods are to be called under the engine's lock;
// those that start and stop, while no script runs.
type Recording struct {
	host     Host
	scripts  map[string]*profile.Script // by kind and digest
	order    []*profile.Script
	bytes    int // of the sources
	coverage measure
	times    measure
	tree     *lua.CallTree // nil before the first start
}

// Host is what a recording needs.
type Host struct {
	Nanos    func() int64 // the machine's monotonic clock, in nanoseconds
	Names    *Names       // of host functions
	Switched func()       // called when the recording has been started or stopped
}

// New returns a recording that has not begun.
func New(host Host) *Recording {
	return &Recording{host: host, scripts: make(map[string]*profile.Script)}
}

// measure is one of the two things that a recording does.
type measure struct {
	on      bool
	begun   bool // there are figures
	omitted int  // runs for which there was no room
}

// Bounds of a recording. What comes when it is full is not recorded.
const (
	maxRecorded      = 1000     // sources
	maxRecordedBytes = 16 << 20 // of sources
)

// On reports whether the recording goes on. One that is nil does not.
func (r *Recording) On() bool { return r != nil && (r.coverage.on || r.times.on) }

// StartCoverage begins to count, on top of what was counted before.
func (r *Recording) StartCoverage() error { return r.start(&r.coverage, "COVERAGE") }

// StopCoverage ends that. With reset it forgets the counts, also if there is nothing to end.
func (r *Recording) StopCoverage(reset bool) error {
	if reset {
		for _, sc := range r.order {
			sc.Profile.Reset()
		}
	}
	return r.stop(&r.coverage, "COVERAGE", reset)
}

// Coverage returns the counts of the scripts and libraries that ran: views, valid until the next
// script runs.
func (r *Recording) Coverage() (*profile.Coverage, error) {
	if !r.coverage.begun {
		return nil, command.Errorf(errNotRecorded, "COVERAGE")
	}
	c := &profile.Coverage{Omitted: r.coverage.omitted}
	for _, sc := range r.order {
		if sc.Ran() {
			c.Scripts = append(c.Scripts, *sc)
		}
	}
	return c, nil
}

// StartProfile begins to time, on top of what was timed before.
func (r *Recording) StartProfile() error {
	if r.tree == nil {
		r.tree = lua.NewCallTree(r.host.Nanos, r.host.Names.Of)
	}
	return r.start(&r.times, "PROFILE")
}

// StopProfile ends that. With reset it forgets the times, also if there is nothing to end.
func (r *Recording) StopProfile(reset bool) error {
	if reset {
		r.tree = nil
	}
	return r.stop(&r.times, "PROFILE", reset)
}

// Times returns the times: views, valid until the next script runs.
func (r *Recording) Times() (*profile.Times, error) {
	if !r.times.begun {
		return nil, command.Errorf(errNotRecorded, "PROFILE")
	}
	t := &profile.Times{Omitted: r.times.omitted, Tree: r.tree}
	for _, sc := range r.order {
		t.Scripts = append(t.Scripts, *sc)
	}
	return t, nil
}

// start begins a measure.
func (r *Recording) start(m *measure, name string) error {
	if m.on {
		return command.Errorf(errRecording, name)
	}
	m.on, m.begun = true, true
	r.turn()
	return nil
}

// stop ends a measure, with reset for good.
func (r *Recording) stop(m *measure, name string, reset bool) error {
	if !m.on && !reset {
		return command.Errorf(errNotRecording, name)
	}
	m.on = false
	if reset {
		*m = measure{}
	}
	r.turn()
	return nil
}

// turn lets the profiles do what the measures want from now on, and forgets them if no figures are
// left.
func (r *Recording) turn() {
	for _, sc := range r.order {
		r.direct(sc)
	}
	r.host.Switched()
	if !r.coverage.begun && !r.times.begun {
		*r = *New(r.host)
	}
}

// direct lets a profile do what the measures want.
func (r *Recording) direct(sc *profile.Script) {
	sc.Profile.Counting, sc.Profile.Tree = r.coverage.on, nil
	if r.times.on {
		sc.Profile.Tree = r.tree
	}
}

// Begin is called before a function of a chunk runs while the recording is on, and End behind it.
func (r *Recording) Begin(ch *program.Chunk) {
	if !r.follow(ch) {
		r.coverage.omit()
		r.times.omit()
	}
	if r.times.on {
		r.tree.Begin()
	}
}

func (r *Recording) End() {
	if r.times.on {
		r.tree.End()
	}
}

// omit notes a run that is not recorded.
func (m *measure) omit() {
	if m.on {
		m.omitted++
	}
}

// follow makes a chunk's functions record what they do, and reports whether there is room for it.
func (r *Recording) follow(ch *program.Chunk) bool {
	if ch.Digest == "" {
		ch.Digest = program.Digest([]byte(ch.Source))
	}
	key := ch.Kind + "/" + ch.Digest
	sc := r.scripts[key]
	known := sc != nil
	if !known {
		if len(r.order) >= maxRecorded || r.bytes+len(ch.Source) > maxRecordedBytes {
			return false
		}
		sc = &profile.Script{Digest: ch.Digest, Source: ch.Source, Profile: new(lua.Profile),
			Name: profile.NameOf(ch.Source, ch.Path())}
		r.direct(sc)
	}
	if ch.Proto.Follow(ch.Code, sc.Profile) != nil {
		return false
	}
	if !known {
		r.scripts[key], r.order = sc, append(r.order, sc)
		r.bytes += len(ch.Source)
	}
	return true
}
