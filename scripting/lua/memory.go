package lua

import "unsafe"

// measure returns how many bytes are reachable from the State: globals, frames, coroutines, results
// not yet taken. Each object counts once. Suspended coroutines it does not reach are unwound.
// O(live values).
func (L *State) measure() int {
	L.marks++
	m := meter{L: L, mark: L.marks, seen: &L.seen}
	m.seen.reset()
	m.table(L.Globals)
	m.table(L.stringMeta)
	m.value(L.pending)
	m.values(L.ret)
	if L.builder != nil {
		L.builder.measure(&m)
	}
	m.frames(L.frame)
	for co := L.running; co != nil; co = co.resumer {
		co.mark = m.mark
		m.values(co.values)
		m.frames(co.stack.frame)
	}
	m.drain()
	// No script can resume a coroutine that it cannot reach. But its goroutine is blocked, and Go's
	// collector never frees a blocked goroutine or what its stack refers to.
	for co := L.live; co != nil; {
		next := co.after
		if co.mark != m.mark && co.status == suspended {
			L.kill(co)
		}
		co = next
	}
	m.seen.release()
	return m.bytes
}

// meter adds up the bytes of what it visits.
type meter struct {
	L     *State
	mark  uint32
	bytes int
	seen  *pointerSet // strings and cells
	gray  []Value     // tables, functions and coroutines whose contents were not visited yet
}

// drain visits what was queued. A queue in place of recursion keeps Go's stack small for lists of
// any length.
func (m *meter) drain() {
	for len(m.gray) > 0 {
		v := m.gray[len(m.gray)-1]
		m.gray = m.gray[:len(m.gray)-1]
		switch v.n {
		case tagTable:
			m.contents((*Table)(v.p))
		case tagFunction:
			m.function((*Function)(v.p))
		case tagThread:
			m.coroutine((*Coroutine)(v.p))
		}
	}
}

func (m *meter) values(vs []Value) {
	for _, v := range vs {
		m.value(v)
	}
}

// value counts v unless it was counted before. Objects carry the number of the last measurement,
// strings and cells have no room for that and go into seen.
func (m *meter) value(v Value) {
	if v.IsNumber() {
		return
	}
	switch v.n >> tagShift {
	case tagString >> tagShift:
		if n := int(v.n & lenMask); m.seen.add(v.p) {
			m.bytes += stringBytes(n)
		}
	case tagTable >> tagShift:
		m.table((*Table)(v.p))
	case tagFunction >> tagShift:
		m.queueFunction((*Function)(v.p))
	case tagUserdata >> tagShift:
		if u := (*Userdata)(v.p); u.mark != m.mark {
			u.mark = m.mark
			m.bytes += userdataBytes
			m.table(u.meta)
		}
	case tagThread >> tagShift:
		if co := (*Coroutine)(v.p); co.mark != m.mark {
			co.mark = m.mark
			m.gray = append(m.gray, v)
		}
	case tagCell >> tagShift:
		if m.seen.add(v.p) {
			m.bytes += cellBytes
			m.value(v.cell().v)
		}
	}
}

func (m *meter) table(t *Table) {
	if t != nil && t.mark != m.mark {
		t.mark = m.mark
		m.gray = append(m.gray, t.Value())
	}
}

func (m *meter) queueFunction(fn *Function) {
	if fn != nil && fn.mark != m.mark {
		fn.mark = m.mark
		m.gray = append(m.gray, fn.Value())
	}
}

// contents counts a table. Its ticks make the time of measuring part of the run's.
func (m *meter) contents(t *Table) {
	m.L.Tick(1 + len(t.array)>>3 + int(t.mask)>>2)
	m.bytes += tableBytes + (cap(t.array)+1)&^1*valueBytes
	m.table(t.meta)
	m.values(t.array)
	if t.node == &emptyNode {
		return
	}
	m.bytes += (int(t.mask) + 1) * int(nodeSize)
	for i := uint32(0); i <= t.mask; i++ {
		if n := t.at(i); !n.val.IsNil() {
			m.value(n.key)
			m.value(n.val)
		}
	}
}

func (m *meter) function(fn *Function) {
	m.bytes += functionBytes + (len(fn.ups)+1)&^1*valueBytes
	m.table(fn.env)
	m.values(fn.ups)
	if p := fn.proto; p != nil && p.mark != m.mark {
		p.mark = m.mark
		m.bytes += p.bytes
	}
	if co := fn.keeps; co != nil {
		m.value(co.Value())
	}
}

func (m *meter) coroutine(co *Coroutine) {
	m.value(co.fn)
	m.values(co.values)
	m.bytes += threadBytes
	if co.status == suspended && co.worker != nil {
		m.bytes += coroutineBytes + len(co.stack.segment)*valueBytes
		m.frames(co.stack.frame)
	}
}

// frames visits a chain of frames from the innermost one. All slots of a Lua function count: those
// of ended scopes may keep a value too long, which Lua's own collector does as well.
func (m *meter) frames(g *frame) {
	for ; g != nil; g = g.prev {
		m.queueFunction(g.fn)
		m.value(g.ret)
		p := g.fn.proto
		if p == nil {
			m.values((*Call)(g).Args())
			continue
		}
		m.values(g.window(0, p.frame/valueBytes-frameWords))
		if p.params < 0 {
			m.values(g.extras())
		}
	}
}

// pointerSet is a set of addresses, an open hash table, which measuring asks about every string of
// a run: it does without what a Go map has for growth, deletion and iteration.
type pointerSet struct {
	places []unsafe.Pointer
	count  int
}

// keptPlaces is the size up to which a set is kept for the next measurement.
const keptPlaces = 1 << 12

func (s *pointerSet) reset() {
	if s.places == nil {
		s.places = make([]unsafe.Pointer, keptPlaces)
	}
	clear(s.places)
	s.count = 0
}

// release lets a large set go.
func (s *pointerSet) release() {
	if len(s.places) > keptPlaces {
		s.places = nil
	}
}

// add adds p and reports whether it is new.
func (s *pointerSet) add(p unsafe.Pointer) bool {
	if s.count*2 >= len(s.places) {
		s.grow()
	}
	mask := uintptr(len(s.places) - 1)
	// The low bits of addresses are all zero. The multiplication spreads the others over the bits
	// that the mask takes.
	for i := uintptr(p) * 0x9e3779b97f4a7c15 >> 20 & mask; ; i = (i + 1) & mask {
		switch s.places[i] {
		case p:
			return false
		case nil:
			s.places[i] = p
			s.count++
			return true
		}
	}
}

func (s *pointerSet) grow() {
	old := s.places
	s.places, s.count = make([]unsafe.Pointer, 2*len(old)), 0
	for _, p := range old {
		if p != nil {
			s.add(p)
		}
	}
}
