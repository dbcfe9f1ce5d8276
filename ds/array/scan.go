package array

import "github.com/miniserver-go/miniserver/ds/ziplist"

// last returns the greatest index.
func (x *large) last() uint64 {
	s := x.lastSlice()
	return x.index(s, uint32(s.last))
}

// scan is Array.Scan from a lesser index to a greater one. It holds no address, since the reader of
// a snapshot may pause in fn while cells move.
func (x *large) scan(from, to uint64, fn func(index uint64, e ziplist.Entry) bool) {
	id, _ := x.split(from)
	page, i, _ := x.locate(id)
	for ; page < len(x.pages); page, i = page+1, 0 {
		for ; i < len(x.pages[page]); i++ {
			s := &x.pages[page][i]
			for place, end := x.place(s, from), x.end(s); place < end; place++ {
				w := x.words(s)[place]
				if w == 0 {
					continue
				}
				if index := x.index(s, x.offset(s, place)); index > to || !fn(index, x.entry(w)) {
					return
				}
			}
			if x.index(s, x.size()-1) >= to {
				return
			}
		}
	}
}

// scanBack is Array.Scan from a greater index to a lesser one.
func (x *large) scanBack(from, to uint64, fn func(index uint64, e ziplist.Entry) bool) {
	id, _ := x.split(from)
	page, i, ok := x.locate(id)
	if !ok {
		i--
	}
	for {
		for ; i >= 0; i-- {
			s := &x.pages[page][i]
			for place := x.placeBehind(s, from); place > 0; place-- {
				w := x.words(s)[place-1]
				if w == 0 {
					continue
				}
				if index := x.index(s, x.offset(s, place-1)); index < to || !fn(index, x.entry(w)) {
					return
				}
			}
			if x.index(s, 0) <= to {
				return
			}
		}
		if page--; page < 0 {
			return
		}
		i = len(x.pages[page]) - 1
	}
}

// end returns how many words of a slice may be elements.
func (x *large) end(s *slice) uint32 {
	if s.dense {
		return uint32(s.last-s.first) + 1
	}
	return s.count
}

// offset returns the offset of a word.
func (x *large) offset(s *slice, place uint32) uint32 {
	if s.dense {
		return uint32(s.first) + place
	}
	return uint32(x.offsets(s)[place])
}

// place returns the first place of a slice whose index is not below another one.
func (x *large) place(s *slice, from uint64) uint32 {
	id, offset := x.split(from)
	switch {
	case id < s.id:
		return 0
	case !s.dense:
		at, _ := x.search(s, offset)
		return at
	}
	return max(offset, uint32(s.first)) - uint32(s.first)
}

// placeBehind returns the place behind the last one of a slice whose index is not above another
// one.
func (x *large) placeBehind(s *slice, from uint64) uint32 {
	id, offset := x.split(from)
	switch {
	case id > s.id:
		return x.end(s)
	case !s.dense:
		at, _ := x.search(s, offset+1)
		return at
	}
	return min(max(offset+1, uint32(s.first))-uint32(s.first), x.end(s))
}
