package engine

import (
	"fmt"

	"github.com/miniserver-go/miniserver/resp"
)

// What commands about replication answer. This server is always a master; SYNC and PSYNC are those of who
// takes snapshots.

// Replicas is the family of what replicas say, and of what waits for them.
func Replicas() Family {
	return Family{Group: "generic", Commands: []Command{
		{Name: "wait", Arity: 3, Flags: Blocking, Run: cmdWait, Since: "3.0.0", ACL: "-keyspace connection",
			Summary: "Blocks until the asynchronous replication of all preceding write commands sent by the connection is completed."},
		{Name: "waitaof", Arity: 4, Flags: Blocking, Run: cmdWaitAOF, Since: "7.2.0", ACL: "-keyspace connection",
			Summary: "Blocks until all of the preceding write commands sent by the connection are written to the append-only file of the master and/or replicas."},
		{Name: "replconf", Arity: -1, Flags: Admin | NoScript | Loading | Stale | AllowBusy | FromReplica, Run: cmdReplConf, Since: "3.0.0", ACL: "-keyspace",
			Summary: "An internal command for configuring the replication stream."},
	}}
}

// ROLE
func cmdRole(c *Call) {
	c.Reply.Array(3)
	c.Reply.BulkString("master")
	c.Reply.Int(c.Engine.relay.offset)
	at, n := c.Reply.Defer(), 0
	for _, r := range c.Engine.relay.replicas {
		if r.stage < settling {
			continue
		}
		n++
		c.Reply.Array(3)
		c.Reply.BulkString(r.host())
		c.Reply.BulkString(fmt.Sprint(r.port))
		c.Reply.BulkString(fmt.Sprint(r.acked))
	}
	c.Reply.SetArray(at, n)
}

// REPLICAOF <host port | NO ONE>
func cmdReplicaOf(c *Call) {
	if c.Word("NO") && c.Word("ONE") {
		c.Reply.Status("OK")
		return
	}
	c.Fail(ErrNoMaster)
}

// FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]. Nobody may take over.
func cmdFailover(c *Call) {
	if c.Left() == 1 && c.Word("ABORT") {
		c.Fail(ErrFailoverNone)
		return
	}
	for c.More() {
		switch {
		case c.Word("TIMEOUT"):
			if c.Int() <= 0 {
				c.Refuse(ErrFailoverTimeout)
			}
		case c.Left() > 2 && c.Word("TO"):
			c.Arg()
			c.Int()
		case !c.Word("FORCE"):
			c.Refuse(ErrSyntax)
		}
	}
	if len(c.Engine.relay.replicas) > 0 {
		c.Refuse(ErrNoFailover)
	}
	if c.OK() {
		c.Fail(ErrFailoverNobody)
	}
}

// REPLCONF [option value ...]. Of a replica that follows ACK has no reply.
func cmdReplConf(c *Call) {
	if c.Left()%2 != 0 {
		c.Fail(ErrSyntax)
		return
	}
	r := c.Session.Replica()
	for c.More() && c.err == nil {
		switch {
		case c.Word("LISTENING-PORT"):
			r.port = c.Int()
		case c.Word("IP-ADDRESS"):
			c.replicaAddress(r, c.Arg())
		case c.Word("CAPA"):
			r.Request.EOF = IsWord(c.Arg(), "EOF") || r.Request.EOF
		case c.Word("ACK"):
			c.confirm(r)
			return
		case c.Word("GETACK"):
			return
		case c.Word("RDB-ONLY"):
			once := c.Int()
			if once != 0 && once != 1 {
				c.Refuse(ErrReplConfOnce)
			}
			r.Request.OnlyOnce = once == 1
		case c.Word("RDB-FILTER-ONLY"):
			c.replicaFilter(r, c.Arg())
		default:
			c.Refusef(ErrReplConf, c.Arg())
		}
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

func (c *Call) replicaAddress(r *Replica, ip []byte) {
	if len(ip) > 255 {
		c.Refusef(ErrReplicaAddress, len(ip))
		return
	}
	r.ip = string(ip)
}

// replicaFilter reads which parts of the data a snapshot shall have; functions are all that may be named.
func (c *Call) replicaFilter(r *Replica, text []byte) {
	words, ok := resp.Words(text, nil)
	if !ok {
		c.Refuse(ErrFilterQuotes)
	}
	r.Request.NoData, r.Request.NoFunctions = true, true
	for _, word := range words {
		if !IsWord(word, "FUNCTIONS") {
			c.Refusef(ErrFilter, word)
		}
		r.Request.NoFunctions = false
	}
}

// confirm reads REPLCONF ACK offset [FACK offset].
func (c *Call) confirm(r *Replica) {
	offset, synced := c.Int(), int64(0)
	if c.Left() > 1 && c.Word("FACK") {
		synced = c.Int()
	}
	if r.Attached() && c.err == nil {
		r.confirm(offset, synced)
	}
}

// WAIT numreplicas timeout
func cmdWait(c *Call) {
	replicas, deadline := c.Int(), c.after(c.Arg())
	if c.OK() {
		c.awaitReplicas(deadline, &confirmation{count: int(replicas), tell: func(s *Session, n int) { s.Reply.Int(int64(n)) }})
	}
}

// WAITAOF numlocal numreplicas timeout
func cmdWaitAOF(c *Call) {
	local, replicas := c.Int(), int64(0)
	if local < 0 || local > 1 {
		c.Refusef(ErrRange, 0, 1)
	}
	replicas = c.IntIn(0, 1<<63-1, ErrNotPositive)
	deadline := c.after(c.Arg())
	kept, synced := c.Engine.synced()
	if local != 0 && !kept {
		c.Refuse(ErrWaitAOF)
	}
	if !c.OK() {
		return
	}
	q := &confirmation{count: int(replicas), synced: true, disk: local != 0 && !synced}
	q.tell = func(s *Session, n int) {
		here := int64(0)
		if _, synced := s.engine.synced(); synced || local != 0 && !q.disk {
			here = 1
		}
		s.Reply.Array(2)
		s.Reply.Int(here)
		s.Reply.Int(int64(n))
	}
	c.awaitReplicas(deadline, q)
}

// after returns the deadline that a timeout in milliseconds from now is; 0 for none.
func (c *Call) after(timeoutText []byte) int64 {
	timeout, ok := resp.ParseInt(timeoutText)
	switch {
	case !ok:
		c.Refuse(ErrTimeoutInt)
	case timeout < 0:
		c.Refuse(ErrTimeoutNeg)
	case timeout > 1<<63-1-c.Now():
		c.Refuse(ErrTimeoutRange)
	case timeout > 0:
		return c.Now() + timeout
	}
	return 0
}
