package zsets

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// combineLines are the lines of the commands that combine sorted sets.
func combineLines() []command.Line {
	return []command.Line{
		{Name: "zunionstore", Arity: -4, Flags: command.Write | command.DenyOOM,
			Keys: command.Key(1, "OW update").And(command.NumKeys(2, "RO access")),
			Run:  cmdZUnionStore, Reply: "integer", Since: "2.0.0",
			Syntax: "destination numkeys key... " +
				"[WEIGHTS weight...] [AGGREGATE aggregate=<SUM|MIN|MAX|COUNT@8.8.0>]",
			Summary: "Stores the union of multiple sorted sets in a key.",
			Complexity: "O(N + M log M), N being the number of members of all sorted sets, " +
				"and M the number of members of the result"},
		{Name: "zinterstore", Arity: -4, Flags: command.Write | command.DenyOOM,
			Keys: command.Key(1, "OW update").And(command.NumKeys(2, "RO access")),
			Run:  cmdZInterStore, Reply: "integer", Since: "2.0.0",
			Syntax: "destination numkeys key... " +
				"[WEIGHTS weight...] [AGGREGATE aggregate=<SUM|MIN|MAX|COUNT@8.8.0>]",
			Summary: "Stores the intersect of multiple sorted sets in a key.",
			Complexity: "O(N * K + M log M), N being the size of the smallest sorted set, " +
				"K the number of sorted sets, and M the number of members of the result"},
		{Name: "zdiffstore", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "OW update").
			And(command.NumKeys(2, "RO access")), Run: cmdZDiffStore, Reply: "integer", Since: "6.2.0",
			Syntax: "destination numkeys key...", Summary: "Stores the difference of multiple sorted sets in a key.",
			Complexity: "O(N log N), N being the number of members of all sorted sets"},
		{Name: "zunion", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
			Run: cmdZUnion, Reply: "list", Since: "6.2.0",
			Syntax: "numkeys key... " +
				"[WEIGHTS weight...] [AGGREGATE aggregate=<SUM|MIN|MAX|COUNT@8.8.0>] [WITHSCORES]",
			Summary: "Returns the union of multiple sorted sets.",
			Complexity: "O(N + M log M), N being the number of members of all sorted sets, " +
				"and M the number of members of the result"},
		{Name: "zinter", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
			Run: cmdZInter, Reply: "list", Since: "6.2.0",
			Syntax: "numkeys key... " +
				"[WEIGHTS weight...] [AGGREGATE aggregate=<SUM|MIN|MAX|COUNT@8.8.0>] [WITHSCORES]",
			Summary: "Returns the intersect of multiple sorted sets.",
			Complexity: "O(N * K + M log M), N being the size of the smallest sorted set, " +
				"K the number of sorted sets, and M the number of members of the result"},
		{Name: "zdiff", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
			Run: cmdZDiff, Reply: "list", Since: "6.2.0",
			Syntax: "numkeys key... [WITHSCORES]", Summary: "Returns the difference between multiple sorted sets.",
			Complexity: "O(N log N), N being the number of members of all sorted sets"},
		{Name: "zintercard", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
			Run: cmdZInterCard, Reply: "integer", Since: "7.0.0", Syntax: "numkeys key... [LIMIT limit]",
			Summary:    "Returns the number of members of the intersect of multiple sorted sets.",
			Complexity: "O(N * K), N being the size of the smallest sorted set, and K the number of sorted sets"},
	}
}

// Unions, intersections and differences of sorted sets and sets.

// operand is a sorted set, or a set as one.
type operand interface {
	Len() int
	Score(member []byte) (score float64, ok bool)
	Each(fn func(member []byte, score float64) bool)
}

// unscored is a set as an operand: each member has the score 1.
type unscored struct{ members *set.Set }

func (s unscored) Len() int { return s.members.Len() }

func (s unscored) Score(member []byte) (score float64, ok bool) { return 1, s.members.Has(member) }

func (s unscored) Each(fn func(member []byte, score float64) bool) {
	var digits [20]byte
	s.members.Each(func(member ziplist.Entry) bool { return fn(member.Text(digits[:]), 1) })
}

// present is an operand as AGGREGATE COUNT sees it: each member has the score 1.
type present struct{ operand }

func (p present) Score(member []byte) (score float64, ok bool) {
	_, ok = p.operand.Score(member)
	return 1, ok
}

func (p present) Each(fn func(member []byte, score float64) bool) {
	p.operand.Each(func(member []byte, _ float64) bool { return fn(member, 1) })
}

// readOperand returns the value of key as an operand, an empty one if the key is absent. A value of
// another type latches an error.
func readOperand(c *engine.Call, key []byte) operand {
	v, found := engine.Read[keyspace.Value](c, key)
	if !found {
		return &noSet
	}
	switch v := v.(type) {
	case *zset.Set:
		return v
	case *set.Set:
		return unscored{v}
	}
	c.Refuse(engine.ErrWrongType)
	return &noSet
}

// input is an operand with its weight.
type input struct {
	operand
	weight float64
}

// combination is an operation and its operands.
type combination struct {
	operation
	inputs     []input
	aggregate  func(a, b float64) float64
	presence   bool // scores do not count
	withScores bool
	limit      int64 // of ZINTERCARD's count; 0 for none
}

type operation uint8

const (
	union operation = iota
	inter
	diff
)

// purpose says what becomes of a combination, and so which options may follow the keys.
type purpose uint8

const (
	stored  purpose = iota // WEIGHTS and AGGREGATE
	replied                // these and WITHSCORES
	counted                // LIMIT
)

// ZUNIONSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]]
// [AGGREGATE <SUM | MIN | MAX | COUNT>]
func cmdZUnionStore(c *engine.Call) { storeCombined(c, union, event.ZSet("zunionstore")) }

// ZINTERSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]]
// [AGGREGATE <SUM | MIN | MAX | COUNT>]
func cmdZInterStore(c *engine.Call) { storeCombined(c, inter, event.ZSet("zinterstore")) }

// ZDIFFSTORE destination numkeys key [key ...]
func cmdZDiffStore(c *engine.Call) { storeCombined(c, diff, event.ZSet("zdiffstore")) }

// ZUNION numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX | COUNT>]
// [WITHSCORES]
func cmdZUnion(c *engine.Call) { replyCombined(c, union) }

// ZINTER numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX | COUNT>]
// [WITHSCORES]
func cmdZInter(c *engine.Call) { replyCombined(c, inter) }

// ZDIFF numkeys key [key ...] [WITHSCORES]
func cmdZDiff(c *engine.Call) { replyCombined(c, diff) }

// ZINTERCARD numkeys key [key ...] [LIMIT limit]
func cmdZInterCard(c *engine.Call) {
	q := parseCombination(c, inter, counted)
	if !c.OK() {
		return
	}
	n := int64(0)
	q.intersect(func([]byte, float64) bool {
		n++
		return n != q.limit
	})
	c.Reply.Int(n)
}

func storeCombined(c *engine.Call, op operation, ev event.Event) {
	dst := c.Arg()
	q := parseCombination(c, op, stored)
	if c.OK() {
		c.Store(dst, setOf(c, combine(c, q)), ev)
	}
}

func replyCombined(c *engine.Call, op operation) {
	q := parseCombination(c, op, replied)
	if !c.OK() {
		return
	}
	p := combine(c, q)
	elements.OpenPairs(c, len(p.list), q.withScores)
	for i := range p.list {
		replyMember(c, p.member(i), p.list[i].score, q.withScores)
	}
	c.World.CountTemporary(len(p.list))
}

// parseCombination reads numkeys key [key ...] and the options after them.
func parseCombination(c *engine.Call, op operation, p purpose) *combination {
	q := &combination{operation: op, aggregate: add}
	n := c.Int()
	if n < 1 {
		c.Refusef(errNoInput, c.Cmd.FullName())
	}
	if n > int64(c.Left()) {
		c.Refuse(engine.ErrSyntax)
		return q
	}
	for range n {
		if c.More() {
			q.inputs = append(q.inputs, input{readOperand(c, c.Arg()), 1})
		}
	}
	for c.More() {
		if !parseCombinationOption(c, q, p) {
			c.Refuse(engine.ErrSyntax)
		}
	}
	for i := range q.inputs {
		if q.presence {
			q.inputs[i].operand = present{q.inputs[i].operand}
		}
	}
	if op != diff { // smallest first, as in Redis: a sum's last bits depend on the order
		slices.SortStableFunc(q.inputs, func(a, b input) int { return a.Len() - b.Len() })
	}
	return q
}

// parseCombinationOption reads one option and reports whether it found one.
func parseCombinationOption(c *engine.Call, q *combination, p purpose) bool {
	weighing := q.operation != diff && p != counted
	switch {
	case weighing && c.Left() > len(q.inputs) && c.Word("WEIGHTS"):
		for i := range q.inputs {
			q.inputs[i].weight = c.FloatOr(errWeight)
		}
	case weighing && c.Left() > 1 && c.Word("AGGREGATE"):
		q.aggregate, q.presence = parseAggregate(c)
	case p == replied && c.Word("WITHSCORES"):
		q.withScores = true
	case p == counted && c.Left() > 1 && c.Word("LIMIT"):
		q.limit = c.IntIn(0, math.MaxInt64, engine.ErrNegativeLimit)
	default:
		return false
	}
	return true
}

// parseAggregate reads SUM, MIN, MAX or COUNT, and returns the function that combines the scores of
// a member. With COUNT each input has the member with the score 1.
func parseAggregate(c *engine.Call) (aggregate func(a, b float64) float64, presence bool) {
	switch {
	case c.Word("SUM"):
		return add, false
	case c.Word("MIN"):
		return lower, false
	case c.Word("MAX"):
		return higher, false
	case c.Word("COUNT"):
		return add, true
	}
	c.Refuse(engine.ErrSyntax)
	return nil, false
}

// add adds two scores. The sum of inf and -inf is 0.
func add(a, b float64) float64 { return orZero(a + b) }

func lower(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func higher(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// orZero returns f, or 0 if it is not a number.
func orZero(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// combine returns the members of the result in order. They are valid until the next combination.
func combine(c *engine.Call, q *combination) *pairs {
	p := engine.PerEngine[pairs](c.Engine)
	p.reset()
	addPair := func(member []byte, score float64) bool {
		p.add(member, score)
		return true
	}
	switch q.operation {
	case union:
		q.unite(p)
	case inter:
		q.intersect(addPair)
	default:
		q.subtract(addPair)
	}
	p.sort()
	return p
}

// unite adds the members of all inputs to p, and aggregates the scores of a member of several.
func (q *combination) unite(p *pairs) {
	most := 0
	for _, in := range q.inputs {
		most += in.Len()
	}
	places := make(map[string]int, most)
	for _, in := range q.inputs {
		in.Each(func(member []byte, score float64) bool {
			score = orZero(score * in.weight)
			if at, ok := places[string(member)]; ok {
				p.list[at].score = q.aggregate(p.list[at].score, score)
			} else {
				places[p.add(member, score)] = len(p.list) - 1
			}
			return true
		})
	}
}

// intersect calls fn for the members that all inputs have, until fn returns false.
func (q *combination) intersect(fn func(member []byte, score float64) bool) {
	first := q.inputs[0]
	first.Each(func(member []byte, score float64) bool {
		total := orZero(score * first.weight)
		for _, in := range q.inputs[1:] {
			other, ok := score, true
			if in.operand != first.operand { // a set must not be searched while it is walked
				other, ok = in.Score(member)
			}
			if !ok {
				return true
			}
			total = q.aggregate(total, other*in.weight)
		}
		return fn(member, total)
	})
}

// subtract calls fn for the members of the first input that no other input has, until fn returns
// false.
func (q *combination) subtract(fn func(member []byte, score float64) bool) {
	first := q.inputs[0]
	for _, in := range q.inputs[1:] {
		if in.operand == first.operand {
			return
		}
	}
	first.Each(func(member []byte, score float64) bool {
		for _, in := range q.inputs[1:] {
			if _, ok := in.Score(member); ok {
				return true
			}
		}
		return fn(member, score)
	})
}

// setOf returns the pairs as a sorted set. It gets the encoding of the final size at once.
func setOf(c *engine.Call, p *pairs) *zset.Set {
	lim := c.Engine.Config.ZSet
	if len(p.list) > lim.MaxEntries || p.longest > lim.MaxValue {
		lim = zset.Limits{} // not packed
	}
	s := &zset.Set{}
	s.Expect(len(p.list), lim, c.World.Dice)
	for i := range p.list {
		s.Append(p.member(i), p.list[i].score, lim, c.World.Dice)
	}
	return s
}
