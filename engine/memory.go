package engine

import (
	"bytes"
	"fmt"
)

// ProcessMemory is what the process and Go's allocator hold, in bytes; zero where nobody tells.
type ProcessMemory struct {
	Resident int64 // what the system keeps in memory for the process
	Objects  int64 // of the heap: living objects, and dead ones that were not collected yet
	Unused   int64 // of the heap: room in blocks that are in use
	Free     int64 // of the heap: free blocks, not given back
	Released int64 // given back to the system
	Stacks   int64 // of goroutines
	Runtime  int64 // what the runtime keeps for itself: tables of the allocator and the collector
	Cycles   int64 // collections
	GCShare  float64
}

// Active returns the heap's bytes in blocks that are in use.
func (m ProcessMemory) Active() int64 { return m.Objects + m.Unused }

// Total returns all that was taken from the system and not given back.
func (m ProcessMemory) Total() int64 { return m.Active() + m.Free + m.Stacks + m.Runtime }

// processMemory returns what the process holds; zero without a host.
func (e *Engine) processMemory() (m ProcessMemory) {
	if e.parts.host.Memory != nil {
		m = e.parts.host.Memory()
	}
	return m
}

// budget is how the bytes in use divide.
type budget struct {
	used, peak int
	sessions   int
	tables     int // of keys
	deadlines  int // their indexes
	entries    int // keys with their values
	keys       int
}

func (e *Engine) budget() budget {
	b := budget{used: e.usedMemory(), sessions: e.sessions.bytes()}
	for i := range e.Keyspace.Len() {
		db := e.Keyspace.DB(i)
		tables, deadlines := db.Overhead()
		b.tables, b.deadlines, b.keys = b.tables+tables, b.deadlines+deadlines, b.keys+db.Len()
	}
	b.entries = b.used - b.overhead()
	e.stats.peak = max(e.stats.peak, b.used)
	b.peak = e.stats.peak
	return b
}

func (b budget) overhead() int { return b.sessions + b.tables + b.deadlines }

// fillMemory is the part of INFO's section about what the data hold; the server tells of the process.
func (e *Engine) fillMemory(out *bytes.Buffer) {
	b := e.budget()
	Fields(out, "used_memory", b.used, "used_memory_human", human(b.used), "used_memory_peak", b.peak,
		"used_memory_peak_human", human(b.peak), "used_memory_peak_perc", percent(b.used, b.peak),
		"used_memory_overhead", b.overhead(), "used_memory_startup", 0, "used_memory_dataset", b.entries,
		"used_memory_dataset_perc", percent(b.entries, b.used), "maxmemory", e.Config.MaxMemory,
		"maxmemory_human", human(int(e.Config.MaxMemory)), "maxmemory_policy", e.parts.params["maxmemory-policy"].Get(),
		"mem_clients_normal", b.sessions, "mem_overhead_tables", b.tables, "mem_overhead_deadlines", b.deadlines)
	Fields(out, idleMemory...)
	m := e.processMemory()
	if m.Resident == 0 {
		return
	}
	Fields(out, "used_memory_rss", m.Resident, "used_memory_rss_human", human(int(m.Resident)),
		"mem_fragmentation_ratio", fmt.Sprintf("%.2f", ratio(m.Resident, int64(b.used))), "mem_fragmentation_bytes", m.Resident-int64(b.used),
		"allocator_allocated", m.Objects, "allocator_active", m.Active(), "allocator_resident", m.Total(),
		"allocator_frag_ratio", fmt.Sprintf("%.2f", ratio(m.Active(), m.Objects)),
		"allocator_rss_ratio", fmt.Sprintf("%.2f", ratio(m.Total(), m.Active())),
		"gc_cycles", m.Cycles, "gc_cpu_perc", fmt.Sprintf("%.2f%%", 100*m.GCShare))
}

func ratio(a, b int64) float64 { return float64(a) / float64(max(b, 1)) }

// Cache is compiled programs, of which MEMORY STATS tells.
type Cache struct {
	Name  string     // "lua.caches"
	Bytes func() int // what they hold, besides the data
}

// Purge gives freed memory back to the system.
func (e *Engine) Purge() {
	if e.parts.host.Purge != nil {
		e.parts.host.Purge()
	}
}
