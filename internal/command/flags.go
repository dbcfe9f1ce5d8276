package command

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Flags say what a command does and where it may run. No condition asks for a command's name: a new
// one is a new flag.
type Flags uint64

// The flags, named as COMMAND INFO names them.
const (
	Write           Flags = 1 << iota // changes the dataset
	ReadOnly                          // only reads it
	DenyOOM                           // refused when memory is short
	Admin                             // for operators
	PubSub                            // about channels
	NoScript                          // not from scripts
	Blocking                          // may block the session
	Loading                           // allowed while the dataset is loaded
	Stale                             // allowed on a replica without its master
	SkipMonitor                       // not shown to MONITOR
	SkipSlowlog                       // not in the slow log
	Asking                            // a node of a cluster allows it for a slot that it is about to take over
	Fast                              // O(1) or O(log n)
	NoAuth                            // allowed before AUTH
	MayReplicate                      // not a write, yet may be propagated
	NoMandatoryKeys                   // may be without keys
	NoAsyncLoading                    // not while a replica loads new data and serves the old
	NoMulti                           // not inside MULTI
	MovableKeys                       // key positions depend on the arguments
	AllowBusy                         // allowed while a slow script runs
	Random                            // replies differently to the same question; since 7.0 a tip says it
	SortForScript                     // replies in an order that may differ; since 7.0 a tip says it
)

// The flags that COMMAND INFO does not show.
const (
	// Runs user code, which may pass its time limit: see slowscript.go.
	MayBeSlow        Flags = SortForScript << (1 + iota)
	AllowTx                // executed inside MULTI instead of queued
	RunsTx                 // runs the queued commands: writes and takes memory as they do
	DropsTx                // ends a transaction without running it
	AllowSubscribed        // allowed while the session listens to channels
	FromReplica            // allowed on a connection that receives the replication stream
	HealthCheck            // refused while DenyWrites is in force, so that a probe notices
	AllowScriptDebug       // allowed in scripts after DEBUG SET-DISABLE-DENY-SCRIPTS
	KeepsCaching           // does not end the effect of CLIENT CACHING
	ToChannel              // its first argument is a channel
	ToChannels             // its arguments are channels
	ToPatterns             // its arguments are patterns of channels
	Protected              // allowed only by enable-debug-command
	HomeOnly               // concerns what only the home world has: files and replicas
	OneSlot                // its keys lie in one slot, if the server is a node of a cluster
	ByDigest               // runs a script that the cache may have lost
	Internal               // for servers among themselves: COMMAND DOCS marks it
	AnyKeys                // meets keys that it does not name: the removal of each is a unit
	Harmless               // changes nothing beyond its session, though it is not ReadOnly
	Settings               // its arguments are names and values of parameters, of which some are secret
	Help                   // explains the other subcommands of its container
	AnySlot                // may name keys in several slots, as it only lets go of them
	LogsIn                 // does nothing but log the session in
	ScriptRunner           // runs a script or a function
	AllDatabases           // uses all databases, not the selected one
	OfModule               // a module has it in Redis: COMMAND shows it as "module"
	Gradual                // lets others run in its midst: see gradual.go of the engine
)

// flagName is what COMMAND calls a flag: since a release, and before another. "" is since ever, and
// for ever.
type flagName struct {
	flag          Flags
	name          string
	since, before string
}

var flagNames = []flagName{
	{flag: Write, name: "write"}, {flag: ReadOnly, name: "readonly"}, {flag: DenyOOM, name: "denyoom"},
	{flag: OfModule, name: "module"},
	{flag: Admin, name: "admin"},
	{flag: PubSub, name: "pubsub"}, {flag: NoScript, name: "noscript"}, {Random, "random", "", "7.0.0"},
	{SortForScript, "sort_for_script", "", "7.0.0"}, {Blocking, "blocking", "7.0.0", ""},
	{flag: Loading, name: "loading"},
	{flag: Stale, name: "stale"}, {flag: SkipMonitor, name: "skip_monitor"},
	{SkipSlowlog, "skip_slowlog", "", "valkey:8.1.0"},
	{SkipSlowlog, "skip_commandlog", "valkey:8.1.0", ""}, {flag: Asking, name: "asking"}, {flag: Fast, name: "fast"},
	{flag: NoAuth, name: "no_auth"}, {MayReplicate, "may_replicate", "", "7.0.0"},
	{NoMandatoryKeys, "no_mandatory_keys", "7.0.0", ""}, {NoAsyncLoading, "no_async_loading", "7.0.0", ""},
	{NoMulti, "no_multi", "7.0.0", ""}, {flag: MovableKeys, name: "movablekeys"},
	{AllowBusy, "allow_busy", "7.0.0", ""}, {ScriptRunner, "script_runner", "8.10.0", ""},
}

// flagNamesOf returns the names that a release has, in a fixed order, and all their flags.
func flagNamesOf(r *release.Release) (names []flagName, all Flags) {
	for _, f := range flagNames {
		if r.Has(release.From(f.since)) && (f.before == "" || !r.Has(release.From(f.before))) {
			names, all = append(names, f), all|f.flag
		}
	}
	return names, all
}

// flagNamed returns the flag of a name of any release. It panics if there is none.
func flagNamed(name string) Flags {
	for _, f := range flagNames {
		if f.name == name {
			return f.flag
		}
	}
	panic(fmt.Sprintf("command: no flag is called %q", name))
}
