package keyspace

import "slices"

// others is a pool of views of a type that only ks.Types knows.
type others struct {
	slots []*otherSlot
	used  int
}

type otherSlot struct {
	value Value // nil until it is needed
	buf   []byte
}

// unpack lends a view on a payload, or if scratch on a copy of it.
func (o *others) unpack(t Type, payload []byte, scratch bool) Value {
	if o.used == len(o.slots) {
		o.slots = append(o.slots, new(otherSlot))
	}
	s := o.slots[o.used]
	o.used++
	if s.value == nil {
		s.value = t.New()
	}
	if scratch {
		if s.buf == nil {
			s.buf = make([]byte, 0, scratchCap)
		}
		payload = append(s.buf[:0], payload...)
	}
	t.Open(s.value, payload)
	return s.value
}

// slotOf returns the slot whose view v is; nil if it is none of this pool.
func (o *others) slotOf(v Value) *otherSlot {
	for _, s := range o.slots[:o.used] {
		if s.value == v {
			return s
		}
	}
	return nil
}

// detach gives a view away, with the memory that it built.
func (o *others) detach(v Value) Value {
	o.slotOf(v).value = nil
	return v
}

// reset ends the life of all views. Those that a command with very many keys needed are freed.
func (o *others) reset() {
	if o.used > poolKept {
		o.slots = slices.Clone(o.slots[:poolKept])
	}
	o.used = 0
}

// trim frees the views that are not lent.
func (o *others) trim() { o.slots = slices.Clone(o.slots[:o.used]) }

// ownerOf returns the pool whose view a value is; nil if it is none of these.
func (v *views) ownerOf(val Value) *others {
	for i := range v.others {
		if o := &v.others[i]; o.used > 0 && o.slotOf(val) != nil {
			return o
		}
	}
	return nil
}
