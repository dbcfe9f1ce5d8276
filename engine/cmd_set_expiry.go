package engine

import (
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/keyspace"
)

// SADDEX key [KEEPTTL] seconds member [member ...]
//
// With KEEPTTL a member that is there keeps the deadline that it has, or has not.
func cmdSAddEx(c *Call) {
	key := c.Arg()
	keep := c.Word("KEEPTTL")
	deadline := c.elementDeadline(inSeconds)
	members := c.Rest()
	if deadline <= c.Now() && !c.Failed() {
		c.Refusef(ErrExpireTime, c.Cmd.FullName())
	}
	if len(members) == 0 {
		c.Refusef(ErrArity, c.Cmd.FullName())
	}
	s, _ := Upsert[*set.Set](c, key, keyspace.Set)
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
		c.addedUntil(key, added, deadline, dated)
	}
	c.Reply.Int(int64(added))
}

// addedUntil reports and journals what SADDEX did.
func (c *Call) addedUntil(key []byte, added int, deadline int64, members [][]byte) {
	if added > 0 {
		c.Changed(key, "ssadd")
	}
	c.Changed(key, ofSet.event("expire"))
	c.Engine.due(deadline)
	if c.Propagates() {
		c.Log(append([][]byte{[]byte("SADD"), key}, members...)...)
		c.logElements(ofSet, "SPEXPIREAT", key, deadline, members)
	}
}
