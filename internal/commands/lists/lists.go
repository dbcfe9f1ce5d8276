// Package lists is the family of list commands.
//
//	lists.go   the lines of all commands; LPUSH, LRANGE, LSET, LINSERT, LTRIM
//	pop.go     LPOP, LMPOP and their blocking forms
//	move.go    LMOVE, RPOPLPUSH and their blocking forms
//	search.go  LREM and LPOS
//
// A blocking command blocks its session on its keys when all of them are absent, and its handler
// runs again when one is ready. It is propagated as the command that does not block, as in Redis.
//
// Elements may have deadlines, which Redis does not know: LEXPIRE and the rest are
// [elements.ExpiryLines].
package lists

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// wordings are the errors of older releases.
var wordings = []command.Wording{
	{Before: "7.0.0", Error: errRankZero,
		Was: "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second, ..."},
}

// Family is the family of list commands.
var Family = command.Family{Group: "list", Wordings: wordings, Commands: slices.Concat([]command.Line{
	{Name: "lpush", Arity: -3, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW insert"),
		Run: cmdLPush, Reply: "integer", Since: "1.0.0",
		Syntax: "key element...", Summary: "Prepends one or more elements to a list.",
		Complexity: "O(N), N being the number of elements added", History: "2.4.0 Takes several elements."},
	{Name: "rpush", Arity: -3, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW insert"),
		Run: cmdRPush, Reply: "integer", Since: "1.0.0",
		Syntax: "key element...", Summary: "Appends one or more elements to a list.",
		Complexity: "O(N), N being the number of elements added", History: "2.4.0 Takes several elements."},
	{Name: "lpushx", Arity: -3, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW insert"), Run: cmdLPushX, Reply: "integer", Since: "2.2.0",
		Syntax: "key element...", Summary: "Prepends elements to a list only if it exists.",
		Complexity: "O(N), N being the number of elements added", History: "4.0.0 Takes several elements."},
	{Name: "rpushx", Arity: -3, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW insert"), Run: cmdRPushX, Reply: "integer", Since: "2.2.0",
		Syntax: "key element...", Summary: "Appends elements to a list only if it exists.",
		Complexity: "O(N), N being the number of elements added", History: "4.0.0 Takes several elements."},
	{Name: "lpop", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
		Run: cmdLPop, Reply: "1: text?; list?", Since: "1.0.0",
		Syntax: "key [count]@6.2.0", Summary: "Removes and returns the first elements of a list.",
		Complexity: "O(N), N being the number of elements returned", History: "6.2.0 Takes a count."},
	{Name: "rpop", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
		Run: cmdRPop, Reply: "1: text?; list?", Since: "1.0.0",
		Syntax: "key [count]@6.2.0", Summary: "Removes and returns the last elements of a list.",
		Complexity: "O(N), N being the number of elements returned", History: "6.2.0 Takes a count."},
	{Name: "llen", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"), Run: cmdLLen,
		Reply: "integer", Since: "1.0.0", Syntax: "key", Summary: "Returns the length of a list.", Complexity: "O(1)"},
	{Name: "lrange", Arity: 4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdLRange, Reply: "list", Since: "1.0.0",
		Syntax: "key start:integer stop:integer", Summary: "Returns a range of elements from a list.",
		Complexity: "O(N), N being the number of elements that are passed over or returned"},
	{Name: "lindex", Arity: 3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"), Run: cmdLIndex,
		Reply: "text?", Since: "1.0.0", Syntax: "key index", Summary: "Returns an element from a list by its index.",
		Complexity: "O(N), N being the number of elements that are passed over"},
	{Name: "lset", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdLSet, Reply: "status", Since: "1.0.0",
		Syntax: "key index element", Summary: "Sets the value of an element in a list by its index.",
		Complexity: "O(N), N being the number of elements that are passed over"},
	{Name: "linsert", Arity: 5, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW insert"),
		Run: cmdLInsert, Reply: "integer", Since: "2.2.0", Syntax: "key where=<BEFORE|AFTER> pivot element",
		Summary:    "Inserts an element before or after another element in a list.",
		Complexity: "O(N), N being the number of elements that are passed over"},
	{Name: "lrem", Arity: 4, Flags: command.Write, Keys: command.Key(1, "RW delete"),
		Run: cmdLRem, Reply: "integer", Since: "1.0.0", Syntax: "key count element",
		Summary: "Removes elements from a list.", Complexity: "O(N), N being the number of elements"},
	{Name: "ltrim", Arity: 4, Flags: command.Write, Keys: command.Key(1, "RW delete"), Run: cmdLTrim, Reply: "status",
		Since: "1.0.0", Syntax: "key start:integer stop:integer", Summary: "Removes elements from both ends of a list.",
		Complexity: "O(N), N being the number of elements removed"},
	{Name: "lpos", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdLPos, Reply: "COUNT: integers; integer?", Since: "6.0.6",
		Syntax:     "key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
		Summary:    "Returns the index of matching elements in a list.",
		Complexity: "O(N), N being the number of elements"},
	{Name: "lmove", Arity: 5, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "RW access delete").And(command.Key(2, "RW insert")), Run: cmdLMove, Reply: "text?",
		Since: "6.2.0", Syntax: "source destination wherefrom=<LEFT|RIGHT> whereto=<LEFT|RIGHT>",
		Summary: "Moves an element from one list to another and returns it.", Complexity: "O(1)"},
	{Name: "lmovem", Arity: -5, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "RW access delete").And(command.Key(2, "RW insert")), Run: cmdLMoveM, Reply: "list?",
		Since: "8.10.0", Syntax: "source destination wherefrom=<LEFT|RIGHT> whereto=<LEFT|RIGHT> " +
			"how-many=[selector=<COUNT count|EXACTLY exactly:integer> ordering=<OBO|BULK>]",
		Summary:    "Moves several elements from one list to another and returns them.",
		Complexity: "O(N), N being the number of elements moved"},
	{Name: "rpoplpush", Arity: 3, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "RW access delete").And(command.Key(2, "RW insert")),
		Run:  cmdRPopLPush, Reply: "text?", Since: "1.2.0", Syntax: "source destination",
		Summary: "Moves the last element of a list to the head of another and returns it.", Complexity: "O(1)",
		Deprecated: "6.2.0 `LMOVE`, with `RIGHT` and `LEFT`"},
	{Name: "lmpop", Arity: -4, Flags: command.Write, Keys: command.NumKeys(1, "RW access delete"),
		Run: cmdLMPop, Reply: "array?", Since: "7.0.0", Syntax: "numkeys key... where=<LEFT|RIGHT> [COUNT count]",
		Summary:    "Removes and returns elements from the first of several lists that has any.",
		Complexity: "O(N + M), N being the number of keys, and M the number of elements returned"},
	{Name: "blpop", Arity: -3, Flags: command.Write | command.Blocking,
		Keys: command.KeyRange(1, -2, 1, "RW access delete"),
		Run:  cmdBLPop, Reply: "list?", Since: "2.0.0", Was: []command.Was{command.Before("7.2.0", "+noscript")},
		Syntax: "key... timeout", Summary: "Removes and returns the first element of a list, or waits for one.",
		Complexity: "O(N), N being the number of keys", History: "6.0.0 The timeout may be a fraction."},
	{Name: "brpop", Arity: -3, Flags: command.Write | command.Blocking,
		Keys: command.KeyRange(1, -2, 1, "RW access delete"),
		Run:  cmdBRPop, Reply: "list?", Since: "2.0.0", Was: []command.Was{command.Before("7.2.0", "+noscript")},
		Syntax: "key... timeout", Summary: "Removes and returns the last element of a list, or waits for one.",
		Complexity: "O(N), N being the number of keys", History: "6.0.0 The timeout may be a fraction."},
	{Name: "blmove", Arity: 6, Flags: command.Write | command.DenyOOM | command.Blocking,
		Keys: command.Key(1, "RW access delete").And(command.Key(2, "RW insert")),
		Run:  cmdBLMove, Reply: "text?", Since: "6.2.0", Was: []command.Was{command.Before("7.2.0", "+noscript")},
		Syntax:  "source destination wherefrom=<LEFT|RIGHT> whereto=<LEFT|RIGHT> timeout",
		Summary: "Moves an element from one list to another and returns it, or waits for one.", Complexity: "O(1)"},
	{Name: "blmovem", Arity: -6, Flags: command.Write | command.DenyOOM | command.Blocking,
		Keys: command.Key(1, "RW access delete").And(command.Key(2, "RW insert")), Run: cmdBLMoveM, Reply: "list?",
		Since: "8.10.0", Syntax: "source destination wherefrom=<LEFT|RIGHT> whereto=<LEFT|RIGHT> timeout " +
			"how-many=[selector=<COUNT count|EXACTLY exactly:integer> ordering=<OBO|BULK>]",
		Summary:    "Moves several elements from one list to another and returns them, or waits for them.",
		Complexity: "O(N), N being the number of elements moved"},
	{Name: "brpoplpush", Arity: 4, Flags: command.Write | command.DenyOOM | command.Blocking,
		Keys: command.Key(1, "RW access delete").And(command.Key(2, "RW insert")), Run: cmdBRPopLPush, Reply: "text?",
		Since: "2.2.0", Was: []command.Was{command.Before("7.2.0", "+noscript")}, Syntax: "source destination timeout",
		Summary:    "Moves the last element of a list to the head of another and returns it, or waits for one.",
		Complexity: "O(1)", History: "6.0.0 The timeout may be a fraction.",
		Deprecated: "6.2.0 `BLMOVE`, with `RIGHT` and `LEFT`"},
	{Name: "blmpop", Arity: -5, Flags: command.Write | command.Blocking, Keys: command.NumKeys(2, "RW access delete"),
		Run: cmdBLMPop, Reply: "array?", Since: "7.0.0",
		Syntax:     "timeout numkeys key... where=<LEFT|RIGHT> [COUNT count]",
		Summary:    "Removes and returns elements from the first of several lists that has any, or waits for some.",
		Complexity: "O(N + M), N being the number of keys, and M the number of elements returned"},
}, elements.ExpiryLines(Type.Elements, "miniserver:0.1.0"))}

// The events of pushing and popping, by end.
var (
	pushEvents = [...]event.Event{list.Head: event.List("lpush"), list.Tail: event.List("rpush")}
	popEvents  = [...]event.Event{list.Head: event.List("lpop"), list.Tail: event.List("rpop")}
)

// noList stands for an absent key. It stays empty.
var noList list.List

// readList returns the list at key for reading, noList if the key is absent. ok is false if an
// error was sent.
func readList(c *engine.Call, key []byte) (l *list.List, ok bool) {
	l, found := engine.Read[*list.List](c, key)
	if !found {
		l = &noList
	}
	return l, c.OK()
}

// parseEnd reads LEFT or RIGHT.
func parseEnd(c *engine.Call) list.End {
	switch {
	case c.Word("LEFT"):
		return list.Head
	case !c.Word("RIGHT"):
		c.Refuse(engine.ErrSyntax)
	}
	return list.Tail
}

// LPUSH key element [element ...]
func cmdLPush(c *engine.Call) { push(c, list.Head, false) }

// RPUSH key element [element ...]
func cmdRPush(c *engine.Call) { push(c, list.Tail, false) }

// LPUSHX key element [element ...]
func cmdLPushX(c *engine.Call) { push(c, list.Head, true) }

// RPUSHX key element [element ...]
func cmdRPushX(c *engine.Call) { push(c, list.Tail, true) }

// push adds elements at an end, one after the other. If mustExist, an absent key stays absent.
func push(c *engine.Call, end list.End, mustExist bool) {
	key, elements := c.Arg(), c.Rest()
	var l *list.List
	if mustExist {
		l, _ = engine.Edit[*list.List](c, key)
	} else {
		l, _ = engine.Upsert[*list.List](c, key, keyspace.List)
	}
	switch {
	case !c.OK():
		return
	case l == nil:
		c.Reply.Int(0)
		return
	}
	l.PushAll(end, elements, c.Engine.Config.List)
	n := l.Len()
	c.Changed(key, pushEvents[end])
	c.AddChanges(len(elements) - 1)
	c.Reply.Int(int64(n))
}

// LLEN key
func cmdLLen(c *engine.Call) {
	if l, ok := readList(c, c.Arg()); ok {
		c.Reply.Int(int64(l.Len()))
	}
}

// LRANGE key start stop
func cmdLRange(c *engine.Call) {
	key, start, stop := c.Arg(), c.Int(), c.Int()
	l, ok := readList(c, key)
	if !ok {
		return
	}
	first, n := l.Clip(int(start), int(stop))
	c.Reply.Array(n)
	l.Range(first, n, func(e ziplist.Entry) { c.ReplyEntry(e) })
}

// LINDEX key index
func cmdLIndex(c *engine.Call) {
	l, found := engine.Read[*list.List](c, c.Arg())
	if !c.OK() {
		return
	}
	if !found {
		c.Reply.Null() // before the index is parsed, as in Redis
		return
	}
	i := c.Int()
	if !c.OK() {
		return
	}
	if e, ok := l.Index(int(i)); ok {
		c.ReplyEntry(e)
		return
	}
	c.Reply.Null()
}

// wrapsIndex is when Redis began to count the index of LSET in 32 bits.
var wrapsIndex = release.From("7.2.0")

// LSET key index element
func cmdLSet(c *engine.Call) {
	key := c.Arg()
	l, found := engine.Edit[*list.List](c, key)
	if !found {
		c.Refuse(engine.ErrNoKey)
	}
	i, element := c.Int(), c.Arg()
	if !c.OK() {
		return
	}
	if c.Has(wrapsIndex) {
		i = int64(int32(i))
	}
	if !l.Set(int(i), element, c.Engine.Config.List) {
		c.DB.Commit(key) // the encoding may have changed
		c.Fail(engine.ErrIndex)
		return
	}
	c.Changed(key, event.List("lset"))
	c.Reply.Status("OK")
}

// LINSERT key <BEFORE | AFTER> pivot element
func cmdLInsert(c *engine.Call) {
	key := c.Arg()
	after := c.Word("AFTER")
	if !after && !c.Word("BEFORE") {
		c.Refuse(engine.ErrSyntax)
	}
	pivot, element := c.Arg(), c.Arg()
	l, found := engine.Edit[*list.List](c, key)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Int(0)
	case !l.Insert(pivot, element, after, c.Engine.Config.List):
		c.DB.Commit(key) // the encoding may have changed
		c.Reply.Int(-1)
	default:
		n := l.Len()
		c.Changed(key, event.List("linsert"))
		c.Reply.Int(int64(n))
	}
}

// LTRIM key start stop
func cmdLTrim(c *engine.Call) {
	key, start, stop := c.Arg(), c.Int(), c.Int()
	l, found := engine.Edit[*list.List](c, key)
	if !c.OK() {
		return
	}
	if found {
		first, n := l.Clip(int(start), int(stop))
		if n == 0 {
			first = l.Len() // remove all
		}
		removed := l.Len() - n
		if removed == 0 {
			c.PropagateNothing()
		}
		l.RemoveEnd(list.Tail, removed-first)
		l.RemoveEnd(list.Head, first)
		l.Shrink(c.Engine.Config.List)
		c.Changed(key, event.List("ltrim"))
		c.AddChanges(removed - 1)
	}
	c.Reply.Status("OK")
}
