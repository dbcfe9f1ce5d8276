//go:build unix

package readme

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/tdigest"
	"github.com/miniserver-go/miniserver/ds/topk"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// The tables of docs/sketches.md, which are measured: error against memory.
const (
	topKBegin    = "<!-- topk: go test ./internal/readme -update -->"
	tdigestBegin = "<!-- tdigest: go test ./internal/readme -update -->"
)

func TestErrorsOfDigests(t *testing.T) {
	quick.Skip(t, "counts millions of items")
	path := filepath.Join("..", "..", "docs", "sketches.md")
	check(t, path, func(p *page) {
		require.Contains(t, p.lines, topKBegin)
		p.replaceTable(topKBegin, topKTable())
		require.Contains(t, p.lines, tdigestBegin)
		p.replaceTable(tdigestBegin, tdigestTable())
	})
}

// topKTable counts a million items, of which the most frequent is one in ten, in sketches of
// several widths.
func topKTable() string {
	const items, different = 1_000_000, 100_000
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 1, different-1)
	stream, counts := make([]uint64, items), map[uint64]int{}
	for i := range stream {
		stream[i] = zipf.Uint64()
		counts[stream[i]]++
	}
	order := make([]uint64, 0, len(counts))
	for item := range counts {
		order = append(order, item)
	}
	slices.SortFunc(order, func(a, b uint64) int { return counts[b] - counts[a] })
	table := "| `TOPK.RESERVE` | bytes | of the true top k | counts are too low by |\n|---|---|---|---|\n"
	for _, o := range []topk.Options{topk.Default(10), {K: 10, Width: 100, Depth: 5, Decay: 0.9},
		{K: 10, Width: 1000, Depth: 5, Decay: 0.9}, {K: 100, Width: 100, Depth: 5, Decay: 0.9},
		{K: 100, Width: 1000, Depth: 5, Decay: 0.9}, {K: 100, Width: 10_000, Depth: 5, Decay: 0.9}} {
		s := topk.New(o)
		for _, item := range stream {
			s.Add(fmt.Append(nil, item), 1)
		}
		found, miss := 0, 0.
		for _, item := range order[:o.K] {
			if text := fmt.Append(nil, item); s.Has(text) {
				found++
				miss += 1 - float64(s.Count(text))/float64(counts[item])
			}
		}
		table += fmt.Sprintf("| `%d %d %d %v` | %d | %.0f%% | %.1f%% |\n", o.K, o.Width, o.Depth, o.Decay, s.Bytes(),
			100*float64(found)/float64(o.K), 100*miss/float64(max(found, 1)))
	}
	return table
}

// tdigestTable adds a million response times, most of them near a millisecond and some far above,
// to digests of several compressions.
func tdigestTable() string {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 1_000_000)
	for i := range values {
		values[i] = math.Round(1e6*math.Exp(r.NormFloat64())) / 1e6
	}
	sorted := slices.Sorted(slices.Values(values))
	table := "| `COMPRESSION` | bytes | nodes | p50 | p90 | p99 | p99.9 |\n|---|---|---|---|---|---|---|\n"
	for _, compression := range []int64{20, 50, 100, 200, 500, 1000} {
		d := tdigest.New(compression)
		for _, v := range values {
			d.Add(v)
		}
		bytes := d.Bytes()
		d.Merge()
		table += fmt.Sprintf("| %d | %d | %d |", compression, bytes, d.Len())
		for _, p := range []float64{0.5, 0.9, 0.99, 0.999} {
			rank := float64(sort.SearchFloat64s(sorted, d.Ask().Quantile(p))) / float64(len(sorted))
			table += fmt.Sprintf(" %.3f%% |", 100*math.Abs(rank-p))
		}
		table += "\n"
	}
	return table
}
