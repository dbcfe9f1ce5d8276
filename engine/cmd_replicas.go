package engine

import "github.com/miniserver-go/miniserver/resp"

// What commands about replication answer in a server that has none.

// Replicas is the family of what waits for replicas.
func Replicas() Family {
	return Family{Group: "generic", Commands: []Command{
		{Name: "wait", Arity: 3, Flags: Blocking, Run: cmdWait, Since: "3.0.0", ACL: "-keyspace connection",
			Summary: "Blocks until the asynchronous replication of all preceding write commands sent by the connection is completed."},
		{Name: "waitaof", Arity: 4, Flags: Blocking, Run: cmdWaitAOF, Since: "7.2.0", ACL: "-keyspace connection",
			Summary: "Blocks until all of the preceding write commands sent by the connection are written to the append-only file of the master and/or replicas."},
	}}
}

// ROLE
func cmdRole(c *Call) {
	c.Reply.Array(3)
	c.Reply.BulkString("master")
	c.Reply.Int(0)
	c.Reply.Array(0)
}

// REPLICAOF <host port | NO ONE>
func cmdReplicaOf(c *Call) {
	if c.Word("NO") && c.Word("ONE") {
		c.Reply.Status("OK")
		return
	}
	c.Fail(ErrNoReplication)
}

// FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]. There is nobody to take over.
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
	if c.OK() {
		c.Fail(ErrFailoverNobody)
	}
}

// WAIT numreplicas timeout. There are no replicas, so that Redis would let the time pass.
func cmdWait(c *Call) {
	replicas, deadline := c.Int(), c.after(c.Arg())
	if !c.OK() {
		return
	}
	if replicas <= 0 {
		c.Reply.Int(0)
		return
	}
	c.Park(nil, deadline, func(s *Session) { s.Reply.Int(0) })
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
	if replicas == 0 && (local == 0 || synced) {
		tellSynced(c.Session, synced)
		return
	}
	e := c.Engine
	c.Park(nil, deadline, func(s *Session) {
		_, synced := e.synced()
		tellSynced(s, synced)
	})
	if c.parked && local != 0 && replicas == 0 {
		e.awaitSync(c.Session.waiter)
	}
}

// awaitSync ends a wait when what was changed so far is on disk.
func (e *Engine) awaitSync(w *waiter) {
	e.durable.Await(func() {
		if w.session.waiter == w {
			w.lapse = func(s *Session) { tellSynced(s, true) }
			e.lapse(w, "")
		}
	})
}

// tellSynced replies how many have what was changed on disk: this server, and replicas.
func tellSynced(s *Session, here bool) {
	s.Reply.Array(2)
	if here {
		s.Reply.Int(1)
	} else {
		s.Reply.Int(0)
	}
	s.Reply.Int(0)
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
