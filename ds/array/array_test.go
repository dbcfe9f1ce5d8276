package array

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/stretchr/testify/require"
)

// Every text comes back as it is, and those that can be are words by themselves.
func TestWords(t *testing.T) {
	for text, near := range map[string]bool{
		"": true, "a": true, "1234567": true, "x\x00\xff": true, "7 bytes": true, "8 bytes!": false,
		"0": true, "-1": true, "1152921504606846975": true, "1152921504606846976": false,
		"-1152921504606846976": true, "-1152921504606846977": false, "00000001": false, "+1234567": false,
		"3.14": true, "3.14159265": true, "-12345678.50": true, "0.00000001": true, "-0.0000001": true,
		"-0.0000000": false, "00.1234567": false, ".12345678": false, "12345678.": false, "1.2.345678": false,
		"72057594037927935.5": false, "7205759403792793.5": true, "0.123456789012345": true,
		"0.1234567890123456": false, "1e1000000": false, strings.Repeat("x", 300): false,
	} {
		_, ok := wordOf([]byte(text))
		require.Equal(t, near, ok, text)
		x := newLarge(Defaults)
		require.Equal(t, text, string(x.entry(x.store([]byte(text))).Text(nil)))
	}
}

// What Redis keeps as a double: fractions whose double with two bits less is written in the same
// way.
func TestDouble(t *testing.T) {
	for text, want := range map[string]float64{
		"0.5": 0.5, "1.0": 1, "-2.25": -2.25, "100.0": 100, "-0.0": 0,
		"0.12": math.Float64frombits(0x3fbeb851eb851eb8),
		"0.1":  -1, "3.14": -1, "1": -1, "1.50": -1,
		".5": -1, "1.": -1, "1e5": -1, "": -1, "-": -1, "inf": -1, "+1.5": -1,
		"1.5x": -1, "1.2.3": -1,
	} {
		f, ok := Double([]byte(text))
		require.Equal(t, want != -1, ok, text)
		if ok {
			require.Equal(t, want, f, text)
			require.Equal(t, text, string(AppendDouble(nil, f)))
		}
	}
	require.Equal(t, "inf", string(AppendDouble(nil, math.Inf(1))))
}

func texts(n int) (list [][]byte) {
	for i := range n {
		list = append(list, []byte(strconv.Itoa(i)))
	}
	return list
}

// The shapes of slices are those of Redis, as ARINFO tells them.
func TestShapes(t *testing.T) {
	a := new(Array)
	for i := range uint64(11) {
		a.Set(i*100, []byte("x"), Defaults)
	}
	l := a.Layout(Defaults, true)
	require.Equal(t, Layout{Packed: true, Slices: 1, Directory: 1, SliceSize: 4096, Dense: 1, Windows: 1024,
		InWindows: 11, Cells: l.Cells, Free: l.Free, Pages: l.Pages}, l)
	a.grow(Defaults)
	a.DeleteRange(500, 5000, Defaults)
	require.Equal(t, 5, a.Len())

	a = new(Array)
	a.SetAll(4090, texts(100), Defaults)
	l = a.Layout(Defaults, true)
	require.Equal(t, []int{2, 2, 0, 1, 1, 128, 94, 8}, []int{l.Slices, l.Directory, l.Blocks, l.Sparse, l.Dense,
		l.Windows, l.InWindows, l.SparseRoom})
	a.DeleteRange(4100, 4189, Defaults)
	require.Equal(t, 10, a.Len())
	a.grow(Defaults)
	a.Set(2048*4096, []byte("x"), Defaults)
	a.Set(1<<50, []byte("x"), Defaults)
	l = a.Layout(Defaults, true)
	require.Equal(t, []int{4, 4, 3, 4}, []int{l.Slices, l.Directory, l.Blocks, l.Sparse})
	for i := range uint64(5) {
		a.Set(1<<51+i<<40, []byte("x"), Defaults)
	}
	l = a.Layout(Defaults, true)
	require.Equal(t, []int{9, 8, 8}, []int{l.Slices, l.Directory, l.Blocks})
}

// Elements with many empty indexes between them take little, however they lie.
func TestHolesTakeNothing(t *testing.T) {
	for name, at := range map[string]func(i uint64) uint64{
		"in order":     func(i uint64) uint64 { return i },
		"eleven each":  func(i uint64) uint64 { return i/11*4096 + i%11*400 },
		"one each":     func(i uint64) uint64 { return i << 40 },
		"both ends":    func(i uint64) uint64 { return i % 2 * (MaxIndex - i) },
		"backward":     func(i uint64) uint64 { return 1<<63 - i },
		"every second": func(i uint64) uint64 { return 2 * i },
	} {
		a := new(Array)
		const n = 20_000
		for i := range uint64(n) {
			a.Set(at(i), []byte("text"), Defaults)
		}
		require.Less(t, a.Bytes()/a.Len(), 100, name)
		require.NoError(t, a.Check(), name)
	}
}

// A scan goes no further than it is asked to.
func TestScanStops(t *testing.T) {
	a := new(Array)
	a.SetAll(MaxIndex-999, texts(1000), Defaults)
	for _, back := range []bool{false, true} {
		from, to := uint64(0), uint64(MaxIndex)
		if back {
			from, to = to, from
		}
		n := 0
		a.Scan(from, to, func(uint64, ziplist.Entry) bool {
			n++
			return n < 3
		})
		require.Equal(t, 3, n)
	}
	require.Equal(t, uint64(Exhausted), a.Span())
}
