// Package hotkeys is HOTKEYS: which keys take the server's time, and its clients' bytes.
//
//	engine ── Executed ──▶ microseconds  ┐
//	       └─ Replied ───▶ bytes         ├─▶ top: the keys with most, with bounded memory
//	                                     ┘
//
// While a session runs, each command is timed by itself; else nothing is called. The time and the
// bytes of a command with several keys are divided among them. Where this server differs from
// Redis: commands of a script and of a transaction count for their own keys, with the bytes of
// their requests but not of what EXEC replies; and keys of more than 4 kB are not tracked.
//
// There is one session for all worlds. Its methods are called under the engine's lock.
package hotkeys

import (
	"bytes"
	"math/rand/v2"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// name is that of the part.
const name = "hotkeys"

// Tracker has the session of an engine, if there is one.
type Tracker struct {
	engine  *engine.Engine
	session *session
	keys    []command.KeyUse // of the last command, to use the memory again
	kept    int              // bytes that the world counts
}

// New returns the tracker of an engine. Join its Part to the engine.
func New(e *engine.Engine) *Tracker { return &Tracker{engine: e} }

// Part returns the part that the tracker adds to its engine.
func (t *Tracker) Part() engine.Part {
	return engine.Part{Name: name, State: t, Families: []command.Family{family},
		Sections: []engine.Section{{Name: "Hotkeys", Since: since, Fill: t.fill}}}
}

// settings are what HOTKEYS START asks for.
type settings struct {
	cpu, net bool
	count    int
	seconds  int64 // 0 for no end
	ratio    int64 // one command of so many is looked at
	slots    *[slot.Count]bool
}

// session is what was found since HOTKEYS START.
type session struct {
	settings
	start, end int64 // in milliseconds since the epoch; end is 0 while it runs
	used       processorTime
	all        traffic // of commands with keys
	selected   traffic // of those of the chosen slots
	sampled    traffic // of those that were looked at
	total      int64   // bytes that were given to keys
	micros     *top
	bytes      *top
	dice       *rand.Rand
}

// traffic is what commands took.
type traffic struct{ micros, bytes int64 }

// processorTime is the time that the process has used, in microseconds.
type processorTime struct{ user, system int64 }

func (t *Tracker) processorTime() (used processorTime) {
	if cpu := t.engine.Parts.Host.CPU; cpu != nil {
		used.user, used.system = cpu()
	}
	return used
}

// counters is how many counters there are for each key that is reported.
const countersForEach = 16

// begin begins a session.
func (t *Tracker) begin(w *engine.World, s settings) {
	t.session = &session{settings: s, start: w.Millis(), used: t.processorTime(),
		micros: newTop(s.count * countersForEach), bytes: newTop(s.count * countersForEach),
		dice: rand.New(rand.NewPCG(w.Seed(), uint64(w.Millis())))}
	t.engine.Rewire(name, func(p *engine.Part) { p.Precise, p.Executed, p.Replied = true, t.executed, t.replied })
}

// finish ends a session that runs, at a time in milliseconds since the epoch.
func (t *Tracker) finish(at int64) {
	if t.session == nil || t.session.end != 0 {
		return
	}
	used := t.processorTime()
	t.session.used = processorTime{used.user - t.session.used.user, used.system - t.session.used.system}
	t.session.end = at
	t.engine.Rewire(name, func(p *engine.Part) { p.Precise, p.Executed, p.Replied = false, nil, nil })
}

// running reports whether a session runs. One whose time is over is ended first.
func (t *Tracker) running() bool {
	s := t.session
	if s == nil || s.end != 0 {
		return false
	}
	if end := s.start + s.seconds*1000; s.seconds > 0 && t.engine.Home().Millis() >= end {
		t.finish(end)
	}
	return s.end == 0
}

func (t *Tracker) executed(x engine.Executed) { t.add(x, traffic{micros: x.Micros * int64(x.Times)}) }

func (t *Tracker) replied(x engine.Executed, reply int) {
	t.add(x, traffic{bytes: resp.WireBytes(x.Args) + int64(reply)})
}

// longest is the length in bytes of a key that is tracked at most.
const longest = 4 << 10

// add divides what a command took among its keys.
func (t *Tracker) add(x engine.Executed, took traffic) {
	if !x.Cmd.HasKeys() || !t.running() {
		return
	}
	s := t.session
	t.keys, _ = x.Cmd.Keys.AppendTo(t.keys[:0], x.Args)
	if len(t.keys) == 0 {
		return
	}
	s.all.add(took)
	if s.slots != nil && !s.slots[slot.Of(x.Args[t.keys[0].At])] {
		return
	}
	s.selected.add(took)
	if s.ratio > 1 && s.dice.Int64N(s.ratio) != 0 {
		return
	}
	s.sampled.add(took)
	n := int64(len(t.keys))
	for _, key := range t.keys {
		s.give(x.Args[key.At], traffic{took.micros / n, took.bytes / n})
	}
	t.count()
}

func (a *traffic) add(b traffic) {
	a.micros += b.micros
	a.bytes += b.bytes
}

// give adds a share to a key.
func (s *session) give(key []byte, share traffic) {
	s.total += share.bytes
	if s.cpu && share.micros > 0 && len(key) <= longest {
		s.micros.add(key, share.micros)
	}
	if s.net && share.bytes > 0 && len(key) <= longest {
		s.bytes.add(key, share.bytes)
	}
}

// count has the memory of the session counted.
func (t *Tracker) count() {
	now := 0
	if s := t.session; s != nil {
		now = s.micros.memory() + s.bytes.memory()
	}
	t.engine.Home().Keep(now - t.kept)
	t.kept = now
}

// fill is INFO's section.
func (t *Tracker) fill(_ *engine.World, b *bytes.Buffer) {
	if t.session == nil {
		return
	}
	active := 0
	if t.running() {
		active = 1
	}
	engine.Fields(b, "hotkeys-tracking-active", active, "hotkeys-cmd-cpu-time", t.session.all.micros/1000)
}
