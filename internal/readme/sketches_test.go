//go:build unix

package readme

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/countmin"
	"github.com/miniserver-go/miniserver/ds/cuckoo"
)

// TestSketchesCostWhatThePageSays measures the table of docs/sketches.md.
func TestSketchesCostWhatThePageSays(t *testing.T) {
	const page, begin, end = "../../docs/sketches.md", "<!-- measured -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	want := before + begin + measured() + end + after
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./internal/readme -run Sketches -update")
}

const sketched = 100_000 // items

func item(i int) []byte { return fmt.Appendf(nil, "item:%d", i) }

// measured returns the table.
func measured() string {
	var b strings.Builder
	b.WriteString("| sketch | bytes | bytes an item | wrong answers |\n|---|---|---|---|\n")
	row := func(name string, bytes int, wrong string) {
		fmt.Fprintf(&b, "| %s | %d | %.2f | %s |\n", name, bytes, float64(bytes)/sketched, wrong)
	}
	for _, rate := range []float64{0.01, 0.001} {
		for _, fixed := range []bool{true, false} {
			f, _ := bloom.New(bloom.Options{Capacity: sketched, Rate: rate, Growth: 2, Fixed: fixed})
			wrong := filled(func(x []byte) bool { return f.Add(x, 1<<30) == bloom.Added }, f.Has)
			row(fmt.Sprintf("`BF.RESERVE k %v %d%s`", rate, sketched, map[bool]string{true: " NONSCALING"}[fixed]),
				int(f.BitBytes()), wrong)
		}
	}
	for _, slots := range []uint64{1, 2, 4} {
		f, _ := cuckoo.New(cuckoo.Options{Capacity: sketched, Slots: slots, Iterations: 20, Growth: 1})
		wrong := filled(func(x []byte) bool { return f.Add(x, 1<<30) == cuckoo.Added }, f.Has)
		row(fmt.Sprintf("`CF.RESERVE k %d BUCKETSIZE %d`, layers: %d", sketched, slots, f.Layers()),
			int(f.SlotBytes()), wrong)
	}
	for _, c := range []struct{ err, chance float64 }{{0.001, 0.01}, {0.0001, 0.01}} {
		bytes, wrong := counted(c.err, c.chance)
		row(fmt.Sprintf("`CMS.INITBYPROB k %v %v`", c.err, c.chance), bytes, wrong)
	}
	return b.String()
}

// filled adds the items, and returns how many others are found.
func filled(add, has func(item []byte) bool) string {
	wrong := 0
	for i := range sketched {
		add(item(i))
	}
	for i := range sketched {
		if has(item(sketched + i)) {
			wrong++
		}
	}
	return fmt.Sprintf("%.2f %% of other items are found", float64(wrong)*100/sketched)
}

// counted counts a million times items of which some are frequent, and returns the bytes of a
// sketch, and how far it is off.
func counted(err, chance float64) (bytes int, wrong string) {
	s, _ := countmin.New(countmin.Dimensions(err, chance))
	truth := make([]uint32, sketched)
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 * sketched {
		i := r.IntN(1 + r.IntN(sketched))
		truth[i]++
		s.Add(item(i), 1)
	}
	most, sum := uint32(0), 0.
	for i, n := range truth {
		off := s.Count(item(i)) - n
		most, sum = max(most, off), sum+float64(off)
	}
	return int(s.CellBytes()), fmt.Sprintf("counts of %d in all are %.0f too high on average, %d at most", s.Total(),
		sum/sketched, most)
}
