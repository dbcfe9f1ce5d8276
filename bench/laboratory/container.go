package laboratory

import (
	"math"
	"strings"

	"github.com/google/btree"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// container holds the elements of a case.
type container interface {
	insert(e element)
	lookup(e element, i int) bool // i is the element's place
	delete(e element)
	value() keyspace.Value // of its own, so that nothing else is kept with it; nil if it is none of ours
}

// ranker is a container that counts the elements before one.
type ranker interface{ rank(e element) int }

// ranger is a container with an order, in which it walks ten neighbours from place i on.
type ranger interface{ ten(i int) }

// dice returns random numbers below n, for skiplists.
type dice func(n uint64) uint64

const noLimit = math.MaxInt

// newContainer returns an empty container for a case.
func newContainer(c Case, d dice) container {
	entries, value, ints := thresholds(c)
	switch {
	case c.Form == BTree:
		return &tree{members: map[string]float64{}, order: btree.NewG(32, node.before)}
	case c.Form == GoMap:
		return goMap{}
	}
	switch c.Type {
	case "zset":
		return &sorted{limits: zset.Limits{MaxEntries: entries, MaxValue: value}, dice: d}
	case "hash":
		return &fields{limits: hash.Limits{MaxEntries: entries, MaxValue: value, Seed: d(1 << 62)}}
	case "set":
		return &members{limits: set.Limits{MaxInts: ints, MaxEntries: entries, MaxValue: value, Seed: d(1 << 62)}}
	case "list":
		limits := list.Defaults
		if c.Form == Ziplist {
			limits.Node = -5 // 64 KiB, the most there is
		}
		return &queue{limits: limits}
	}
	return nil
}

// thresholds returns the limits that make a case take its form.
func thresholds(c Case) (entries, value, ints int) {
	switch c.Form {
	case Ziplist:
		return noLimit, noLimit, -1
	case Intset:
		return 0, 0, noLimit
	case Table:
		return 0, 0, -1
	}
	if c.Type == "hash" {
		return 512, 64, 512
	}
	return 128, 64, 512
}

type sorted struct {
	set    zset.Set
	limits zset.Limits
	dice   dice
}

func (v *sorted) insert(e element)             { v.set.Add(e.text, e.score, v.limits, v.dice) }
func (v *sorted) lookup(e element, _ int) bool { _, ok := v.set.Score(e.text); return ok }
func (v *sorted) delete(e element)             { v.set.Remove(e.text) }
func (v *sorted) value() keyspace.Value        { c := v.set; return &c }
func (v *sorted) rank(e element) int           { n, _, _ := v.set.Rank(e.text, false); return n }
func (v *sorted) ten(i int) {
	v.set.Range(i, i+9, false, func([]byte, float64) bool { return true })
}

type fields struct {
	hash   hash.Hash
	limits hash.Limits
}

var one = []byte("1")

func (v *fields) insert(e element)             { v.hash.Set(e.text, one, v.limits) }
func (v *fields) lookup(e element, _ int) bool { return v.hash.Has(e.text) }
func (v *fields) delete(e element)             { v.hash.Delete(e.text) }
func (v *fields) value() keyspace.Value        { c := v.hash; return &c }

type members struct {
	set    set.Set
	limits set.Limits
}

func (v *members) insert(e element)             { v.set.Add(e.text, v.limits) }
func (v *members) lookup(e element, _ int) bool { return v.set.Has(e.text) }
func (v *members) delete(e element)             { v.set.Remove(e.text) }
func (v *members) value() keyspace.Value        { c := v.set; return &c }

type queue struct {
	list   list.List
	limits list.Limits
}

func (v *queue) insert(e element)             { v.list.Push(list.Tail, e.text, v.limits) }
func (v *queue) lookup(_ element, i int) bool { _, ok := v.list.Index(i); return ok }
func (v *queue) delete(element)               { v.list.RemoveEnd(list.Head, 1) }
func (v *queue) value() keyspace.Value        { c := v.list; return &c }
func (v *queue) ten(i int)                    { v.list.Range(i, 10, func(ziplist.Entry) {}) }

// tree is a sorted set as one would write it in Go: a b-tree for the order, a map for the members.
// A b-tree does not count, so a rank is a walk.
type tree struct {
	members map[string]float64
	order   *btree.BTreeG[node]
}

type node struct {
	score  float64
	member string
}

func (n node) before(m node) bool {
	return n.score < m.score || n.score == m.score && strings.Compare(n.member, m.member) < 0
}

func (v *tree) insert(e element) {
	member := string(e.text)
	if old, ok := v.members[member]; ok {
		v.order.Delete(node{old, member})
	}
	v.members[member] = e.score
	v.order.ReplaceOrInsert(node{e.score, member})
}

func (v *tree) lookup(e element, _ int) bool { _, ok := v.members[string(e.text)]; return ok }

func (v *tree) delete(e element) {
	v.order.Delete(node{v.members[string(e.text)], string(e.text)})
	delete(v.members, string(e.text))
}

func (v *tree) value() keyspace.Value { return nil }

func (v *tree) rank(e element) (n int) {
	v.order.AscendLessThan(node{e.score, string(e.text)}, func(node) bool { n++; return true })
	return n
}

func (v *tree) ten(i int) {
	v.order.Ascend(func(node) bool { i--; return i > -10 })
}

// goMap is a hash, a set or a keyspace as one would write it in Go.
type goMap map[string]string

func (v goMap) insert(e element)             { v[string(e.text)] = "1" }
func (v goMap) lookup(e element, _ int) bool { _, ok := v[string(e.text)]; return ok }
func (v goMap) delete(e element)             { delete(v, string(e.text)) }
func (v goMap) value() keyspace.Value        { return nil }
