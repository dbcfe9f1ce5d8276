package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Section is one section of INFO, or a part of it: sections of one name are shown under one heading,
// in the order in which they were added.
type Section struct {
	Name   string // as its heading shows it, "Memory"
	Hidden bool   // only shown when asked for by name, or by all and everything
	Fill   func(b *bytes.Buffer)
	Reset  func() // CONFIG RESETSTAT; nil if nothing is counted
}

// sectionOrder is the order of INFO's sections; others follow.
var sectionOrder = []string{"Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules",
	"Commandstats", "Errorstats", "Latencystats", "Cluster", "Keyspace"}

// addSections adds sections to INFO.
func (e *Engine) addSections(s []Section) {
	rank := func(s Section) int {
		if i := slices.Index(sectionOrder, s.Name); i >= 0 {
			return i
		}
		return len(sectionOrder)
	}
	e.Parts.sections = append(e.Parts.sections, s...)
	slices.SortStableFunc(e.Parts.sections, func(a, b Section) int { return cmp.Compare(rank(a), rank(b)) })
}

// INFO [section [section ...]]
func cmdInfo(c *Call) {
	var names []string
	for c.More() {
		names = append(names, strings.ToLower(string(c.Arg())))
	}
	if names == nil {
		names = []string{"default"}
	}
	c.Reply.Verbatim("txt", c.Engine.infoText(names))
}

// infoText returns the sections that are asked for.
func (e *Engine) infoText(names []string) []byte {
	var b bytes.Buffer
	all := slices.Contains(names, "all") || slices.Contains(names, "everything")
	usual := slices.Contains(names, "default")
	last := ""
	for _, s := range e.Parts.sections {
		if !all && !(usual && !s.Hidden) && !slices.Contains(names, strings.ToLower(s.Name)) {
			continue
		}
		if s.Name != last {
			if last != "" {
				b.WriteString("\r\n")
			}
			fmt.Fprintf(&b, "# %s\r\n", s.Name)
			last = s.Name
		}
		s.Fill(&b)
	}
	return b.Bytes()
}

// Fields writes lines of a section: name, value, name, value.
func Fields(b *bytes.Buffer, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(b, "%v:%v\r\n", pairs[i], pairs[i+1])
	}
}

// usedMemory is the bytes that the dataset holds, which maxmemory bounds, and those of the sessions.
func (e *Engine) usedMemory() int { return e.Keyspace.Bytes() + e.Sessions.bytes() }

// sessionBytes is about what a session costs when idle.
const sessionBytes = 1 << 10

func (ss *sessions) bytes() int { return len(ss.ByID) * sessionBytes }

// coreSections are the sections that the engine itself knows.
func (e *Engine) coreSections() []Section {
	return []Section{
		{Name: "Server", Fill: e.fillServer},
		{Name: "Clients", Fill: e.fillClients},
		{Name: "Memory", Fill: e.fillMemory},
		{Name: "Persistence", Fill: e.fillPersistence},
		{Name: "Stats", Fill: e.fillStats},
		{Name: "Modules", Fill: func(*bytes.Buffer) {}},
		{Name: "Commandstats", Hidden: true, Fill: e.fillCommandStats},
		{Name: "Errorstats", Fill: e.fillErrorStats},
		{Name: "Latencystats", Hidden: true, Fill: e.fillLatencyStats},
		{Name: "Cluster", Fill: func(b *bytes.Buffer) { Fields(b, "cluster_enabled", 0) }},
		{Name: "Keyspace", Fill: e.fillKeyspace},
	}
}

func (e *Engine) fillServer(b *bytes.Buffer) {
	up := (e.time.micros - e.time.started) / 1e6
	Fields(b, "redis_version", RedisVersion, "miniserver_version", Version, "redis_mode", "standalone",
		"run_id", e.runID, "server_time_usec", e.time.micros, "uptime_in_seconds", up, "uptime_in_days", up/86400,
		"lru_clock", e.Keyspace.Now/1000&(1<<24-1), "hz", e.Parts.params["hz"].Get(), "configured_hz", e.Parts.params["hz"].Get(),
		"process_supervised", "no", "redis_git_sha1", "00000000", "redis_git_dirty", 0)
}

func (e *Engine) fillClients(b *bytes.Buffer) {
	replicas, subscribed, watching := 0, 0, 0
	for _, s := range e.Sessions.ByID {
		if s.attached() {
			replicas++
		}
		if s.subscribed() {
			subscribed++
		}
		if len(s.watches) > 0 {
			watching++
		}
	}
	timed := 0
	for _, w := range e.blocked.all {
		if w.deadline != 0 {
			timed++
		}
	}
	Fields(b, "connected_clients", len(e.Sessions.ByID)-replicas, "blocked_clients", len(e.blocked.all)+len(e.pause.postponed),
		"tracking_clients", e.tracking.sessions, "pubsub_clients", subscribed, "watching_clients", watching,
		"clients_in_timeout_table", timed, "total_watched_keys", len(e.watched), "total_blocking_keys", len(e.blocked.keys),
		"cluster_connections", 0)
}

func Percent(part, whole int) string {
	if whole == 0 {
		return "0.00%"
	}
	return fmt.Sprintf("%.2f%%", float64(part)*100/float64(whole))
}

// human shows bytes as Redis does: 1.50K.
func Human(n int) string {
	units := "BKMGTP"
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%dB", n)
	}
	return fmt.Sprintf("%.2f%c", f, units[i])
}

func (e *Engine) fillPersistence(b *bytes.Buffer) {
	loading := 0
	if e.persistence.loading > 0 {
		loading = 1
	}
	Fields(b, "loading", loading, "async_loading", 0, "rdb_changes_since_last_save", e.persistence.dirty)
}

func (e *Engine) fillStats(b *bytes.Buffer) {
	Fields(b, "total_connections_received", e.stats.connections, "total_commands_processed", e.stats.commands,
		"instantaneous_ops_per_sec", e.stats.rates.commands.perSecond(), "instantaneous_input_kbps", e.stats.rates.in.kilobytes(),
		"instantaneous_output_kbps", e.stats.rates.out.kilobytes(), "expired_keys", e.stats.expired,
		"expired_subkeys", e.stats.expiredElements, "evicted_keys", e.eviction.evicted,
		"keyspace_hits", e.stats.hits, "keyspace_misses", e.stats.misses, "pubsub_channels", len(e.pubsub.channels),
		"pubsub_patterns", len(e.pubsub.patterns), "pubsubshard_channels", len(e.pubsub.shards),
		"tracking_total_keys", len(e.tracking.readers), "tracking_total_items", e.tracking.items(), "tracking_total_prefixes", e.tracking.prefixes(e),
		"total_eviction_exceeded_time", (e.eviction.exceeding+e.exceededFor())/1000,
		"current_eviction_exceeded_time", e.exceededFor()/1000, "total_error_replies", e.stats.totalErrors)
	Fields(b, zeroStats...)
}

// eachCommand calls fn for all commands and subcommands, ordered by name.
func (e *Engine) eachCommand(fn func(cmd *Command)) {
	for _, cmd := range e.Commands() {
		fn(cmd)
		for i := range cmd.Subs {
			fn(&cmd.Subs[i])
		}
	}
}

func (e *Engine) fillCommandStats(b *bytes.Buffer) {
	e.eachCommand(func(cmd *Command) {
		s := &cmd.stats
		if s.calls+s.rejected+s.failed == 0 {
			return
		}
		each := 0.0
		if s.calls > 0 {
			each = float64(s.micros) / float64(s.calls)
		}
		fmt.Fprintf(b, "cmdstat_%s:calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d\r\n",
			cmd.full, s.calls, s.micros, each, s.rejected, s.failed)
	})
}

func (e *Engine) fillErrorStats(b *bytes.Buffer) {
	for _, name := range slices.Sorted(maps.Keys(e.stats.errors)) {
		fmt.Fprintf(b, "errorstat_%s:count=%d\r\n", name, e.stats.errors[name])
	}
}

func (e *Engine) fillLatencyStats(b *bytes.Buffer) {
	e.eachCommand(func(cmd *Command) {
		if cmd.stats.latency.total == 0 {
			return
		}
		fmt.Fprintf(b, "latency_percentiles_usec_%s:", cmd.full)
		for i, p := range e.Config.percentiles {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "p%v=%d.000", p, cmd.stats.latency.percentile(p))
		}
		b.WriteString("\r\n")
	})
}

func (e *Engine) fillKeyspace(b *bytes.Buffer) {
	for i := range e.Keyspace.Len() {
		if db := e.Keyspace.DB(i); db.Len() > 0 {
			fmt.Fprintf(b, "db%d:keys=%d,expires=%d,avg_ttl=0,subexpiry=%d\r\n", i, db.Len(), db.Volatile(), db.Subexpiry())
		}
	}
}
