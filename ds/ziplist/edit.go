package ziplist

import (
	"encoding/binary"
	"math"
)

// Append adds v behind the last entry. O(len(v)), amortised by no growth: a
// list past its capacity moves to a block of just the size it needs.
func (l List) Append(v []byte) List { return l.insert(len(l)-endSize, stringItem(v)) }

// AppendInt is Append of n's decimal text.
func (l List) AppendInt(n int64) List { return l.insert(len(l)-endSize, intItem(n)) }

// Prepend adds v before the first entry. O(bytes).
func (l List) Prepend(v []byte) List { return l.insert(headerSize, stringItem(v)) }

// Insert adds v before the entry at pos, at the end if pos is None. Unless it
// was None, pos is afterwards the position of the new entry. O(bytes).
func (l List) Insert(pos int, v []byte) List { return l.insert(l.place(pos), stringItem(v)) }

// InsertInt is Insert of n's decimal text.
func (l List) InsertInt(pos int, n int64) List { return l.insert(l.place(pos), intItem(n)) }

// Replace overwrites the entry at pos, which stays its position, with v.
// O(1) if the new entry has the size of the old, else O(bytes).
func (l List) Replace(pos int, v []byte) List { return l.replace(pos, stringItem(v)) }

// ReplaceInt is Replace by n's decimal text.
func (l List) ReplaceInt(pos int, n int64) List { return l.replace(pos, intItem(n)) }

// DeleteRange deletes up to n entries from the one with the given index on;
// the index counts as in Index. Nothing happens outside the list. O(bytes).
func (l List) DeleteRange(index, n int) List { return l.Delete(l.Index(index), n) }

// Delete deletes up to n entries from the one at pos on; none if pos is None.
// The first entry behind them, if any, is then at pos. O(bytes).
func (l List) Delete(pos, n int) List {
	if pos == None || n <= 0 {
		return l
	}
	stop, deleted := pos, 0
	for ; deleted < n && l[stop] != end; deleted++ {
		stop = l.after(stop)
	}
	prevlen := l.prevlen(pos)
	l.addCount(-deleted)
	if l[stop] == end {
		l.setTail(pos - prevlen)
		return l.resize(pos + endSize)
	}
	// The survivor's prevlen now measures the entry before pos, in the fewest
	// bytes. There is room for a wider one: if it became wide, one of the
	// deleted entries had a wide one as well.
	diff := sizeOfPrevlen(prevlen) - prevlenSize(l[stop])
	tail := l.tail() - (stop - pos)
	if l.after(stop) != len(l)-endSize {
		tail += diff
	}
	stop -= diff
	l.putPrevlen(stop, prevlen)
	n = pos + copy(l[pos:], l[stop:])
	l.setTail(tail)
	l = l.resize(n)
	if diff != 0 {
		l = l.cascade(pos)
	}
	return l
}

// insert adds x at offset p, of an entry or the end.
func (l List) insert(p int, x item) List {
	old, atEnd := len(l), l[p] == end
	prevlen := 0
	if !atEnd {
		prevlen = l.prevlen(p)
	} else if p != headerSize {
		prevlen = p - l.tail()
	}
	size := sizeOfPrevlen(prevlen) + x.size()
	l.addCount(1)
	if atEnd {
		l.setTail(p)
		l = l.resize(old + size)
		x.write(l[l.putPrevlen(p, prevlen):])
		return l
	}
	diff := sizeOfPrevlen(size) - prevlenSize(l[p])
	if diff < 0 && size < 4 {
		diff = 0 // the list would shrink: Redis leaves the wide prevlen
	}
	tail := l.tail() + size
	if l.after(p) != old-endSize {
		tail += diff
	}
	l = l.resize(old + size + diff)
	// What follows the successor's prevlen moves, then that is written anew.
	width := prevlenSize(l[p])
	copy(l[p+size+width+diff:], l[p+width:old-endSize])
	l.putPrevlenIn(p+size, size, width+diff)
	l.setTail(tail)
	x.write(l[l.putPrevlen(p, prevlen):])
	if diff != 0 {
		l = l.cascade(p + size)
	}
	return l
}

// replace overwrites the entry at p with x. Only where a prevlen is or would
// be wide it matters that Redis does it by a deletion and an insertion.
func (l List) replace(p int, x item) List {
	next := l.after(p)
	q := p + prevlenSize(l[p])
	diff := x.size() - (next - q)
	if diff == 0 {
		x.write(l[q:])
		return l
	}
	last := l[next] == end
	if l[p] == wide || !last && (l[next] == wide || next-p+diff >= wide) {
		return l.replaceWide(p, x)
	}
	old := len(l)
	if !last {
		l[next] = byte(next - p + diff)
		l.setTail(l.tail() + diff)
	}
	if diff > 0 {
		l = l.resize(old + diff)
	}
	copy(l[next+diff:], l[next:old])
	l = l.resize(old + diff)
	x.write(l[q:])
	return l
}

func (l List) replaceWide(p int, x item) List {
	return l.Delete(p, 1).insert(p, x)
}

// cascade makes the prevlens right behind the entry at p, whose length
// changed. A follower whose prevlen has too few bytes gets five and is itself
// longer then, so its follower is looked at, too. One that has bytes to spare
// keeps them. O(bytes), one pass.
func (l List) cascade(p int) List {
	first := l.after(p) // the first that may have to grow
	size := first - p   // new length of the entry before q
	q, last, grown := first, 0, 0
	for l[q] != end && l[q] != wide && size >= wide {
		last = q
		q = l.after(q)
		size = q - last + 4
		grown++
	}
	if l[q] != end {
		l.putPrevlenIn(q, size, prevlenSize(l[q]))
	}
	if grown > 0 {
		l = l.widen(first-p, last, q, grown)
	}
	return l
}

// widen gives five bytes of prevlen to the grown entries that end at stop and
// the last of which is at p; the one before the first of them is size long.
func (l List) widen(size, p, stop, grown int) List {
	old, shift := len(l), 4*grown
	tail := l.tail() + shift
	if l[stop] == end {
		tail -= 4 // it is the last grown one: its own widening is behind its start
	}
	l = l.resize(old + shift)
	l.setTail(tail)
	copy(l[stop+shift:], l[stop:old-endSize])
	for ; grown > 0; grown-- {
		prevlen := int(l[p])
		before := p - prevlen
		copy(l[p+1+4*grown:], l[p+1:stop])
		if grown == 1 {
			prevlen = size
		} else {
			prevlen += 4
		}
		l.putPrevlenIn(p+4*(grown-1), prevlen, 5)
		p, stop = before, p
	}
	return l
}

// place is the offset at which to insert for position pos.
func (l List) place(pos int) int {
	if pos == None {
		return len(l) - endSize
	}
	return pos
}

// Trim returns the list in a block of its own size if it has more than a
// kilobyte of capacity and uses less than half of it, else the list as it is.
// It is for lists that are kept after they shrank, not for scratch buffers.
func (l List) Trim() List {
	if cap(l) <= 1024 || len(l) >= cap(l)/2 {
		return l
	}
	return append(List(nil), l...)
}

// resize makes the list n bytes long, in place if capacity allows, and sets
// zlbytes and the end. A new block has n bytes rounded up to what the
// allocator hands out anyway.
func (l List) resize(n int) List {
	if n > cap(l) {
		if uint64(n) > math.MaxUint32 {
			panic("ziplist: list of more than 4 GiB")
		}
		grown := append(List(nil), make(List, n)...)
		copy(grown, l)
		l = grown
	}
	l = l[:n]
	binary.LittleEndian.PutUint32(l, uint32(n))
	l[n-endSize] = end
	return l
}

// sizeOfPrevlen returns how many bytes a prevlen of n needs.
func sizeOfPrevlen(n int) int {
	if n < wide {
		return 1
	}
	return 5
}

// putPrevlen writes a prevlen of n in the fewest bytes and returns the offset
// behind it.
func (l List) putPrevlen(p, n int) int {
	return l.putPrevlenIn(p, n, sizeOfPrevlen(n))
}

// putPrevlenIn writes a prevlen of n in width bytes, which suffice.
func (l List) putPrevlenIn(p, n, width int) int {
	if width == 1 {
		l[p] = byte(n)
	} else {
		l[p] = wide
		binary.LittleEndian.PutUint32(l[p+1:], uint32(n))
	}
	return p + width
}
