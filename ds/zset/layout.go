package zset

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/skiplist"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/resp"
)

// Layout lists what a sorted set of many members consists of.
type Layout struct {
	Fixed   int // bytes of what holds the two together
	Nodes   skiplist.Layout
	Members dict.Stats // of the table that finds a node by its member
}

// Layout returns what the set consists of; false if it is packed. O(n).
func (s *Set) Layout() (Layout, bool) {
	if s.sorted == nil {
		return Layout{}, false
	}
	return Layout{fixedBytes, s.sorted.list.Layout(), s.sorted.members.Stats()}, true
}

// Tower returns the member of a rank in a set that is not packed, and the spans of its node in the
// skiplist, from level 1 upward. Rank -1 is the head of the list, which has no member. O(log n).
func (s *Set) Tower(rank int) (member []byte, score float64, spans []int) {
	l := &s.sorted.list
	n := l.ByRank(rank)
	if n != 0 {
		member, score = s.sorted.pair(n)
	}
	return member, score, l.Spans(n)
}

var fixedBytes = sizeclass.RoundScanned(int(unsafe.Sizeof(sorted{})))

// ScoreEntry returns score as a packed set stores it. Text is rendered into buf[:0]; 25 bytes of
// capacity suffice.
func ScoreEntry(score float64, buf []byte) ziplist.Entry {
	if n, ok := asInteger(score); ok {
		return ziplist.Entry{Int: n}
	}
	return ziplist.EntryOf(resp.FormatShortest(buf[:0], score))
}

// EntryScore returns the score that a packed set stores as e; NaN if it is none.
func EntryScore(e ziplist.Entry) float64 { return scoreIn(e) }

// DeadlineBytes returns the bytes that the deadlines of members take, part of Bytes. O(1).
func (s *Set) DeadlineBytes() int {
	if s.sorted != nil {
		return s.sorted.deadlines.Bytes()
	}
	return 0
}
