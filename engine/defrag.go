package engine

import (
	"bytes"

	"github.com/miniserver-go/miniserver/internal/config"
)

// defrag is active defragmentation: where cells of the databases' slabs are free here and there, keyspace.Compact moves the
// others together, in slices, and the system gets memory back. If Go's heap has many gaps, it copies the values there. Tick gives it its slices. The parameters decide as in Redis:
//
//	once a second   starts if the bytes that are free are active-defrag-ignore-bytes and active-defrag-threshold-lower percent
//	a slice         takes active-defrag-cycle-us; the pause after it leaves it between active-defrag-cycle-min and -max percent of
//	                a processor, the more the more is free
//
// MEMORY PURGE starts it, too, whatever the parameters say. Only the home world is defragmented. A server in which nothing is
// started, or no memory is free, pays for a comparison with each Tick.
type defrag struct {
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
	defragStats
}

// defragStats are what CONFIG RESETSTAT clears.
type defragStats struct {
	moved, stayed, keysMoved, keysStayed int
	total                                int64 // microseconds for which it ran, without the present time
}

const checkDefrag = 1_000_000 // microseconds between two looks at what is free

// defragParams returns the parameters.
func (e *Engine) defragParams() []config.Param {
	d := &e.defrag
	*d = defrag{ignore: 100 << 20, lower: 10, upper: 100, cycleMin: 1, cycleMax: 25, cycle: 500}
	enabled := config.Bool("activedefrag", &d.enabled)
	enabled.Apply = func() error {
		d.nextCheck = 0
		return nil
	}
	return []config.Param{enabled,
		config.Memory("active-defrag-ignore-bytes", &d.ignore, 1),
		config.Int("active-defrag-threshold-lower", &d.lower, 0, 1000),
		config.Int("active-defrag-threshold-upper", &d.upper, 0, 1000),
		config.Int("active-defrag-cycle-min", &d.cycleMin, 1, 99),
		config.Int("active-defrag-cycle-max", &d.cycleMax, 1, 99),
		config.Int("active-defrag-cycle-us", &d.cycle, 0, 100000),
	}
}

// defragment takes a slice if it is time. It returns in how many milliseconds the next one is due; 0 for none.
func (w *World) defragment() (wait int64) {
	e := w.engine
	d := &e.defrag
	if !d.enabled && !d.purging && d.running == 0 {
		return 0
	}
	now := e.Machine()
	if now >= d.nextCheck {
		e.checkDefrag(now)
	}
	if d.running > 0 && now >= d.nextSlice {
		w.defragSlice(now)
	}
	if d.running == 0 {
		return 0
	}
	return max(1, (d.nextSlice-now)/1000)
}

// checkDefrag decides whether there is enough to do, and how much time it is worth. As in Redis it does not become less while it runs.
func (e *Engine) checkDefrag(now int64) {
	d := &e.defrag
	d.nextCheck = now + checkDefrag
	live, held := e.home.Keyspace.CellBytes()
	free, percent := int64(held-live), int64(held-live)*100/int64(max(live, 1))
	gaps, heapPercent := e.heapGaps()
	values := gaps >= d.ignore && heapPercent >= d.lower+usualGaps
	switch {
	case d.purging:
		e.startDefrag(int(d.cycleMax), true, now)
	case !d.enabled:
		e.home.Keyspace.StopCompaction()
		e.endDefrag(now)
	case d.running > 0 || free >= d.ignore && percent >= d.lower:
		e.startDefrag(d.share(percent), values, now)
	case values:
		e.startDefrag(d.share(heapPercent-usualGaps), true, now)
	}
}

// usualGaps is how much of Go's heap may be free between two collections, in percent of what is in use, when nothing is fragmented.
const usualGaps = 50

// heapGaps returns the bytes that are free in blocks of Go's heap that are in use, and what percentage of those in use that is.
func (e *Engine) heapGaps() (free, percent int64) {
	if e.Parts.Host.Memory == nil {
		return 0, 0
	}
	m := e.Parts.Host.Memory()
	return m.Unused, m.Unused * 100 / max(m.Objects, 1)
}

// share returns the percentage of a processor that so much free memory is worth, in percent of what is in use.
func (d *defrag) share(free int64) int {
	at := float64(free-d.lower) / float64(max(d.upper-d.lower, 1))
	share := d.cycleMin + int64(min(max(at, 0), 1)*float64(d.cycleMax-d.cycleMin))
	return int(min(max(share, d.cycleMin), d.cycleMax))
}

// startDefrag starts, or goes on with more of the processor. With values it also copies those in Go's heap.
func (e *Engine) startDefrag(share int, values bool, now int64) {
	d := &e.defrag
	if d.running == 0 {
		if !e.home.Keyspace.StartCompaction(values) {
			d.purging = false
			return
		}
		d.began = now
	}
	d.running = max(d.running, share)
}

func (e *Engine) endDefrag(now int64) {
	d := &e.defrag
	d.total += now - d.began
	d.running, d.purging = 0, false
}

// defragSlice moves cells until time is up. The clock is read about every ten microseconds.
func (w *World) defragSlice(now int64) {
	e := w.engine
	d := &e.defrag
	for {
		done, more := e.home.Keyspace.Compact(1000)
		d.moved, d.stayed = d.moved+done.Moved, d.stayed+done.Stayed
		d.keysMoved, d.keysStayed = d.keysMoved+done.KeysMoved, d.keysStayed+done.KeysStayed
		passed := e.Machine() - now
		if more && passed < d.cycle {
			continue
		}
		w.AddLatency("active-defrag-cycle", passed)
		if d.nextSlice = now + passed*100/int64(d.running); !more {
			if d.purging {
				e.Purge()
			}
			e.endDefrag(now + passed)
		}
		return
	}
}

// Defragment starts it now, whatever the parameters say.
func (e *Engine) Defragment() { e.defrag.purging, e.defrag.nextCheck = true, 0 }

// defragTime returns the microseconds for which it has run in all, and for which it runs now.
func (e *Engine) defragTime() (total, current int64) {
	d := &e.defrag
	if d.running > 0 {
		current = e.Machine() - d.began
	}
	return d.total + current, current
}

// fillDefrag writes the figures of INFO stats.
func (e *Engine) fillDefrag(out *bytes.Buffer) {
	d := &e.defrag
	total, current := e.defragTime()
	Fields(out, "active_defrag_hits", d.moved, "active_defrag_misses", d.stayed, "active_defrag_key_hits", d.keysMoved,
		"active_defrag_key_misses", d.keysStayed, "total_active_defrag_time", total/1000, "current_active_defrag_time", current/1000)
}
