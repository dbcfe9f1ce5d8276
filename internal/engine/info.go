package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Section is one section of INFO, or a part of it: sections of one name are shown under one
// heading, in the order in which they were added.
type Section struct {
	Name   string // as its heading shows it, "Memory"
	Since  string // the first release with it; "" for all
	Asked  string // how it is asked for; its name in lower case if empty
	Hidden bool   // only shown when asked for, or by all and everything
	Fill   func(w *World, b *bytes.Buffer)
	Reset  func(w *World) // CONFIG RESETSTAT; nil if nothing is counted
}

// Figure returns a number of a world for INFO.
type Figure func(w *World) int

// figure returns the figure that a part brings by a name; 0 if none does.
func (w *World) figure(name string) int {
	for _, p := range w.engine.Parts.List {
		if of := p.Figures[name]; of != nil {
			return of(w)
		}
	}
	return 0
}

// sectionOrder is the order of INFO's sections; others follow.
var sectionOrder = []string{"Server", "TLS", "Clients", "Memory", "Persistence", "Threads", "Stats", "Replication",
	"CPU", "Hotkeys", "Modules", "Commandstats", "Errorstats", "Latencystats", "Cluster", "Cluster Info",
	"Scripting Engines", "Keyspace", "Keysizes"}

// addSections adds sections to INFO.
func (e *Engine) addSections(s []Section) {
	rank := func(s Section) int {
		if i := slices.Index(sectionOrder, s.Name); i >= 0 {
			return i
		}
		return len(sectionOrder)
	}
	list := e.Parts.Sections
	for _, section := range s {
		if e.Release.Offers(release.From(section.Since)) {
			at := len(list)
			for at > 0 && rank(list[at-1]) > rank(section) {
				at--
			}
			list = slices.Insert(list, at, section)
		}
	}
	e.Parts.Sections = list
}

// Fields writes lines of a section: name, value, name, value.
func Fields(b *bytes.Buffer, pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(b, "%v:%v\r\n", pairs[i], pairs[i+1])
	}
}

// Percent returns part as a percentage of whole, as INFO shows it.
func Percent(part, whole int) string {
	if whole == 0 {
		return "0.00%"
	}
	return fmt.Sprintf("%.2f%%", float64(part)*100/float64(whole))
}

// Human returns bytes as INFO shows them to people: 1.50K.
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

// coreSections are the sections that the engine itself knows.
func (e *Engine) coreSections() []Section {
	return []Section{
		{Name: "Server", Fill: (*World).fillServer},
		{Name: "Clients", Fill: (*World).fillClients},
		{Name: "Memory", Fill: (*World).fillMemory},
		{Name: "Persistence", Fill: (*World).fillPersistence},
		{Name: "Stats", Fill: (*World).fillStats},
		{Name: "Commandstats", Hidden: true, Fill: e.fillCommandStats},
		{Name: "Errorstats", Fill: e.fillErrorStats},
	}
}

func (w *World) fillServer(b *bytes.Buffer) {
	e := w.engine
	up := (w.time.micros - w.time.started) / 1e6
	Fields(b, "redis_version", e.Release.Redis)
	if e.Release.Product == "valkey" {
		Fields(b, "server_name", e.Release.Product, "valkey_version", e.Release.Version, "valkey_release_stage", "ga")
	}
	Fields(b, "miniserver_version", build.Version, "redis_mode", e.Config.Mode(), "server_mode", e.Config.Mode(),
		"run_id", e.RunID, "server_time_usec", w.time.micros, "uptime_in_seconds", up, "uptime_in_days", up/86400,
		"lru_clock", w.Keyspace.Now/1000&(1<<24-1), "hz",
		e.Params.Named("hz").Get(), "configured_hz", e.Params.Named("hz").Get(),
		"clients_hz", e.Params.Named("hz").Get(), "availability_zone", e.Params.Named("availability-zone").Get(),
		"process_supervised", "no", "redis_git_sha1", "00000000", "redis_git_dirty", 0)
}

func (w *World) fillClients(b *bytes.Buffer) {
	replicas, subscribed := 0, 0
	for _, s := range w.clients {
		if s.attached() {
			replicas++
		}
		if s.Listens() {
			subscribed++
		}
	}
	timed := 0
	for _, b := range w.blocked.all {
		if b.deadline != 0 {
			timed++
		}
	}
	Fields(b, "connected_clients", len(w.clients)-replicas,
		"client_recent_max_input_buffer", slices.Max(w.engine.Sessions.peaks.in[:]),
		"client_recent_max_output_buffer", slices.Max(w.engine.Sessions.peaks.out[:]), "blocked_clients",
		len(w.blocked.all)+len(w.pause.postponed), "tracking_clients", w.figure("tracking_clients"), "pubsub_clients",
		subscribed, "watching_clients", w.figure("watching_clients"), "clients_in_timeout_table", timed,
		"total_watched_keys", w.figure("total_watched_keys"), "total_blocking_keys", len(w.blocked.keys),
		"total_blocking_keys_on_nokey", w.blocked.keysAwaitingDeletion(), "cluster_connections", 0)
	w.fillPause(b)
}

// fillPause writes which commands wait, and why, as Valkey shows it.
func (w *World) fillPause(b *bytes.Buffer) {
	reason, actions := w.pause.reason(), "none"
	if w.pause.deadline != 0 {
		actions = "write"
		if w.pause.all {
			actions = "all"
		}
	}
	Fields(b, "paused_reason", reason, "paused_actions", actions, "paused_timeout_milliseconds",
		max(0, w.pause.deadline-w.Millis()))
}

func (w *World) fillPersistence(b *bytes.Buffer) {
	loading := 0
	if w.engine.persistence.loading > 0 {
		loading = 1
	}
	Fields(b, "loading", loading, "rdb_changes_since_last_save", w.Unsaved, "slot_migration_fork_in_progress", 0)
}

func (w *World) fillStats(b *bytes.Buffer) {
	e := w.engine
	Fields(b, "total_connections_received", e.stats.connections, "total_commands_processed", e.stats.commands,
		"instantaneous_ops_per_sec", e.stats.rates.commands.perSecond(), "instantaneous_input_kbps",
		e.stats.rates.in.Kilobytes(),
		"instantaneous_output_kbps", e.stats.rates.out.Kilobytes(), "expired_keys", e.stats.expired,
		"expired_keys_active", e.stats.reaped,
		"expired_subkeys", e.stats.expiredElements, "expired_fields", e.stats.expiredElements, "expired_subkeys_active",
		e.stats.reapedElements, "evicted_keys", e.eviction.evicted, "evicted_clients", e.Sessions.evicted,
		"keyspace_hits", e.stats.hits, "keyspace_misses",
		e.stats.misses, "pubsub_channels", w.figure("pubsub_channels"),
		"pubsub_patterns", w.figure("pubsub_patterns"), "pubsubshard_channels", w.figure("pubsubshard_channels"),
		"tracking_total_keys", w.figure("tracking_total_keys"), "tracking_total_items",
		w.figure("tracking_total_items"), "tracking_total_prefixes", w.figure("tracking_total_prefixes"),
		"total_eviction_exceeded_time", (e.eviction.exceededTime+w.currentExceededTime())/1000,
		"current_eviction_exceeded_time", w.currentExceededTime()/1000, "total_error_replies", e.stats.totalErrors,
		"unexpected_error_replies", e.stats.unexpected, "dump_payload_sanitizations",
		e.stats.sanitized, "slave_expires_tracked_keys", len(e.asReplica.own),
		"expired_time_cap_reached_count", e.stats.reapsCut, "expire_cycle_cpu_milliseconds", e.stats.reaping/1000)
	for _, name := range [...]string{"active_defrag_hits", "active_defrag_misses", "active_defrag_key_hits",
		"active_defrag_key_misses", "total_active_defrag_time", "current_active_defrag_time"} {
		Fields(b, name, w.figure(name))
	}
	Fields(b, zeroStats...)
	for i, name := range [...]string{"auth", "cmd", "key", "channel", "db", "tls_cert"} {
		Fields(b, "acl_access_denied_"+name, e.stats.denied[i])
	}
	e.fillLoops(b)
}

// fillLoops writes the work of the event loops.
func (e *Engine) fillLoops(b *bytes.Buffer) {
	cycles := int64(0)
	if e.Parts.Host.Traffic != nil {
		_, _, cycles = e.Parts.Host.Traffic()
	}
	busy := int64(0)
	e.Commands.Each(func(cmd *command.Command) { busy += e.total(cmd).micros })
	Fields(b, "eventloop_cycles", cycles, "eventloop_duration_sum", busy, "eventloop_duration_cmd_sum", busy,
		"instantaneous_eventloop_cycles_per_sec", e.stats.rates.cycles.perSecond(),
		"instantaneous_eventloop_duration_usec", busy/max(cycles, 1))
}

func (e *Engine) fillCommandStats(_ *World, b *bytes.Buffer) {
	e.Commands.Each(func(cmd *command.Command) {
		s := e.total(cmd)
		if s.calls+s.rejected+s.failed == 0 {
			return
		}
		each := 0.0
		if s.calls > 0 {
			each = float64(s.micros) / float64(s.calls)
		}
		fmt.Fprintf(b, "cmdstat_%s:calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			cmd.FullName(), s.calls, s.micros, each, s.rejected, s.failed)
		for _, p := range e.Parts.List {
			if p.CommandStats != nil {
				p.CommandStats(cmd, b)
			}
		}
		b.WriteString("\r\n")
	})
}

func (e *Engine) fillErrorStats(_ *World, b *bytes.Buffer) {
	for _, name := range slices.Sorted(maps.Keys(e.stats.errors)) {
		fmt.Fprintf(b, "errorstat_%s:count=%d\r\n", safeInInfo.Replace(name), e.stats.errors[name])
	}
}

// safeInInfo replaces what would end a name or a line of INFO.
var safeInInfo = strings.NewReplacer("#", "_", ":", "_", "\n", "_", "\r", "_")
