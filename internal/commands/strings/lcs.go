package strings

import (
	"math"
	"math/bits"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// lcsOptions are the options of LCS.
type lcsOptions struct {
	length, index, matchLen bool
	least                   int64 // length of the shortest match that IDX shows
}

// LCS key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]
func cmdLCS(c *engine.Call) {
	var bufA, bufB [20]byte
	texts := [][]byte{lcsText(c, c.Arg(), bufA[:]), lcsText(c, c.Arg(), bufB[:])}
	var o lcsOptions
	for c.More() {
		o.parse(c)
	}
	if o.length && o.index {
		c.Refuse(errLCSBoth)
	}
	replyLCS(c, texts, o)
}

// replyLCS replies with the longest common subsequence of two texts, unless an error was found.
func replyLCS(c *engine.Call, texts [][]byte, o lcsOptions) {
	if !c.OK() {
		return
	}
	a, b := texts[0], texts[1]
	if cells := int64(len(a)+1) * int64(len(b)+1); cells*4 > c.Engine.Config.ProtoMaxBulk {
		c.Fail(errLCSMemory)
		return
	}
	switch {
	case o.index:
		replyMatches(c, newLCSTable(a, b), o)
	case o.length:
		c.Reply.Int(lcsLength(a, b))
	default:
		c.Reply.Bulk(newLCSTable(a, b).common())
	}
}

// lcsText returns the text of the string at key, nil for an absent key.
func lcsText(c *engine.Call, key, buf []byte) []byte {
	v, ok := engine.Read[keyspace.Value](c, key)
	if !ok {
		return nil
	}
	s, ok := v.(*str.Value)
	if !ok {
		c.Refuse(errLCSTypes)
		return nil
	}
	return s.Text(buf)
}

// parse parses the next option.
func (o *lcsOptions) parse(c *engine.Call) {
	switch {
	case c.Word("LEN"):
		o.length = true
	case c.Word("IDX"):
		o.index = true
	case c.Word("WITHMATCHLEN"):
		o.matchLen = true
	case c.Left() > 1 && c.Word("MINMATCHLEN"):
		o.least = c.Int()
	default:
		c.Refuse(engine.ErrSyntax)
	}
}

// replyMatches replies with the ranges of which the longest common subsequence consists, last one
// first, and with its length.
func replyMatches(c *engine.Call, t *lcsTable, o lcsOptions) {
	parts := 2
	if o.matchLen {
		parts = 3
	}
	c.Reply.Map(2)
	c.Reply.BulkString("matches")
	at, shown := c.Reply.Defer(), 0
	t.matches(func(i, j, n int) {
		if int64(n) < o.least {
			return
		}
		shown++
		c.Reply.Array(parts)
		for _, start := range [...]int{i, j} {
			c.Reply.Array(2)
			c.Reply.Int(int64(start))
			c.Reply.Int(int64(start + n - 1))
		}
		if o.matchLen {
			c.Reply.Int(int64(n))
		}
	})
	c.Reply.SetArray(at, shown)
	c.Reply.BulkString("len")
	c.Reply.Int(t.length())
}

// lcsTable holds, for each pair of prefixes of a and b, the length of their longest common
// subsequence.
type lcsTable struct {
	a, b []byte
	rows []uint32 // len(a)+1 rows of len(b)+1
}

// newLCSTable fills the table for a and b. O(len(a) * len(b)) in time and memory.
func newLCSTable(a, b []byte) *lcsTable {
	width := len(b) + 1
	t := &lcsTable{a, b, make([]uint32, (len(a)+1)*width)}
	for i, ch := range a {
		fillLCSRow(t.rows[i*width:(i+1)*width], t.rows[(i+1)*width:(i+2)*width], ch, b)
	}
	return t
}

// lcsLength returns the length of the longest common subsequence in O(len(a) * len(b) / 64), by the
// method of Hyyro, "Bit-parallel LCS-length computation revisited" (2004). A row of the table rises
// by 0 or 1 from column to column. The row here has a bit for each column, set where it does not
// rise, and follows from the row above by one addition for 64 columns.
func lcsLength(a, b []byte) int64 {
	if len(b) > len(a) {
		a, b = b, a // the shorter one has the masks
	}
	words := (len(b) + 63) / 64
	room := make([]uint64, 257*words)
	row, places := room[:words], room[words:] // places: for each byte value, where b has it
	for j, ch := range b {
		places[int(ch)*words+j/64] |= 1 << (j % 64)
	}
	for i := range row {
		row[i] = math.MaxUint64
	}
	for _, ch := range a {
		carry := uint64(0)
		for i, at := range places[int(ch)*words:][:words] {
			var sum uint64
			sum, carry = bits.Add64(row[i], row[i]&at, carry)
			row[i] = sum | row[i]&^at
		}
	}
	n := 0
	for j := range b {
		n += int(^row[j/64] >> (j % 64) & 1)
	}
	return int64(n)
}

// fillLCSRow fills the row of ch from the one above it.
func fillLCSRow(above, row []uint32, ch byte, b []byte) {
	for j, other := range b {
		if ch == other {
			row[j+1] = above[j] + 1
		} else {
			row[j+1] = max(above[j+1], row[j])
		}
	}
}

func (t *lcsTable) at(i, j int) uint32 { return t.rows[i*(len(t.b)+1)+j] }

func (t *lcsTable) length() int64 { return int64(t.rows[len(t.rows)-1]) }

// matches calls fn for each run of n bytes common to a at i and b at j, from the last run to the
// first. Of several longest subsequences it finds the one that Redis finds.
func (t *lcsTable) matches(fn func(i, j, n int)) {
	for i, j := len(t.a), len(t.b); i > 0 && j > 0; {
		n := 0
		for i > 0 && j > 0 && t.a[i-1] == t.b[j-1] {
			i, j, n = i-1, j-1, n+1
		}
		switch {
		case n > 0:
			fn(i, j, n)
		case t.at(i-1, j) > t.at(i, j-1):
			i--
		default:
			j--
		}
	}
}

// common returns the longest common subsequence.
func (t *lcsTable) common() []byte {
	out := make([]byte, t.length())
	end := len(out)
	t.matches(func(i, _, n int) {
		copy(out[end-n:], t.a[i:i+n])
		end -= n
	})
	return out
}
