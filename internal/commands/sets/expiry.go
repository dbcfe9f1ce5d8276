package sets

import (
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// SADDEX key [KEEPTTL] seconds member [member ...]
//
// With KEEPTTL an existing member keeps its deadline, or stays without one. Dragonfly has the
// command. SADD and SPEXPIREAT are propagated in its place.
func cmdSAddEx(c *engine.Call) {
	key := c.Arg()
	keep := c.Word("KEEPTTL")
	deadline := elements.Deadline(c, elements.InSeconds)
	members := c.Rest()
	if deadline <= c.Now() && !c.Failed() {
		c.Refusef(engine.ErrExpireTime, c.Cmd.FullName())
	}
	if len(members) == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	s, _ := engine.Upsert[*set.Set](c, key, keyspace.Set)
	if !c.OK() {
		return
	}
	added, changed := 0, members[:0:0]
	for _, m := range members {
		isNew := s.Add(m, c.World.SetLimits())
		if isNew {
			added++
		}
		if isNew || !keep {
			s.SetDeadline(m, deadline, c.Dice())
			changed = append(changed, m)
		}
	}
	if len(changed) > 0 {
		reportAddEx(c, key, added, deadline, changed)
	}
	c.Reply.Int(int64(added))
}

// reportAddEx reports and propagates that SADDEX gave members a deadline, of which added are new.
func reportAddEx(c *engine.Call, key []byte, added int, deadline int64, members [][]byte) {
	if added > 0 {
		c.Changed(key, event.Set("sadd"))
	}
	c.Changed(key, Type.Elements.Expire)
	c.World.TickBy(deadline)
	if c.Propagates() {
		c.Propagate(append([][]byte{[]byte("SADD"), key}, members...)...)
		elements.PropagateDeadline(c, Type.Elements, key, deadline, members)
	}
}
