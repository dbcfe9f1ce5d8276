// Package sentinel answers SENTINEL for a group, so that clients that ask Redis' Sentinel for the
// master find the leader. No process watches the group: its members know who leads, and each of
// them answers, on the port on which it serves data.
//
//	client ── SENTINEL GET-MASTER-ADDR-BY-NAME mymaster ──▶ any member ──▶ the leader's address
//	       ◀─ +switch-master, if it has subscribed ────────
//	       ── SET, GET ... ──▶ the leader
//
// In Sentinel's words the leader is the master, the other members are its replicas, and every
// member is a Sentinel too. The replies have the fields of Redis' Sentinel with the types that it
// gives them; what a group has nothing of, such as pending commands of a link, is zero.
//
//	sentinel.go   what an engine gets, and the commands
//	commands.go   what they do
//	instance.go   the fields of masters, replicas and Sentinels
//	events.go     the messages about changes
//
// A member that knows no leader says so: it answers as for a name that it does not know, and
// SENTINEL MASTER has the flags s_down and o_down. Sentinel goes on naming the master that is down.
// But a client that asks a member that is cut off from the others should ask the next one, and that
// is what clients do when they get no address.
//
// What one member learns from another has gone through the log, so members cannot disagree about
// the past: there is at most one leader of a term, and the term is the config-epoch. A member that
// is cut off may name a leader that others have replaced. That one refuses writes then.
//
// A group is changed with GROUP ADD, REMOVE and TRANSFER. The commands that tell a Sentinel what to
// watch, and how, are refused.
package sentinel

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Sentinel answers for the group of one engine. Its methods are called under the engine's lock.
type Sentinel struct {
	engine *engine.Engine
	known  known // what subscribers were told last
}

// New returns a Sentinel for an engine with a topology. Part joins the rest.
func New(e *engine.Engine) *Sentinel { return &Sentinel{engine: e} }

// Part returns what the Sentinel adds to its engine.
func (s *Sentinel) Part() engine.Part {
	return engine.Part{Name: "sentinel", State: s, Families: []command.Family{family}, Tick: s.tick}
}

// flags are those of every subcommand. Clients ask when there is no leader, and while data are
// loaded.
const flags = command.Admin | command.Loading | command.Stale

var family = command.Family{Group: "sentinel", Commands: lines()}

func lines() []command.Line {
	help := engine.HelpLine("6.2.0")
	return []command.Line{{Name: "sentinel", Arity: -2, Flags: flags,
		Since: "2.8.4", Complexity: "Depends on subcommand.",
		Summary: "A container for Redis Sentinel commands.", Subs: append(asked(), append(refused(), help)...)}}
}

// asked are the commands that clients and operators send.
func asked() []command.Line {
	return []command.Line{
		{Name: "ckquorum", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdQuorum), Reply: "status",
			Since: "2.8.4", Syntax: "master-name", Complexity: "O(1)", Summary: "Checks for a Redis Sentinel quorum."},
		{Name: "failover", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdFailover), Reply: "status",
			Since: "2.8.4", Syntax: "master-name", Complexity: "O(1)", Summary: "Forces a Redis Sentinel failover."},
		{Name: "get-master-addr-by-name", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdAddress),
			Reply: "list?", Since: "2.8.4", Syntax: "master-name", Complexity: "O(1)",
			Summary: "Returns the port and address of a master Redis instance."},
		{Name: "is-master-down-by-addr", Arity: 6, Flags: flags,
			Run: engine.On((*Sentinel).cmdIsDown), Reply: "array", Since: "2.8.4", Complexity: "O(1)",
			Syntax:  "ip port:integer current-epoch:integer runid",
			Summary: "Determines whether a master Redis instance is down."},
		{Name: "master", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdMaster), Reply: "list", Since: "2.8.4",
			Syntax: "master-name", Complexity: "O(1)", Summary: "Returns the state of a master Redis instance."},
		{Name: "masters", Arity: 2, Flags: flags, Run: engine.On((*Sentinel).cmdMasters), Reply: "array",
			Since: "2.8.4", Complexity: "O(N) where N is the number of masters",
			Summary: "Returns a list of monitored Redis masters."},
		{Name: "myid", Arity: 2, Flags: flags, Run: engine.On((*Sentinel).cmdMyID), Reply: "text", Since: "6.2.0",
			Complexity: "O(1)", Summary: "Returns the Redis Sentinel instance ID."},
		{Name: "pending-scripts", Arity: 2, Flags: flags,
			Run: engine.On((*Sentinel).cmdScripts), Reply: "array", Since: "2.8.4", Complexity: "O(1)",
			Summary: "Returns information about pending scripts for Redis Sentinel."},
		{Name: "replicas", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdReplicas), Reply: "array",
			Since: "5.0.0", Syntax: "master-name", Complexity: "O(N) where N is the number of replicas",
			Summary: "Returns a list of the monitored Redis replicas."},
		{Name: "sentinels", Arity: 3, Flags: flags,
			Run: engine.On((*Sentinel).cmdSentinels), Reply: "array", Since: "2.8.4", Syntax: "master-name",
			Complexity: "O(N) where N is the number of Sentinels", Summary: "Returns a list of Sentinel instances."},
		{Name: "slaves", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdReplicas), Reply: "array",
			Since: "2.8.0", Syntax: "master-name", Complexity: "O(N) where N is the number of replicas.",
			Summary: "Returns a list of the monitored replicas.", Deprecated: "5.0.0 `SENTINEL REPLICAS`"},
	}
}

// refused are the commands that tell a Sentinel what to watch.
func refused() []command.Line {
	return []command.Line{
		{Name: "monitor", Arity: 6, Flags: flags, Run: engine.On((*Sentinel).cmdMonitor), Reply: "status",
			Since: "2.8.4", Syntax: "name ip port:integer quorum:integer", Complexity: "O(1)",
			Summary: "Starts monitoring."},
		{Name: "remove", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdRefused), Reply: "status",
			Since: "2.8.4", Syntax: "master-name", Complexity: "O(1)", Summary: "Stops monitoring."},
		{Name: "reset", Arity: 3, Flags: flags, Run: engine.On((*Sentinel).cmdReset), Reply: "integer", Since: "2.8.4",
			Syntax: "pattern:pattern", Complexity: "O(N) where N is the number of monitored masters",
			Summary: "Resets Redis masters by name matching a pattern."},
		{Name: "set", Arity: -5, Flags: flags, Run: engine.On((*Sentinel).cmdRefused), Reply: "status", Since: "2.8.4",
			Syntax: "master-name data=<option value>...", Complexity: "O(1)",
			Summary: "Changes the configuration of a monitored Redis master."},
	}
}
