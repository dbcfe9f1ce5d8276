package skiplist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// built returns a list of the given members, each with its position as score, and its nodes.
func built(t testing.TB, seed uint64, members ...string) (*List, []Ref) {
	rng := rand.New(rand.NewPCG(seed, 0))
	l := new(List)
	nodes := make([]Ref, len(members))
	for _, i := range rng.Perm(len(members)) {
		nodes[i] = l.Insert(float64(i), []byte(members[i]), rng.Uint64())
	}
	require.NoError(t, l.Check())
	return l, nodes
}

// numbered returns n members m0 ... m(n-1).
func numbered(n int) []string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprint("m", i)
	}
	return members
}

func keys(l *List) (all []string) {
	for r := l.First(); r != 0; r = l.Next(r) {
		all = append(all, l.Key(r))
	}
	return all
}

func TestZeroListIsEmpty(t *testing.T) {
	var l List
	require.NoError(t, l.Check())
	require.Zero(t, l.Len())
	require.Zero(t, l.Bytes())
	require.Zero(t, l.First())
	require.Zero(t, l.Last())
	require.Zero(t, l.ByRank(0))
	require.Zero(t, l.DeleteRun(0, 5, nil))
	first, _, n := l.ScoreSpan(ScoreRange{Min: math.Inf(-1), Max: math.Inf(1)})
	require.Zero(t, first)
	require.Zero(t, n)
	c := l.Clone()
	require.Zero(t, c.Len())
	require.NoError(t, c.Check())
}

func TestOrder(t *testing.T) {
	var l List
	negZero := math.Copysign(0, -1)
	for _, e := range []struct {
		score  float64
		member string
	}{
		{1, "b"}, {math.Inf(1), "z"}, {1, "a"}, {0, "y"}, {negZero, "x"}, {negZero, "z"}, {-1.5, "q"},
		{math.Inf(-1), "n"}, {1, ""}, {1, "aa"}, {1, "a\x00"}, {1, "\xff"}, {math.MaxFloat64, "m"},
	} {
		l.Insert(e.score, []byte(e.member), 0)
		require.NoError(t, l.Check())
	}
	require.Equal(t, []string{"n", "q", "x", "y", "z", "", "a", "a\x00", "aa", "b", "\xff", "m", "z"}, keys(&l))
}

func TestHeights(t *testing.T) {
	require.Equal(t, 1, heightOf(1))
	require.Equal(t, 1, heightOf(2))
	require.Equal(t, 2, heightOf(4))
	require.Equal(t, 3, heightOf(1<<4))
	require.Equal(t, MaxLevel, heightOf(0))
	require.Equal(t, MaxLevel, heightOf(1<<63))
	rng := rand.New(rand.NewPCG(1, 1))
	var counts [MaxLevel + 1]int
	for range 1 << 16 {
		counts[heightOf(rng.Uint64())]++
	}
	require.InDelta(t, 3<<14, counts[1], 1000)
	require.InDelta(t, 3<<12, counts[2], 500)
	require.InDelta(t, 3<<10, counts[3], 250)
}

// A node keeps its member and its links at every height, and at lengths around the borders of the
// forms of a text.
func TestShapes(t *testing.T) {
	for height := 1; height <= MaxLevel; height++ {
		var l List
		want := []string{}
		for _, size := range []int{0, 1, 13, 14, 15, 64, 254, 255, 256, 1900, 2048, 5000} {
			member := strings.Repeat("x", size)
			n := l.Insert(float64(size), []byte(member), 1<<(2*(height-1)))
			require.Equal(t, height, int(l.at(n).height))
			want = append(want, member)
		}
		runtime.GC()
		require.NoError(t, l.Check())
		require.Equal(t, want, keys(&l))
		for i, n := 0, l.First(); n != 0; i, n = i+1, l.Next(n) {
			require.Equal(t, want[i], string(l.Member(n)))
			require.Equal(t, i, l.Rank(n))
			require.Equal(t, n, l.ByRank(i))
		}
		require.Equal(t, len(want), l.heights()[height-1])
		for l.First() != 0 {
			l.Delete(l.First())
			require.NoError(t, l.Check())
		}
		require.EqualValues(t, 1, l.level)
	}
}

func TestRankAndByRank(t *testing.T) {
	l, nodes := built(t, 3, numbered(1000)...)
	for i, n := range nodes {
		require.Equal(t, i, l.Rank(n))
		require.Equal(t, n, l.ByRank(i))
	}
	require.Zero(t, l.ByRank(-1))
	require.Zero(t, l.ByRank(1000))
}

func TestIterationBothWays(t *testing.T) {
	l, nodes := built(t, 4, numbered(50)...)
	i := 0
	for n := l.First(); n != 0; n = l.Next(n) {
		require.Equal(t, nodes[i], n)
		i++
	}
	require.Equal(t, 50, i)
	for n := l.Last(); n != l.head; n = *l.at(n).back() {
		i--
		require.Equal(t, nodes[i], n)
	}
	require.Zero(t, i)
}

func TestUpdateScoreKeepsTheNode(t *testing.T) {
	l, nodes := built(t, 5, numbered(100)...)
	bytes := l.Bytes()
	for _, move := range []struct {
		node  int
		score float64
		rank  int
	}{
		{10, 10.5, 10}, {10, 10, 10}, {0, -7, 0}, {99, 1000, 99}, {10, 50.5, 50}, {50, -8, 0}, {0, 2000, 99},
		{99, math.Inf(-1), 0},
	} {
		n := nodes[move.node]
		l.UpdateScore(n, move.score)
		require.NoError(t, l.Check())
		require.Equal(t, move.score, l.Score(n))
		require.Equal(t, move.rank, l.Rank(n))
		require.Equal(t, n, l.ByRank(move.rank))
	}
	require.Equal(t, 100, l.Len())
	require.Equal(t, bytes, l.Bytes())
}

func TestUpdateScoreAmongEquals(t *testing.T) {
	var l List
	a := l.Insert(1, []byte("a"), 1)
	b := l.Insert(2, []byte("b"), 4)
	l.UpdateScore(a, 2)
	require.Equal(t, []string{"a", "b"}, keys(&l))
	l.UpdateScore(b, 1)
	require.Equal(t, []string{"b", "a"}, keys(&l))
	l.UpdateScore(a, 1)
	require.Equal(t, []string{"a", "b"}, keys(&l))
	require.NoError(t, l.Check())
}

func TestDeleteRun(t *testing.T) {
	for _, c := range []struct{ first, n, gone int }{
		{0, 1, 1}, {0, 100, 100}, {0, 1000, 100}, {50, 10, 10}, {95, 10, 5}, {99, 1, 1}, {30, 0, 0}, {30, -1, 0},
	} {
		l, nodes := built(t, 6, numbered(100)...)
		var given []Ref
		require.Equal(t, c.gone, l.DeleteRun(nodes[c.first], c.n, func(n Ref) { given = append(given, n) }))
		require.NoError(t, l.Check())
		require.Equal(t, 100-c.gone, l.Len())
		require.Equal(t, append([]Ref(nil), nodes[c.first:c.first+c.gone]...), given)
	}
}

func TestSpans(t *testing.T) {
	inf := math.Inf(1)
	l, nodes := built(t, 7, numbered(10)...)
	for _, c := range []struct {
		r       ScoreRange
		rank, n int
	}{
		{ScoreRange{Min: -inf, Max: inf}, 0, 10},
		{ScoreRange{Min: 0, Max: 9}, 0, 10},
		{ScoreRange{Min: 0, Max: 9, MinEx: true, MaxEx: true}, 1, 8},
		{ScoreRange{Min: 2.5, Max: 4}, 3, 2},
		{ScoreRange{Min: 4, Max: 4}, 4, 1},
		{ScoreRange{Min: 4, Max: 4, MaxEx: true}, 0, 0},
		{ScoreRange{Min: 4.1, Max: 4.9}, 0, 0},
		{ScoreRange{Min: 5, Max: 4}, 0, 0},
		{ScoreRange{Min: 9, Max: inf, MinEx: true}, 0, 0},
		{ScoreRange{Min: -inf, Max: 0, MaxEx: true}, 0, 0},
		{ScoreRange{Min: inf, Max: inf}, 0, 0},
	} {
		first, rank, n := l.ScoreSpan(c.r)
		require.Equal(t, c.n, n, "%+v", c.r)
		if n > 0 {
			require.Equal(t, nodes[c.rank], first)
			require.Equal(t, c.rank, rank)
		} else {
			require.Zero(t, first)
		}
	}
}

func TestLexSpans(t *testing.T) {
	var l List
	for i, m := range []string{"b", "d", "f", "h"} {
		l.Insert(1, []byte(m), 1<<i)
	}
	at := func(m string) LexBound { return LexBound{Member: []byte(m)} }
	ex := func(m string) LexBound { return LexBound{Member: []byte(m), Ex: true} }
	low, high := LexBound{Inf: -1}, LexBound{Inf: 1}
	for _, c := range []struct {
		min, max LexBound
		first    string
		n        int
	}{
		{low, high, "b", 4}, {low, at("d"), "b", 2}, {low, ex("d"), "b", 1}, {at("d"), high, "d", 3},
		{ex("d"), high, "f", 2},
		{at("c"), at("g"), "d", 2}, {at("d"), at("d"), "d", 1}, {at("d"), ex("d"), "", 0}, {at("e"), at("e"), "", 0},
		{at("z"), high, "", 0}, {low, at("a"), "", 0}, {high, low, "", 0}, {high, high, "", 0}, {low, low, "", 0},
		{at("f"), at("b"), "", 0}, {high, at("z"), "", 0}, {at("a"), low, "", 0}, {at(""), at("zz"), "b", 4},
	} {
		first, _, n := l.LexSpan(LexRange{Min: c.min, Max: c.max})
		require.Equal(t, c.n, n, "%+v %+v", c.min, c.max)
		if n > 0 {
			require.Equal(t, c.first, l.Key(first))
		}
	}
}

func TestCloneIsEqualAndApart(t *testing.T) {
	for _, n := range []int{0, 1, 10, 3000} {
		l, _ := built(t, 8, numbered(n)...)
		c := l.Clone()
		require.NoError(t, c.Check())
		require.Equal(t, keys(l), keys(&c))
		require.Equal(t, l.heights(), c.heights())
		require.LessOrEqual(t, c.Bytes(), l.Bytes())
		c.DeleteRun(c.First(), n, nil)
		require.NoError(t, l.Check())
		require.Equal(t, n, l.Len())
	}
}

func TestCheckSeesDamage(t *testing.T) {
	damage := map[string]func(l *List){
		"order": func(l *List) { l.at(l.ByRank(20)).score = 1000 },
		"span":  func(l *List) { l.at(l.head).link(bottom-1).span++ },
		"back":  func(l *List) { *l.at(l.ByRank(5)).back() = l.ByRank(7) },
		"tail":  func(l *List) { l.tail = *l.at(l.tail).back() },
		"count": func(l *List) { l.n++ },
		"cells": func(l *List) { l.nodes.Alloc(20) },
		"level": func(l *List) { l.level++ },
		"link": func(l *List) {
			l.at(l.head).link(bottom - 1).next = l.at(l.at(l.head).link(bottom - 1).next).link(bottom - 1).next
		},
	}
	for name, hurt := range damage {
		t.Run(name, func(t *testing.T) {
			l, _ := built(t, 9, numbered(100)...)
			hurt(l)
			require.Error(t, l.Check())
		})
	}
}
