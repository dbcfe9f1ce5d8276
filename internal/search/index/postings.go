package index

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/miniserver-go/miniserver/internal/search/query"
)

// postings are the documents that have a word or a tag, in the order of their numbers:
//
//	entry    head │ fields │ frequency │ bytes of positions │ positions
//	head     id - id before │ one │ other         the last two are a bit each
//	fields   1 + the number of a field, or 0 │ all fields
//
// All are varints, and a position is the distance from the one before. Most words are once in a
// document, and in its first text field: an entry has fields only if it is other, and one that is
// one has nothing more than its position. Of tags there is only the distance of numbers.
type postings struct {
	full   []block // all but the last, each of blockEntries
	last   block
	fields query.Fields // in which the word is
	count  uint32
	bare   bool // there are only numbers
}

// block is some entries. Its first number is the distance from the last one of the block before.
type block struct {
	last  ID
	count uint32
	data  []byte
}

const blockEntries = 128

// posting is an entry.
type posting struct {
	id        ID
	frequency uint32
	fields    query.Fields
	positions []byte
}

// The bits of an entry's head below the number.
const (
	isOther = 1 << iota
	isOne
	headBits = iota
)

// firstField is the fields of an entry that is not other.
var firstField = query.Only(0)

// add adds an entry, whose number is above all others. It returns how many bytes more the entries
// take.
func (p *postings) add(e *posting) (grown int) {
	if p.last.count == blockEntries {
		grown = p.seal()
	}
	b := &p.last
	grown -= cap(b.data)
	if distance := uint64(e.id - b.last); p.bare {
		b.data = binary.AppendUvarint(b.data, distance)
	} else {
		b.data = e.append(b.data, distance)
	}
	p.fields = p.fields.Or(e.fields)
	b.last = e.id
	b.count++
	p.count++
	return grown + cap(b.data)
}

// seal begins another block. It returns how many bytes more the blocks take.
func (p *postings) seal() int {
	before := p.bytes()
	p.last.data = slices.Clone(p.last.data)
	p.full = append(p.full, p.last)
	p.last = block{last: p.last.last}
	return p.bytes() - before
}

// append appends an entry.
func (e *posting) append(to []byte, distance uint64) []byte {
	one, other := e.frequency == 1 && isVarint(e.positions), e.fields != firstField
	to = binary.AppendUvarint(to, distance<<headBits|flag(one, isOne)|flag(other, isOther))
	if other {
		to = appendFields(to, e.fields)
	}
	if !one {
		to = binary.AppendUvarint(to, uint64(e.frequency))
		to = binary.AppendUvarint(to, uint64(len(e.positions)))
	}
	return append(to, e.positions...)
}

// isVarint reports whether bytes are one varint.
func isVarint(b []byte) bool { return len(b) > 0 && varintLen(b) == len(b) }

// varintLen returns the bytes of the varint at the front, those of all if it does not end.
func varintLen(b []byte) int {
	for i, c := range b {
		if c < 0x80 {
			return i + 1
		}
	}
	return len(b) + 1
}

func appendFields(to []byte, f query.Fields) []byte {
	if n, ok := f.Single(); ok {
		return binary.AppendUvarint(to, uint64(n)+1)
	}
	to = append(to, 0)
	to = binary.AppendUvarint(to, f[0])
	return binary.AppendUvarint(to, f[1])
}

// lastID returns the highest number; 0 if there is none.
func (p *postings) lastID() ID { return p.last.last }

// clean removes the entries whose number is gone, and calls yield for the others.
func (p *postings) clean(s *sweep, yield func(e *posting)) {
	kept := postings{bare: p.bare}
	for r := p.reader(); r.next(); {
		e := r.posting
		if e.id = s.of(e.id); e.id > 0 {
			kept.add(&e)
			yield(&e)
		}
	}
	*p = kept
}

// blocks returns the number of blocks.
func (p *postings) blocks() int {
	if p.count == 0 {
		return 0
	}
	return len(p.full) + 1
}

// bytes returns the memory of the entries.
func (p *postings) bytes() (n int) {
	for i := range p.full {
		n += cap(p.full[i].data)
	}
	return n + cap(p.last.data) + cap(p.full)*blockBytes
}

const blockBytes = 32

// reader is a walk over the entries. It is valid until one is added.
type reader struct {
	posting
	of     *postings
	opened int    // blocks
	left   int    // entries of the last that was opened
	data   []byte // its
	at     int    // in data
}

func (p *postings) reader() reader { return reader{of: p} }

// block returns a block by its number.
func (p *postings) block(at int) *block {
	if at == len(p.full) {
		return &p.last
	}
	return &p.full[at]
}

// open begins a block.
func (r *reader) open(at int) {
	b := r.of.block(at)
	r.opened, r.left, r.data, r.at, r.id = at+1, int(b.count), b.data, 0, 0
	if at > 0 {
		r.id = r.of.full[at-1].last
	}
}

// next goes to the next entry, and reports whether there is one.
func (r *reader) next() bool {
	if r.left == 0 {
		if r.opened > len(r.of.full) {
			return false
		}
		if r.open(r.opened); r.left == 0 {
			return false
		}
	}
	r.left--
	head := r.varint()
	if r.of.bare {
		r.id += ID(head)
		return true
	}
	r.id += ID(head >> headBits)
	if r.fields = firstField; head&isOther != 0 {
		r.readFields()
	}
	n := 0
	if head&isOne != 0 {
		r.frequency, n = 1, varintLen(r.data[r.at:])
	} else {
		r.frequency, n = uint32(r.varint()), int(r.varint())
	}
	r.positions = r.data[r.at : r.at+n : r.at+n]
	r.at += n
	return true
}

// readFields reads fields that are not the first.
func (r *reader) readFields() {
	if n := r.varint(); n > 0 {
		r.fields = query.Only(int(n - 1))
		return
	}
	r.fields[0], r.fields[1] = r.varint(), r.varint()
}

func (r *reader) varint() uint64 {
	if b := r.data[r.at]; b < 0x80 {
		r.at++
		return uint64(b)
	}
	return r.longVarint()
}

func (r *reader) longVarint() uint64 {
	v, n := binary.Uvarint(r.data[r.at:])
	r.at += n
	return v
}

// seek goes to the first entry, at the current one or behind it, whose number is at least id.
func (r *reader) seek(id ID) bool {
	if r.opened > 0 && r.id >= id {
		return true
	}
	if at := max(r.opened-1, 0); r.opened == 0 || r.of.block(at).last < id {
		skipped, _ := slices.BinarySearchFunc(r.of.full[at:], id, func(b block, id ID) int {
			return cmp.Compare(b.last, id)
		})
		if at += skipped; r.of.block(at).last < id {
			return false
		}
		r.open(at)
	}
	for r.next() {
		if r.id >= id {
			return true
		}
	}
	return false
}
