package vectors

import (
	"math"
	"math/rand/v2"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/value"
)

// module is how Redis saves a vector set:
//
//	dim elements kind|M<<8 flags
//	if it reduces vectors: input, and a text with the matrix, row by row, f32
//	elements: name [attributes] vector n, and n numbers:
//	    id level|1<<24
//	    of each level: links room, ids of the links, farthest: number|distance<<32
//	    norm|scale<<32, both f32
//
// The texts with attributes are there if any element has some.
var module = &value.Module{Name: "vectorset", Version: version, Save: save, Load: load}

const (
	version = 0

	flagReduces    = 1
	flagAttributes = 2

	levelMark = 1 << 24
)

func save(v value.Value, to value.PartWriter) {
	f, ok := v.(*frozen)
	if !ok {
		f = newFrozen(v.(*Set))
	}
	o := f.Options()
	to.Uint(uint64(o.Dim))
	to.Uint(uint64(f.elements))
	to.Uint(uint64(o.Kind) | uint64(o.M)<<8)
	to.Uint(f.flags)
	if o.Input > 0 {
		to.Uint(uint64(o.Input))
		f.saveMatrix(to)
	}
	f.each(func(e *saved) {
		to.Text(e.name)
		if f.flags&flagAttributes != 0 {
			to.Text(e.attributes)
		}
		to.Text(e.vector)
		to.Uint(uint64(len(e.numbers)))
		for _, n := range e.numbers {
			to.Uint(n)
		}
	})
}

func (s *Set) flags() (flags uint64) {
	if s.input > 0 {
		flags |= flagReduces
	}
	if s.attributes > 0 {
		flags |= flagAttributes
	}
	return flags
}

// whole is the size of texts that are compressed, for which they must be in memory.
const whole = 16 << 20

func (s *Set) saveMatrix(to value.PartWriter) {
	size := 4 * s.input * s.graph.Dim()
	if size <= whole {
		to.Text(s.appendMatrix(nil, 0, size))
		return
	}
	at := 0
	to.Pieces(size, func(dst []byte, most int) []byte {
		n := min(most, size-at)
		if n >= 4 {
			n -= n % 4
		}
		dst, at = s.appendMatrix(dst, at, n), at+n
		return dst
	})
}

// saved is an element as it is saved.
type saved struct {
	name, attributes, vector []byte
	numbers                  []uint64
}

// read makes e the element of a node, in the memory that it has.
func (e *saved) read(s *Set, r hnsw.Ref) {
	g, v := s.graph, s.graph.Vector(r)
	e.name = append(e.name[:0], s.Name(Element{r})...)
	e.attributes = append(e.attributes[:0], s.Attributes(Element{r})...)
	e.vector = v.Append(e.vector[:0])
	e.numbers = append(e.numbers[:0], g.ID(r), levelMark|uint64(g.Level(r)))
	for level := range g.Level(r) + 1 {
		links := g.Links(r, level)
		e.numbers = append(e.numbers, uint64(len(links)), uint64(g.Room(level)))
		farthest, distance := 0, float32(0)
		for i, to := range links {
			e.numbers = append(e.numbers, g.ID(to))
			if d := g.Distance(r, to); d > distance {
				farthest, distance = i, d
			}
		}
		e.numbers = append(e.numbers, uint64(farthest)|uint64(math.Float32bits(distance))<<32)
	}
	e.numbers = append(e.numbers, uint64(math.Float32bits(v.Norm))|uint64(math.Float32bits(v.Scale))<<32)
}

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a vector set of version %d cannot be read", written)
		return nil
	}
	l := loading{from: from}
	n := l.head()
	for ; n > 0 && from.OK(); n-- {
		l.element()
	}
	if !from.OK() {
		return nil
	}
	if err := l.set.graph.Restored(); err != nil {
		from.Fail("a vector set is damaged: %v", err)
		return nil
	}
	return l.set
}

// loading is a set that is being read.
type loading struct {
	from       value.PartReader
	set        *Set
	attributes bool // are there
}

func (l *loading) damaged(what string) { l.from.Fail("a vector set is damaged: %s", what) }

// head reads the properties, and returns the number of elements.
func (l *loading) head() (elements uint64) {
	dim, elements, how, flags := l.from.Uint(), l.from.Uint(), l.from.Uint(), l.from.Uint()
	kind, m := how&0xff, how>>8
	if dim == 0 || dim > hnsw.MaxDim || kind >= hnsw.Kinds || m < hnsw.MinM || m > hnsw.MaxM ||
		flags&^(flagReduces|flagAttributes) != 0 || elements == 0 {
		l.damaged("its properties")
		return 0
	}
	o := Options{Kind: hnsw.Kind(kind), Dim: int(dim), M: int(m)}
	var matrix []byte
	if flags&flagReduces != 0 {
		input := l.from.Uint()
		matrix = l.from.Text()
		if input < dim || input > hnsw.MaxDim || uint64(len(matrix)) != 4*input*dim || input*dim > MaxReduced {
			l.damaged("its matrix")
			return 0
		}
		o.Input = int(input)
	}
	l.set, l.attributes = New(o, rand.Uint64()), flags&flagAttributes != 0
	if o.Input > 0 {
		l.set.setMatrix(matrix)
	}
	return elements
}

func (l *loading) element() {
	s, from := l.set, l.from
	name := from.Text()
	var attributes []byte
	if l.attributes {
		attributes = from.Text()
	}
	v, ok := hnsw.Parse(s.graph.Kind(), s.graph.Dim(), from.Text())
	numbers, id, level := from.Uint(), from.Uint(), from.Uint()
	if !from.OK() {
		return
	}
	slot, h := s.find(name)
	if !ok || slot != nil || id > hnsw.MaxID || level&^levelMark > hnsw.MaxLevel {
		l.damaged("an element")
		return
	}
	r := s.newCell(name, attributes)
	s.index.Insert(h, r, s)
	*s.node(r) = s.graph.Restore(id, int(level&^levelMark), r)
	if read := 3 + l.links(*s.node(r), int(level&^levelMark)); uint64(read) != numbers {
		l.damaged("the links of an element")
	}
	last := from.Uint()
	v.Norm, v.Scale = math.Float32frombits(uint32(last)), math.Float32frombits(uint32(last>>32))
	s.graph.SetVector(*s.node(r), &v)
}

// links reads the links of a node, and returns how many numbers they were.
func (l *loading) links(node hnsw.Ref, top int) (numbers int) {
	for level := 0; level <= top && l.from.OK(); level++ {
		n := l.from.Uint()
		l.from.Uint() // the room, which follows from M
		if n > uint64(l.set.graph.Room(level)) {
			l.damaged("the number of links")
			return 0
		}
		ids := make([]uint64, n)
		for i := range ids {
			if ids[i] = l.from.Uint(); ids[i] > hnsw.MaxID {
				l.damaged("a link")
			}
		}
		l.from.Uint() // the farthest
		l.set.graph.RestoreLinks(node, level, ids)
		numbers += 3 + len(ids)
	}
	return numbers
}
