package streams

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// XNACK returns messages to their group: they stay pending without a consumer, and a claim takes
// them before all others.

// nackLine returns the line of XNACK.
func nackLine() command.Line {
	return command.Line{Name: "xnack", Arity: -7, Flags: command.Write | command.Fast,
		Keys: command.Key(1, "RW update"), Run: cmdXNack, Reply: "integer", Since: "8.8.0",
		Syntax: "key group mode=<SILENT|FAIL|FATAL> <IDS numids:integer id...> [RETRYCOUNT count] [FORCE]",
		Summary: "Returns messages to their consumer group without acknowledging them, " +
			"so that others can claim them at once.",
		Complexity: "O(1) for each ID"}
}

// nack is the options of XNACK.
type nack struct {
	// The new number of deliveries. SILENT takes the last one back, as for a consumer that shuts
	// down; FAIL keeps it; with FATAL it is the greatest, so that who counts attempts gives the
	// message up.
	count func(was int64) int64
	ids   [][]byte
	force bool // also entries that the group never delivered
}

// XNACK key group <SILENT | FAIL | FATAL> IDS numids id [id ...] [RETRYCOUNT count] [FORCE]
func cmdXNack(c *engine.Call) {
	key, name := c.Arg(), c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
	if !c.OK() {
		return
	}
	g := findGroup(c, s, found, key, name)
	if g == nil {
		return
	}
	o := nackOptions(c)
	var ids []stream.ID
	for _, arg := range o.ids {
		id, ok := parseID(arg, 0)
		if !ok {
			c.Refuse(errID)
		}
		ids = append(ids, id)
	}
	if !c.OK() {
		return
	}
	n := 0
	for _, id := range ids {
		if g.Message(id) == nil && !(o.force && s.Has(id)) {
			continue
		}
		p := g.Return(id)
		p.Count = o.count(p.Count)
		n++
	}
	if n > 0 {
		c.ChangedUnwatched(key, event.Event{})
		c.SignalKey(key) // others may claim the messages
	}
	c.Reply.Int(int64(n))
}

// nackOptions reads the mode and the options of XNACK.
func nackOptions(c *engine.Call) (o nack) {
	switch {
	case c.Word("SILENT"):
		o.count = func(was int64) int64 { return max(was-1, 0) }
	case c.Word("FAIL"):
		o.count = func(was int64) int64 { return was }
	case c.Word("FATAL"):
		o.count = func(int64) int64 { return math.MaxInt64 }
	default:
		c.Refuse(errNackMode)
	}
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("IDS"):
			o.ids = countedIDs(c, math.MaxInt32, errNackIDs, errNackIDsOff)
		case c.Word("FORCE"):
			o.force = true
		case c.Left() > 1 && c.Word("RETRYCOUNT"):
			count := c.Int()
			if count < 0 {
				c.Refuse(errNackCount)
			}
			o.count = func(int64) int64 { return count }
		default:
			c.Refusef(errNackOption, command.CText(c.Arg()))
		}
	}
	if o.ids == nil {
		c.Refuse(errNackNoIDs)
	}
	return o
}
