package array

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/stretchr/testify/require"
)

// blocks is a value.Memory that knows what it has given, all of it in memory that is being emptied.
type blocks struct {
	t     testing.TB
	held  map[unsafe.Pointer]int
	bytes int
}

func (m *blocks) Block(n int) (p unsafe.Pointer, held int) {
	held = slab.Size(n)
	p = unsafe.Pointer(unsafe.SliceData(make([]byte, held)))
	m.held[p] = held
	m.bytes += held
	return p, held
}

func (m *blocks) FreeBlock(p unsafe.Pointer, n int) (held int) {
	require.Contains(m.t, m.held, p)
	held = m.held[p]
	m.bytes -= held
	delete(m.held, p)
	return held
}

func (m *blocks) Retired(unsafe.Pointer) bool { return true }

// model is an array, and what it must be.
type model struct {
	a     *Array
	texts map[uint64]string
	next  uint64
	lim   Limits
}

// numbers are the choices of a test: bytes, or random ones.
type numbers interface{ below(n int) int }

type randomNumbers struct{ *rand.Rand }

func (r randomNumbers) below(n int) int { return r.IntN(n) }

// given are choices in bytes. After the last one all are 0.
type given struct{ b []byte }

func (g *given) below(n int) (chosen int) {
	for most := n - 1; most > 0 && len(g.b) > 0; most >>= 8 {
		chosen = chosen<<8 | int(g.b[0])
		g.b = g.b[1:]
	}
	return chosen % n
}

// index returns an index, often one near others.
func index(r numbers) uint64 {
	switch r.below(8) {
	case 0:
		return uint64(r.below(1 << 20))
	case 1:
		return uint64(2048*256 + r.below(600))
	case 2:
		return 1<<60 + uint64(r.below(1<<10))<<r.below(40)
	case 3:
		return MaxIndex - uint64(r.below(300))
	}
	return uint64(r.below(700))
}

// text returns a text of any kind of word.
func text(r numbers) string {
	switch r.below(8) {
	case 0:
		return strconv.Itoa(r.below(1<<31) - 1<<30)
	case 1:
		return strconv.FormatInt(int64(r.below(1<<31))<<32, 10)
	case 2:
		sign := []string{"", "-", "0"}[r.below(3)]
		return fmt.Sprintf("%s%d.%0*d", sign, r.below(1<<20), 1+r.below(18), r.below(1<<10))
	case 3:
		return strings.Repeat("x", r.below(9))
	case 4:
		return strings.Repeat("long", r.below(1<<7))
	}
	return "text " + strconv.Itoa(r.below(1000))
}

// step does something with the array and with what it must be.
func (m *model) step(t testing.TB, r numbers) {
	switch r.below(16) {
	case 0:
		from, to := index(r), index(r)
		m.deleteRange(t, min(from, to), max(from, to))
	case 1, 2:
		from := index(r)
		m.deleteRange(t, from, from+min(uint64(r.below(100)), MaxIndex-from))
	case 3:
		at := index(r)
		_, there := m.texts[at]
		require.Equal(t, there, m.a.Delete(at, m.lim))
		delete(m.texts, at)
	case 4:
		m.next = index(r)
		m.a.Seek(m.next)
	case 5:
		m.reshape(uint64(1 + r.below(900)))
	case 6, 7, 8:
		at, n := index(r), 1+r.below(300)
		m.setAll(t, min(at, MaxIndex-uint64(n)), n, r)
	default:
		for at, n := index(r), 1+r.below(20); n > 0 && at <= MaxIndex; n, at = n-1, at+uint64(r.below(30)) {
			m.setAll(t, at, 1, r)
		}
	}
}

func (m *model) deleteRange(t testing.TB, from, to uint64) {
	before := len(m.texts)
	maps.DeleteFunc(m.texts, func(at uint64, _ string) bool { return from <= at && at <= to })
	require.Equal(t, before-len(m.texts), m.a.DeleteRange(from, to, m.lim))
}

func (m *model) setAll(t testing.TB, at uint64, n int, r numbers) {
	before := len(m.texts)
	texts := make([][]byte, n)
	for i := range texts {
		texts[i] = []byte(text(r))
		m.texts[at+uint64(i)] = string(texts[i])
	}
	if n == 1 {
		require.Equal(t, len(m.texts) > before, m.a.Set(at, texts[0], m.lim))
		return
	}
	require.Equal(t, len(m.texts)-before, m.a.SetAll(at, texts, m.lim))
}

// reshape is Array.Reshape by its description.
func (m *model) reshape(size uint64) {
	m.a.Reshape(size, m.lim)
	span := uint64(0)
	for at := range m.texts {
		span = max(span, at+1)
	}
	if span == 0 || size == span || size > span && (m.next == 0 || m.next >= span) {
		return
	}
	var kept []string
	at := span - 1
	if m.next > 0 {
		at = (m.next - 1) % span
	}
	for uint64(len(kept)) < min(size, span) {
		one, ok := m.texts[at]
		if !ok {
			break
		}
		kept = append(kept, one)
		if at == 0 {
			at = span
		}
		at--
	}
	slices.Reverse(kept)
	m.texts, m.next = make(map[uint64]string), uint64(len(kept))
	for i, one := range kept {
		m.texts[uint64(i)] = one
	}
}

// require compares the array with what it must be.
func (m *model) require(t testing.TB, r numbers) {
	require.NoError(t, m.a.Check())
	require.Equal(t, len(m.texts), m.a.Len())
	require.Equal(t, m.next, m.a.Next())
	from, to := index(r), index(r)
	if r.below(2) == 0 {
		from, to = 0, MaxIndex
	}
	var got, want []string
	m.a.Scan(from, to, func(at uint64, e ziplist.Entry) bool {
		got = append(got, fmt.Sprint(at, " ", string(e.Text(nil))))
		return true
	})
	indexes := slices.Sorted(maps.Keys(m.texts))
	span := uint64(0)
	if len(indexes) > 0 {
		span = indexes[len(indexes)-1] + 1
	}
	require.Equal(t, span, m.a.Span())
	for _, at := range indexes {
		if min(from, to) <= at && at <= max(from, to) {
			want = append(want, fmt.Sprint(at, " ", m.texts[at]))
		}
	}
	if from > to {
		slices.Reverse(want)
	}
	require.Equal(t, want, got, "from %d to %d", from, to)
	at := index(r)
	e, ok := m.a.Get(at)
	want1, there := m.texts[at]
	require.Equal(t, there, ok)
	if ok {
		require.Equal(t, want1, string(e.Text(nil)))
	}
}

// limits are those of the models: by default, and such that all slices are dense or sparse.
var limits = []Limits{{256, 10, 5}, Defaults, {256, 0, 5}, {512, 400, 399}, {65536, 3, 0}}

func TestModel(t *testing.T) {
	for seed := range uint64(20) {
		r := randomNumbers{rand.New(rand.NewPCG(seed, 1))}
		m := &model{a: new(Array), texts: make(map[uint64]string), lim: limits[seed%uint64(len(limits))]}
		mem := &blocks{t: t, held: make(map[unsafe.Pointer]int)}
		for step := range 300 {
			m.step(t, r)
			if seed%2 == 1 {
				m.a.Settle(mem, step%10 == 0)
				require.Equal(t, mem.bytes, m.a.BlockBytes())
			}
			if step%4 == 0 {
				m.require(t, r)
			}
			if step%50 == 0 {
				clone := m.a.Clone().(*Array)
				require.NoError(t, clone.Check())
				(&model{a: clone, texts: maps.Clone(m.texts), next: m.next, lim: m.lim}).require(t, r)
			}
		}
		for m.a.Drop(7) {
			require.NotZero(t, mem.bytes)
		}
		require.Empty(t, mem.held, "seed %d", seed)
	}
}

// FuzzArray compares arrays with maps.
func FuzzArray(f *testing.F) {
	for seed := range uint64(8) {
		b := make([]byte, 400)
		r := rand.New(rand.NewPCG(seed, 2))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &given{b}
		m := &model{a: new(Array), texts: make(map[uint64]string), lim: limits[r.below(len(limits))]}
		for step := 0; len(r.b) > 0 && step < 20; step++ {
			m.step(t, r)
			m.require(t, r)
		}
	})
}
