package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// MEMORY STATS
func cmdMemoryStats(c *engine.Call) {
	b, m := c.World.MemoryUsage(), c.World.ProcessMemory()
	first := map[string]int{"peak.allocated": b.Peak, "total.allocated": b.Used, "startup.allocated": 0,
		"replica.fullsync.buffer": 0, "replicas.repl.buffer": 0,
		"clients.slaves": b.Replicas, "clients.normal": b.Sessions - b.Replicas, "cluster.links": 0,
		"cluster.slot_import": 0, "cluster.slot_export": 0, "script.VMs": 0}
	for _, p := range c.Engine.Parts.List {
		for _, cache := range p.Caches {
			first[cache.Name] = cache.Bytes(c.World)
		}
	}
	var r report
	for _, name := range statsOrder {
		if bytes, ok := first[name]; ok {
			r = append(r, item{name, bytes, ""})
		}
	}
	for _, account := range c.Engine.Accounts() {
		r = append(r, item{account.Name, account.Bytes(), ""})
	}
	r = append(r, item{"other.worlds", c.World.Elsewhere(), ""})
	tables := 0
	for i := range c.World.Keyspace.Len() {
		if db := c.World.Keyspace.DB(i); db.Len() > 0 {
			table, deadlines := db.Usage().Overhead()
			tables += table + deadlines
			r = append(r, item{fmt.Sprintf("db.%d", i),
				report{{"overhead.hashtable.main", table, ""}, {"overhead.hashtable.expires", deadlines, ""}}, ""})
		}
	}
	r = append(r, report{{"overhead.db.hashtable.lut", tables, ""}, {"overhead.db.hashtable.rehashing", 0, ""},
		{"overhead.total", b.Overhead(), ""},
		{"db.dict.rehashing.count", 0, ""}, {"keys.count", b.Keys, ""},
		{"keys.bytes-per-key", (b.Used - b.Sessions) / max(1, b.Keys), ""}, {"dataset.bytes", b.Entries, ""},
		{"dataset.percentage", float64(b.Entries) * 100 / float64(max(1, b.Used)), ""},
		{"peak.percentage", float64(b.Used) * 100 / float64(max(1, b.Peak)), ""},
		{"allocator.allocated", int(m.Objects), ""}, {"allocator.active", int(m.Active()), ""},
		{"allocator.resident", int(m.Total()), ""}, {"allocator.muzzy", 0, ""},
		{"allocator-fragmentation.ratio", engine.Ratio(m.Active(), m.Objects), ""},
		{"allocator-fragmentation.bytes", int(m.Unused), ""},
		{"allocator-rss.ratio", engine.Ratio(m.Total(), m.Active()), ""},
		{"allocator-rss.bytes", int(m.Total() - m.Active()), ""},
		{"rss-overhead.ratio", engine.Ratio(m.Resident, m.Total()), ""},
		{"rss-overhead.bytes", int(m.Resident - m.Total()), ""},
		{"fragmentation", engine.Ratio(m.Resident, int64(b.Used)), ""},
		{"fragmentation.bytes", int(m.Resident) - b.Used, ""}}...)
	r = slices.DeleteFunc(r, func(i item) bool { return !c.Has(statsSince[i.Name]) })
	writeReport(c.Reply, r)
}

// statsOrder is the order of the first lines of MEMORY STATS.
var statsOrder = strings.Fields("peak.allocated total.allocated startup.allocated replication.backlog " +
	"replica.fullsync.buffer replicas.repl.buffer " +
	"clients.slaves clients.normal cluster.links cluster.slot_import cluster.slot_export aof.buffer lua.caches " +
	"functions.caches script.VMs")

// statsSince is when lines of MEMORY STATS came that not all releases have.
var statsSince = map[string]release.Since{
	"cluster.links": release.From("7.0.0"), "functions.caches": release.From("7.0.0"),
	"replica.fullsync.buffer": release.From("8.0.0"),
	"script.VMs":              release.From("8.0.0"), "replicas.repl.buffer": release.From("valkey:9.0.0"),
	"cluster.slot_import": release.From("valkey:9.0.0"), "cluster.slot_export": release.From("valkey:9.0.0"),
	"overhead.db.hashtable.lut": inTables, "overhead.db.hashtable.rehashing": inTables,
	"db.dict.rehashing.count": inTables, "allocator.muzzy": inTables,
}

var inTables = release.From("7.4.0 valkey:8.0.0")

// MEMORY MALLOC-STATS
func cmdMemoryMallocStats(c *engine.Call) {
	m := c.World.ProcessMemory()
	var text strings.Builder
	for _, line := range []struct {
		bytes int64
		about string
	}{{m.Objects, "objects, living or not collected yet"}, {m.Unused, "room in blocks that are in use"},
		{m.Free, "free blocks, kept for new objects"},
		{m.Stacks, "stacks of goroutines"}, {m.Runtime, "the runtime's own tables"},
		{m.Total(), "total obtained from the system"},
		{m.Released, "returned to the system"}, {m.Resident, "resident, including the program itself"}} {
		fmt.Fprintf(&text, "%14d  %8s  %s\n", line.bytes, engine.Human(int(line.bytes)), line.about)
	}
	fmt.Fprintf(&text, "%14d  collections, which took %.2f%% of the CPU time available\n", m.Cycles, 100*m.GCShare)
	c.Reply.Verbatim("txt", []byte(text.String()))
}

// doctorMinimum is how many bytes must be in use before MEMORY DOCTOR evaluates ratios, which mean
// little below.
const doctorMinimum = 5 << 20

// MEMORY DOCTOR
func cmdMemoryDoctor(c *engine.Call) {
	b, m := c.World.MemoryUsage(), c.World.ProcessMemory()
	text := fmt.Sprintf("The dataset and %d connections hold %s; %s at their peak.", len(c.Engine.Sessions.ByID),
		engine.Human(b.Used), engine.Human(b.Peak))
	if m.Resident > 0 {
		text += fmt.Sprintf(" The process has %s.", engine.Human(int(m.Resident)))
	}
	if limit := c.Engine.Config.MaxMemory; limit > 0 {
		text += fmt.Sprintf(" maxmemory is %s.", engine.Human(int(limit)))
	}
	findings := diagnose(c.Engine, b, m)
	if len(findings) == 0 {
		text += " Nothing is wrong."
		if b.Used < doctorMinimum {
			text += " With so little memory in use that means little."
		}
	}
	for _, f := range findings {
		text += "\n * " + f
	}
	c.Reply.Verbatim("txt", []byte(text+"\n"))
}

// diagnose returns what is unusual about the memory, and the remedies.
func diagnose(e *engine.Engine, b engine.MemoryUsage, m engine.ProcessMemory) (findings []string) {
	say := func(holds bool, format string, args ...any) {
		if holds {
			findings = append(findings, fmt.Sprintf(format, args...))
		}
	}
	limit := int(e.Config.MaxMemory)
	say(limit > 0 && b.Used > limit/10*9, "Memory use has reached %s of maxmemory: writes will be refused, "+
		"or keys evicted.", engine.Percent(b.Used, limit))
	if b.Used < doctorMinimum {
		return findings
	}
	say(b.Peak > b.Used/2*3, "The peak was %.1f times the memory in use now, and may still be resident. "+
		"MEMORY PURGE returns it to the system.", engine.Ratio(int64(b.Peak), int64(b.Used)))
	say(m.Free > int64(b.Used)/2, "%s of the heap are free but not returned to the system. MEMORY PURGE returns them.",
		engine.Human(int(m.Free)))
	say(m.Unused > m.Objects/4, "%s are unused gaps between live objects, which deletions left behind. "+
		"Only time or a restart closes them.", engine.Human(int(m.Unused)))
	say(m.Objects > 2*int64(b.Used), "The heap has %s of objects for %s of data: the rest is garbage to be "+
		"collected, or buffers of clients and scripts.", engine.Human(int(m.Objects)), engine.Human(b.Used))
	say(m.GCShare > 0.1, "Collecting garbage takes %.0f%% of the CPU time. A higher GOGC spends memory to save it.",
		100*m.GCShare)
	say(b.Sessions > b.Used/5, "%d connections hold a fifth of the memory or more.", len(e.Sessions.ByID))
	say(b.Keys > 0 && b.Tables+b.Deadlines > b.Entries, "The tables and indexes of %d keys are larger than the keys "+
		"and values, because those are tiny. A hash in place of a hundred of them is far smaller.", b.Keys)
	return findings
}
