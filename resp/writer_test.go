package resp

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// both returns what write produces in RESP2 and in RESP3.
func both(write func(w *Writer)) (two, three string) {
	w2, w3 := NewWriter(2), NewWriter(3)
	write(w2)
	write(w3)
	return string(w2.Bytes()), string(w3.Bytes())
}

func TestWriterForms(t *testing.T) {
	for name, c := range map[string]struct {
		write      func(w *Writer)
		two, three string
	}{
		"status":       {func(w *Writer) { w.Status("OK") }, "+OK\r\n", "+OK\r\n"},
		"long status":  {func(w *Writer) { w.Status("a\r\n$1") }, "+a  $1\r\n", "+a  $1\r\n"},
		"error":        {func(w *Writer) { w.Error(errors.New("ERR a\r\nb")) }, "-ERR a  b\r\n", "-ERR a  b\r\n"},
		"int":          {func(w *Writer) { w.Int(7) }, ":7\r\n", ":7\r\n"},
		"int two":      {func(w *Writer) { w.Int(10) }, ":10\r\n", ":10\r\n"},
		"int negative": {func(w *Writer) { w.Int(-1) }, ":-1\r\n", ":-1\r\n"},
		"int min": {func(w *Writer) { w.Int(math.MinInt64) }, ":-9223372036854775808\r\n",
			":-9223372036854775808\r\n"},
		"bulk": {func(w *Writer) { w.Bulk([]byte("a\r\n\x00")) }, "$4\r\na\r\n\x00\r\n",
			"$4\r\na\r\n\x00\r\n"},
		"bulk nil": {func(w *Writer) { w.Bulk(nil) }, "$0\r\n\r\n", "$0\r\n\r\n"},
		"bulk string": {func(w *Writer) { w.BulkString("hello worlds") }, "$12\r\nhello worlds\r\n",
			"$12\r\nhello worlds\r\n"},
		"null":       {func(w *Writer) { w.Null() }, "$-1\r\n", "_\r\n"},
		"null array": {func(w *Writer) { w.NullArray() }, "*-1\r\n", "_\r\n"},
		"array":      {func(w *Writer) { w.Array(11) }, "*11\r\n", "*11\r\n"},
		"map":        {func(w *Writer) { w.Map(2) }, "*4\r\n", "%2\r\n"},
		"set":        {func(w *Writer) { w.Set(2) }, "*2\r\n", "~2\r\n"},
		"push":       {func(w *Writer) { w.Push(3) }, "*3\r\n", ">3\r\n"},
		"double":     {func(w *Writer) { w.Double(0.1) }, "$3\r\n0.1\r\n", ",0.1\r\n"},
		"17 digits": {func(w *Writer) { w.SetAll17(true); w.Double(0.1) }, "$19\r\n0.10000000000000001\r\n",
			",0.10000000000000001\r\n"},
		"double inf":  {func(w *Writer) { w.Double(math.Inf(-1)) }, "$4\r\n-inf\r\n", ",-inf\r\n"},
		"bulk double": {func(w *Writer) { w.BulkDouble(3) }, "$1\r\n3\r\n", "$1\r\n3\r\n"},
		"human double": {func(w *Writer) { w.HumanDouble(1e20) }, "$21\r\n100000000000000000000\r\n",
			",100000000000000000000\r\n"},
		"big number": {func(w *Writer) { w.BigNumber("12") }, "$2\r\n12\r\n", "(12\r\n"},
		"bool true":  {func(w *Writer) { w.Bool(true) }, ":1\r\n", "#t\r\n"},
		"bool false": {func(w *Writer) { w.Bool(false) }, ":0\r\n", "#f\r\n"},
		"verbatim":   {func(w *Writer) { w.Verbatim("txt", []byte("a")) }, "$1\r\na\r\n", "=5\r\ntxt:a\r\n"},
		"raw":        {func(w *Writer) { w.Raw([]byte("+x\r\n")) }, "+x\r\n", "+x\r\n"},
		"deferred map": {func(w *Writer) { at := w.Defer(); w.Int(1); w.Int(2); w.SetMap(at, 1) },
			"*2\r\n:1\r\n:2\r\n", "%1\r\n:1\r\n:2\r\n"},
		"deferred set": {func(w *Writer) { at := w.Defer(); w.Int(1); w.SetSet(at, 1) }, "*1\r\n:1\r\n",
			"~1\r\n:1\r\n"},
		"deferred none": {func(w *Writer) { at := w.Defer(); w.Int(1); w.Truncate(at); w.Null() }, "$-1\r\n", "_\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			two, three := both(c.write)
			require.Equal(t, c.two, two)
			require.Equal(t, c.three, three)
		})
	}
}

func TestDeferMovesOnlyWhenItMust(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 99, 100, 12345} {
		w, want := NewWriter(2), NewWriter(2)
		w.Status("before")
		at := w.Defer()
		want.Status("before")
		want.Array(n)
		for i := range n {
			w.Int(int64(i))
			want.Int(int64(i))
		}
		w.SetArray(at, n)
		w.Status("after")
		want.Status("after")
		require.Equal(t, string(want.Bytes()), string(w.Bytes()))
	}
}

func TestDeferNests(t *testing.T) {
	w := NewWriter(3)
	outer := w.Defer()
	for range 12 {
		inner := w.Defer()
		w.BulkString("k")
		w.Int(1)
		w.SetMap(inner, 1)
	}
	w.SetArray(outer, 12)
	require.Equal(t, "*12\r\n"+strings.Repeat("%1\r\n$1\r\nk\r\n:1\r\n", 12), string(w.Bytes()))
}

func TestResetKeepsProtocolAndBuffer(t *testing.T) {
	w := NewWriter(3)
	w.BulkString(strings.Repeat("x", 1000))
	room := cap(w.Bytes())
	w.Reset()
	require.Zero(t, w.Len())
	require.Equal(t, room, cap(w.Bytes()))
	require.Equal(t, 3, w.Proto())
	w.SetProto(2)
	require.Equal(t, 2, w.Proto())
}

func TestSwapHandsOutTheBuffer(t *testing.T) {
	w := NewWriter(2)
	w.Int(1)
	sent := w.Swap(make([]byte, 5, 100))
	w.Int(2)
	require.Equal(t, ":1\r\n", string(sent))
	require.Equal(t, ":2\r\n", string(w.Bytes()))
	require.Equal(t, 100, cap(w.Bytes()))
}

var errNo = errors.New("ERR no")

// everything writes a reply of each kind.
func everything(w *Writer) {
	at := w.Defer()
	for i := range 12 {
		w.Int(int64(i * 1000))
	}
	w.SetMap(at, 6)
	w.Array(3)
	w.BulkString("some value")
	w.Double(1.5)
	w.HumanDouble(-0.25)
	w.BulkDouble(math.Pi)
	w.Verbatim("txt", []byte("abc"))
	w.Error(errNo)
	w.Bool(true)
	w.Null()
}

func TestWriterDoesNotAllocate(t *testing.T) {
	for _, proto := range []int{2, 3} {
		w := NewWriter(proto)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			w.Reset()
			everything(w)
		}))
	}
}

func BenchmarkWriter(b *testing.B) {
	w := NewWriter(2)
	value := []byte("0123456789abcdef")
	for _, c := range []struct {
		name  string
		write func()
	}{
		{"Int/small", func() { w.Int(1) }},
		{"Int/large", func() { w.Int(1700000000000) }},
		{"Bulk/16", func() { w.Bulk(value) }},
		{"Double/integer", func() { w.Double(1700000000000) }},
		{"Double/fraction", func() { w.Double(0.1) }},
		{"everything", func() { everything(w) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Reset()
				c.write()
			}
		})
	}
}

// A bulk string that is written in the Writer's memory is the same as one that is copied there.
func TestOpenBulk(t *testing.T) {
	w, want := NewWriter(2), NewWriter(2)
	for _, n := range []int{0, 1, 9, 10, 99, 100, 999, 1000, 100_000} {
		text := bytes.Repeat([]byte("x"), n)
		want.Bulk(text)
		dst, most := w.OpenBulk()
		require.Greater(t, most, len(dst))
		w.CloseBulk(append(dst, text...))
		w.OpenBulk() // is not closed
		require.Equal(t, string(want.Bytes()), string(w.Bytes()), n)
	}
	w.Restart(50)
	dst, most := w.OpenBulk()
	w.CloseBulk(append(dst, make([]byte, most-len(dst))...))
	require.False(t, w.Full())
	w.Restart(50)
	dst, most = w.OpenBulk()
	w.CloseBulk(append(dst, make([]byte, most+1-len(dst))...))
	require.True(t, w.Full())
	require.Zero(t, w.Len())
}

func TestWriterDropsWhatPassesItsLimit(t *testing.T) {
	w := NewWriter(3)
	w.SetLimit(100)
	at := w.Defer()
	n := 0
	for ; n < 1000 && !w.Full(); n++ {
		w.BulkString("0123456789")
	}
	require.Less(t, n, 10)
	require.LessOrEqual(t, w.Len(), 100+len("$10\r\n\r\n"))
	kept := w.Len()
	w.SetArray(at, n)
	w.SetLimit(1 << 20)
	for name, write := range map[string]func(){
		"status": func() { w.Status("OK") }, "error": func() { w.Error(errors.New("x")) }, "int": func() { w.Int(1) },
		"bulk": func() { w.Bulk(nil) }, "null": w.Null, "null array": w.NullArray,
		"map": func() { w.Map(1) }, "raw": func() { w.Raw([]byte("x")) },
		"bool": func() { w.Bool(true) }, "double": func() { w.Double(1) }, "decimal": func() { w.HumanDouble(1) },
		"big number": func() { w.BigNumber("1") }, "verbatim": func() { w.Verbatim("txt", nil) },
		"defer": func() { w.SetMap(w.Defer(), 100) }, "command": func() { w.Command("a") },
	} {
		write()
		require.Equal(t, kept, w.Len(), name)
		require.True(t, w.Full(), name)
	}
	w.Restart(10)
	w.Bulk(make([]byte, 11))
	require.Zero(t, w.Len())
	w.Restart(10)
	w.Status("OK")
	require.Equal(t, "+OK\r\n", string(w.Bytes()))
}
