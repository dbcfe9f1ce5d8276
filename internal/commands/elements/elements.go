// Package elements holds what several families of data commands share.
//
//	deadlines.go  deadlines of keys: EX, PX, EXAT, PXAT and KEEPTTL of SET; NX, XX, GT and LT of
//	              EXPIRE
//	expiry.go     deadlines of elements: HEXPIRE, HTTL, HPERSIST and the rest of the nine
//	explain.go    ziplists and tables in MEMORY EXPLAIN
//	dump.go       canonical text of elements
//	scan.go       cursors and options of SCAN, HSCAN, SSCAN and ZSCAN
//	elements.go   pairs in replies, counts of random elements, arguments of LMPOP and ZMPOP
//
// Redis has deadlines for fields of hashes only. Here the same nine commands, with another first
// letter, exist for members of sets and sorted sets and for elements of lists; [*engine.Elements]
// is what differs.
//
// A command's effect is propagated, not its text: a deadline is absolute in the journal, and an
// element that a command removed is removed by name.
package elements

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// OpenPairs opens a reply of n elements, each with its value or score if paired. RESP3 gets an
// array of arrays, each opened by OpenPair; RESP2 gets one flat array.
func OpenPairs(c *engine.Call, n int, paired bool) { c.Reply.Array(pairsLen(c, n, paired)) }

// SetPairs is OpenPairs for a reply deferred at a position, after its n elements are written.
func SetPairs(c *engine.Call, at, n int, paired bool) {
	c.Reply.SetArray(at, pairsLen(c, n, paired))
}

func pairsLen(c *engine.Call, n int, paired bool) int {
	if paired && c.Reply.Proto() == 2 {
		n *= 2
	}
	return n
}

// OpenPair opens one pair of OpenPairs or SetPairs.
func OpenPair(c *engine.Call, paired bool) {
	if paired && c.Reply.Proto() == 3 {
		c.Reply.Array(2)
	}
}

// ParseDraw reads [count [word]] of HRANDFIELD and ZRANDMEMBER, whose word asks for pairs. A
// negative count may draw the same element more than once.
func ParseDraw(c *engine.Call, word string) (count int, paired bool) {
	count = ParseDrawCount(c)
	paired = c.Word(word)
	c.End()
	if paired && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		c.Refuse(errOutOfRange)
	}
	return count, paired
}

// ParseDrawCount reads the count of ParseDraw and SRANDMEMBER.
func ParseDrawCount(c *engine.Call) int {
	n := c.Int()
	if n == math.MinInt64 {
		c.Refusef(engine.ErrRange, -math.MaxInt64, math.MaxInt64)
	}
	return int(n)
}

// DrawLen returns how many elements a count draws from size elements.
func DrawLen(count, size int) int {
	switch {
	case size == 0:
		return 0
	case count < 0:
		return -count
	}
	return min(count, size)
}

// ParseMultiPop reads numkeys key [key ...] <first | second> [COUNT count] of LMPOP and ZMPOP.
// isSecond reports which of the two words was given.
func ParseMultiPop(c *engine.Call, first, second string) (keys [][]byte, isSecond bool, count int) {
	n := c.IntIn(1, math.MaxInt64, engine.ErrNumKeys)
	if n >= int64(c.Left()) {
		c.Refuse(engine.ErrSyntax)
	}
	if c.Failed() {
		return nil, false, 0
	}
	keys = c.Next(int(n))
	if isSecond = c.Word(second); !isSecond && !c.Word(first) {
		c.Refuse(engine.ErrSyntax)
	}
	for c.More() {
		if count != 0 || c.Left() < 2 || !c.Word("COUNT") {
			c.Refuse(engine.ErrSyntax)
			break
		}
		count = int(c.IntIn(1, math.MaxInt64, ErrPopCount))
	}
	return keys, isSecond, max(count, 1)
}

// Remove is HDEL, SREM or ZREM: it removes the named elements of the collection at a key and
// replies with the number of those that were there. remove reports whether it removed an element.
func Remove[T keyspace.Value](c *engine.Call, ev event.Event, remove func(v T, name []byte) bool) {
	key, names := c.Arg(), c.Rest()
	v, found := engine.Edit[T](c, key)
	if !c.OK() {
		return
	}
	removed, gone := int64(0), [][]byte(nil)
	for i := 0; found && i < len(names); i++ {
		if remove(v, names[i]) {
			if removed++; c.TellsFields() {
				gone = append(gone, names[i])
			}
		}
	}
	if removed > 0 {
		c.Changed(key, ev, gone...)
		c.AddChanges(int(removed) - 1)
	}
	c.Reply.Int(removed)
}
