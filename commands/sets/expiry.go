package sets

import (
	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// SADDEX key [KEEPTTL] seconds member [member ...]
//
// With KEEPTTL a member that is there keeps the deadline that it has, or has not.
func cmdSAddEx(c *engine.Call) {
	key := c.Arg()
	keep := c.Word("KEEPTTL")
	deadline := elements.ElementDeadline(c, elements.InSeconds)
	members := c.Rest()
	if deadline <= c.Now() && !c.Failed() {
		c.Refusef(engine.ErrExpireTime, c.Cmd.FullName())
	}
	if len(members) == 0 {
		c.Refusef(engine.ErrArity, c.Cmd.FullName())
	}
	s, _ := engine.Upsert[*set.Set](c, key, keyspace.Set)
	if !c.OK() {
		return
	}
	added, dated := 0, members[:0:0]
	for _, m := range members {
		isNew := s.Add(m, c.Engine.Config.Set)
		if isNew {
			added++
		}
		if isNew || !keep {
			s.SetDeadline(m, deadline, c.Dice())
			dated = append(dated, m)
		}
	}
	if len(dated) > 0 {
		addedUntil(c, key, added, deadline, dated)
	}
	c.Reply.Int(int64(added))
}

// addedUntil reports and journals what SADDEX did.
func addedUntil(c *engine.Call, key []byte, added int, deadline int64, members [][]byte) {
	if added > 0 {
		c.Changed(key, "ssadd")
	}
	c.Changed(key, engine.SetMembers.Event("expire"))
	c.Engine.TickBy(deadline)
	if c.Propagates() {
		c.Propagate(append([][]byte{[]byte("SADD"), key}, members...)...)
		elements.LogElements(c, engine.SetMembers, "SPEXPIREAT", key, deadline, members)
	}
}
