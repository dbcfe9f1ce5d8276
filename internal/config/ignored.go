package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Parameters of redis-server that are accepted, checked, kept and shown, and have no effect.
//
// They are here because clients, test harnesses and configuration files set them, and because
// ignoring them does no harm: they tune what this server does in its own way or not at all, such as
// lazy freeing, replication and cluster buses. A parameter whose neglect would
// deceive its user is not among them. One that a package declares for real takes the place of its
// namesake here: those of persistence are idle only in a server that keeps nothing.

type ignoredBool struct {
	name  string
	value bool
	alias string
}

type ignoredInt struct {
	name          string
	value, lo, hi int64
	alias         string
}

type ignoredText struct {
	name, value string
	words       []string // what it may be; nil for any text
	alias       string
}

const maxInt32 = math.MaxInt32

var ignoredBools = []ignoredBool{
	{"activerehashing", true, ""}, {"always-show-logo", false, ""},
	{"aof-disable-auto-gc", false, ""}, {"aof-load-truncated", true, ""}, {"aof-rewrite-incremental-fsync", true, ""},
	{"aof-timestamp-enabled", false, ""},
	{"aof-use-rdb-preamble", true, ""}, {"appendonly", false, ""}, {"cluster-allow-pubsubshard-when-down", true, ""},
	{"cluster-allow-reads-when-down", false, ""}, {"cluster-allow-replica-migration", true, ""},
	{"dual-channel-replication-enabled", false, ""}, {"extended-redis-compatibility", false, ""},
	{"gopher-enabled", false, ""}, {"lua-replicate-commands", true, ""},
	{"cluster-replica-no-failover", false, "cluster-slave-no-failover"}, {"cluster-require-full-coverage", true, ""},
	{"vset-force-single-threaded-execution", false, ""}, {"lazyexpire-nested-arbitrary-keys", true, ""},
	{"crash-log-enabled", true, ""}, {"crash-memcheck-enabled", true, ""}, {"disable-thp", true, ""},
	{"dynamic-hz", true, ""}, {"hide-user-data-from-log", false, ""}, {"io-threads-do-reads", false, ""},
	{"jemalloc-bg-thread", true, ""},
	{"no-appendfsync-on-rewrite", false, ""}, {"protected-mode", true, ""}, {"rdb-del-sync-files", false, ""},
	{"rdb-save-incremental-fsync", true, ""}, {"rdbchecksum", true, ""}, {"rdbcompression", true, ""},
	{"repl-disable-tcp-nodelay", false, ""}, {"repl-diskless-sync", true, ""}, {"repl-rdb-channel", true, ""},
	{"replica-ignore-disk-write-errors", false, ""},
	{"replica-lazy-flush", false, "slave-lazy-flush"},
	{"set-proc-title", true, ""}, {"stop-writes-on-bgsave-error", true, ""}, {"syslog-enabled", false, ""},
	{"tls-cluster", false, ""}, {"tls-prefer-server-ciphers", false, ""},
	{"tls-session-caching", true, ""}, {"use-exit-on-panic", false, ""},
	{"mptcp", false, ""}, {"repl-mptcp", false, ""},
}

var ignoredInts = []ignoredInt{
	{"aof-load-corrupt-tail-max-size", 0, 0, math.MaxInt64, ""},
	{"cluster-slot-migration-write-pause-timeout", 10000, 0, math.MaxInt64, ""}, {"lookahead", 16, 1, maxInt32, ""},
	{"cluster-announce-client-port", 0, 0, 65535, ""}, {"cluster-announce-client-tls-port", 0, 0, 65535, ""},
	{"cluster-slot-migration-log-max-len", 1000, 0, math.MaxInt64, ""},
	{"cluster-blacklist-ttl", 60, 0, maxInt32, ""},
	{"cluster-manual-failover-timeout", 5000, 1, maxInt32, ""},
	{"prefetch-batch-max-size", 16, 0, 128, ""},
	{"rdma-completion-vector", -1, -1, 1024, ""}, {"rdma-port", 0, 0, 65535, ""},
	{"rdma-rx-size", 1 << 20, 64 << 10, 16 << 20, ""},
	{"active-defrag-max-scan-fields", 1000, 1, math.MaxInt64, ""},
	{"active-expire-effort", 1, 1, 10, ""}, {"auto-aof-rewrite-percentage", 100, 0, maxInt32, ""},
	{"cluster-compatibility-sample-ratio", 0, 0, 100, ""},
	{"cluster-announce-bus-port", 0, 0, 65535, ""}, {"cluster-announce-port", 0, 0, 65535, ""},
	{"cluster-announce-tls-port", 0, 0, 65535, ""},
	{"cluster-migration-barrier", 1, 0, maxInt32, ""}, {"cluster-node-timeout", 15000, 0, math.MaxInt64, ""},
	{"cluster-port", 0, 0, 65535, ""},
	{"cluster-replica-validity-factor", 10, 0, maxInt32, "cluster-slave-validity-factor"},
	{"hash-max-template-entries", 0, 0, math.MaxInt64, ""}, {"hash-min-template-entries", 0, 0, math.MaxInt64, ""},
	{"hash-rdb-load-max-template-entries", 0, 0, math.MaxInt64, ""},
	{"hash-rdb-load-min-template-entries", 0, 0, math.MaxInt64, ""},
	{"hash-rdb-load-template-disassembly-threshold", 0, 0, math.MaxInt64, ""},
	{"hz", 10, 0, maxInt32, ""},
	{"list-compress-depth", 0, 0, maxInt32, ""},
	{"max-new-connections-per-cycle", 10, 1, 1000, ""}, {"max-new-tls-connections-per-cycle", 1, 1, 1000, ""},
	{"loading-process-events-interval-bytes", 512 << 10, 1024, maxInt32, ""},
	{"repl-diskless-sync-delay", 5, 0, maxInt32, ""},
	{"repl-diskless-sync-max-replicas", 0, 0, maxInt32, ""},
	{"socket-mark-id", 0, 0, math.MaxUint32, ""},
	{"tcp-backlog", 511, 0, maxInt32, ""},
	{"tls-session-cache-size", 20480, 0, maxInt32, ""}, {"tls-session-cache-timeout", 300, 0, maxInt32, ""},
	{"watchdog-period", 0, 0, maxInt32, ""},
}

// ignoredSizes take units; value is their default.
var ignoredSizes = []ignoredInt{
	{"auto-aof-rewrite-min-size", 64 << 20, 0, 0, ""},
	{"cluster-link-sendbuf-limit", 0, 0, 0, ""}, {"cluster-slot-migration-handoff-max-lag-bytes", 1 << 20, 0, 0, ""},
	{"replica-full-sync-buffer-limit", 0, 0, 0, ""}, {"slot-migration-max-failover-repl-bytes", 0, 0, 0, ""},
}

var ignoredTexts = []ignoredText{
	{"aof_rewrite_cpulist", "", nil, "aof-rewrite-cpulist"}, {"bgsave_cpulist", "", nil, "bgsave-cpulist"},
	{"bio_cpulist", "", nil, "bio-cpulist"}, {"server_cpulist", "", nil, "server-cpulist"},
	{"bind-source-addr", "", nil, ""}, {"cluster-announce-hostname", "", nil, ""},
	{"cluster-announce-human-nodename", "", nil, ""}, {"cluster-announce-ip", "", nil, ""},
	{"cluster-config-file", "nodes.conf", nil, ""}, {"cluster-slot-stats-enabled", "no", nil, ""},
	{"cluster-preferred-endpoint-type", "ip", []string{"ip", "hostname", "unknown-endpoint"}, ""},
	{"enable-module-command", "no", []string{"no", "yes", "local"}, ""},
	{"availability-zone", "", nil, ""}, {"cluster-announce-client-ipv4", "", nil, ""},
	{"cluster-announce-client-ipv6", "", nil, ""},
	{"rdb-version-check", "strict", []string{"strict", "relaxed"}, ""}, {"rdma-bind", "", nil, ""},
	{"unixsocketgroup", "", nil, ""},
	{"appenddirname", "appendonlydir", nil, ""}, {"appendfilename", "appendonly.aof", nil, ""},
	{"appendfsync", "everysec", []string{"everysec", "always", "no"}, ""},
	{"daemonize", "no", []string{"yes", "no"}, ""},
	{"dbfilename", "dump.rdb", nil, ""}, {"dir", ".", nil, ""}, {"ignore-warnings", "", nil, ""},
	{"locale-collate", "", nil, ""},
	{"oom-score-adj", "no", []string{"no", "yes", "relative", "absolute"}, ""},
	{"oom-score-adj-values", "0 200 800", nil, ""},
	{"proc-title-template", "{title} {listen-addr} {server-mode}", nil, ""},
	{"propagation-error-behavior", "ignore", []string{"ignore", "panic", "panic-on-replicas"}, ""},
	{"save", "", nil, ""},
	{"supervised", "no", []string{"upstart", "systemd", "auto", "no"}, ""}, {"syslog-facility", "local0", nil, ""},
	{"tls-ciphers", "", []string{""}, ""}, {"tls-ciphersuites", "", []string{""}, ""},
	{"tls-client-cert-file", "", nil, ""}, {"tls-client-key-file", "", nil, ""},
	{"tls-client-key-file-pass", "", nil, ""},
	{"tls-dh-params-file", "", nil, ""}, {"tls-key-file-pass", "", nil, ""},
	{"syslog-ident", "redis", nil, ""}, {"cluster-config-save-behavior", "sync", []string{"sync", "best-effort"}, ""},
	{"hash-seed", "", nil, ""},
}

// ignoredAtStart are those of them that redis-server does not let CONFIG SET change.
var ignoredAtStart = []string{"always-show-logo", "appenddirname", "appendfilename",
	"aof_rewrite_cpulist", "bgsave_cpulist", "bio_cpulist", "cluster-config-file", "cluster-port",
	"daemonize", "disable-thp", "enable-module-command", "hash-seed",
	"io-threads-do-reads", "mptcp", "repl-mptcp", "rdbchecksum", "rdma-bind",
	"rdma-completion-vector", "rdma-port", "rdma-rx-size", "server_cpulist", "set-proc-title", "socket-mark-id",
	"supervised", "syslog-enabled", "syslog-facility", "syslog-ident", "tcp-backlog"}

// ignoredHidden are those of them that patterns of CONFIG GET leave out; hiddenSince says since
// when.
var ignoredHidden = []string{"aof-disable-auto-gc", "io-threads-do-reads", "lazyexpire-nested-arbitrary-keys",
	"loading-process-events-interval-bytes", "repl-rdb-channel", "use-exit-on-panic", "watchdog-period"}

// ignoredLists are those of them that take several words.
var ignoredLists = []string{"cluster-slot-stats-enabled", "oom-score-adj-values", "rdma-bind", "save"}

// ignoredSecrets are those of them that are not shown.
var ignoredSecrets = []string{"tls-client-key-file-pass", "tls-key-file-pass"}

// ignoredChecks are what those of them that are texts may not be. A check returns an error in
// Redis' words, or nil.
var ignoredChecks = map[string]func(value string) error{
	"cluster-announce-hostname":  checkHostname,
	"cluster-slot-stats-enabled": checkSlotStats,
	"locale-collate":             checkLocale,
	"oom-score-adj-values":       checkOOMScores,
	"proc-title-template":        checkTitle,
}

func checkHostname(value string) error {
	strange := func(r rune) bool {
		return r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	switch {
	case len(value) >= 256:
		return command.Error("Hostnames must be less than 256 characters")
	case strings.ContainsFunc(value, strange):
		return command.Error("Hostnames may only contain alphanumeric characters, hyphens or dots")
	}
	return nil
}

// checkLocale takes the locales that every system has. SORT ALPHA compares bytes in all of them.
func checkLocale(value string) error {
	if !slices.Contains([]string{"", "C", "POSIX", "C.UTF-8", "C.utf8"}, value) {
		return command.Error("Invalid locale name")
	}
	return nil
}

// strictNodeNames is when node names began to exclude what would need quotes.
var strictNodeNames, colonsInNodeNames = release.From("8.6.0 valkey:9.1.0"), release.From("valkey:9.1.0")

func (t *Table) checkNodeName(value string) error {
	excluded := "!#$%&()*+;<>?@[]^{|}~"
	if t.release.Has(strictNodeNames) {
		excluded += " \"',=\\"
	}
	if !t.release.Has(colonsInNodeNames) {
		excluded += ":"
	}
	if strings.ContainsAny(value, excluded) {
		return command.Error("Announced human node name contained invalid character")
	}
	return nil
}

// checkSlotStats takes any of the words.
func checkSlotStats(value string) error {
	known := []string{"no", "yes", "cpu", "net", "mem"}
	for _, word := range strings.Split(strings.ToLower(value), " ") {
		if !slices.Contains(known, word) {
			return NotOneOf(known...)
		}
	}
	return nil
}

// checkOOMScores takes three numbers, for the master, replicas and child processes.
func checkOOMScores(value string) error {
	words := strings.Split(value, " ")
	if len(words) != 3 {
		return ErrCount
	}
	for _, word := range words {
		if n, err := strconv.Atoi(word); err != nil || n < -2000 || n > 2000 {
			return command.Error("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
		}
	}
	return nil
}

// checkTitle takes a text with names of variables in braces.
func checkTitle(value string) error {
	known := []string{"title", "listen-addr", "server-mode", "port", "tls-port", "unixsocket", "config-file"}
	for _, part := range strings.Split(value, "{")[1:] {
		if name, _, closed := strings.Cut(part, "}"); !closed || !slices.Contains(known, name) {
			return errTitle
		}
	}
	if value == "" {
		return errTitle
	}
	return nil
}

// ignoredCheck returns what the text of a parameter may not be; nil if it may be anything.
func (t *Table) ignoredCheck(name string) func(value string) error {
	if name == "cluster-announce-human-nodename" {
		return t.checkNodeName
	}
	return ignoredChecks[name]
}

// checked returns p with a check of its value. A nil check passes all.
func (p Param) checked(check func(value string) error) Param {
	set := p.Set
	p.Set = func(value string) error {
		if check != nil {
			if err := check(value); err != nil {
				return err
			}
		}
		return set(value)
	}
	return p
}

// newIgnored returns the parameters that have no effect.
func (t *Table) newIgnored() map[string]*Param {
	var list []Param
	for i := range ignoredBools {
		p := ignoredBools[i]
		list = append(list, Bool(p.name, &p.value, aliases(p.alias)...))
	}
	for i := range ignoredInts {
		p := ignoredInts[i]
		list = append(list, Int(p.name, &p.value, p.lo, p.hi, aliases(p.alias)...))
		if p.name == "hz" {
			list[len(list)-1].Apply = func() error {
				p.value = min(max(p.value, 1), 500) // as Redis does, which takes any number
				return nil
			}
		}
	}
	for i := range ignoredSizes {
		p := ignoredSizes[i]
		list = append(list, Memory(p.name, &p.value, p.lo))
	}
	for i := range ignoredTexts {
		p := ignoredTexts[i]
		if p.words == nil {
			list = append(list, Text(p.name, &p.value, aliases(p.alias)...).checked(t.ignoredCheck(p.name)))
		} else {
			list = append(list, Enum(p.name, &p.value, p.words...))
			list[len(list)-1].Aliases = aliases(p.alias)
		}
	}
	byName := make(map[string]*Param, len(list))
	for i := range list {
		p := &list[i]
		p.Immutable = slices.Contains(ignoredAtStart, p.Name)
		p.Hidden = slices.Contains(ignoredHidden, p.Name)
		p.Secret = slices.Contains(ignoredSecrets, p.Name)
		p.List = p.List || slices.Contains(ignoredLists, p.Name)
		t.setDefault(p)
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			byName[name] = p
		}
	}
	return byName
}

func aliases(alias string) []string {
	if alias == "" {
		return nil
	}
	return []string{alias}
}
