package engine

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/invariants"
)

// usedMemory is the bytes that the dataset holds, and those of sessions, caches and accounts.
func (w *World) usedMemory() int {
	e := w.engine
	return w.countData() + e.Sessions.bytes() + w.kept + e.stats.caches + int(e.accounts.sum.Load())
}

// uncountedMemory is the bytes in use that maxmemory does not bound, because evicting keys makes
// more of them: each eviction is a command for replicas and journal.
func (e *Engine) uncountedMemory() int {
	return int(e.Sessions.held.replicas.kept.bytes.Load()) + e.stats.uncounted
}

// countCaches updates the bytes of the parts' caches, which take a walk through libraries.
func (w *World) countCaches() {
	stats := &w.engine.stats
	stats.caches, stats.uncounted = 0, 0
	for _, p := range w.engine.Parts.List {
		for _, cache := range p.Caches {
			n := cache.Bytes(w)
			stats.caches += n
			if cache.Uncounted {
				stats.uncounted += n
			}
		}
	}
}

// MemoryUsage is how the bytes in use divide.
type MemoryUsage struct {
	Used, Peak int
	Sessions   int // with what they hold
	Replicas   int // those among the sessions
	Uncounted  int // bytes that do not count for maxmemory
	Caches     int // scripts, libraries, the backlog, keys tracked for clients
	Accounts   int // copies of data, other worlds, what the console holds
	Tables     int // of keys
	Deadlines  int // their indexes
	Entries    int // keys with their values
	Keys       int
}

// MemoryUsage returns how the bytes in use divide now. It also updates the peak.
func (w *World) MemoryUsage() MemoryUsage {
	e := w.engine
	w.countCaches()
	b := MemoryUsage{Used: w.usedMemory(), Sessions: e.Sessions.bytes(),
		Replicas: int(e.Sessions.held.replicas.memory()), Uncounted: e.uncountedMemory(),
		Caches: e.stats.caches + w.kept, Accounts: w.accountBytes()}
	for i := range w.Keyspace.Len() {
		db := w.Keyspace.DB(i)
		tables, deadlines := db.Usage().Overhead()
		b.Tables, b.Deadlines, b.Keys = b.Tables+tables, b.Deadlines+deadlines, b.Keys+db.Len()
	}
	b.Entries = b.Used - b.Overhead()
	w.recordPeak(b.Used)
	b.Peak = e.stats.peak
	return b
}

// Overhead returns the bytes that are not keys and values.
func (b MemoryUsage) Overhead() int {
	return b.Sessions + b.Caches + b.Accounts + b.Tables + b.Deadlines
}

// sessionBytes is about what a session costs when idle.
const sessionBytes = 1 << 10

func (ss *sessions) bytes() int { return len(ss.ByID)*sessionBytes + int(ss.held.bytes()) }

// ProcessMemory is what the process and Go's allocator hold, in bytes; zero where the host has no
// figure.
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

// ProcessMemory returns what the process holds, the slabs of this engine's databases counted to the
// heap; zero without a host.
func (w *World) ProcessMemory() (m ProcessMemory) {
	if w.engine.Parts.Host.Memory != nil {
		live, held := w.Keyspace.CellBytes()
		m = w.engine.Parts.Host.Memory()
		m.Objects += int64(live)
		m.Unused += int64(held - live)
	}
	return m
}

// Cache is memory outside of the dataset that MEMORY STATS shows, such as compiled scripts.
type Cache struct {
	Name      string             // "lua.caches"
	Bytes     func(w *World) int // what they hold, besides the data
	Uncounted bool               // maxmemory does not bound it
}

// fillMemory writes the engine's part of INFO memory. Its last lines need the host's figures.
func (w *World) fillMemory(out *bytes.Buffer) {
	e := w.engine
	b := w.MemoryUsage()
	Fields(out, "used_memory", b.Used, "used_memory_human", Human(b.Used), "used_memory_peak", b.Peak,
		"used_memory_peak_human", Human(b.Peak), "used_memory_peak_time", e.stats.peakTime, "used_memory_peak_perc",
		Percent(b.Used, b.Peak), "used_memory_overhead", b.Overhead(), "used_memory_startup", 0, "used_memory_dataset",
		b.Entries, "used_memory_dataset_perc", Percent(b.Entries, b.Used), "maxmemory", e.Config.MaxMemory,
		"maxmemory_human", Human(int(e.Config.MaxMemory)), "maxmemory_policy", e.Params.Named("maxmemory-policy").Get(),
		"mem_not_counted_for_evict", b.Uncounted,
		"mem_clients_slaves", b.Replicas, "mem_clients_normal", b.Sessions-b.Replicas,
		"mem_overhead_tables", b.Tables, "mem_overhead_deadlines", b.Deadlines, "mem_overhead_copies", b.Accounts)
	Fields(out, "active_defrag_running", w.figure("active_defrag_running"))
	Fields(out, zeroMemory...)
	Fields(out, "lazyfree_pending_objects", w.Keyspace.Unreleased(), "lazyfreed_objects", w.Keyspace.LazilyFreed)
	m := w.ProcessMemory()
	if m.Resident == 0 {
		return
	}
	Fields(out, "used_memory_rss", m.Resident, "used_memory_rss_human", Human(int(m.Resident)),
		"mem_fragmentation_ratio", fmt.Sprintf("%.2f", Ratio(m.Resident, int64(b.Used))), "mem_fragmentation_bytes",
		m.Resident-int64(b.Used), "allocator_allocated", m.Objects, "allocator_active", m.Active(),
		"allocator_resident", m.Total(), "allocator_frag_ratio", fmt.Sprintf("%.2f", Ratio(m.Active(), m.Objects)),
		"allocator_frag_bytes", m.Unused, "allocator_rss_bytes", m.Total()-m.Active(), "allocator_muzzy", 0,
		"rss_overhead_ratio", fmt.Sprintf("%.2f", Ratio(m.Resident, m.Total())), "rss_overhead_bytes",
		m.Resident-m.Total(), "allocator_rss_ratio", fmt.Sprintf("%.2f", Ratio(m.Total(), m.Active())),
		"gc_cycles", m.Cycles, "gc_cpu_perc", fmt.Sprintf("%.2f%%", 100*m.GCShare))
}

// zeroMemory are the same for INFO memory: a snapshot from the master and its stream come over one
// connection, a table of keys grows bucket by bucket and never has a second one, and nodes of a
// cluster have no links.
var zeroMemory = []any{"mem_replica_full_sync_buffer", 0, "mem_overhead_db_hashtable_rehashing", 0,
	"mem_cluster_links", 0,
	"mem_cluster_slot_migration_output_buffer", 0, "mem_cluster_slot_migration_input_buffer", 0,
	"mem_cluster_slot_migration_input_buffer_peak", 0, "mem_cluster_slot_import", 0, "mem_cluster_slot_export", 0}

// Ratio returns a/b, with 1 in place of a b below 1.
func Ratio(a, b int64) float64 { return float64(a) / float64(max(b, 1)) }

// Bytes that are neither keys of the world in which a command runs nor held for clients:
//
//	Account     what parts and the debugger keep besides: copies of data, what browsers have not
//	            read ...
//	Elsewhere   the keys of the other worlds, and of the copies in which scripts are debugged
//
// All of them are in use: INFO memory and MEMORY STATS show them, and maxmemory counts them. Who is
// about to take many bytes asks Room or Take before. Bytes that their owner does not need any more
// are given back at once.

// Account is the bytes of one kind of holder. Its methods may be called from any goroutine.
type Account struct {
	Name  string // in MEMORY STATS
	limit int64
	bytes atomic.Int64
	all   *accounts
}

// accounts are all accounts of an engine.
type accounts struct {
	list   []*Account
	sum    atomic.Int64
	copies *Account
	data   int // bytes of all worlds, and of copies of worlds, as they were last counted
}

// WorldBytes is about what a world costs that has no keys.
const WorldBytes = 8 << 10

// Open adds an account that takes at most limit bytes; 0 for no limit of its own. It is called
// before the engine runs commands.
func (e *Engine) Open(name string, limit int64) *Account {
	a := &Account{Name: name, limit: limit, all: &e.accounts}
	e.accounts.list = append(e.accounts.list, a)
	return a
}

// Take adds n bytes. It returns false, and takes nothing, if that is more than the account's limit.
func (a *Account) Take(n int) bool {
	if sum := a.bytes.Add(int64(n)); a.limit > 0 && sum > a.limit {
		a.bytes.Add(int64(-n))
		return false
	}
	a.all.sum.Add(int64(n))
	return true
}

// Return takes n bytes off again.
func (a *Account) Return(n int) {
	if left := a.bytes.Add(int64(-n)); invariants.Enabled && left < 0 {
		panic(fmt.Sprintf("engine: the account %s returns more than it took", a.Name))
	}
	a.all.sum.Add(int64(-n))
}

// Bytes returns how many bytes the account has.
func (a *Account) Bytes() int { return int(a.bytes.Load()) }

// Accounts returns all accounts. The slice belongs to the engine.
func (e *Engine) Accounts() []*Account { return e.accounts.list }

// Copies is the account of read-only copies of data.
func (e *Engine) Copies() *Account { return e.accounts.copies }

// countData counts the bytes of the world's keys, and returns those of all worlds. It is called
// when the world's commands are over, and before anybody reads the sum.
func (w *World) countData() int {
	n, a := w.Keyspace.Bytes(), &w.engine.accounts
	a.data += n - w.counted
	w.counted = n
	return a.data
}

// Elsewhere returns the bytes of the other worlds, and of copies in which scripts are debugged.
func (w *World) Elsewhere() int { return w.engine.accounts.data - w.counted }

// accountBytes returns the bytes of all accounts and of the other worlds.
func (w *World) accountBytes() int { return int(w.engine.accounts.sum.Load()) + w.Elsewhere() }

// CopyBytes returns what a copy of the world's data takes.
func (w *World) CopyBytes() int { return w.Keyspace.Bytes() + WorldBytes }
