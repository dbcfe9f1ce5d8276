package timeseries

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/stretchr/testify/require"
)

// parts is what is written of a series, and read again.
type parts struct {
	list  []any
	alone bool
}

func (p *parts) Uint(n uint64)    { p.list = append(p.list, n) }
func (p *parts) Double(f float64) { p.list = append(p.list, f) }
func (p *parts) Text(b []byte)    { p.list = append(p.list, b) }
func (p *parts) Rest(int)         {}
func (p *parts) Alone() bool      { return p.alone }
func (p *parts) Pieces(int, func(dst []byte, most int) []byte) {
	panic("a series has no such text")
}

// reading is a value.PartReader of parts.
type reading struct {
	list []any
	err  error
}

var _ value.PartReader = (*reading)(nil)

func next[T any](r *reading) (x T) {
	if r.err != nil || len(r.list) == 0 {
		r.Fail("nothing is left")
		return x
	}
	x, ok := r.list[0].(T)
	if r.list = r.list[1:]; !ok {
		r.Fail("another part")
	}
	return x
}

func (r *reading) Uint() uint64    { return next[uint64](r) }
func (r *reading) Double() float64 { return next[float64](r) }
func (r *reading) Text() []byte    { return next[[]byte](r) }
func (r *reading) OK() bool        { return r.err == nil }
func (r *reading) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// saved returns a series with samples and rules as it is saved.
func saved(r *rand.Rand, plain bool) (*Series, []any) {
	s := New(Options{ChunkBytes: 64, Plain: plain, Retention: 1 << 40, Policy: KeepMax, IgnoreTime: 5, IgnoreValue: 0.5,
		Labels: []Label{{"a", "b"}, {"c", "d"}}})
	s.enter("k")
	var rules []*Rule
	for kind := Min; kind < aggregators; kind++ {
		rules = append(rules, NewRule("d"+kind.String(), kind, 1000, 3))
	}
	s.SetRules(rules)
	for i := range uint64(100) {
		x := Sample{i*100 + r.Uint64N(50), randomValue(r)}
		s.Add(x)
		for _, rule := range rules {
			rule.Take(x)
		}
	}
	var to parts
	module.Save(s, &to)
	return s, to.list
}

// TestModule: what is saved is read as the same; DUMP leaves out the rules.
func TestModule(t *testing.T) {
	for seed := range uint64(20) {
		s, list := saved(rand.New(rand.NewPCG(seed, 3)), seed%2 == 0)
		r := &reading{list: list}
		v := load(r, version)
		require.NoError(t, r.err)
		require.Empty(t, r.list)
		loaded := v.(*Series)
		require.NoError(t, loaded.Check())
		var again parts
		module.Save(loaded, &again)
		require.Equal(t, list, again.list)
		for i, rule := range s.Rules() {
			want, _ := rule.Pending()
			got, ok := loaded.Rules()[i].Pending()
			require.True(t, ok)
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), rule.Kind) // it may be NaN
		}

		alone := parts{alone: true}
		module.Save(s, &alone)
		r = &reading{list: alone.list}
		require.Empty(t, load(r, version).(*Series).Rules())
	}
}

// TestModuleRefusesLies changes each part of a series, and leaves out what follows it. What is read
// all the same is sound.
func TestModuleRefusesLies(t *testing.T) {
	refused := 0
	for seed := range uint64(4) {
		_, list := saved(rand.New(rand.NewPCG(seed, 4)), seed%2 == 0)
		try := func(list []any) {
			r := &reading{list: list}
			v := load(r, version)
			if r.err != nil {
				require.Nil(t, v)
				refused++
				return
			}
			require.NoError(t, v.(*Series).Check())
		}
		for i := range list {
			try(list[:i])
			for _, lie := range []any{uint64(0), uint64(1), uint64(1 << 20), uint64(math.MaxUint64), 0.5, math.NaN(),
				[]byte{}, make([]byte, 64)} {
				changed := append([]any(nil), list...)
				changed[i] = lie
				try(changed)
			}
			if data, ok := list[i].([]byte); ok && len(data) > 0 {
				changed := append([]any(nil), list...)
				flipped := append([]byte(nil), data...)
				flipped[len(data)/3] ^= 0x10
				changed[i] = flipped
				try(changed)
			}
		}
	}
	require.Greater(t, refused, 1000)
}

// FuzzLoad reads parts that bytes make, which may be any, in all versions. What is read is sound,
// and is read again as it is saved.
func FuzzLoad(f *testing.F) {
	f.Add(byte(8), []byte("\x05\x01k\x02\x00\x02\x60\x02\x01\x02\x00\x04\x00\x02\x00\x02\x00\x02\x00\x02\x00\x04\x00"+
		"\x02\x00\x02\x00\x02\x01\x02\x00\x02\x00\x02\x10\x05\x10aaaaaaaaaaaaaaaa"))
	f.Add(byte(8), []byte("\x05\x01k\x02\x00\x02\x60\x02\x02\x02\x07\x04\x00\x02\x01\x02\x00\x02\x00\x02\x00\x04\x00"+
		"\x02\x00\x02\x00\x02\x01\x02\x10\x02\x01\x02\x00\x02\x00\x02\x07\x02\x07\x02\x00"+
		"\x02\x00\x02\x20\x02\x20\x05\x10aaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, written byte, b []byte) {
		var list []any
		for len(b) > 1 {
			kind, n := b[0], int(b[1])
			switch b = b[2:]; kind {
			case 2:
				list = append(list, uint64(n))
			case 4:
				list = append(list, math.Float64frombits(uint64(n)<<55))
			default:
				n = min(n, len(b))
				list = append(list, b[:n:n])
				b = b[n:]
			}
		}
		r := &reading{list: list}
		v := load(r, int(written%10))
		if r.err != nil {
			require.Nil(t, v)
			return
		}
		s := v.(*Series)
		require.NoError(t, s.Check())
		var to, again parts
		module.Save(s, &to)
		r = &reading{list: to.list}
		module.Save(load(r, version), &again)
		require.Equal(t, fmt.Sprint(to.list), fmt.Sprint(again.list))
	})
}
