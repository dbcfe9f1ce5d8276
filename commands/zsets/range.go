package zsets

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Ranges of sorted sets, by rank, by score or by member. ZRANGE asks for all of them with its
// options; the older commands have the kind and the order in their names.

// rangeKind is what the ends of a range are.
type rangeKind uint8

const (
	byRank rangeKind = iota
	byScore
	byLex
)

// query is a range as a command asks for it.
type query struct {
	kind       rangeKind
	reverse    bool
	free       bool // kind and order may be chosen by options
	stores     bool // no WITHSCORES
	withScores bool

	offset, limit int64
	start, stop   int64
	scores        zset.ScoreRange
	members       zset.LexRange
}

// ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]
func cmdZRange(c *engine.Call) { replyRange(c, query{free: true}) }

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

// replyRange reads the key and the query's arguments and replies with the range.
func replyRange(c *engine.Call, q query) {
	key := c.Arg()
	ask(c, &q)
	s, ok := ReadZSet(c, key)
	if !ok {
		return
	}
	at, n := elements.DeferPairs(c), 0
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
	q := query{free: true, stores: true}
	ask(c, &q)
	s, ok := ReadZSet(c, src)
	if !ok {
		return
	}
	kept, lim := &zset.Set{}, c.Engine.Config.ZSet
	if _, n := s.Clip(int(q.start), int(q.stop)); q.kind == byRank && n > lim.MaxEntries {
		lim = zset.Limits{} // it will not stay packed, so it is not even begun so
	}
	q.each(s, func(member []byte, score float64) bool {
		kept.Add(member, score, lim, c.Engine.Dice)
		return true
	})
	c.Store(dst, kept, "zzrangestore")
}

// each calls fn for the members in the range.
func (q *query) each(s *zset.Set, fn func(member []byte, score float64) bool) {
	switch q.kind {
	case byScore:
		s.RangeByScore(q.scores, q.reverse, int(q.offset), int(q.limit), fn)
	case byLex:
		s.RangeByLex(q.members, q.reverse, int(q.offset), int(q.limit), fn)
	default:
		s.Range(int(q.start), int(q.stop), q.reverse, fn)
	}
}

// ask reads the ends of a range and the options behind them.
func ask(c *engine.Call, q *query) {
	from, to := c.Arg(), c.Arg()
	rangeOptions(c, q)
	if q.reverse && q.kind != byRank {
		from, to = to, from // a range read backwards is given as max, min
	}
	ends(c, q, from, to)
}

func rangeOptions(c *engine.Call, q *query) {
	q.limit = -1
	for c.More() {
		switch {
		case !q.stores && c.Word("WITHSCORES"):
			q.withScores = true
		case c.Left() > 2 && c.Word("LIMIT"):
			q.offset, q.limit = c.Int(), c.Int()
		case q.free && !q.reverse && c.Word("REV"):
			q.reverse = true
		case q.free && q.kind == byRank && c.Word("BYLEX"):
			q.kind = byLex
		case q.free && q.kind == byRank && c.Word("BYSCORE"):
			q.kind = byScore
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if q.limit != -1 && q.kind == byRank { // Redis cannot tell LIMIT 0 -1 from none
		c.Refuse(errLimitByRank)
	}
	if q.withScores && q.kind == byLex {
		c.Refuse(errScoresByLex)
	}
}

// ends reads the ends of a range of the query's kind.
func ends(c *engine.Call, q *query, from, to []byte) {
	switch q.kind {
	case byScore:
		q.scores = scoreRange(c, from, to)
	case byLex:
		q.members = lexRange(c, from, to)
	default:
		q.start, q.stop = rank(c, from), rank(c, to)
	}
}

func rank(c *engine.Call, arg []byte) int64 {
	n, ok := resp.ParseInt(arg)
	if !ok {
		c.Refuse(engine.ErrNotInt)
	}
	return n
}

// scoreRange reads scores, those behind a parenthesis being exclusive.
func scoreRange(c *engine.Call, low, high []byte) (r zset.ScoreRange) {
	var ok1, ok2 bool
	r.Min, r.MinEx, ok1 = scoreBound(low)
	r.Max, r.MaxEx, ok2 = scoreBound(high)
	if !ok1 || !ok2 {
		c.Refuse(errScoreRange)
	}
	return r
}

func scoreBound(arg []byte) (score float64, exclusive, ok bool) {
	if len(arg) > 0 && arg[0] == '(' {
		arg, exclusive = arg[1:], true
	}
	score, ok = resp.ParseFloat(arg)
	if !ok {
		score, ok = looseFloat(arg)
	}
	return score, exclusive, ok && !math.IsNaN(score)
}

// looseFloat reads what C's strtod reads to the end of a C string, which is more than a score may
// be: nothing is 0, leading space does not matter, and what is too large or too small is infinite
// or zero.
func looseFloat(arg []byte) (f float64, ok bool) {
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

// lexRange reads members behind a bracket or, exclusive, a parenthesis, and - and +.
func lexRange(c *engine.Call, low, high []byte) (r zset.LexRange) {
	var ok1, ok2 bool
	r.Min, ok1 = lexBound(low)
	r.Max, ok2 = lexBound(high)
	if !ok1 || !ok2 {
		c.Refuse(errLexRange)
	}
	return r
}

func lexBound(arg []byte) (b zset.LexBound, ok bool) {
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
	return b, b.Inf == 0 || len(rest) == 0 || rest[0] == 0 // to Redis these two are C strings
}

// ZCOUNT key min max
func cmdZCount(c *engine.Call) {
	key := c.Arg()
	r := scoreRange(c, c.Arg(), c.Arg())
	if s, ok := ReadZSet(c, key); ok {
		c.Reply.Int(int64(s.Count(r)))
	}
}

// ZLEXCOUNT key min max
func cmdZLexCount(c *engine.Call) {
	key := c.Arg()
	r := lexRange(c, c.Arg(), c.Arg())
	if s, ok := ReadZSet(c, key); ok {
		c.Reply.Int(int64(s.LexCount(r)))
	}
}

// ZREMRANGEBYRANK key start stop
func cmdZRemRangeByRank(c *engine.Call) { removeRange(c, byRank, "zzremrangebyrank") }

// ZREMRANGEBYSCORE key min max
func cmdZRemRangeByScore(c *engine.Call) { removeRange(c, byScore, "zzremrangebyscore") }

// ZREMRANGEBYLEX key min max
func cmdZRemRangeByLex(c *engine.Call) { removeRange(c, byLex, "zzremrangebylex") }

func removeRange(c *engine.Call, kind rangeKind, event string) {
	key := c.Arg()
	q := query{kind: kind}
	ends(c, &q, c.Arg(), c.Arg())
	s, found := engine.Edit[*zset.Set](c, key)
	if !c.OK() {
		return
	}
	n := 0
	if found {
		n = q.remove(s)
	}
	if n > 0 {
		c.Changed(key, event)
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
