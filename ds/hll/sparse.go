package hll

import (
	"slices"
	"strconv"
)

// Sparse sketches: runs of registers.

const (
	longZeros  = 0x40 // 01nnnnnn nnnnnnnn
	valued     = 0x80 // 1vvvvvnn
	maxZeros   = 64   // that one byte takes
	maxRun     = 4    // of equal values
	maxValue   = 32
	joinWithin = 5 // runs, from the one before the change on, that join looks at
)

// spans is how many registers a run has, by its first byte; 0 if the second byte is needed for
// that.
var spans = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= valued:
			t[c] = uint8(c&3) + 1
		case c < longZeros:
			t[c] = uint8(c) + 1
		}
	}
	return t
}()

func longSpan(hi, lo byte) int { return int(hi&0x3f)<<8 + int(lo) + 1 }

// value returns the value that a run's first byte stands for, 0 for zeros.
func value(c byte) uint8 {
	if c < valued {
		return 0
	}
	return c>>2&0x1f + 1
}

// appendZeros appends n zeros as the shortest run, none if n is 0.
func appendZeros(b []byte, n int) []byte {
	switch {
	case n > maxZeros:
		return append(b, longZeros|byte((n-1)>>8), byte(n-1))
	case n > 0:
		return append(b, byte(n-1))
	}
	return b
}

// appendRun appends n registers of one value, 0 included, as a run.
func appendRun(b []byte, v uint8, n int) []byte {
	if v == 0 || n == 0 {
		return appendZeros(b, n)
	}
	return append(b, valued|(v-1)<<2|byte(n-1))
}

// runAt returns the registers and the bytes of the run at an offset. The second byte of a run that
// is cut off counts as zero.
func (s Sketch) runAt(at int) (span, size int) {
	switch span = int(spans[s[at]]); {
	case span > 0:
		return span, 1
	case at+1 < len(s):
		return longSpan(s[at], s[at+1]), 2
	}
	return longSpan(s[at], 0), 2
}

// eachRun calls f for every run, with its first register, its length and its value.
func (s Sketch) eachRun(f func(first, n int, v uint8)) error {
	first, at := 0, headerSize
	for at < len(s) {
		n, size := s.runAt(at)
		if first+n > count || at+size > len(s) {
			return ErrCorrupt
		}
		f(first, n, value(s[at]))
		first += n
		at += size
	}
	if first != count {
		return ErrCorrupt
	}
	return nil
}

// position is where a run begins: its offset and its first register.
type position struct{ at, first int }

// cursor is a run with the two before it. The zero value stands before the first run. Calls that
// raise registers in ascending order may share a cursor: a search begins at the earlier of the two
// runs, which the last change cannot have moved.
type cursor struct {
	earlier, before, run position
	size, span           int // bytes and registers of the run
}

// seek moves to the run of a register, from the earlier of the runs before. It returns false if
// there is none.
func (c *cursor) seek(s Sketch, register int) bool {
	m := c.earlier
	if m.at == 0 {
		m.at = headerSize
	}
	earlier, before := m, m
	for m.at < len(s) {
		size, span := 1, int(spans[s[m.at]])
		if span == 0 {
			if m.at+1 == len(s) {
				return false
			}
			size, span = 2, longSpan(s[m.at], s[m.at+1])
		}
		if register < m.first+span {
			*c = cursor{earlier, before, m, size, span}
			return true
		}
		earlier, before = before, m
		m.at += size
		m.first += span
	}
	return false
}

// raiseSparse raises a register of a sparse sketch to a rank and reports whether it was lower.
func (s Sketch) raiseSparse(c *cursor, register int, rank uint8,
	sparseMax int) (raised Sketch, changed bool, err error) {
	if rank > maxValue {
		return s.raiseAsDense(register, rank)
	}
	if !c.seek(s, register) {
		return s, false, ErrCorrupt
	}
	old := value(s[c.run.at])
	if old >= rank {
		return s, false, nil
	}
	var room [5]byte
	split := appendRun(room[:0], old, register-c.run.first)
	split = appendRun(split, rank, 1)
	split = appendRun(split, old, c.run.first+c.span-1-register)
	if more := len(split) - c.size; more > 0 && len(s)+more > sparseMax {
		return s.raiseAsDense(register, rank)
	}
	s = slices.Replace(s, c.run.at, c.run.at+c.size, split...)
	return s.join(c.before.at), true, nil
}

// join joins neighbouring runs of the same value if one run can hold both. It looks at a few runs
// from offset at on, as Redis does.
func (s Sketch) join(at int) Sketch {
	for range joinWithin {
		if at >= len(s) {
			break
		}
		switch c := s[at]; {
		case c < longZeros:
			at++
		case c < valued:
			at += 2
		case at+1 < len(s) && s[at+1]>>2 == c>>2 && spans[c]+spans[s[at+1]] <= maxRun:
			s[at+1] += c&3 + 1
			s = slices.Delete(s, at, at+1)
		default:
			at++
		}
	}
	return s
}

func (s Sketch) raiseAsDense(register int, rank uint8) (raised Sketch, changed bool, err error) {
	d, err := s.ToDense()
	if err != nil {
		return s, false, err
	}
	return d, d.raiseDense(register, rank), nil
}

// AppendRuns appends a sparse sketch's runs as text, as PFDEBUG DECODE shows them: z:5 for five
// zeros in one byte, Z:500 in two, v:3,2 for twice the value 3. It accepts a corrupt sketch.
func (s Sketch) AppendRuns(dst []byte) []byte {
	for at := headerSize; at < len(s); {
		if at > headerSize {
			dst = append(dst, ' ')
		}
		n, size := s.runAt(at)
		switch v := value(s[at]); {
		case v > 0:
			dst = append(strconv.AppendUint(append(dst, "v:"...), uint64(v), 10), ',')
		case size > 1:
			dst = append(dst, "Z:"...)
		default:
			dst = append(dst, "z:"...)
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
		at += size
	}
	return dst
}
