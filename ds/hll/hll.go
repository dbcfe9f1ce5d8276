// Package hll estimates how many different elements were added to a set, without storing them: the
// HyperLogLog, byte for byte as Redis stores it in a string.
//
// 14 bits of an element's hash choose one of 16384 registers. The other 50 bits give a rank, the
// position of the lowest one bit among them. A register keeps the greatest rank seen: the more
// elements, the greater the ranks.
//
//	"HYLL"  encoding  -----  cardinality, u64 LE  registers
//	4       1         3      8                    ...
//
//	dense   12288 bytes: registers of 6 bits, register i from bit 6i on, low bits first
//	sparse  runs of registers:  00nnnnnn           n+1 zeros
//	                            01nnnnnn nnnnnnnn  n+1 zeros
//	                            1vvvvvnn           n+1 times the value v+1
//
// The top bit of the cardinality says that it is out of date. A sketch begins sparse, two bytes of
// zeros, and becomes dense for good when it has a register above 32 or needs too many bytes.
//
// Invariants, verified by Check:
//  1. Runs cover all registers, neither more nor fewer.
//  2. A dense sketch has 12304 bytes.
//
// The way in which runs are split and joined is part of the format: the same elements in the same
// order give the same bytes as in Redis 7.
//
// Non-goals: other numbers of registers, other hashes. Bytes from outside must pass Valid; methods
// that find runs that do not fit return ErrCorrupt.
//
// Unlike in Redis, the union of dense sketches handles eight registers at a time, and a union that
// stays sparse is built in one walk instead of one for each register.
package hll

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	precision  = 14
	count      = 1 << precision // of registers
	mask       = count - 1
	rankBits   = 64 - precision // of the hash, which ranks come from
	headerSize = 16

	// DenseSize is the length of a dense sketch in bytes.
	DenseSize = headerSize + count*6/8
)

// The encodings.
const (
	dense  = 0
	sparse = 1
)

// ErrCorrupt says that a sketch's runs do not cover its registers.
var ErrCorrupt = errors.New("hll: corrupt sketch")

// Sketch is the bytes of one HyperLogLog. Its capacity beyond the length is room for changes.
//
// Methods that change a sketch return it, as append does. They may overwrite the receiver's bytes
// or copy them, so the receiver must not be used afterwards. The zero value is not a sketch: use
// New.
type Sketch []byte

// New returns a sketch to which nothing was added, of 18 bytes.
func New() Sketch {
	s := append(make(Sketch, 0, 64), "HYLL"...)
	s = append(s, sparse, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	return appendZeros(s, count)
}

// Valid reports whether b looks like a sketch: it has a sketch's header and, if it is dense, the
// right length.
func Valid(b []byte) bool {
	if len(b) < headerSize || string(b[:4]) != "HYLL" || b[4] > sparse {
		return false
	}
	return b[4] == sparse || len(b) == DenseSize
}

// Dense reports whether the sketch is dense.
func (s Sketch) Dense() bool { return s[4] == dense }

// Add adds an element, which it does not keep, and reports whether that changed the sketch. A
// sparse sketch becomes dense rather than longer than sparseMax bytes. O(1) if dense, else
// O(len(s)).
func (s Sketch) Add(element []byte, sparseMax int) (added Sketch, changed bool, err error) {
	at, rank := place(hash(element))
	if s.Dense() {
		changed = s.raiseDense(at, rank)
	} else {
		s, changed, err = s.raiseSparse(new(cursor), at, rank, sparseMax)
	}
	if changed {
		s.Invalidate()
	}
	return s, changed, err
}

// Cached returns the cardinality in the header; ok is false if it is out of date. O(1).
func (s Sketch) Cached() (n int64, ok bool) {
	n = int64(binary.LittleEndian.Uint64(s[8:]))
	return n, n >= 0
}

// SetCached puts a cardinality into the header.
func (s Sketch) SetCached(n int64) { binary.LittleEndian.PutUint64(s[8:], uint64(n)) }

// Invalidate marks the cardinality in the header as out of date.
func (s Sketch) Invalidate() { s[15] |= 0x80 }

// Count estimates the cardinality from the registers. Its standard error is 0.81 %. O(1) if dense,
// else O(len(s)).
func (s Sketch) Count() (int64, error) {
	var h histogram
	if s.Dense() {
		s.countDense(&h)
	} else if err := s.eachRun(func(_, n int, value uint8) { h[value] += n }); err != nil {
		return 0, err
	}
	return h.estimate(), nil
}

// ToDense returns the sketch in dense encoding, s itself if it is dense already. It keeps the
// header's cardinality. O(1).
func (s Sketch) ToDense() (Sketch, error) {
	if s.Dense() {
		return s, nil
	}
	d := make(Sketch, DenseSize)
	copy(d, s[:headerSize])
	d[4] = dense
	err := s.eachRun(func(first, n int, value uint8) {
		for i := first; value > 0 && i < first+n; i++ {
			d.raiseDense(i, value)
		}
	})
	if err != nil {
		return s, err
	}
	return d, nil
}

// Check returns the first violated invariant; nil if there is none.
func (s Sketch) Check() error {
	if !Valid(s) {
		return fmt.Errorf("hll: %d bytes beginning with %q are no sketch", len(s), s[:min(len(s), 5)])
	}
	if s.Dense() {
		return nil
	}
	return s.eachRun(func(int, int, uint8) {})
}

// Clone returns a copy that shares no memory with s.
func (s Sketch) Clone() Sketch { return slices.Clone(s) }
