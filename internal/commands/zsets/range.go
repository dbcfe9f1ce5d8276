package zsets

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// rangeLines are the lines of the commands on ranges of a sorted set.
func rangeLines() []command.Line {
	return []command.Line{
		{Name: "zcount", Arity: 4, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdZCount, Reply: "integer", Since: "2.0.0", Syntax: "key min:double max:double",
			Summary:    "Returns the count of members in a sorted set that have scores within a range.",
			Complexity: "O(log N), N being the number of members"},
		{Name: "zlexcount", Arity: 4, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdZLexCount, Reply: "integer", Since: "2.8.9", Syntax: "key min max",
			Summary:    "Returns the number of members in a sorted set within a lexicographical range.",
			Complexity: "O(log N), N being the number of members"},
		{Name: "zrange", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdZRange, Reply: "list", Since: "1.2.0",
			Syntax: "key start stop sortby=[BYSCORE|BYLEX]@6.2.0 [REV]@6.2.0 limit(/offset_count)=[LIMIT offset " +
				"count]@6.2.0 [WITHSCORES]",
			Summary: "Returns members in a sorted set within a range of indexes, scores or members.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those returned",
			History: "6.2.0 The options `REV`, `BYSCORE`, `BYLEX` and `LIMIT`."},
		{Name: "zrevrange", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdZRevRange, Reply: "list", Since: "1.2.0", Syntax: "key start:integer stop:integer [WITHSCORES]",
			Summary: "Returns members in a sorted set within a range of indexes in reverse order.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those returned",
			Deprecated: "6.2.0 `ZRANGE`, with `REV`"},
		{Name: "zrangebyscore", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdZRangeByScore, Reply: "list", Since: "1.0.5",
			Syntax:  "key min:double max:double [WITHSCORES]@2.0.0 limit(/offset_count)=[LIMIT offset count]",
			Summary: "Returns members in a sorted set within a range of scores.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those returned",
			History:    "2.0.0 The option `WITHSCORES`.",
			Deprecated: "6.2.0 `ZRANGE`, with `BYSCORE`"},
		{Name: "zrevrangebyscore", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdZRevRangeByScore, Reply: "list", Since: "2.2.0",
			Syntax:  "key max:double min:double [WITHSCORES] limit(/offset_count)=[LIMIT offset count]",
			Summary: "Returns members in a sorted set within a range of scores in reverse order.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those returned",
			History:    "2.1.6 The bounds may be exclusive.",
			Deprecated: "6.2.0 `ZRANGE`, with `BYSCORE` and `REV`"},
		{Name: "zrangebylex", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdZRangeByLex, Reply: "list", Since: "2.8.9",
			Syntax:  "key min max limit(/offset_count)=[LIMIT offset count]",
			Summary: "Returns members in a sorted set within a lexicographical range.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those returned",
			Deprecated: "6.2.0 `ZRANGE`, with `BYLEX`"},
		{Name: "zrevrangebylex", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdZRevRangeByLex, Reply: "list", Since: "2.8.9",
			Syntax:  "key max min limit(/offset_count)=[LIMIT offset count]",
			Summary: "Returns members in a sorted set within a lexicographical range in reverse order.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those returned",
			Deprecated: "6.2.0 `ZRANGE`, with `BYLEX` and `REV`"},
		{Name: "zrangestore", Arity: -5, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "OW update").
			And(command.Key(2, "RO access")), Run: cmdZRangeStore, Reply: "integer", Since: "6.2.0",
			Syntax:  "dst src min max sortby=[BYSCORE|BYLEX] [REV] limit(/offset_count)=[LIMIT offset count]",
			Summary: "Stores a range of members from a sorted set in a key.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those stored"},
		{Name: "zremrangebyrank", Arity: 4, Flags: command.Write, Keys: command.Key(1, "RW delete"),
			Run: cmdZRemRangeByRank, Reply: "integer", Since: "2.0.0", Syntax: "key start:integer stop:integer",
			Summary: "Removes members in a sorted set within a range of indexes.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those removed"},
		{Name: "zremrangebyscore", Arity: 4, Flags: command.Write, Keys: command.Key(1, "RW delete"),
			Run: cmdZRemRangeByScore, Reply: "integer", Since: "1.2.0",
			Syntax: "key min:double max:double", Summary: "Removes members in a sorted set within a range of scores.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those removed"},
		{Name: "zremrangebylex", Arity: 4, Flags: command.Write, Keys: command.Key(1, "RW delete"),
			Run: cmdZRemRangeByLex, Reply: "integer", Since: "2.8.9",
			Syntax: "key min max", Summary: "Removes members in a sorted set within a lexicographical range.",
			Complexity: "O(log N + M), N being the number of members of the sorted set, " +
				"and M the number of those removed"},
	}
}

// Ranges of sorted sets, by rank, by score or by member. ZRANGE has options for the kind and the
// order; the older commands have them in their names.

// rangeKind says what the bounds of a range are.
type rangeKind uint8

const (
	byRank rangeKind = iota
	byScore
	byLex
)

// query is the range that a command's arguments describe.
type query struct {
	kind       rangeKind
	reverse    bool
	optional   bool // BYSCORE, BYLEX and REV are options
	stores     bool // WITHSCORES is not an option
	withScores bool

	offset, limit int64
	fromEnd       bool // the offset is negative, and counts from the end
	start, stop   int64
	scores        zset.ScoreRange
	members       zset.LexRange
}

// ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]
func cmdZRange(c *engine.Call) { replyRange(c, query{optional: true}) }

// ZREVRANGE key start stop [WITHSCORES]
func cmdZRevRange(c *engine.Call) { replyRange(c, query{reverse: true}) }

// ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]
func cmdZRangeByScore(c *engine.Call) { replyRange(c, query{kind: byScore}) }

// ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]
func cmdZRevRangeByScore(c *engine.Call) { replyRange(c, query{kind: byScore, reverse: true}) }

// ZRANGEBYLEX key min max [LIMIT offset count]
func cmdZRangeByLex(c *engine.Call) { replyRange(c, query{kind: byLex}) }

// ZREVRANGEBYLEX key max min [LIMIT offset count]
func cmdZRevRangeByLex(c *engine.Call) { replyRange(c, query{kind: byLex, reverse: true}) }

// replyRange reads the key and the query, and replies with the members in the range.
func replyRange(c *engine.Call, q query) {
	key := c.Arg()
	parseQuery(c, &q)
	s, ok := Read(c, key)
	if !ok {
		return
	}
	at, n := c.Reply.Defer(), 0
	q.each(s, func(member []byte, score float64) bool {
		n++
		replyMember(c, member, score, q.withScores)
		return true
	})
	elements.SetPairs(c, at, n, q.withScores)
}

// ZRANGESTORE dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]
func cmdZRangeStore(c *engine.Call) {
	dst, src := c.Arg(), c.Arg()
	q := query{optional: true, stores: true}
	parseQuery(c, &q)
	s, ok := Read(c, src)
	if !ok {
		return
	}
	result, lim := &zset.Set{}, c.Engine.Config.ZSet
	if _, n := s.Clip(int(q.start), int(q.stop)); q.kind == byRank && n > lim.MaxEntries {
		lim = zset.Limits{} // too long to be packed: save the conversion
	}
	q.each(s, func(member []byte, score float64) bool {
		result.Add(member, score, lim, c.World.Dice)
		return true
	})
	c.Store(dst, result, event.ZSet("zrangestore"))
}

// each calls fn for the members in the range, in order, until fn returns false.
func (q *query) each(s *zset.Set, fn func(member []byte, score float64) bool) {
	switch q.kind {
	case byScore:
		s.RangeByScore(q.scores, q.reverse, q.from(s), int(q.limit), fn)
	case byLex:
		s.RangeByLex(q.members, q.reverse, q.from(s), int(q.limit), fn)
	default:
		s.Range(int(q.start), int(q.stop), q.reverse, fn)
	}
}

// offsetsFromEnd is what Redis 7.4 and Valkey 8.0 changed in negative offsets: unless a set is
// packed, -1 is the last member of the range.
var offsetsFromEnd = release.From("7.4.0 valkey:8.0.0")

// noOffsetsFromEnd is when Redis took that back.
var noOffsetsFromEnd = release.From("8.6.0")

// from returns the offset at which a range by score or by member begins. A negative one leaves
// nothing.
func (q *query) from(s *zset.Set) int {
	_, packed := s.Packed()
	switch {
	case !q.fromEnd || packed:
		return int(q.offset)
	case q.kind == byScore:
		return int(q.offset) + s.Count(q.scores)
	}
	return int(q.offset) + s.LexCount(q.members)
}

// parseQuery reads the bounds of a range and the options after them.
func parseQuery(c *engine.Call, q *query) {
	from, to := c.Arg(), c.Arg()
	parseQueryOptions(c, q)
	if q.reverse && q.kind != byRank {
		from, to = to, from // a reverse range is given as max, min
	}
	parseBounds(c, q, from, to)
}

func parseQueryOptions(c *engine.Call, q *query) {
	q.limit = -1
	for c.More() {
		switch {
		case !q.stores && c.Word("WITHSCORES"):
			q.withScores = true
		case c.Left() > 2 && c.Word("LIMIT"):
			q.offset, q.limit = c.Int(), c.Int()
			q.fromEnd = q.offset < 0 && c.Has(offsetsFromEnd) && !c.Has(noOffsetsFromEnd)
		case q.optional && !q.reverse && c.Word("REV"):
			q.reverse = true
		case q.optional && q.kind == byRank && c.Word("BYLEX"):
			q.kind = byLex
		case q.optional && q.kind == byRank && c.Word("BYSCORE"):
			q.kind = byScore
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if q.limit != -1 && q.kind == byRank { // LIMIT 0 -1 is no LIMIT, as in Redis
		c.Refuse(errLimitByRank)
	}
	if q.withScores && q.kind == byLex {
		c.Refuse(errScoresByLex)
	}
}

// parseBounds parses the bounds of a range of the query's kind.
func parseBounds(c *engine.Call, q *query, from, to []byte) {
	switch q.kind {
	case byScore:
		q.scores = parseScoreRange(c, from, to)
	case byLex:
		q.members = parseLexRange(c, from, to)
	default:
		q.start, q.stop = parseRank(c, from), parseRank(c, to)
	}
}

func parseRank(c *engine.Call, arg []byte) int64 {
	n, ok := resp.ParseInt(arg)
	if !ok {
		c.Refuse(engine.ErrNotInt)
	}
	return n
}

// parseScoreRange parses two scores. An opening parenthesis before a score excludes it.
func parseScoreRange(c *engine.Call, low, high []byte) (r zset.ScoreRange) {
	var ok1, ok2 bool
	r.Min, r.MinEx, ok1 = parseScoreBound(c, low)
	r.Max, r.MaxEx, ok2 = parseScoreBound(c, high)
	if !ok1 || !ok2 {
		c.Refuse(errScoreRange)
	}
	return r
}

// strictBounds is what Redis 8.0 and Valkey 9.0 refuse in bounds: hexadecimal numbers, and space in
// front of one.
var strictBounds = release.From("8.0.0 valkey:9.0.0")

func parseScoreBound(c *engine.Call, arg []byte) (score float64, exclusive, ok bool) {
	if len(arg) > 0 && arg[0] == '(' {
		arg, exclusive = arg[1:], true
	}
	if isLoose(arg) && c.Has(strictBounds) {
		return 0, false, false
	}
	score, ok = resp.ParseFloat(arg)
	if !ok {
		score, ok = parseLooseFloat(arg)
	}
	return score, exclusive, ok && !math.IsNaN(score)
}

// isLoose reports whether a number is hexadecimal, or has space in front.
func isLoose(arg []byte) bool {
	if len(arg) > 0 && (arg[0] == '-' || arg[0] == '+') {
		arg = arg[1:]
	}
	return len(arg) > 1 && (arg[1]|0x20 == 'x' || arg[0] == ' ' || '\t' <= arg[0] && arg[0] <= '\r')
}

// parseLooseFloat parses what C's strtod accepts beyond the scores of ZADD: an empty text is 0,
// leading space is skipped, a zero byte ends the text, and a number out of range is infinite or
// zero.
func parseLooseFloat(arg []byte) (f float64, ok bool) {
	arg, _, _ = bytes.Cut(arg, []byte{0})
	if len(arg) == 0 {
		return 0, true
	}
	arg = bytes.TrimLeft(arg, " \t\n\v\f\r")
	if f, ok = resp.ParseFloat(arg); ok {
		return f, true
	}
	f, err := strconv.ParseFloat(string(arg), 64)
	outside := f == 0 && err == nil || math.IsInf(f, 0)
	return f, outside && !bytes.ContainsRune(arg, '_')
}

// parseLexRange parses two members, each after a bracket or, if excluded, a parenthesis. - and +
// are before and after all members.
func parseLexRange(c *engine.Call, low, high []byte) (r zset.LexRange) {
	var ok1, ok2 bool
	r.Min, ok1 = parseLexBound(low)
	r.Max, ok2 = parseLexBound(high)
	if !ok1 || !ok2 {
		c.Refuse(errLexRange)
	}
	return r
}

func parseLexBound(arg []byte) (b zset.LexBound, ok bool) {
	if len(arg) == 0 {
		return b, false
	}
	rest := arg[1:]
	switch arg[0] {
	case '[':
		b.Member = rest
	case '(':
		b.Member, b.Ex = rest, true
	case '-':
		b.Inf = -1
	case '+':
		b.Inf = 1
	default:
		return b, false
	}
	return b, b.Inf == 0 || len(rest) == 0 || rest[0] == 0 // - and + are C strings in Redis
}

// ZCOUNT key min max
func cmdZCount(c *engine.Call) {
	key := c.Arg()
	r := parseScoreRange(c, c.Arg(), c.Arg())
	if s, ok := Read(c, key); ok {
		c.Reply.Int(int64(s.Count(r)))
	}
}

// ZLEXCOUNT key min max
func cmdZLexCount(c *engine.Call) {
	key := c.Arg()
	r := parseLexRange(c, c.Arg(), c.Arg())
	if s, ok := Read(c, key); ok {
		c.Reply.Int(int64(s.LexCount(r)))
	}
}

// ZREMRANGEBYRANK key start stop
func cmdZRemRangeByRank(c *engine.Call) { removeRange(c, byRank, event.ZSet("zremrangebyrank")) }

// ZREMRANGEBYSCORE key min max
func cmdZRemRangeByScore(c *engine.Call) { removeRange(c, byScore, event.ZSet("zremrangebyscore")) }

// ZREMRANGEBYLEX key min max
func cmdZRemRangeByLex(c *engine.Call) { removeRange(c, byLex, event.ZSet("zremrangebylex")) }

func removeRange(c *engine.Call, kind rangeKind, ev event.Event) {
	key := c.Arg()
	q := query{kind: kind}
	parseBounds(c, &q, c.Arg(), c.Arg())
	s, found := engine.Edit[*zset.Set](c, key)
	if !c.OK() {
		return
	}
	n := 0
	if found {
		n = q.remove(s)
	}
	if n > 0 {
		c.Changed(key, ev)
		c.AddChanges(n - 1)
	}
	c.Reply.Int(int64(n))
}

// remove removes the members in the range and returns how many.
func (q *query) remove(s *zset.Set) int {
	switch q.kind {
	case byScore:
		return s.RemoveRangeByScore(q.scores, nil)
	case byLex:
		return s.RemoveRangeByLex(q.members, nil)
	}
	return s.RemoveRangeByRank(int(q.start), int(q.stop), nil)
}
