package resp

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func read(text string) (Value, error) { return NewReader(strings.NewReader(text)).Read() }

// write sends v as it came. It is the inverse of Reader.Read.
func (v Value) write(w *Writer) {
	if v.Attributes != nil {
		w.header('|', int64(len(v.Attributes)/2))
		for _, a := range v.Attributes {
			a.write(w)
		}
	}
	switch {
	case v.Kind == Null:
		w.Raw([]byte("_\r\n"))
	case v.Nil:
		w.header(byte(v.Kind), -1)
	case v.IsAggregate():
		w.header(byte(v.Kind), int64(v.Len()))
		for _, elem := range v.Elems {
			elem.write(w)
		}
	case v.Kind == Integer:
		w.Int(v.Int)
	case v.Kind == Boolean:
		w.Bool(v.Int != 0)
	case v.Kind == Bulk:
		w.BulkString(v.Text)
	case v.Kind == Verbatim:
		w.Verbatim(v.Format, []byte(v.Text))
	default:
		w.Raw([]byte(string(v.Kind) + v.Text + "\r\n"))
	}
}

func TestReaderReadsEveryKind(t *testing.T) {
	for text, want := range map[string]Value{
		"+OK\r\n":           {Kind: Status, Text: "OK"},
		"-ERR x\r\n":        {Kind: Error, Text: "ERR x"},
		":-5\r\n":           {Kind: Integer, Int: -5},
		"$3\r\na\r\n\r\n":   {Kind: Bulk, Text: "a\r\n"},
		"$0\r\n\r\n":        {Kind: Bulk},
		"$-1\r\n":           {Kind: Bulk, Nil: true},
		"*-1\r\n":           {Kind: Array, Nil: true},
		"_\r\n":             {Kind: Null, Nil: true},
		",1.5\r\n":          {Kind: Double, Text: "1.5"},
		"#t\r\n":            {Kind: Boolean, Int: 1},
		"#f\r\n":            {Kind: Boolean},
		"(123\r\n":          {Kind: BigNumber, Text: "123"},
		"=7\r\ntxt:abc\r\n": {Kind: Verbatim, Format: "txt", Text: "abc"},
		"*2\r\n:1\r\n*0\r\n": {Kind: Array,
			Elems: []Value{{Kind: Integer, Int: 1}, {Kind: Array, Elems: []Value{}}}},
		"%1\r\n+k\r\n:1\r\n": {Kind: Map, Elems: []Value{{Kind: Status, Text: "k"}, {Kind: Integer, Int: 1}}},
		"~1\r\n:1\r\n":       {Kind: Set, Elems: []Value{{Kind: Integer, Int: 1}}},
		">1\r\n:1\r\n":       {Kind: Push, Elems: []Value{{Kind: Integer, Int: 1}}},
		"|1\r\n+k\r\n:1\r\n_\r\n": {Kind: Null, Nil: true,
			Attributes: []Value{{Kind: Status, Text: "k"}, {Kind: Integer, Int: 1}}},
	} {
		v, err := read(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, v, "%q", text)
		w := NewWriter(3)
		v.write(w)
		require.Equal(t, text, string(w.Bytes()))
		for cut := 1; cut < len(text); cut++ {
			_, err := read(text[:cut])
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%q", text[:cut])
		}
	}
	_, err := read("")
	require.Equal(t, io.EOF, err)
}

func TestReaderRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"?\r\n":                        ErrKind,
		"PING\r\n":                     ErrKind,
		":1\n":                         ErrLine,
		":\r\n":                        ErrNumber,
		":01\r\n":                      ErrNumber,
		"$-2\r\n":                      ErrNumber,
		"$x\r\n":                       ErrNumber,
		"$1\r\nab\r\n":                 ErrLine,
		"$536870913\r\n":               ErrLimit,
		"*99999999999\r\n":             ErrLimit,
		"#x\r\n":                       ErrNumber,
		",1.5x\r\n":                    ErrNumber,
		"=3\r\nabc\r\n":                ErrLine,
		strings.Repeat("*1\r\n", 1000): ErrLimit,
	} {
		_, err := read(text)
		require.ErrorIs(t, err, want, "%q", text)
	}
}

func TestReaderLimitsLinesByThemselves(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for text, want := range map[string]error{"+" + long + "\r\n": ErrLimit, "-" + long: ErrLimit,
		"$200000\r\n" + long + "\r\n": nil} {
		r := NewReader(strings.NewReader(text))
		r.Limits.Line = 100_000
		_, err := r.Read()
		require.ErrorIs(t, err, want)
	}
}

func TestReaderLimitsElementsOfTheWholeReply(t *testing.T) {
	r := NewReader(strings.NewReader("*2\r\n*2\r\n:1\r\n:2\r\n*2\r\n:3\r\n:4\r\n"))
	r.Limits.Elements = 6
	_, err := r.Read()
	require.ErrorIs(t, err, ErrLimit)
}

func TestReaderTakesLongLinesAndStringsInPieces(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	w := NewWriter(2)
	w.Error(errors.New(long))
	w.BulkString(long)
	r := NewReader(iotest.HalfReader(strings.NewReader(string(w.Bytes()))))
	for _, kind := range []Kind{Error, Bulk} {
		v, err := r.Read()
		require.NoError(t, err)
		require.Equal(t, kind, v.Kind)
		require.True(t, v.Text == long)
	}
	require.Zero(t, r.Buffered())
}

func TestEqual(t *testing.T) {
	a, err := read("*2\r\n$1\r\na\r\n%1\r\n:1\r\n_\r\n")
	require.NoError(t, err)
	b, err := read("*2\r\n$1\r\na\r\n%1\r\n:1\r\n$-1\r\n")
	require.NoError(t, err)
	require.True(t, a.Equal(a))
	require.False(t, a.Equal(b))
	require.Equal(t, "1) \"a\"\n2) 1# (integer) 1 => (nil)", b.String())
	require.Equal(t, "a\n1 ", b.Raw())
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"+OK\r\n", "*2\r\n:1\r\n$-1\r\n", "%1\r\n#t\r\n,1.5\r\n", "|1\r\n+a\r\n+b\r\n>1\r\n_\r\n", "=5\r\ntxt:a\r\n",
		"(12\r\n~0\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(strings.NewReader(string(data)))
		r.Limits = Limits{Depth: 10, Elements: 1000, Bytes: 1 << 16}
		w := NewWriter(3)
		for {
			v, err := r.Read()
			if err != nil {
				return
			}
			_, _ = v.String(), v.Raw()
			w.Reset()
			v.write(w)
			again, err := read(string(w.Bytes()))
			require.NoError(t, err)
			require.True(t, v.Equal(again))
		}
	})
}

// TestCount: a Reader tells how much memory a reply takes before it takes that, and takes no more
// once it is refused.
func TestCount(t *testing.T) {
	const valueBytes = 120
	counted, limit := 0, 1<<30
	counting := func(text string) (Value, error) {
		r := NewReader(strings.NewReader(text))
		counted, r.Count = 0, func(bytes int) error {
			if counted+bytes > limit {
				return io.ErrShortBuffer
			}
			counted += bytes
			return nil
		}
		return r.Read()
	}
	for text, bytes := range map[string]int{"+OK\r\n": valueBytes, "*3\r\n:1\r\n:2\r\n$3\r\nabc\r\n": 4 * valueBytes,
		"$3000000\r\n" + strings.Repeat("x", 3e6) + "\r\n": 3e6, "*-1\r\n": valueBytes} {
		_, err := counting(text)
		require.NoError(t, err)
		require.InDelta(t, bytes, counted, float64(bytes)/4)
	}
	limit = 1e6
	_, err := counting("$300000000\r\n")
	require.ErrorIs(t, err, io.ErrShortBuffer)
	require.Less(t, counted, 2*valueBytes)
}
