package zsets

import (
	"slices"
	"strings"
	"unsafe"
)

// pairs is the result of a combination of sorted sets: members with their scores. The texts of
// members lie in blocks. The engine has one pairs, see [engine.PerEngine], which all combinations
// reuse: they never overlap.
type pairs struct {
	list    []scoredText
	text    []byte // the block that is being filled
	longest int    // bytes of a member
}

type scoredText struct {
	member string // in a block
	score  float64
}

// The most memory kept for the next combination: pairs, and bytes of their texts.
const (
	maxKeptPairs = 1 << 10
	maxKeptText  = 1 << 14
)

// reset empties the pairs.
func (p *pairs) reset() {
	if clear(p.list); cap(p.list) > maxKeptPairs {
		p.list = nil
	}
	if cap(p.text) > maxKeptText {
		p.text = nil
	}
	p.list, p.text, p.longest = p.list[:0], p.text[:0], 0
}

// add adds a copy of a member with its score, and returns the copy. A full block is never moved,
// since members point into it; a new one follows.
func (p *pairs) add(member []byte, score float64) string {
	if len(p.text)+len(member) > cap(p.text) {
		p.text = make([]byte, 0, max(2*cap(p.text), len(member), 512))
	}
	from := len(p.text)
	p.text = append(p.text, member...)
	text := unsafe.String(unsafe.SliceData(p.text[from:]), len(member))
	p.list = append(p.list, scoredText{text, score})
	p.longest = max(p.longest, len(member))
	return text
}

// member returns the member of pair i, to be read only.
func (p *pairs) member(i int) []byte {
	return unsafe.Slice(unsafe.StringData(p.list[i].member), len(p.list[i].member))
}

// sort puts the pairs in the order of sorted sets: by score, then by member.
func (p *pairs) sort() {
	slices.SortFunc(p.list, func(a, b scoredText) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return strings.Compare(a.member, b.member)
	})
}
