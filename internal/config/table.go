package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Table is the parameters of a server that behaves as a release.
type Table struct {
	release *release.Release
	params  map[string]*Param        // by name and alias
	ignored func() map[string]*Param // the same of those without effect, which few servers are asked for
}

// NewTable returns an empty table.
func NewTable(r *release.Release) *Table {
	t := &Table{release: r, params: make(map[string]*Param, 256)}
	t.ignored = sync.OnceValue(t.newIgnored)
	return t
}

// Add adds parameters. A duplicate name panics, but for one without effect.
func (t *Table) Add(params []Param) {
	for i := range params {
		p := &params[i]
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if old := t.params[name]; old != nil && !old.inert {
				panic(fmt.Sprintf("config: parameter %q is declared twice", name))
			}
			t.params[name] = p
		}
		t.setDefault(p)
	}
}

// setDefault gives a parameter the value with which it begins in the release.
func (t *Table) setDefault(p *Param) {
	if other, changed := defaultsSince[p.Name]; changed && t.release.Has(other.since) {
		_ = p.Set(other.value)
	}
}

// Named returns the parameter of that name, or nil.
func (t *Table) Named(name string) *Param { return t.find(strings.ToLower(name)) }

func (t *Table) find(name string) *Param {
	if p := t.params[name]; p != nil {
		return p
	}
	return t.ignored()[name]
}

// Text returns the value of the parameter of that name, or other if there is none.
func (t *Table) Text(name, other string) string {
	if p := t.Named(name); p != nil {
		return strings.TrimSpace(p.Get())
	}
	return other
}

// Names returns all names and aliases, ordered.
func (t *Table) Names() []string {
	names := slices.Collect(maps.Keys(t.params))
	for name := range t.ignored() {
		if t.params[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Offered returns a parameter that the release has, by its name in lower case; nil if there is
// none. All others can be set before the start.
func (t *Table) Offered(name string) *Param {
	if since, later := paramsSince[name]; later && !t.release.Offers(since) {
		return nil
	}
	if gone, was := paramsBefore[name]; was && t.release.Has(gone) {
		return nil
	}
	return t.find(name)
}

var paramsSince = release.ByName(map[string]string{
	"7.0.0": "aof-disable-auto-gc aof-timestamp-enabled appenddirname bind-source-addr busy-reply-threshold " +
		"cluster-allow-pubsubshard-when-down " +
		"cluster-announce-hostname cluster-config-file cluster-link-sendbuf-limit cluster-port " +
		"cluster-preferred-endpoint-type " +
		"enable-debug-command enable-module-command enable-protected-configs hash-max-listpack-entries " +
		"hash-max-listpack-value " +
		"latency-tracking latency-tracking-info-percentiles " +
		"list-max-listpack-size maxmemory-clients propagation-error-behavior " +
		"repl-diskless-sync-max-replicas replica-ignore-disk-write-errors shutdown-on-sigint shutdown-on-sigterm " +
		"shutdown-timeout socket-mark-id zset-max-listpack-entries zset-max-listpack-value",
	"7.2.0": "cluster-announce-human-nodename locale-collate set-max-listpack-entries set-max-listpack-value",
	"7.4.0 valkey:8.0.0": "aof-rewrite-cpulist bgsave-cpulist bio-cpulist hide-user-data-from-log " +
		"max-new-connections-per-cycle max-new-tls-connections-per-cycle server-cpulist",
	"8.0.0": "cluster-compatibility-sample-ratio repl-rdb-channel replica-full-sync-buffer-limit",
	"8.2.0": "vset-force-single-threaded-execution",
	"8.4.0": "aof-load-corrupt-tail-max-size " +
		"cluster-slot-migration-handoff-max-lag-bytes cluster-slot-migration-write-pause-timeout lookahead",
	"8.6.0": "key-memory-histograms lazyexpire-nested-arbitrary-keys stream-idmp-duration stream-idmp-maxsize",
	"8.8.0": "array-slice-size array-sparse-kmax array-sparse-kmin " +
		"slowlog-entry-max-argc slowlog-entry-max-string-len",
	"8.10.0": "backup-sealed-ttl backupdirname hash-max-template-entries hash-min-template-entries " +
		"hash-rdb-load-max-template-entries hash-rdb-load-min-template-entries " +
		"hash-rdb-load-template-disassembly-threshold",
	"valkey:9.0.0": "cluster-announce-client-port cluster-announce-client-tls-port cluster-config-save-behavior " +
		"cluster-databases cluster-slot-migration-log-max-len mptcp repl-mptcp slot-migration-max-failover-repl-bytes",
	"valkey:9.1.0":       "hash-seed tls-auto-reload-interval",
	"8.6.0 valkey:9.1.0": "tls-auth-clients-user",
	"8.2.0 valkey:8.0.0": "cluster-slot-stats-enabled",
	"valkey:8.0.0": "availability-zone cluster-announce-client-ipv4 cluster-announce-client-ipv6 " +
		"cluster-blacklist-ttl cluster-manual-failover-timeout " +
		"dual-channel-replication-enabled extended-redis-compatibility log-format log-timestamp-format " +
		"prefetch-batch-max-size primaryauth primaryuser rdb-version-check unixsocketgroup",
	"valkey:8.1.0": "active-defrag-cycle-us commandlog-execution-slower-than commandlog-large-reply-max-len " +
		"commandlog-large-request-max-len " +
		"commandlog-reply-larger-than commandlog-request-larger-than commandlog-slow-execution-max-len import-mode " +
		"rdma-bind rdma-completion-vector rdma-port rdma-rx-size",
})

var paramsBefore = release.ByName(map[string]string{
	"7.0.0":        "gopher-enabled lua-replicate-commands",
	"valkey:8.1.0": "dynamic-hz",
	"valkey:9.1.0": "sanitize-dump-payload",
})

// newDefault is another default of a parameter, and since when it is.
type newDefault struct {
	since release.Since
	value string
}

var defaultsSince = map[string]newDefault{
	"hide-user-data-from-log": {release.From("valkey:8.0.0"), "yes"},
	"log-format":              {release.From("valkey:8.0.0"), "legacy"},
	"repl-backlog-size":       {release.From("valkey:8.0.0"), "10mb"},
	"replica-lazy-flush":      {release.From("valkey:8.0.0"), "yes"},
	"search-default-scorer":   {release.From("8.0.0"), "BM25STD"},
	"syslog-ident":            {release.From("valkey:8.0.0"), "valkey"},
}

// hiddenSince is since when patterns of CONFIG GET leave out those parameters that they did not
// leave out always.
var hiddenSince = release.ByName(map[string]string{
	"7.0.0":              "key-load-delay rdb-key-save-delay use-exit-on-panic watchdog-period",
	"7.2.0":              "aof-disable-auto-gc",
	"8.0.0 valkey:8.0.0": "io-threads-do-reads",
})

// Hides reports whether patterns of CONFIG GET leave out a parameter.
func (t *Table) Hides(p *Param) bool {
	since, listed := hiddenSince[p.Name]
	return (p.Hidden || listed) && t.release.Has(since)
}
