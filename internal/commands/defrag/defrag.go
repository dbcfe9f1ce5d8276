// Package defrag is active defragmentation: where cells of the databases' slabs are free here and
// there, keyspace.Compact moves the others together, in slices, and the system gets memory back. If
// Go's heap has many gaps, it copies the values there. The parameters decide as in Redis:
//
//	once a second   starts if what is free is active-defrag-ignore-bytes, and
//	                active-defrag-threshold-lower percent of the bytes in use
//	a slice         takes active-defrag-cycle-us; the pause after it leaves it between
//	                active-defrag-cycle-min and -max percent of a processor, by how much is free
//
// MEMORY PURGE starts it, too, whatever the parameters say. Only the home world is defragmented. A
// server in which nothing is started, or no memory is free, pays for a comparison with each Tick.
package defrag

import (
	"bytes"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// state is the defragmentation of an engine. It is used under the lock.
type state struct {
	engine             *engine.Engine
	enabled            bool
	ignore             int64 // bytes
	lower, upper       int64 // percent of the bytes in use
	cycleMin, cycleMax int64 // percent of a processor
	cycle              int64 // microseconds of a slice

	purging   bool // MEMORY PURGE has asked for it
	running   int  // percent of a processor; 0 if there is nothing to do
	nextCheck int64
	nextSlice int64 // by the machine's clock, as all times here, in microseconds
	began     int64
	figures
}

// figures are what CONFIG RESETSTAT clears.
type figures struct {
	moved, stayed, keysMoved, keysStayed int
	total                                int64 // microseconds for which it ran, without the present time
}

const checkAgain = 1_000_000 // microseconds between two looks at what is free

// Part returns the part with the parameters and the figures of INFO.
func Part(e *engine.Engine) engine.Part {
	d := of(e)
	*d = state{engine: e, ignore: 100 << 20, lower: 10, upper: 100, cycleMin: 1, cycleMax: 25, cycle: 500}
	enabled := config.Bool("activedefrag", &d.enabled)
	enabled.Apply = func() error {
		d.nextCheck = 0
		return nil
	}
	return engine.Part{Tick: d.tick, Figures: d.infoFigures(),
		Sections: []engine.Section{{Name: "Stats", Fill: func(*engine.World, *bytes.Buffer) {},
			Reset: func(*engine.World) { d.figures = figures{} }}},
		Params: []config.Param{enabled,
			config.Memory("active-defrag-ignore-bytes", &d.ignore, 1),
			config.Int("active-defrag-threshold-lower", &d.lower, 0, 1000),
			config.Int("active-defrag-threshold-upper", &d.upper, 0, 1000),
			config.Int("active-defrag-cycle-min", &d.cycleMin, 1, 99),
			config.Int("active-defrag-cycle-max", &d.cycleMax, 1, 99),
			config.Int("active-defrag-cycle-us", &d.cycle, 0, 100000),
		}}
}

// of returns the defragmentation of an engine.
func of(e *engine.Engine) *state {
	d := engine.PerEngine[state](e)
	d.engine = e
	return d
}

func (d *state) home() *engine.World { return d.engine.Home() }

// infoFigures returns the figures that INFO shows among others.
func (d *state) infoFigures() map[string]engine.Figure {
	figure := func(read func() int64) engine.Figure {
		return func(*engine.World) int { return int(read()) }
	}
	return map[string]engine.Figure{
		"active_defrag_running":      figure(func() int64 { return int64(d.running) }),
		"active_defrag_hits":         figure(func() int64 { return int64(d.moved) }),
		"active_defrag_misses":       figure(func() int64 { return int64(d.stayed) }),
		"active_defrag_key_hits":     figure(func() int64 { return int64(d.keysMoved) }),
		"active_defrag_key_misses":   figure(func() int64 { return int64(d.keysStayed) }),
		"total_active_defrag_time":   figure(func() int64 { return (d.total + d.current()) / 1000 }),
		"current_active_defrag_time": figure(func() int64 { return d.current() / 1000 }),
	}
}

// current returns the microseconds for which it runs now.
func (d *state) current() int64 {
	if d.running == 0 {
		return 0
	}
	return d.engine.Machine() - d.began
}

// Purge gives freed memory back to the system, and starts defragmentation now, whatever the
// parameters say.
func Purge(e *engine.Engine) {
	d := of(e)
	d.purge()
	d.purging, d.nextCheck = true, 0
}

// purge gives freed memory back to the system.
func (d *state) purge() {
	if purge := d.engine.Parts.Host.Purge; purge != nil {
		purge()
	}
}

// tick takes a slice if it is time. It returns when the next one is due; 0 for none.
func (d *state) tick() (next int64) {
	if !d.enabled && !d.purging && d.running == 0 {
		return 0
	}
	now := d.engine.Machine()
	if now >= d.nextCheck {
		d.check(now)
	}
	if d.running > 0 && now >= d.nextSlice {
		d.slice(now)
	}
	if d.running == 0 {
		return 0
	}
	return d.home().TickIn(max(1, (d.nextSlice-now)/1000))
}

// check decides whether there is enough to do, and how much time it is worth. As in Redis it does
// not become less while it runs.
func (d *state) check(now int64) {
	d.nextCheck = now + checkAgain
	live, held := d.home().Keyspace.CellBytes()
	free, percent := int64(held-live), int64(held-live)*100/int64(max(live, 1))
	gaps, heapPercent := d.heapGaps()
	values := gaps >= d.ignore && heapPercent >= d.lower+usualGaps
	switch {
	case d.purging:
		d.start(int(d.cycleMax), true, now)
	case !d.enabled:
		d.home().Keyspace.StopCompaction()
		d.end(now)
	case d.running > 0 || free >= d.ignore && percent >= d.lower:
		d.start(d.share(percent), values, now)
	case values:
		d.start(d.share(heapPercent-usualGaps), true, now)
	}
}

// usualGaps is how much of Go's heap may be free between two collections, in percent of what is in
// use, when nothing is fragmented.
const usualGaps = 50

// heapGaps returns the bytes that are free in blocks of Go's heap that are in use, and what
// percentage of those in use that is.
func (d *state) heapGaps() (free, percent int64) {
	if d.engine.Parts.Host.Memory == nil {
		return 0, 0
	}
	m := d.engine.Parts.Host.Memory()
	return m.Unused, m.Unused * 100 / max(m.Objects, 1)
}

// share returns the percentage of a processor that so much free memory is worth, in percent of what
// is in use.
func (d *state) share(free int64) int {
	at := float64(free-d.lower) / float64(max(d.upper-d.lower, 1))
	share := d.cycleMin + int64(min(max(at, 0), 1)*float64(d.cycleMax-d.cycleMin))
	return int(min(max(share, d.cycleMin), d.cycleMax))
}

// start starts, or goes on with more of the processor. With values it also copies those in Go's
// heap.
func (d *state) start(share int, values bool, now int64) {
	if d.running == 0 {
		if !d.home().Keyspace.StartCompaction(values) {
			d.purging = false
			return
		}
		d.began = now
	}
	d.running = max(d.running, share)
}

func (d *state) end(now int64) {
	d.total += now - d.began
	d.running, d.purging = 0, false
}

// slice moves cells until time is up. The clock is read about every ten microseconds.
func (d *state) slice(now int64) {
	for {
		done, more := d.home().Keyspace.Compact(1000)
		d.moved, d.stayed = d.moved+done.Moved, d.stayed+done.Stayed
		d.keysMoved, d.keysStayed = d.keysMoved+done.KeysMoved, d.keysStayed+done.KeysStayed
		passed := d.engine.Machine() - now
		if more && passed < d.cycle {
			continue
		}
		d.home().AddLatency("active-defrag-cycle", passed)
		if d.nextSlice = now + passed*100/int64(d.running); !more {
			if d.purging {
				d.purge()
			}
			d.end(now + passed)
		}
		return
	}
}
