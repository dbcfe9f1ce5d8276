package hll

import "encoding/binary"

// Registers are the registers of a sketch, a byte each, for building unions. The zero value is that
// of a sketch to which nothing was added.
type Registers [count]uint8

// Add counts an element. O(bytes of the element).
func (r *Registers) Add(element []byte) {
	at, rank := place(hash(element))
	r[at] = max(r[at], rank)
}

// Merge raises the registers to those of s. O(1).
func (r *Registers) Merge(s Sketch) error {
	if s.Dense() {
		r.mergeDense(s)
		return nil
	}
	return s.eachRun(func(first, n int, v uint8) {
		for i := first; v > 0 && i < first+n; i++ {
			r[i] = max(r[i], v)
		}
	})
}

func (r *Registers) mergeDense(s Sketch) {
	i := 0
	for b := s[headerSize:]; len(b) >= groupBytes; b = b[groupBytes:] {
		g, to := group(b), r[i:i+groupCount:i+groupCount]
		for j := range to {
			to[j] = max(to[j], uint8(g)&registerMax)
			g >>= 6
		}
		i += groupCount
	}
}

// Count estimates the cardinality. O(1).
func (r *Registers) Count() int64 {
	var h, odd histogram // see countDense
	for i := 0; i < count; i += 8 {
		eight := r[i : i+8 : i+8]
		if binary.LittleEndian.Uint64(eight) == 0 { // most are, after few elements
			h[0] += 8
			continue
		}
		for j := 0; j < 8; j += 2 {
			h[eight[j]&registerMax]++
			odd[eight[j+1]&registerMax]++
		}
	}
	h.add(&odd)
	return h.estimate()
}

// Raise raises the registers of s to r's and marks its cardinality as out of date. If toDense, or
// if a sparse sketch would take more than sparseMax bytes or has a register above 32, it becomes
// dense. O(1).
func (s Sketch) Raise(r *Registers, toDense bool, sparseMax int) (Sketch, error) {
	var err error
	if toDense {
		if s, err = s.ToDense(); err != nil {
			return s, err
		}
	}
	c := new(cursor)
	for i, v := range r {
		if s.Dense() {
			s.raiseAll(r)
			break
		}
		if v > 0 {
			if s, _, err = s.raiseSparse(c, i, v, sparseMax); err != nil {
				return s, err
			}
		}
	}
	s.Invalidate()
	return s, nil
}

// raiseAll raises the registers of a dense sketch to r's.
func (s Sketch) raiseAll(r *Registers) {
	i := 0
	for b := s[headerSize:]; len(b) >= groupBytes; b = b[groupBytes:] {
		old, raised := group(b), uint64(0)
		for j, v := range r[i : i+groupCount : i+groupCount] {
			raised |= uint64(max(uint8(old>>(6*j))&registerMax, v)) << (6 * j)
		}
		setGroup(b, raised)
		i += groupCount
	}
}
