// Package array is the array of Redis 8.8: texts at indexes of 64 bits, between which any number of
// indexes may be empty.
//
//	small   next │ index │ text │ index │ text ...     a ziplist, in the entry of its key
//	large   pages of slices ──▶ cells of an arena      see large.go
//
// A slice is the elements of 4096 indexes that follow one another. There is none for indexes that
// are all empty. It is dense, a word for each offset of a window, which spans 8 offsets, 16, or up
// to all, unless that takes more than twice as many bytes as sparse: the words of the elements, and
// their offsets in order.
//
//	sparse   word word word ─ ─ │ offset offset offset ─ ─
//	dense    word ─ word word ─ ─ ─ word
//
// A word has eight bytes. It is a short text, an integer or a decimal fraction itself, or says
// where a longer text lies. See word.go.
//
// An array knows the next index, at which an insertion without an index puts its text. It is 0
// before the first one.
//
// Invariants, verified by Check:
//  1. The elements of a small array are in the order of their indexes.
//  2. The slices are in order, no page of them is empty, and each has an element.
//  3. The offsets of a sparse slice are in order; a window lies in its slice, and has a power of
//     two of offsets, 8 at least, and at most 5 for each element.
//  4. The cells of the slices and of their texts are all that is in use in the arena.
//  5. A word is the only one for its text.
//
// Redis makes a slice dense that has more than ten elements, however far they are apart, so that
// eleven of them may take 32 KB. Since ARINFO tells of it, an array knows how its slices would be
// there. A small array has no slices; those that Layout tells of are what it would have. Redis
// keeps some fractions as doubles; here all are exact.
//
// Non-goals: deadlines of elements; reading a value while it changes, for which a snapshot encodes
// all of it first; concurrent use.
package array
