package engine

import (
	"fmt"
	"strings"
)

// What MEMORY tells of the process as a whole.

// MEMORY STATS
func cmdMemoryStats(c *Call) {
	b, m := c.Engine.budget(), c.Engine.processMemory()
	r := report{{"peak.allocated", b.peak, ""}, {"total.allocated", b.used, ""}, {"startup.allocated", 0, ""},
		{"replication.backlog", 0, ""}, {"clients.slaves", 0, ""}, {"clients.normal", b.sessions, ""}}
	for _, p := range c.Engine.parts.list {
		for _, cache := range p.Caches {
			r = append(r, fact{cache.Name, cache.Bytes(), ""})
		}
	}
	for i := range c.Engine.Keyspace.Len() {
		if db := c.Engine.Keyspace.DB(i); db.Len() > 0 {
			tables, deadlines := db.Overhead()
			r = append(r, fact{fmt.Sprintf("db.%d", i), report{{"overhead.hashtable.main", tables, ""}, {"overhead.hashtable.expires", deadlines, ""}}, ""})
		}
	}
	r = append(r, report{{"overhead.total", b.overhead(), ""}, {"keys.count", b.keys, ""},
		{"keys.bytes-per-key", (b.used - b.sessions) / max(1, b.keys), ""}, {"dataset.bytes", b.entries, ""},
		{"dataset.percentage", float64(b.entries) * 100 / float64(max(1, b.used)), ""},
		{"peak.percentage", float64(b.used) * 100 / float64(max(1, b.peak)), ""},
		{"allocator.allocated", int(m.Objects), ""}, {"allocator.active", int(m.Active()), ""}, {"allocator.resident", int(m.Total()), ""},
		{"allocator-fragmentation.ratio", ratio(m.Active(), m.Objects), ""}, {"allocator-fragmentation.bytes", int(m.Unused), ""},
		{"allocator-rss.ratio", ratio(m.Total(), m.Active()), ""}, {"allocator-rss.bytes", int(m.Total() - m.Active()), ""},
		{"rss-overhead.ratio", ratio(m.Resident, m.Total()), ""}, {"rss-overhead.bytes", int(m.Resident - m.Total()), ""},
		{"fragmentation", ratio(m.Resident, int64(b.used)), ""}, {"fragmentation.bytes", int(m.Resident) - b.used, ""}}...)
	r.tell(c.Reply)
}

// MEMORY MALLOC-STATS
func cmdMemoryMallocStats(c *Call) {
	m := c.Engine.processMemory()
	var text strings.Builder
	for _, line := range []struct {
		bytes int64
		about string
	}{{m.Objects, "objects, living or not collected yet"}, {m.Unused, "room in blocks that are in use"}, {m.Free, "free blocks, kept for what comes"},
		{m.Stacks, "stacks of goroutines"}, {m.Runtime, "the runtime's own tables"}, {m.Total(), "all that was taken from the system"},
		{m.Released, "was given back"}, {m.Resident, "is resident, the program itself included"}} {
		fmt.Fprintf(&text, "%14d  %8s  %s\n", line.bytes, human(int(line.bytes)), line.about)
	}
	fmt.Fprintf(&text, "%14d  collections, which took %.2f%% of the CPU time available\n", m.Cycles, 100*m.GCShare)
	c.Reply.Verbatim("txt", []byte(text.String()))
}

// judged is how many bytes must be in use for the doctor to judge ratios.
const judged = 5 << 20

// MEMORY DOCTOR
func cmdMemoryDoctor(c *Call) {
	b, m := c.Engine.budget(), c.Engine.processMemory()
	text := fmt.Sprintf("The dataset and %d connections hold %s; %s at their peak.", len(c.Engine.sessions.byID), human(b.used), human(b.peak))
	if m.Resident > 0 {
		text += fmt.Sprintf(" The process has %s.", human(int(m.Resident)))
	}
	if limit := c.Engine.Config.MaxMemory; limit > 0 {
		text += fmt.Sprintf(" maxmemory is %s.", human(int(limit)))
	}
	findings := c.Engine.diagnose(b, m)
	if len(findings) == 0 {
		text += " Nothing is wrong."
		if b.used < judged {
			text += " With so little in use that says little."
		}
	}
	for _, f := range findings {
		text += "\n * " + f
	}
	c.Reply.Verbatim("txt", []byte(text+"\n"))
}

// diagnose returns what is unusual about the memory, and what helps.
func (e *Engine) diagnose(b budget, m ProcessMemory) (findings []string) {
	say := func(holds bool, format string, args ...any) {
		if holds {
			findings = append(findings, fmt.Sprintf(format, args...))
		}
	}
	limit := int(e.Config.MaxMemory)
	say(limit > 0 && b.used > limit/10*9, "maxmemory is reached to %s: writes will be refused, or keys evicted.", percent(b.used, limit))
	if b.used < judged {
		return findings
	}
	say(b.peak > b.used/2*3, "The peak is %.1f times what is in use: what it needed may still be resident. MEMORY PURGE gives it back.",
		ratio(int64(b.peak), int64(b.used)))
	say(m.Free > int64(b.used)/2, "%s of the heap are free but not given back to the system. MEMORY PURGE does it.", human(int(m.Free)))
	say(m.Unused > m.Objects/4, "%s lie unused between living objects: much was deleted here and there. Only time or a restart closes the gaps.",
		human(int(m.Unused)))
	say(m.Objects > 2*int64(b.used), "The heap has %s of objects for %s of data: the rest is garbage to be collected, or buffers of clients and scripts.",
		human(int(m.Objects)), human(b.used))
	say(m.GCShare > 0.1, "Collecting garbage takes %.0f%% of the CPU time. A higher GOGC spends memory to save it.", 100*m.GCShare)
	say(b.sessions > b.used/5, "A fifth of the memory, or more, is that of %d connections.", len(e.sessions.byID))
	say(b.keys > 0 && b.tables+b.deadlines > b.entries, "The tables and indexes of %d keys are larger than the keys and values: many tiny keys. A hash in place of a hundred of them is far smaller.", b.keys)
	return findings
}
