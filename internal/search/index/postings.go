package index

import (
	"encoding/binary"
	"slices"

	"github.com/miniserver-go/miniserver/internal/search/query"
)

// postings are the documents that have a word or a tag, in the order of their numbers:
//
//	block   first, last │ entry entry ...         up to blockEntries of them
//	entry   id - id before │ frequency │ fields │ bytes of positions │ positions
//
// All are varints, and a position is the distance from the one before. Of tags there is only the
// number.
type postings struct {
	blocks []block
	count  int
	fields query.Fields // in which the word is
	bare   bool         // there are only numbers
}

type block struct {
	first, last ID
	count       int
	data        []byte
}

const blockEntries = 128

// posting is an entry.
type posting struct {
	id        ID
	frequency uint32
	fields    query.Fields
	positions []byte
}

// add adds an entry, whose number is above all others. It returns how many bytes more the entries
// take.
func (p *postings) add(e *posting) (grown int) {
	n, before := len(p.blocks), cap(p.blocks)
	if n == 0 || p.blocks[n-1].count == blockEntries {
		p.blocks = append(p.blocks, block{first: e.id, last: e.id})
		n++
	}
	b := &p.blocks[n-1]
	grown = (cap(p.blocks)-before)*blockBytes - cap(b.data)
	b.data = binary.AppendUvarint(b.data, uint64(e.id-b.last))
	if !p.bare {
		b.data = binary.AppendUvarint(b.data, uint64(e.frequency))
		b.data = binary.AppendUvarint(b.data, e.fields[0])
		b.data = binary.AppendUvarint(b.data, e.fields[1])
		b.data = binary.AppendUvarint(b.data, uint64(len(e.positions)))
		b.data = append(b.data, e.positions...)
	}
	p.fields = p.fields.Or(e.fields)
	b.last = e.id
	b.count++
	p.count++
	if b.count == blockEntries {
		b.data = slices.Clip(b.data)
	}
	return grown + cap(b.data)
}

// lastID returns the highest number; 0 if there is none.
func (p *postings) lastID() ID {
	if len(p.blocks) == 0 {
		return 0
	}
	return p.blocks[len(p.blocks)-1].last
}

// clean removes the entries whose number is gone, and calls yield for the others.
func (p *postings) clean(now renumbering, yield func(e *posting)) {
	kept := postings{bare: p.bare}
	for r := p.reader(); r.next(); {
		if e := r.posting; now.of(e.id) > 0 {
			e.id = now.of(e.id)
			kept.add(&e)
			yield(&e)
		}
	}
	*p = kept
}

// bytes returns the memory of the entries.
func (p *postings) bytes() (n int) {
	for i := range p.blocks {
		n += cap(p.blocks[i].data)
	}
	return n + cap(p.blocks)*blockBytes
}

const blockBytes = 48

// reader is a walk over the entries. It is valid until one is added.
type reader struct {
	posting
	of    *postings
	at    int    // the block
	left  int    // entries of it
	rest  []byte // of its data
	begun bool
}

func (p *postings) reader() reader { return reader{of: p} }

// open begins a block.
func (r *reader) open(at int) {
	b := &r.of.blocks[at]
	r.at, r.begun, r.left, r.rest = at, true, b.count, b.data
	r.id = b.first
}

// next goes to the next entry, and reports whether there is one.
func (r *reader) next() bool {
	for r.left == 0 {
		at := r.at + 1
		if !r.begun {
			at = 0
		}
		if at >= len(r.of.blocks) {
			return false
		}
		r.open(at)
	}
	r.left--
	r.id += ID(r.varint())
	if !r.of.bare {
		r.frequency = uint32(r.varint())
		r.fields[0], r.fields[1] = r.varint(), r.varint()
		n := r.varint()
		r.positions, r.rest = r.rest[:n:n], r.rest[n:]
	}
	return true
}

func (r *reader) varint() uint64 {
	if r.rest[0] < 0x80 {
		v := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return v
}

// seek goes to the first entry, at the current one or behind it, whose number is at least id.
func (r *reader) seek(id ID) bool {
	if r.begun && r.id >= id {
		return true
	}
	if !r.begun || r.of.blocks[r.at].last < id {
		from := r.at
		at, _ := slices.BinarySearchFunc(r.of.blocks[from:], id, func(b block, id ID) int {
			return int(int64(b.last) - int64(id))
		})
		if from+at == len(r.of.blocks) {
			return false
		}
		r.open(from + at)
	}
	for r.next() {
		if r.id >= id {
			return true
		}
	}
	return false
}
