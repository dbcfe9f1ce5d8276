// Package zsets is the family of sorted set commands.
//
//	zsets.go    the lines of all commands; ZADD, ZREM, ZSCORE, ZRANK, ZRANDMEMBER, ZSCAN
//	range.go    ZRANGE and its older forms, ZRANGESTORE, ZCOUNT, ZREMRANGEBYSCORE
//	combine.go  ZUNION, ZINTER, ZDIFF and their STORE forms
//	pairs.go    the result of a combination, before it is replied or stored
//	pop.go      ZPOPMIN, ZMPOP and their blocking forms
//
// Package geo builds on Read and Add, since a place is a member whose score is a geohash.
//
// Members may have deadlines, which Redis does not know: ZEXPIRE and the rest are
// [elements.ExpiryLines].
package zsets

import (
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// wordings are the errors of older releases.
var wordings = []command.Wording{{Before: "7.0.0", Error: errNoInput, Was: "ERR at least 1 input key is needed for %s"}}

// Family is the family of sorted set commands.
var Family = command.Family{Group: "sorted-set", Wordings: wordings, Commands: slices.Concat([]command.Line{
	{Name: "zadd", Arity: -4, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW update"),
		Run: cmdZAdd, Reply: "INCR: text?; integer", Since: "1.2.0",
		Syntax: "key condition=[NX|XX]@3.0.2 comparison=[GT|LT]@6.2.0 [change=CH]@3.0.2 [increment=INCR]@3.0.2 " +
			"data(/score_member)=<score member>...",
		Summary:    "Adds one or more members to a sorted set, or updates their scores.",
		Complexity: "O(log N) for each member added, N being the number of members of the sorted set",
		History: "2.4.0 Takes several members.\n" +
			"3.0.2 The options `XX`, `NX`, `CH` and `INCR`.\n" +
			"6.2.0 The options `GT` and `LT`."},
	{Name: "zincrby", Arity: 4, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW access update"), Run: cmdZIncrBy, Reply: "text", Since: "1.2.0",
		Syntax: "key increment member", Summary: "Increments the score of a member in a sorted set.",
		Complexity: "O(log N), N being the number of members"},
	{Name: "zrem", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"),
		Run: cmdZRem, Reply: "integer", Since: "1.2.0",
		Syntax: "key member...", Summary: "Removes one or more members from a sorted set.",
		Complexity: "O(M log N), N being the number of members of the sorted set, and M the number of those removed",
		History:    "2.4.0 Takes several members."},
	{Name: "zcard", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdZCard, Reply: "integer", Since: "1.2.0",
		Syntax: "key", Summary: "Returns the number of members in a sorted set.", Complexity: "O(1)"},
	{Name: "zscore", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdZScore, Reply: "text?", Since: "1.2.0",
		Syntax: "key member", Summary: "Returns the score of a member in a sorted set.", Complexity: "O(1)"},
	{Name: "zmscore", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdZMScore, Reply: "texts?", Since: "6.2.0",
		Syntax: "key member...", Summary: "Returns the scores of one or more members in a sorted set.",
		Complexity: "O(N), N being the number of members asked for"},
	{Name: "zrank", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdZRank, Reply: "WITHSCORE: array?; integer?", Since: "2.0.0", Syntax: "key member [WITHSCORE]@(7.2.0)",
		Summary:    "Returns the index of a member in a sorted set ordered by ascending scores.",
		Complexity: "O(log N), N being the number of members", History: "7.2.0 The option `WITHSCORE`."},
	{Name: "zrevrank", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdZRevRank, Reply: "WITHSCORE: array?; integer?", Since: "2.0.0",
		Syntax:     "key member [WITHSCORE]@(7.2.0)",
		Summary:    "Returns the index of a member in a sorted set ordered by descending scores.",
		Complexity: "O(log N), N being the number of members", History: "7.2.0 The option `WITHSCORE`."},
	{Name: "zrandmember", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdZRandMember, Reply: "1: text?; list", Since: "6.2.0",
		Syntax: "key options=[count [WITHSCORES]]", Summary: "Returns one or more random members from a sorted set.",
		Tips: "nondeterministic_output", Complexity: "O(N), N being the number of members returned"},
	{Name: "zscan", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"), Run: cmdZScan,
		Reply: "array", Since: "2.8.0", Syntax: "key cursor [MATCH pattern] [COUNT count] [NOSCORES]@(valkey:8.0.0)",
		Summary: "Iterates over members and scores of a sorted set.", Tips: "nondeterministic_output",
		Complexity: "O(1) for each call, O(N) for a complete iteration, N being the number of elements",
		History:    "valkey:8.0.0 The option `NOSCORES`."},
}, rangeLines(), combineLines(), popLines(), elements.ExpiryLines(Type.Elements, "miniserver:0.1.0"))}

// noSet stands for an absent key. It stays empty.
var noSet zset.Set

// Read returns the sorted set at key for reading, an empty one if the key is absent. ok is false if
// an error was sent.
func Read(c *engine.Call, key []byte) (s *zset.Set, ok bool) {
	s, found := engine.Read[*zset.Set](c, key)
	if !found {
		s = &noSet
	}
	return s, c.OK()
}

// AddOptions are the options of ZADD and GEOADD. ZINCRBY is ZADD with INCR.
type AddOptions struct{ NX, XX, GT, LT, CH, Incr bool }

// ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]
func cmdZAdd(c *engine.Call) {
	key := c.Arg()
	addPairs(c, key, parseAddOptions(c))
}

// ZINCRBY key increment member
func cmdZIncrBy(c *engine.Call) {
	key := c.Arg()
	o := parseAddOptions(c) // Redis takes an increment with the name of an option for that option
	o.Incr = true
	addPairs(c, key, o)
}

// parseAddOptions reads ZADD's options in any order.
func parseAddOptions(c *engine.Call) (o AddOptions) {
	for c.More() {
		switch {
		case c.Word("NX"):
			o.NX = true
		case c.Word("XX"):
			o.XX = true
		case c.Word("GT"):
			o.GT = true
		case c.Word("LT"):
			o.LT = true
		case c.Word("CH"):
			o.CH = true
		case c.Word("INCR"):
			o.Incr = true
		default:
			return o
		}
	}
	return o
}

// addPairs reads score member [score member ...] up to the end, and adds them.
func addPairs(c *engine.Call, key []byte, o AddOptions) {
	pairs := c.Rest()
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		c.Refuse(engine.ErrSyntax)
	case o.NX && o.XX:
		c.Refuse(errZAddNXXX)
	case o.GT && o.NX || o.LT && o.NX || o.GT && o.LT:
		c.Refuse(errZAddGTLTNX)
	case o.Incr && len(pairs) > 2:
		c.Refuse(errZAddIncr)
	}
	var room [8]float64
	scores := parseScores(c, room[:0], pairs)
	Add(c, key, scores, pairs, 2, o)
}

// parseScores appends the scores of pairs to dst. A text that is not a number latches an error.
func parseScores(c *engine.Call, dst []float64, pairs [][]byte) []float64 {
	for i := 0; i+1 < len(pairs) && !c.Failed(); i += 2 {
		score, ok := c.ParseFloat(pairs[i])
		if !ok {
			c.Refuse(engine.ErrNotFloat)
		}
		dst = append(dst, score)
	}
	return dst
}

// Add is ZADD and GEOADD after the scores are parsed. args has stride arguments for each score, and
// the last of them is the member.
func Add(c *engine.Call, key []byte, scores []float64, args [][]byte, stride int, o AddOptions) {
	s, found := upsertOrEdit(c, key, o)
	if !c.OK() {
		return
	}
	converted := found && expect(c, s, args, stride, o)
	var done addResult
	for i := 0; found && i < len(scores) && !done.nan; i++ {
		addScore(c, s, args[stride*(i+1)-1], scores[i], &o, &done)
	}
	if converted && done.added+done.changed == 0 {
		c.DB.Commit(key) // only the encoding changed, so there is no change to report
	}
	if done.nan {
		c.Fail(errScoreNaN)
		return
	}
	replyAdded(c, key, &o, &done)
}

// When the encoding began to depend on the number of members that come together, and on their
// lengths, even if none is added.
var (
	countsTogether = release.From("7.2.0")
	seesLengths    = release.From("valkey:8.1.0")
)

// expect prepares a set for the members in args, and reports whether this changed its encoding.
func expect(c *engine.Call, s *zset.Set, args [][]byte, stride int, o AddOptions) bool {
	lim, n := c.Engine.Config.ZSet, len(args)/stride
	if o.XX && c.Has(seesLengths) && longest(args, stride) > lim.MaxValue {
		n, lim.MaxEntries = max(n, 1), 0 // as if they were too many
	}
	return n > lim.MaxEntries && c.Has(countsTogether) && s.Expect(n, lim, c.World.Dice)
}

// longest returns the length of the longest member: the last of each stride arguments.
func longest(args [][]byte, stride int) (n int) {
	for i := stride - 1; i < len(args); i += stride {
		n = max(n, len(args[i]))
	}
	return n
}

// upsertOrEdit returns the set that ZADD changes. With XX it does not create one, and found is
// false if there is none.
func upsertOrEdit(c *engine.Call, key []byte, o AddOptions) (s *zset.Set, found bool) {
	if o.XX {
		return engine.Edit[*zset.Set](c, key)
	}
	return engine.Upsert[*zset.Set](c, key, keyspace.ZSet)
}

// addResult counts what ZADD changed.
type addResult struct {
	added, changed int64
	score          float64 // of the last member that met the conditions
	met            bool    // a member met the conditions
	nan            bool    // the incremented score is not a number; nothing was changed
}

// addScore sets or increments one score if the conditions allow it.
func addScore(c *engine.Call, s *zset.Set, member []byte, score float64, o *AddOptions, done *addResult) {
	if *o != (AddOptions{CH: o.CH}) { // else no lookup is needed
		old, exists := s.Score(member)
		if exists && o.Incr && !o.NX {
			score += old
		}
		switch {
		case exists && o.NX, !exists && o.XX:
			return
		case math.IsNaN(score):
			done.nan = true
			return
		case exists && (o.GT && score <= old || o.LT && score >= old):
			return
		}
	}
	added, changed := s.Add(member, score, c.Engine.Config.ZSet, c.World.Dice)
	if added {
		done.added++
	}
	if changed {
		done.changed++
	}
	done.met, done.score = true, score
}

// replyAdded reports the changes of ZADD and replies.
func replyAdded(c *engine.Call, key []byte, o *AddOptions, done *addResult) {
	if done.added+done.changed > 0 {
		ev := event.ZSet("zadd")
		if o.Incr {
			ev = event.ZSet("zincr")
		}
		c.Changed(key, ev)
		c.AddChanges(int(done.added+done.changed) - 1)
	}
	switch {
	case o.Incr && !done.met:
		c.Reply.Null()
	case o.Incr:
		c.Reply.Double(done.score)
	case o.CH:
		c.Reply.Int(done.added + done.changed)
	default:
		c.Reply.Int(done.added)
	}
}

// ZREM key member [member ...]
func cmdZRem(c *engine.Call) { elements.Remove(c, event.ZSet("zrem"), (*zset.Set).Remove) }

// ZCARD key
func cmdZCard(c *engine.Call) {
	if s, ok := Read(c, c.Arg()); ok {
		c.Reply.Int(int64(s.Len()))
	}
}

// ZSCORE key member
func cmdZScore(c *engine.Call) {
	key, member := c.Arg(), c.Arg()
	if s, ok := Read(c, key); ok {
		replyScore(c, s, member)
	}
}

// ZMSCORE key member [member ...]
func cmdZMScore(c *engine.Call) {
	key, members := c.Arg(), c.Rest()
	s, ok := Read(c, key)
	if !ok {
		return
	}
	c.Reply.Array(len(members))
	for _, member := range members {
		replyScore(c, s, member)
	}
}

// replyScore replies with the score of a member, or nil.
func replyScore(c *engine.Call, s *zset.Set, member []byte) {
	if score, ok := s.Score(member); ok {
		c.Reply.Double(score)
		return
	}
	c.Reply.Null()
}

// ZRANK key member [WITHSCORE]
func cmdZRank(c *engine.Call) { replyRank(c, false) }

// ZREVRANK key member [WITHSCORE]
func cmdZRevRank(c *engine.Call) { replyRank(c, true) }

func replyRank(c *engine.Call, reverse bool) {
	key, member := c.Arg(), c.Arg()
	if c.Left() > 1 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	withScore := c.Word("WITHSCORE")
	c.End()
	s, ok := Read(c, key)
	if !ok {
		return
	}
	rank, score, ok := s.Rank(member, reverse)
	switch {
	case ok && withScore:
		c.Reply.Array(2)
		c.Reply.Int(int64(rank))
		c.Reply.Double(score)
	case ok:
		c.Reply.Int(int64(rank))
	case withScore:
		c.Reply.NullArray()
	default:
		c.Reply.Null()
	}
}

// ZRANDMEMBER key [count [WITHSCORES]]
func cmdZRandMember(c *engine.Call) {
	key := c.Arg()
	if !c.More() {
		randomMember(c, key)
		return
	}
	count, withScores := elements.ParseDraw(c, "WITHSCORES")
	s, ok := Read(c, key)
	if !ok {
		return
	}
	reply := func(member []byte, score float64) bool {
		replyMember(c, member, score, withScores)
		return !c.Reply.Full()
	}
	elements.OpenPairs(c, elements.DrawLen(count, s.Len()), withScores)
	if count < 0 {
		s.Draw(-count, c.World.Dice, reply)
	} else {
		s.Sample(count, c.World.Dice, reply)
	}
}

// randomMember replies with one member, or nil.
func randomMember(c *engine.Call, key []byte) {
	s, ok := Read(c, key)
	switch {
	case !ok:
	case s.Len() == 0:
		c.Reply.Null()
	default:
		s.Draw(1, c.World.Dice, func(member []byte, _ float64) bool {
			c.Reply.Bulk(member)
			return true
		})
	}
}

// replyMember replies with a member and, if paired, its score, as one of [elements.OpenPairs].
func replyMember(c *engine.Call, member []byte, score float64, paired bool) {
	elements.OpenPair(c, paired)
	c.Reply.Bulk(member)
	if paired {
		c.Reply.Double(score)
	}
}

// ZSCAN key cursor [MATCH pattern] [COUNT count]
func cmdZScan(c *engine.Call) {
	key, cursor := c.Arg(), elements.ParseCursor(c)
	s, ok := Read(c, key)
	if !ok {
		return
	}
	if s.Len() == 0 {
		elements.ReplyEmptyScan(c)
		return
	}
	o, scores := elements.NewScan(), true
	for c.More() {
		switch {
		case c.Word("NOSCORES"):
			scores = false
		case o.ParseOption(c):
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if !c.OK() {
		return
	}
	_, packed := s.Packed()
	at, n := c.Reply.Defer(), 0
	next := s.Scan(cursor, o.Count, func(member []byte, score float64) {
		if !elements.Matches(&o, member) {
			return
		}
		n++
		c.Reply.Bulk(member)
		if scores {
			n++
			replyStored(c, score, packed)
		}
	})
	c.Reply.SetArray(at, n)
	elements.ReplyCursor(c, at, next)
}

// storesIntegers is when a packed set began to store scores as integers.
var storesIntegers = release.From("7.0.0")

// replyStored replies with a score as ZSCAN does: as a string even in RESP3, and as Redis stores
// it. A skiplist has a number, which gets 17 digits. A packed set has a text, or up to 2^62 an
// integer, which gets no exponent.
func replyStored(c *engine.Call, score float64, packed bool) {
	switch {
	case !packed || !c.Has(storesIntegers):
		c.Reply.Bulk(resp.Format17(c.Scratch(), score))
	case math.Abs(score) <= 1<<62 && score == math.Trunc(score):
		c.Reply.Bulk(strconv.AppendInt(c.Scratch(), int64(score), 10))
	default:
		c.Reply.BulkDouble(score)
	}
}
