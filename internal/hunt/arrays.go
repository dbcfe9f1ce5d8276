//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openArrays attacks arrays: elements at indexes from one end of 2^64 to the other, windows and
// rings that grow and shrink, ranges over all of it, and regular expressions that explode
// elsewhere. A map beside an array says what must be in it, also after a reload.
func openArrays(h *hunt) (step, error) {
	a, err := h.attackValues(1500, "--proto-max-bulk-len", "64mb")
	d := &arrays{hunt: h}
	a.begin, a.check = d.begin, d.compare
	a.round = func(r *rand.Rand, g *dataset.Generator) []dataset.Command {
		return []dataset.Command{d.change(r, g), d.command(r)}
	}
	return a.step, err
}

type arrays struct {
	*hunt
	texts map[uint64]string // what the array "k" is
}

func (a *arrays) begin(*rand.Rand, *dataset.Generator) []dataset.Command {
	a.texts = make(map[uint64]string)
	return nil
}

// index returns an index, often near others.
func (a *arrays) index(r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return r.Uint64() >> r.IntN(64) &^ (1 << 63)
	case 1:
		return 1<<63 - 1 - uint64(r.IntN(5000))
	case 2:
		return uint64(r.IntN(64)) << 12
	}
	return uint64(r.IntN(6000))
}

// change changes the map, and returns a command that changes the array in the same way.
func (a *arrays) change(r *rand.Rand, g *dataset.Generator) dataset.Command {
	args := dataset.Command{"ARMSET", "k"}
	switch from := a.index(r); r.IntN(5) {
	case 0:
		to := from + uint64(r.IntN(10_000))<<r.IntN(20)&^(1<<63)
		args = dataset.Command{"ARDELRANGE", "k", strconv.FormatUint(to, 10), strconv.FormatUint(from, 10)}
		for at := range a.texts {
			if min(from, to) <= at && at <= max(from, to) {
				delete(a.texts, at)
			}
		}
	default:
		step := uint64(1) << (r.IntN(3) * r.IntN(14))
		for n := uint64(1 + r.IntN(40)); n > 0; n-- {
			at, text := (from+n*step)&^(1<<63), g.Text()
			args = append(args, strconv.FormatUint(at, 10), text)
			a.texts[at] = text
		}
	}
	return args
}

// compare compares the array with the map.
func (a *arrays) compare(c *conn) error {
	v, err := c.do("ARSCAN", "k", "0", strconv.FormatUint(1<<64-2, 10))
	if err != nil {
		return err
	}
	got := make(map[uint64]string)
	for _, pair := range v.Elems {
		got[uint64(pair.Elems[0].Int)] = pair.Elems[1].Text
	}
	if len(got) != len(a.texts) {
		a.found(fmt.Sprintf("an array has %d elements, and should have %d", len(got), len(a.texts)), a.attempted())
	}
	for at, text := range a.texts {
		if got[at] != text {
			a.found(fmt.Sprintf("at %d there is %.50q, and should be %.50q", at, got[at], text), a.attempted())
			break
		}
	}
	return nil
}

// command returns a random command that leaves the array as it is.
func (a *arrays) command(r *rand.Rand) []string {
	from, to := strconv.FormatUint(a.index(r), 10), strconv.FormatUint(a.index(r), 10)
	n := a.size(1 << r.IntN(11))
	pattern := []string{strings.Repeat("(a*)*", n%400) + "b", strings.Repeat("(", n%2000),
		strings.Repeat("a{255}", n%300),
		"((((a{20}){20}){20}){20})", strings.Repeat("[[:alpha:]]", n%180), strings.Repeat("a?", n%900) + "$", `\x{`,
		strings.Repeat("(?i", n%600), "(a|b|ab)*c"}[r.IntN(9)]
	return [][]string{
		{"ARSCAN", "k", from, to, "LIMIT", strconv.Itoa(n)}, {"ARGETRANGE", "k", from, to}, {"ARGET", "k", from},
		{"ARGREP", "k", "-", "+", "RE", pattern}, {"ARGREP", "k", "+", "-", "RE", pattern, "NOCASE", "WITHVALUES"},
		{"ARGREP", "k", from, "+", "GLOB", strings.Repeat("*a", n), "MATCH", "x", "AND"},
		append([]string{"ARGREP", "k", "-", "+", "AND"}, slices.Repeat([]string{"MATCH", "e"}, n%260)...),
		{"AROP", "k", "0", "18446744073709551614", []string{"SUM", "MIN", "AND", "XOR", "USED"}[r.IntN(5)]},
		{"ARLASTITEMS", "k", strconv.Itoa(n), "REV"}, {"ARLASTITEMS", "k", from}, {"ARINFO", "k", "FULL"},
		{"MEMORY", "EXPLAIN", "k"}, {"MEMORY", "USAGE", "k"}, {"COPY", "k", "c", "REPLACE"},
		{"ARRING", "c", strconv.Itoa(n), "x", "y"}, {"ARRING", "c", from, "x"}, {"ARSEEK", "c", from},
		{"ARINSERT", "c", to},
		{"ARSEEK", "c", "18446744073709551615"}, {"ARDEL", "c", from, to}, {"DEBUG", "DIGEST-VALUE", "k", "c"},
		{"ARDELRANGE", "c", from, to, to, from},
	}[r.IntN(22)]
}
