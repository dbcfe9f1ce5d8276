package testkit

import (
	"maps"
	"math"
	"net"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func faultLines() []command.Line {
	return []command.Line{{Name: "mini.fault", Arity: -2, Flags: flags, Since: since,
		Summary:    "A container for commands about faults, which hit the commands of clients.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			{Name: "add", Arity: -7, Flags: flags, Run: engine.On((*Kit).cmdFaultAdd), Reply: "status", Since: since,
				Syntax: "id ON selector=<ANY|COMMAND command|KEY pattern|" + clientWords + ">... " +
					"DO effect=<ERROR text|DELAY " +
					"duration|DROP|LOST-REPLY|HALF-REPLY|LOADING|READONLY|MASTERDOWN|NOSCRIPT|OOM|MOVED " +
					"addr(host:port)|ASK addr(host:port)> " +
					"[PROB share:double] [TIMES count] [AFTER count] [SEED seed:integer]",
				Summary: "Adds a fault. It hits the commands that all selectors match, " +
					"each of which may be given once.", Complexity: "O(N), N being the number of faults"},
			{Name: "clear", Arity: -2, Flags: flags,
				Run: engine.On((*Kit).cmdFaultClear), Reply: "status", Since: since, Syntax: "[id]",
				Summary:    "Removes a fault, or all. The commands that it delays run.",
				Complexity: "O(N), N being the number of faults"},
			helpFor(),
			{Name: "list", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdFaultList), Reply: "array", Since: since,
				Summary:    "Returns the faults, and how many commands each has seen and hit.",
				Complexity: "O(N), N being the number of faults"},
		}}}
}

// MINI.FAULT ADD id ON <ANY | COMMAND name | KEY pattern | CLIENT pattern | ...> ... DO <effect>
// [PROB p] [TIMES n] [AFTER n] [SEED s]
func (k *Kit) cmdFaultAdd(c *engine.Call) {
	fs, f := faultsOf(c.World), &fault{id: string(c.Arg())}
	if !isName(f.id) {
		c.Refuse(errFaultID)
	} else if fs.find(f.id) >= 0 {
		c.Refusef(errFaultThere, f.id)
	}
	f.on = readSelectors(c)
	f.do = readEffect(c)
	f.readOptions(c)
	f.checkCommand(c)
	if c.OK() {
		f.reseed(c.World.Seed())
		f.before = maps.Clone(fs.sent)
		fs.list = append(fs.list, f)
		c.World.SetJudge(fs.judge)
		for _, text := range f.substitutes() {
			k.engine.Log('*', "Fault %s %s: %s", f.id, f.text(), text)
		}
		c.Reply.Status("OK")
	}
}

// find returns the position of the fault with an id; -1 if there is none.
func (fs *faults) find(id string) int {
	return slices.IndexFunc(fs.list, func(f *fault) bool { return f.id == id })
}

// readSelectors reads ON and what follows until DO.
func readSelectors(c *engine.Call) (all []selector) {
	if !c.Failed() && !c.Word("ON") {
		c.Refuse(errFaultOn)
	}
	for c.More() && !c.Word("DO") {
		sel, ok := readCommands(c)
		if !ok {
			sel, ok = readClients(c)
		}
		if !ok {
			c.Refuse(errFaultOn)
		}
		all = add(c, all, sel)
	}
	if len(all) == 0 {
		c.Refuse(errFaultOn)
	}
	return all
}

// checkAddress latches an error if an address is not a host and a port.
func checkAddress(c *engine.Call, addr string) {
	host, port, err := net.SplitHostPort(addr)
	_, notPort := strconv.ParseUint(port, 10, 16)
	if err != nil || notPort != nil || host == "" || !isName(addr) {
		c.Refusef(errFaultAddress, addr)
	}
}

// effects returns what faults can do.
func effects() []effect {
	redirects := func(format string) func(c *engine.Call, do *effect) {
		return func(c *engine.Call, do *effect) {
			do.redirection = format
			checkAddress(c, do.value)
		}
	}
	return []effect{
		{word: "ERROR", takes: takeText},
		{word: "DELAY", takes: takeDelay},
		{word: "DROP", fate: engine.Fate{Cut: engine.CutBefore}},
		{word: "LOST-REPLY", fate: engine.Fate{Cut: engine.CutReply}},
		{word: "HALF-REPLY", fate: engine.Fate{Cut: engine.CutHalf}},
		{word: "LOADING", fate: engine.Fate{Refusal: engine.ErrLoading}, lacks: command.Loading},
		{word: "READONLY", fate: engine.Fate{Refusal: engine.ErrReadOnly}, needs: command.Write},
		{word: "MASTERDOWN", fate: engine.Fate{Refusal: engine.ErrMasterDown}, lacks: command.Stale},
		{word: "NOSCRIPT", fate: engine.Fate{Refusal: engine.ErrNoScript}, needs: command.ByDigest},
		{word: "OOM", fate: engine.Fate{Refusal: engine.ErrOOM}, needs: command.DenyOOM},
		{word: "MOVED", takes: redirects(engine.ErrMoved)},
		{word: "ASK", takes: redirects(engine.ErrAsk)},
	}
}

func takeText(c *engine.Call, do *effect) {
	if do.fate.Refusal = command.Error(do.value); do.value == "" {
		c.Refuse(errFaultText)
	}
}

func takeDelay(c *engine.Call, do *effect) {
	c.Skip(-1)
	do.fate.Delay = readDuration(c, 1)
}

// readEffect reads what follows DO.
func readEffect(c *engine.Call) effect {
	for _, do := range effects() {
		if c.Word(do.word) {
			if do.takes != nil {
				do.value = string(c.Arg())
				do.takes(c, &do)
			}
			return do
		}
	}
	if c.More() {
		c.Refusef(errFaultEffect, c.Arg())
	}
	c.Refuse(errFaultDo)
	return effect{}
}

// readOptions reads PROB, TIMES, AFTER and SEED.
func (f *fault) readOptions(c *engine.Call) {
	f.share = 1
	for c.More() {
		switch {
		case c.Word("PROB"):
			if f.share = c.FloatOr(errFaultProb); f.share <= 0 || f.share > 1 {
				c.Refuse(errFaultProb)
			}
		case c.Word("TIMES"):
			f.times = c.IntIn(1, math.MaxInt64, errFaultCount)
		case c.Word("AFTER"):
			f.after = c.IntIn(1, math.MaxInt64, errFaultCount)
		case c.Word("SEED"):
			f.seed, f.seeded = uint64(c.IntIn(0, math.MaxInt64, errSeed)), true
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
}

// checkCommand latches an error if the fault names a command that it can never strike.
func (f *fault) checkCommand(c *engine.Call) {
	at := slices.IndexFunc(f.on, func(sel selector) bool { return sel.command != nil })
	if c.Failed() || at < 0 {
		return
	}
	hasKey := slices.ContainsFunc(f.on, func(sel selector) bool { return sel.word == "KEY" })
	strikes := func(cmd *command.Command) bool { return f.do.applies(cmd) && (!hasKey || cmd.HasKeys()) }
	named := f.on[at].command
	for _, sub := range named.Subs {
		if strikes(sub) {
			return
		}
	}
	if !strikes(named) {
		c.Refusef(errFaultNever, f.on[at].value)
	}
}

// faultAdded reads the id of a fault that there is. It returns nil if there is none.
func (k *Kit) faultAdded(c *engine.Call) *fault {
	fs, id := faultsOf(c.World), string(c.Arg())
	if at := fs.find(id); at >= 0 {
		return fs.list[at]
	}
	c.Refusef(errNoFault, id)
	return nil
}

// MINI.FAULT CLEAR [id]
func (k *Kit) cmdFaultClear(c *engine.Call) {
	var one *fault
	if c.More() {
		one = k.faultAdded(c)
	}
	c.End()
	if !c.OK() {
		return
	}
	if one != nil {
		clearFault(c.World, one)
	} else {
		clearFaults(c.World)
	}
	c.Reply.Status("OK")
	w := c.World
	c.Afterwards(func() { w.TickNow() }) // which runs what was delayed
}

// MINI.FAULT LIST
//
// Replies, for each fault: id; fault, as it was added; seen, the commands that the selectors
// matched; hits, those that were struck; note, why there may be none of them, "" if there are.
func (k *Kit) cmdFaultList(c *engine.Call) {
	fs := faultsOf(c.World)
	c.Reply.Array(len(fs.list))
	for _, f := range fs.list {
		c.Reply.Map(5)
		c.Reply.BulkString("id")
		c.Reply.BulkString(f.id)
		c.Reply.BulkString("fault")
		c.Reply.BulkString(f.text())
		c.Reply.BulkString("seen")
		c.Reply.Int(f.seen)
		c.Reply.BulkString("hits")
		c.Reply.Int(f.hits)
		c.Reply.BulkString("note")
		c.Reply.BulkString(fs.note(f))
	}
}
