//go:build linux

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openVectors attacks vector sets: vectors of any length, equal ones and those that have no
// direction, graphs with few links and with thousands, filters that are long and deep, elements
// that come and go. A map beside a set says which elements must be in it, also after a reload.
func openVectors(h *hunt) (step, error) {
	a, err := h.attackValues(1500, "--maxmemory", "256mb")
	v := &vectors{hunt: h}
	a.begin, a.check = v.begin, v.compare
	a.round = func(r *rand.Rand, _ *dataset.Generator) []dataset.Command {
		return []dataset.Command{v.change(r), v.command(r)}
	}
	return a.step, err
}

type vectors struct {
	*hunt
	elements map[string]bool // that the set "k" has
	options  []string        // of each VADD to it
	dim      int
}

func (v *vectors) begin(r *rand.Rand, _ *dataset.Generator) []dataset.Command {
	v.elements, v.dim = make(map[string]bool), 1+r.IntN(40)
	v.options = []string{[]string{"Q8", "NOQUANT", "BIN"}[r.IntN(3)], "M",
		strconv.Itoa([]int{4, 16, 100, 4096}[r.IntN(4)])}
	return nil
}

// vector returns the arguments for a vector of n components, which is often equal to others.
func (v *vectors) vector(r *rand.Rand, n int) []string {
	args := []string{"VALUES", strconv.Itoa(n)}
	for range n {
		args = append(args, []string{"0", "1", "-1", "1e38", "inf", strconv.Itoa(r.IntN(1000))}[r.IntN(6)])
	}
	return args
}

// change changes the map, and returns a command that changes the set in the same way.
func (v *vectors) change(r *rand.Rand) dataset.Command {
	name := strconv.Itoa(r.IntN(1000))
	if r.IntN(3) == 0 {
		delete(v.elements, name)
		return dataset.Command{"VREM", "k", name}
	}
	v.elements[name] = true
	args := slices.Concat([]string{"VADD", "k"}, v.vector(r, v.dim), []string{name}, v.options)
	switch r.IntN(4) {
	case 0:
		args = append(args, "SETATTR", `{"n":`+strconv.Itoa(r.IntN(9))+`,"l":[`+strings.Repeat("[", r.IntN(300))+"]}")
	case 1:
		args = append(args, "EF", strconv.Itoa(1+r.IntN(1000)))
	}
	return args
}

// compare compares the set with the map.
func (v *vectors) compare(c *conn) error {
	for _, ask := range [][]string{{"VRANGE", "k", "-", "+"}, slices.Concat([]string{"VSIM", "k"},
		v.vector(rand.New(rand.NewPCG(1, 1)), v.dim), []string{"TRUTH", "COUNT", "1000"})} {
		reply, err := c.do(ask...)
		if err != nil {
			return err
		}
		got := slices.Sorted(slices.Values(reply.Strings()))
		if want := slices.Sorted(maps.Keys(v.elements)); !slices.Equal(got, want) {
			v.found(fmt.Sprintf("%s tells %d elements of a set that should have %d", ask[0], len(got), len(want)),
				v.attempted())
		}
	}
	return nil
}

// command returns a random command that leaves the set as it is.
func (v *vectors) command(r *rand.Rand) []string {
	name, n := strconv.Itoa(r.IntN(1000)), v.size(1<<r.IntN(13))
	number := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
	filter := []string{".n > 3", "1 in .l", strings.Repeat("!", n) + "1", strings.Repeat("1 in .l or ", n) + "1",
		strings.Repeat("(", n) + "1" + strings.Repeat(")", n), strings.Repeat(".n**", n) + ".n",
		strings.Repeat("[", n), ".n ==", `"` + number + `" in .n`}[r.IntN(9)]
	search := slices.Concat([]string{"VSIM", "k"}, v.vector(r, v.dim), []string{"COUNT", number})
	search = slices.Clip(search)
	return [][]string{
		append(search, "FILTER", filter), append(search, "FILTER", filter, "FILTER-EF", number, "WITHATTRIBS"),
		append(search, "EF", number), append(search, "TRUTH", "EPSILON", "0."+number, "WITHSCORES"),
		{"VSIM", "k", "ELE", name, "COUNT", number}, append([]string{"VSIM", "k"}, v.vector(r, n)...),
		slices.Concat([]string{"VADD", "k"}, v.vector(r, n), []string{name, "M", "3"}),
		{"VLINKS", "k", name, "WITHSCORES"},
		slices.Concat([]string{"VADD", "c", "REDUCE", number}, v.vector(r, n), []string{name}),
		slices.Concat([]string{"VADD", "c"}, v.vector(r, n), []string{name, "M", number}), {"VREM", "c", name},
		{"DEL", "c"}, {"VRANGE", "k", "[" + name, "+", number}, {"VRANDMEMBER", "k", "-" + strconv.Itoa(n)},
		{"VRANDMEMBER", "k", number}, {"VEMB", "k", name, "RAW"}, {"VINFO", "k"}, {"COPY", "k", "c", "REPLACE"},
		{"MEMORY", "EXPLAIN", "k"}, {"DEBUG", "DIGEST-VALUE", "k", "c"},
	}[r.IntN(20)]
}
