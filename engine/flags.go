package engine

// Flags say what a command does and where it may run. No condition asks for a command's name: a new one is a
// new flag.
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
)

// The flags that COMMAND INFO does not show.
const (
	MayBeSlow        Flags = AllowBusy << (1 + iota) // runs user code, which may pass its time limit: see slowscript.go
	AllowTx                                          // executed inside MULTI instead of queued
	RunsTx                                           // runs the queued commands: writes and takes memory as they do
	DropsTx                                          // ends a transaction without running it
	AllowSubscribed                                  // allowed while the session listens to channels
	FromReplica                                      // allowed on a connection that receives the replication stream
	HealthCheck                                      // refused while DenyWrites is in force, so that a probe notices
	AllowScriptDebug                                 // allowed in scripts after DEBUG SET-DISABLE-DENY-SCRIPTS
	KeepsCaching                                     // does not end the effect of CLIENT CACHING
	ToChannel                                        // its first argument is a channel
	ToChannels                                       // its arguments are channels
	ToPatterns                                       // its arguments are patterns of channels
	Protected                                        // allowed only by enable-debug-command
	Internal                                         // for servers among themselves: COMMAND DOCS marks it
)

var flagNames = []string{"write", "readonly", "denyoom", "admin", "pubsub", "noscript", "blocking",
	"loading", "stale", "skip_monitor", "skip_slowlog", "asking", "fast", "no_auth", "",
	"no_mandatory_keys", "no_async_loading", "no_multi", "movablekeys", "allow_busy"}

// Names returns the names of the flags that are set, in a fixed order.
func (f Flags) Names() (names []string) {
	for i, n := range flagNames {
		if f&(1<<i) != 0 && n != "" {
			names = append(names, n)
		}
	}
	return names
}
