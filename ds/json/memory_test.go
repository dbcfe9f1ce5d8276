package json

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/stretchr/testify/require"
)

// blocks is a value.Memory that knows what it has given.
type blocks struct {
	t     *testing.T
	held  map[unsafe.Pointer]int
	bytes int
}

func (m *blocks) Block(n int) (p unsafe.Pointer, held int) {
	held = sizeclass.Round(n)
	p = unsafe.Pointer(unsafe.SliceData(make([]byte, held)))
	m.held[p] = held
	m.bytes += held
	return p, held
}

func (m *blocks) FreeBlock(p unsafe.Pointer, n int) (held int) {
	require.Contains(m.t, m.held, p)
	require.Equal(m.t, m.held[p], n)
	m.bytes -= n
	delete(m.held, p)
	return n
}

// Retired implements value.Memory: each block is in memory that is being emptied.
func (m *blocks) Retired(unsafe.Pointer) bool { return true }

// TestModelInMemory is TestModel for documents whose cells lie in a memory, are moved there now and
// then, and all freed in the end.
func TestModelInMemory(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		model := random(r, []int{50, 600, 6000}[seed%3])
		d, m := parsed(t, model.String()), &blocks{t: t, held: make(map[unsafe.Pointer]int)}
		var e Editor
		for step := range 300 {
			change(r, &e, d, &model)
			d.Settle(m, step%10 == 0)
			require.NoError(t, d.Check(), "seed %d, step %d", seed, step)
			require.Equal(t, m.bytes, d.BlockBytes(), "seed %d, step %d", seed, step)
			if step%20 == 0 {
				require.Equal(t, model.String(), string(AppendText(nil, d.Root())), "seed %d, step %d", seed, step)
			}
		}
		for d.Drop(7) {
			require.NotZero(t, m.bytes)
		}
		require.Empty(t, m.held, "seed %d", seed)
	}
}

// TestLargeDocumentBecomesSmall: what is free of a tree is not freed again.
// The names of members that are gone do not stay, though none are added.
func TestNamesGoWithTheirMembers(t *testing.T) {
	for _, n := range []int{500, 15_000} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"a name %d":%d,`, i, i)
		}
		d := parsed(t, "{"+b.String()+`"list":[1,2]}`)
		before := d.Bytes()
		var e Editor
		for left := n; left > n/2; left-- {
			e.Delete(d, Place{0})
		}
		require.NoError(t, d.Check())
		require.Less(t, d.Bytes(), before*9/10)
		for left := n / 2; left > 10; left-- {
			e.Delete(d, Place{0})
		}
		require.NoError(t, d.Check())
		require.Less(t, d.Bytes(), 1000)
		require.Equal(t, 11, d.Root().Len())
	}
}

func TestLargeDocumentBecomesSmall(t *testing.T) {
	d := parsed(t, "["+strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 1000)+"0]")
	m := &blocks{t: t, held: make(map[unsafe.Pointer]int)}
	d.Settle(m, false)
	require.NotEmpty(t, m.held)
	var e Editor
	for i := 1000; i > 0; i-- {
		e.Delete(d, Place{uint32(i * 7919 % (i + 1))})
	}
	require.Equal(t, 1, d.Root().Len())
	require.NoError(t, d.Check())
	require.Empty(t, m.held)
}

// TestTextThatGrowsWhenPacked: a text just below the length of a large one can take more bytes
// packed.
func TestTextThatGrowsWhenPacked(t *testing.T) {
	for _, element := range []string{"1e99", strings.Repeat("[", 50) + strings.Repeat("]", 50), "{}", "0.1"} {
		for _, size := range []int{smallBytes, 2 * smallBytes, 4 * smallBytes} {
			for _, n := range []int{size/(len(element)+1) - 1, size / (len(element) + 1)} {
				text := "[" + strings.Repeat(element+",", n-1) + element + "]"
				d := parsed(t, text)
				require.NoError(t, d.Check())
				require.True(t, text == string(AppendText(nil, d.Root())), "%d of %s", n, element)
			}
		}
	}
}
