package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func outageLines() []command.Line {
	return []command.Line{{Name: "mini.outage", Arity: -2, Flags: flags, Since: since,
		Summary:    "A container for commands about outages, which hit the connections of clients.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			{Name: "begin", Arity: -3, Flags: flags, Run: engine.On((*Kit).cmdOutageBegin), Reply: "status",
				Since:  since,
				Syntax: "mishap=<REFUSE|HANG|CUT|DOWN> [on=<ON selector=<" + clientWords + ">...>] [FOR duration]",
				Summary: "Begins an outage: new clients are refused, all hang, are disconnected, " +
					"or find no server. Those that steer the tests are spared.",
				Complexity: "O(N log(N)), N being the number of clients"},
			{Name: "end", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdOutageEnd), Reply: "status", Since: since,
				Summary:    "Ends the outage, if there is one.",
				Complexity: "O(N log(N)), N being the number of clients that hang"},
			helpFor(),
			{Name: "restart", Arity: -2, Flags: flags, Run: engine.On((*Kit).cmdOutageRestart), Reply: "status",
				Since: since, Syntax: "[EMPTY]",
				Summary: "Does to clients what a restart of the server does. " +
					"The data stay, unless the server is to start empty.",
				Complexity: "O(N), N being the number of clients and, if it is to be empty, of keys"},
			{Name: "status", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdOutageStatus), Reply: "array",
				Since:      since,
				Summary:    "Returns what the outage is, how long it lasts, and how often it has hit a connection.",
				Complexity: "O(1)"},
		}}}
}

// MINI.OUTAGE BEGIN <REFUSE | HANG | CUT | DOWN> [ON <CLIENT pattern | ...> ...] [FOR duration]
func (k *Kit) cmdOutageBegin(c *engine.Call) {
	o := outage{mishap: readMishap(c)}
	for c.More() {
		switch {
		case c.Word("ON") && o.on == nil:
			o.on = readWhoms(c)
		case c.Word("FOR") && o.until == 0:
			o.until = c.Now() + readDuration(c, 1)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if o.mishap == down && o.on != nil {
		c.Refuse(errOutageDown)
	}
	if o.mishap == down && o.until == 0 && o.concerns(c.Session) {
		c.Refuse(errOutageAlone)
	}
	if there := k.outageFor(c.World); there != nil {
		c.Refusef(errOutageThere, there.mishap)
	}
	if !c.OK() {
		return
	}
	if err := k.begin(c.World, o, c.Session); err != nil {
		c.Fail(command.Error("ERR " + err.Error()))
		return
	}
	c.Reply.Status("OK")
}

func readMishap(c *engine.Call) mishap {
	for m := hang; m <= down; m++ {
		if c.Word(m.String()) {
			return m
		}
	}
	c.Refuse(errMishap)
	return noMishap
}

// readWhoms reads what follows ON.
func readWhoms(c *engine.Call) (all []selector) {
	for c.More() {
		sel, ok := readClients(c)
		if !ok {
			break
		}
		all = add(c, all, sel)
	}
	if len(all) == 0 {
		c.Refuse(errOutageOn)
	}
	return all
}

// MINI.OUTAGE END
func (k *Kit) cmdOutageEnd(c *engine.Call) {
	w := c.World
	if o := k.outageFor(w); o != nil {
		w = k.worldOf(o) // another one if the server is down
	}
	if err := k.end(w); err != nil {
		c.Fail(command.Error("ERR " + err.Error()))
		return
	}
	c.Reply.Status("OK")
}

// MINI.OUTAGE RESTART [EMPTY]
//
// Replies when the server listens again. Cached scripts are gone; with EMPTY the worlds are as
// after MINI.WORLD RESET, but for their clocks.
func (k *Kit) cmdOutageRestart(c *engine.Call) {
	empty := c.Word("EMPTY")
	c.End()
	if there := k.outageFor(c.World); there != nil {
		c.Refusef(errOutageThere, there.mishap)
	}
	if !c.OK() {
		return
	}
	err := k.begin(c.World, outage{mishap: down}, c.Session)
	if err == nil {
		err = k.end(c.World)
	}
	if err != nil {
		c.Fail(command.Error("ERR " + err.Error()))
		return
	}
	for _, w := range k.engine.Worlds() {
		if w.Forget(); empty {
			c.ResetWorld(w)
			c.Afterwards(w.ServeBlocked)
		}
	}
	c.Reply.Status("OK")
}

// MINI.OUTAGE STATUS
//
// Replies: outage, none if there is none; left, the milliseconds that it lasts, 0 if it has no
// end; struck, how often a connection was disconnected or began to hang.
func (k *Kit) cmdOutageStatus(c *engine.Call) {
	o, left := k.outageFor(c.World), int64(0)
	if o == nil {
		o = new(outage)
	}
	if o.until != 0 {
		left = max(0, o.until-k.worldOf(o).Millis())
	}
	c.Reply.Map(3)
	c.Reply.BulkString("outage")
	c.Reply.BulkString(o.mishap.String())
	c.Reply.BulkString("left")
	c.Reply.Int(left)
	c.Reply.BulkString("struck")
	c.Reply.Int(o.struck)
}
