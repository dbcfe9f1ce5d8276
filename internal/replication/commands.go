package replication

import (
	"bytes"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// wordings are the errors that read otherwise in Valkey.
var wordings = []command.Wording{
	{Before: release.NoValkey, Error: errWait,
		Was: "ERR WAIT cannot be used with replica instances. Please also note that " +
			"if a replica is configured to be writable (which is not the default) writes to replicas are just local " +
			"and are not propagated."},
}

const (
	admin = command.Admin | command.NoScript | command.Stale | command.HomeOnly
	sends = command.Admin | command.NoScript | command.NoAsyncLoading | command.NoMulti | command.HomeOnly
)

// families are the commands of replicas, WAIT and WAITAOF, and the commands about the role.
var families = []command.Family{{Group: "generic", Wordings: wordings, Commands: []command.Line{
	{Name: "wait", Arity: 3, Flags: command.Blocking,
		Run: engine.On((*Master).cmdWait), Reply: "integer", Since: "3.0.0", ACL: "-keyspace connection",
		Was: []command.Was{command.Before("7.4.0 valkey:8.0.0", "-blocking"), command.Before("7.2.0", "+noscript"),
			command.Before("7.0.0", "acl=-blocking")},
		Syntax: "numreplicas timeout:integer",
		Summary: "Blocks until the asynchronous replication of all preceding write commands sent by the connection " +
			"is completed.",
		Tips: "request_policy:all_shards response_policy:agg_min", Complexity: "O(1)"},
	{Name: "waitaof", Arity: 4, Flags: command.Blocking, Run: engine.On((*Master).cmdWaitAOF), Reply: "integers",
		Since: "7.2.0", ACL: "-keyspace connection", Was: []command.Was{
			{Before: "7.4.0 valkey:8.0.0",
				Edit: func(cmd *command.Line) { cmd.Flags = cmd.Flags&^command.Blocking | command.NoScript }}},
		Syntax: "numlocal numreplicas timeout:integer",
		Summary: "Blocks until all of the preceding write commands sent by the connection are written to the " +
			"append-only file of the master and/or replicas.",
		Tips: "request_policy:all_shards response_policy:agg_min", Complexity: "O(1)"},
}}, {Group: "server", Commands: []command.Line{
	{Name: "replconf", Arity: -1, Flags: admin | command.Loading | command.AllowBusy | command.FromReplica |
		command.Internal, Run: engine.On((*Master).cmdReplConf), Reply: "status", Since: "3.0.0",
		Summary: "An internal command for configuring the replication stream.", Complexity: "O(1)"},
	{Name: "sync", Arity: 1, Flags: sends | command.FromReplica,
		Run: engine.On((*Master).cmdSync), Reply: "any", Since: "1.0.0",
		Summary: "An internal command used in replication.", Complexity: "O(N), N being the size of the dataset"},
	{Name: "psync", Arity: -3, Flags: sends | command.FromReplica, Run: engine.On((*Master).cmdPSync), Reply: "status",
		Since: "2.8.0", Syntax: "replicationid offset", Summary: "An internal command used in replication.",
		Complexity: "O(N), N being the size of the dataset for a full synchronization; O(1) when it continues"},
	{Name: "role", Arity: 1, Flags: command.NoScript | command.Loading | command.Stale | command.Fast |
		command.Harmless, Run: engine.On((*Master).cmdRole), Reply: "array", Since: "2.8.12",
		ACL: "admin dangerous", Was: []command.Was{command.Before("7.0.0", "acl=dangerous")},
		Summary: "Returns the replication role.", Complexity: "O(1)"},
	{Name: "replicaof", Arity: 3, Flags: admin | command.NoAsyncLoading, Run: engine.On((*Master).cmdReplicaOf),
		Reply: "status", Since: "5.0.0", Syntax: "args=<host-port=<host port>|no-one=<NO ONE>>",
		Summary: "Configures a server as replica of another, or promotes it to a master.", Complexity: "O(1)"},
	{Name: "slaveof", Arity: 3, Flags: admin | command.NoAsyncLoading, Run: engine.On((*Master).cmdReplicaOf),
		Reply: "status", Since: "1.0.0", Syntax: "args=<host-port=<host port>|no-one=<NO ONE>>",
		Summary: "Configures a server as replica of another, or promotes it to a master.", Complexity: "O(1)",
		Deprecated: "5.0.0 `REPLICAOF`"},
	{Name: "failover", Arity: -1, Flags: admin, Run: engine.On((*Master).cmdFailover), Reply: "status", Since: "6.2.0",
		Syntax:  "target=[TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]",
		Summary: "Starts a coordinated failover from a server to one of its replicas.", Complexity: "O(1)"},
}}}

// REPLCONF [option value ...]. ACK has no reply.
func (m *Master) cmdReplConf(c *engine.Call) {
	if c.Left()%2 != 0 {
		c.Fail(engine.ErrSyntax)
		return
	}
	if c.Session.IsMaster() {
		m.link.answer(c)
		return
	}
	r := m.replica(c.Session)
	for c.More() {
		switch {
		case c.Word("LISTENING-PORT"):
			r.port = c.Int()
		case c.Word("IP-ADDRESS"):
			r.setAddress(c, c.Arg())
		case c.Word("CAPA"):
			r.addCapability(c.Arg())
		case m.engine.Release.Offers(tellsVersion) && c.Word("VERSION"):
			r.setVersion(c, c.Arg())
		case c.Word("ACK"):
			r.cmdAck(c)
			return
		case c.Word("GETACK"):
			return
		case c.Word("RDB-ONLY"):
			only := c.Int()
			if only != 0 && only != 1 {
				c.Refuse(errReplConfOnly)
			}
			r.request.OnlySnapshot = only == 1
		case c.Word("RDB-FILTER-ONLY"):
			r.setFilter(c, c.Arg())
		default:
			c.Refusef(errReplConf, c.Arg())
		}
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// addCapability notes what the replica understands.
func (r *replica) addCapability(name []byte) {
	switch {
	case command.IsWord(name, "EOF"):
		r.request.EOF = true
	case command.IsWord(name, "PSYNC2"):
		r.psync2 = true
	default:
		r.setRelease(string(name))
	}
}

func (r *replica) setAddress(c *engine.Call, ip []byte) {
	if len(ip) > 255 {
		c.Refusef(errReplicaAddress, len(ip))
		return
	}
	// It stands in lines of INFO and of the log.
	if bytes.ContainsFunc(ip, func(b rune) bool { return b <= ' ' || b > '~' }) {
		c.Refusef(engine.ErrClientInfo, "ip-address")
		return
	}
	r.ip = string(ip)
}

// setFilter parses what a snapshot must hold. As in Redis, functions are the only part that can be
// selected.
func (r *replica) setFilter(c *engine.Call, text []byte) {
	words, ok := resp.Words(text, nil)
	if !ok {
		c.Refuse(errFilterQuotes)
	}
	r.request.NoData, r.request.NoFunctions = true, true
	for _, word := range words {
		if !command.IsWord(word, "FUNCTIONS") {
			c.Refusef(errFilter, word)
		}
		r.request.NoFunctions = false
	}
}

// REPLCONF ACK offset [FACK offset]
func (r *replica) cmdAck(c *engine.Call) {
	offset, fsynced := c.Int(), int64(0)
	if c.Left() > 1 && c.Word("FACK") {
		fsynced = c.Int()
	}
	if r.Attached() && !c.Failed() {
		r.ack(offset, fsynced)
	}
}
