// Package sketches is the families of commands on values that approximate a set in little memory:
//
//	hyperloglog.go   PF*     counts different items
//	bloom.go         BF.*    tells whether an item was added
//	cuckoo.go        CF.*    tells that, too, and deletes items
//	countmin.go      CMS.*   tells how often an item was counted
//
// A HyperLogLog is a string with the bytes that Redis stores, and any command on strings may change
// it. Each command therefore checks it again. See [hll]. The others are types of their own, which
// Redis has from the module RedisBloom: replies and errors are those of that module.
package sketches

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/hll"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// HyperLogLog is the family of HyperLogLog commands.
var HyperLogLog = command.Family{Group: "hyperloglog", Commands: []command.Line{
	{Name: "pfadd", Arity: -2, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW insert"),
		Run: cmdPFAdd, Reply: "integer", Since: "2.8.9",
		Syntax: "key [element...]", Summary: "Adds elements to a HyperLogLog key. Creates the key if it doesn't exist.",
		Complexity: "O(1) for each element"},
	{Name: "pfcount", Arity: -2, Flags: command.ReadOnly | command.MayReplicate,
		Keys: command.KeyRange(1, -1, 1, "RW access"),
		Run:  cmdPFCount, Reply: "integer", Since: "2.8.9", Syntax: "key...",
		Summary:    "Returns the approximated cardinality of the set(s) observed by the HyperLogLog key(s).",
		Complexity: "O(N), N being the number of keys"},
	{Name: "pfmerge", Arity: -2, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "RW access insert").And(command.KeyRange(2, -1, 1, "RO access")),
		Run:  cmdPFMerge, Reply: "status", Since: "2.8.9",
		Was:    []command.Was{{Before: "7.2.0", Edit: command.Writes("[sourcekey...]", "sourcekey...")}},
		Syntax: "destkey [sourcekey...]", Summary: "Merges one or more HyperLogLog values into a single key.",
		Complexity: "O(N), N being the number of keys"},
	{Name: "pfdebug", Arity: 3, Flags: command.Write | command.DenyOOM | command.Admin | command.Internal,
		Keys: command.Key(2, "RW access"),
		Run:  cmdPFDebug, Reply: "any", Since: "2.8.9", Was: []command.Was{command.Before("7.0.0", "arity=-3")},
		Syntax: "subcommand key", Summary: "Internal commands for debugging HyperLogLog values.",
		Complexity: "O(N), N being the number of registers"},
	{Name: "pfselftest", Arity: 1, Flags: command.Admin | command.Internal, Run: cmdPFSelfTest, Reply: "status",
		Since: "2.8.9", Summary: "An internal command for testing HyperLogLog values.",
		Complexity: "O(N), N being the number of registers"},
}}

// parseSketch returns the HyperLogLog in a string. Other strings latch errNotSketch.
func parseSketch(c *engine.Call, v *str.Value) hll.Sketch {
	b := v.Text(c.Scratch())
	if !hll.Valid(b) {
		c.Refuse(errNotSketch)
		return nil
	}
	return b
}

// editSketch returns the HyperLogLog at key, and the string that holds it, for changing. ok is
// false if the key is absent. A value that is no HyperLogLog latches an error. The caller stores a
// changed sketch with setSketch.
func editSketch(c *engine.Call, key []byte) (v *str.Value, s hll.Sketch, ok bool) {
	v, ok = engine.Edit[*str.Value](c, key)
	if !ok || parseSketch(c, v) == nil {
		return nil, nil, false
	}
	return v, v.Edit(0), true
}

// setSketch stores a HyperLogLog in a string.
func setSketch(v *str.Value, s hll.Sketch) { *v = str.OfEnc(s, str.Raw) }

// createSketch creates an absent key and returns its string and a new HyperLogLog for it.
func createSketch(c *engine.Call, key []byte) (*str.Value, hll.Sketch) {
	return c.DB.Create(key, keyspace.String).(*str.Value), hll.New()
}

// PFADD key [element [element ...]]
func cmdPFAdd(c *engine.Call) {
	key := c.Arg()
	v, s, ok := editSketch(c, key)
	if !c.OK() {
		return
	}
	changes := 0
	if !ok {
		v, s = createSketch(c, key)
		s.Invalidate()
		changes++
	}
	var err error
	for c.More() && err == nil {
		var raised bool
		if s, raised, err = s.Add(c.Arg(), c.Engine.Config.SketchMax); raised {
			changes++
		}
	}
	setSketch(v, s)
	if changes > 0 {
		c.Changed(key, event.String("pfadd"))
		c.AddChanges(changes - 1)
	} else {
		c.DB.Commit(key) // only the encoding has changed
	}
	switch {
	case err != nil: // the corruption may show after some elements were added
		c.Fail(errCorrupted)
	case changes > 0:
		c.Reply.Int(1)
	default:
		c.Reply.Int(0)
	}
}

// PFCOUNT key [key ...]
func cmdPFCount(c *engine.Call) {
	if c.Left() == 1 {
		countSketch(c, c.Arg())
		return
	}
	var all hll.Registers
	if mergeSketches(c, &all, c.Rest()); c.OK() {
		c.Reply.Int(all.Count())
	}
}

// countSketch replies with the cardinality of one HyperLogLog.
func countSketch(c *engine.Call, key []byte) {
	v, ok := engine.Read[*str.Value](c, key)
	if !ok {
		if c.OK() {
			c.Reply.Int(0)
		}
		return
	}
	s := parseSketch(c, v)
	if !c.OK() {
		return
	}
	if n, ok := s.Cached(); ok && v.Enc() == str.Raw {
		c.Reply.Int(n)
		return
	}
	updateCount(c, key)
}

// updateCount replies with the cardinality of a HyperLogLog and caches it in the value, whose
// encoding becomes raw.
func updateCount(c *engine.Call, key []byte) {
	_, s, _ := editSketch(c, key)
	n, ok := s.Cached()
	if !ok {
		var err error
		if n, err = s.Count(); err != nil {
			c.Refuse(errCorrupted)
		} else {
			s.SetCached(n)
			c.Changed(key, event.Event{})
		}
	}
	c.DB.Commit(key)
	if c.OK() {
		c.Reply.Int(n)
	}
}

// mergeSketches merges the HyperLogLogs at keys, without the absent ones, into all. It reports
// whether one of them is dense. The first value that is no HyperLogLog latches an error.
func mergeSketches(c *engine.Call, all *hll.Registers, keys [][]byte) (dense bool) {
	for _, key := range keys {
		v, ok := engine.Read[*str.Value](c, key)
		if c.Failed() {
			return false
		}
		if !ok {
			continue
		}
		s := parseSketch(c, v)
		if s == nil {
			return false
		}
		dense = dense || s.Dense()
		if all.Merge(s) != nil {
			c.Refuse(errCorrupted)
			return false
		}
	}
	return dense
}

// PFMERGE destkey [sourcekey [sourcekey ...]]
func cmdPFMerge(c *engine.Call) {
	var all hll.Registers
	dense := mergeSketches(c, &all, c.Rest())
	dest := c.Args[1]
	v, s, ok := editSketch(c, dest)
	if !c.OK() {
		return
	}
	if !ok {
		v, s = createSketch(c, dest)
	}
	s, err := s.Raise(&all, dense, c.Engine.Config.SketchMax)
	if err != nil {
		c.Fail(errCorrupted)
		return
	}
	setSketch(v, s)
	c.Changed(dest, event.String("pfadd"))
	c.Reply.Status("OK")
}

// PFDEBUG GETREG | DECODE | ENCODING | TODENSE key
func cmdPFDebug(c *engine.Call) {
	word, key := c.Arg(), c.Arg()
	v, s, ok := editSketch(c, key)
	if !ok {
		c.Refuse(errNoKey)
	}
	if !c.OK() {
		return
	}
	switch {
	case c.More() && isDebugWord(word):
		c.Refusef(errDebugArity, word)
		c.OK()
	case command.IsWord(word, "GETREG"):
		replyRegisters(c, key, v, s)
	case command.IsWord(word, "DECODE") && s.Dense():
		c.Fail(errNotSparse)
	case command.IsWord(word, "DECODE"):
		c.Reply.Bulk(s.AppendRuns(nil))
	case command.IsWord(word, "ENCODING") && s.Dense():
		c.Reply.Status("dense")
	case command.IsWord(word, "ENCODING"):
		c.Reply.Status("sparse")
	case command.IsWord(word, "TODENSE"):
		if converted := convertToDense(c, key, v, s); c.OK() {
			c.Reply.Int(converted)
		}
	default:
		c.Refusef(errDebugWord, word)
		c.OK()
	}
	c.DB.Commit(key) // every subcommand changes the encoding to raw
}

// isDebugWord reports whether word is a subcommand of PFDEBUG.
func isDebugWord(word []byte) bool {
	isWord := func(known string) bool { return command.IsWord(word, known) }
	return slices.ContainsFunc([]string{"GETREG", "DECODE", "ENCODING", "TODENSE"}, isWord)
}

// convertToDense makes a HyperLogLog dense. It returns 1 if it was sparse, else 0. The change is
// propagated but not signalled, because only the encoding differs.
func convertToDense(c *engine.Call, key []byte, v *str.Value, s hll.Sketch) (converted int64) {
	if s.Dense() {
		return 0
	}
	s, err := s.ToDense()
	if err != nil {
		c.Refuse(errCorrupted)
		return 0
	}
	setSketch(v, s)
	c.DB.Commit(key)
	c.ChangedAll(1)
	return 1
}

// replyRegisters replies with all registers of a HyperLogLog, which becomes dense, as in Redis.
func replyRegisters(c *engine.Call, key []byte, v *str.Value, s hll.Sketch) {
	var registers hll.Registers
	if registers.Merge(s) != nil {
		c.Fail(errCorrupted)
		return
	}
	convertToDense(c, key, v, s)
	c.Reply.Array(len(registers))
	for _, r := range registers {
		c.Reply.Int(int64(r))
	}
}

// PFSELFTEST
func cmdPFSelfTest(c *engine.Call) {
	if err := hll.SelfTest(); err != nil {
		c.Refusef(errSelfTest, err)
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}
