package bitmap

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// digits returns b's bits as text, which the tests count and search instead.
func digits(b []byte) string {
	var s []byte
	for _, x := range b {
		s = fmt.Appendf(s, "%08b", x)
	}
	return string(s)
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		switch r.IntN(3) { // runs of equal bits are likely
		case 0:
			b[i] = 0xff
		case 1:
			b[i] = byte(r.Uint32())
		}
	}
	return b
}

func TestBits(t *testing.T) {
	b := []byte("he")
	require.Equal(t, "0110100001100101", digits(b))
	for i, d := range digits(b) {
		require.Equal(t, int(d-'0'), Bit(b, i))
	}
	require.Zero(t, Bit(b, 16))
	require.Zero(t, Bit(nil, math.MaxInt))
	SetBit(b, 0, 1)
	SetBit(b, 15, 0)
	SetBit(b, 14, 0)
	require.Equal(t, "1110100001100100", digits(b))
}

func TestCountAndFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		b := random(r, r.IntN(90))
		text := digits(b)
		from := r.IntN(len(text) + 1)
		to := from + r.IntN(len(text)-from+1)
		ones := 0
		found := [2]int{-1, -1}
		for i := from; i < to; i++ {
			bit := int(text[i] - '0')
			ones += bit
			if found[bit] < 0 {
				found[bit] = i
			}
		}
		require.Equal(t, ones, CountRange(b, from, to), "%s %d %d", text, from, to)
		require.Equal(t, found[0], Find(b, 0, from, to), "%s %d %d", text, from, to)
		require.Equal(t, found[1], Find(b, 1, from, to), "%s %d %d", text, from, to)
		require.Equal(t, CountRange(b, 0, len(text)), Count(b))
	}
	require.Zero(t, CountRange([]byte{0xff}, 5, 2))
	require.Equal(t, -1, Find([]byte{0xff}, 1, 5, 2))
}

func TestCombine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		a := random(r, r.IntN(50))
		b := random(r, r.IntN(len(a)+1))
		padded := append(bytes.Clone(b), make([]byte, len(a)-len(b))...)
		for name, c := range map[string]struct {
			do   func(dst, src []byte)
			each func(x, y byte) byte
		}{
			"and":    {And, func(x, y byte) byte { return x & y }},
			"or":     {Or, func(x, y byte) byte { return x | y }},
			"xor":    {Xor, func(x, y byte) byte { return x ^ y }},
			"andnot": {AndNot, func(x, y byte) byte { return x &^ y }},
			"not":    {func(dst, _ []byte) { Not(dst) }, func(x, _ byte) byte { return ^x }},
		} {
			got, want := bytes.Clone(a), bytes.Clone(a)
			c.do(got, b)
			for i := range want {
				want[i] = c.each(want[i], padded[i])
			}
			require.Equal(t, want, got, name)
		}
	}
}

// TestOne compares bits that are set in exactly one string with a count of them.
func TestOne(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		dst, more, counts := make([]byte, 40), make([]byte, 40), make([]int, 320)
		for range r.IntN(5) {
			src := random(r, r.IntN(40))
			One(dst, more, src)
			for i := range 8 * len(src) {
				counts[i] += Bit(src, i)
			}
		}
		for i, n := range counts {
			require.Equal(t, n == 1, Bit(dst, i) == 1)
		}
	}
}

func randomField(r *rand.Rand) Field {
	if r.IntN(2) == 0 {
		return Field{true, 1 + r.IntN(64)}
	}
	return Field{false, 1 + r.IntN(63)}
}

func TestFieldsReadBackAndTouchNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		f := randomField(r)
		b := random(r, 9+r.IntN(12))
		at := r.IntN(8*len(b) - f.Width + 1)
		before := digits(b)
		v := f.narrow(r.Uint64())
		f.Put(b, at, v)
		require.Equal(t, v, f.Get(b, at), "%v at %d", f, at)
		after := digits(b)
		require.Equal(t, before[:at], after[:at])
		require.Equal(t, before[at+f.Width:], after[at+f.Width:])
		require.Equal(t, fmt.Sprintf("%0*b", f.Width, uint64(v)<<(64-f.Width)>>(64-f.Width)), after[at:at+f.Width])
	}
}

func TestFieldsBeyondTheEndReadAsZeros(t *testing.T) {
	for _, c := range []struct {
		f    Field
		at   int
		want int64
	}{
		{Field{false, 8}, 0, 0xff}, {Field{false, 8}, 4, 0xf0}, {Field{true, 8}, 4, -16},
		{Field{true, 64}, 0, -1 << 56},
		{Field{false, 63}, 7, 1 << 62}, {Field{false, 8}, 8, 0}, {Field{true, 64}, 1 << 40, 0},
	} {
		require.Equal(t, c.want, c.f.Get([]byte{0xff}, c.at), "%v", c)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		f        Field
		min, max int64
	}{
		{Field{true, 1}, -1, 0}, {Field{true, 8}, -128, 127}, {Field{true, 64}, math.MinInt64, math.MaxInt64},
		{Field{false, 1}, 0, 1}, {Field{false, 8}, 0, 255}, {Field{false, 63}, 0, math.MaxInt64},
	} {
		require.Equal(t, c.min, c.f.Min(), "%v", c.f)
		require.Equal(t, c.max, c.f.Max(), "%v", c.f)
	}
}

// TestSums compares with sums of unlimited width.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50000 {
		f := randomField(r)
		v, by := f.narrow(r.Uint64()), int64(r.Uint64())>>r.IntN(64)
		switch r.IntN(8) {
		case 0:
			v = f.Max()
		case 1:
			v = f.Min()
		case 2:
			by = math.MinInt64
		case 3:
			by = math.MaxInt64
		}
		exact := new(big.Int).Add(big.NewInt(v), big.NewInt(by))
		over := exact.Cmp(big.NewInt(f.Max())) > 0
		under := exact.Cmp(big.NewInt(f.Min())) < 0
		name := fmt.Sprintf("%v: %d + %d", f, v, by)

		sum, ok := f.Add(v, by, Fail)
		require.Equal(t, !over && !under, ok, name)
		if ok {
			require.Equal(t, exact.Int64(), sum, name)
		}
		sum, ok = f.Add(v, by, Saturate)
		require.True(t, ok)
		switch {
		case over:
			require.Equal(t, f.Max(), sum, name)
		case under:
			require.Equal(t, f.Min(), sum, name)
		default:
			require.Equal(t, exact.Int64(), sum, name)
		}
		sum, ok = f.Add(v, by, Wrap)
		require.True(t, ok)
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(f.Width))
		require.Zero(t, exact.Sub(exact, big.NewInt(sum)).Mod(exact, modulus).Sign(), name)
		require.True(t, f.Min() <= sum && sum <= f.Max(), name)
	}
}

func TestIntegersOutsideTheType(t *testing.T) {
	u8, i8 := Field{false, 8}, Field{true, 8}
	for _, c := range []struct {
		f    Field
		v    int64
		o    Overflow
		want int64
		ok   bool
	}{
		{u8, 256, Wrap, 0, true}, {u8, 300, Saturate, 255, true}, {u8, 256, Fail, 0, false},
		{u8, -1, Wrap, 255, true}, {u8, -1, Saturate, 255, true}, {u8, -1, Fail, 0, false},
		{i8, 128, Wrap, -128, true}, {i8, 128, Saturate, 127, true}, {i8, -129, Wrap, 127, true},
		{i8, -129, Saturate, -128, true}, {i8, -129, Fail, 0, false},
		{i8, 127 - math.MaxInt64, Saturate, -128, true}, {i8, 126 - math.MaxInt64, Saturate, 127, true},
	} {
		got, ok := c.f.Add(c.v, 0, c.o)
		require.Equal(t, c.ok, ok, "%v", c)
		require.Equal(t, c.want, got, "%v", c)
	}
}

func FuzzRanges(f *testing.F) {
	f.Add([]byte("hello"), uint16(3), uint16(30))
	f.Add(bytes.Repeat([]byte{0xff}, 40), uint16(9), uint16(300))
	f.Fuzz(func(t *testing.T, b []byte, from, to uint16) {
		lo, hi := min(int(from), 8*len(b)), min(int(to), 8*len(b))
		ones, one, zero := 0, -1, -1
		for i := lo; i < hi; i++ {
			switch bit := Bit(b, i); {
			case bit == 1 && one < 0:
				one = i
			case bit == 0 && zero < 0:
				zero = i
			}
			ones += Bit(b, i)
		}
		require.Equal(t, ones, CountRange(b, lo, hi))
		require.Equal(t, one, Find(b, 1, lo, hi))
		require.Equal(t, zero, Find(b, 0, lo, hi))
	})
}

func BenchmarkCount(b *testing.B) {
	for _, n := range []int{46, 12 << 10, 1 << 20} {
		data := random(rand.New(rand.NewPCG(1, 1)), n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Count(data)
			}
		})
	}
}

func BenchmarkCombine(b *testing.B) {
	dst, src := make([]byte, 1<<20), random(rand.New(rand.NewPCG(1, 1)), 1<<20)
	for name, do := range map[string]func(dst, src []byte){"and": And, "or": Or, "xor": Xor} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1 << 20)
			for b.Loop() {
				do(dst, src)
			}
		})
	}
}

func BenchmarkField(b *testing.B) {
	data, f := make([]byte, 64), Field{false, 13}
	for b.Loop() {
		f.Put(data, 77, f.Get(data, 77)+1)
	}
}
