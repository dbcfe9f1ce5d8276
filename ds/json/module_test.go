package json

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/stretchr/testify/require"
)

// parts is the parts of a value of a module.
type parts struct {
	list  []any // uint64, float64, []byte
	err   error
	rests int // calls of Rest
}

func (p *parts) Uint(n uint64)    { p.list = append(p.list, n) }
func (p *parts) Double(f float64) { p.list = append(p.list, f) }
func (p *parts) Text(b []byte)    { p.list = append(p.list, b) }
func (p *parts) Rest(int)         { p.rests++ }
func (p *parts) Alone() bool      { return false }
func (p *parts) Pieces(int, func(dst []byte, most int) []byte) {
	panic("a document is a text")
}

// reading is a value.PartReader.
type reading struct{ *parts }

func (r reading) OK() bool { return r.err == nil }

func (r reading) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// next returns the next part, which must be of type T.
func next[T any](r reading) (part T) {
	if r.err != nil {
		return part
	}
	if len(r.list) > 0 {
		part, ok := r.list[0].(T)
		if r.list = r.list[1:]; ok {
			return part
		}
	}
	r.err = errors.New("another part is expected")
	return part
}

func (r reading) Uint() uint64    { return next[uint64](r) }
func (r reading) Double() float64 { return next[float64](r) }
func (r reading) Text() []byte    { return next[[]byte](r) }

// read reads a document of a version, all of whose parts must be needed. Integers are unsigned
// parts, and strings texts.
func read(version int, list ...any) (text string, err error) {
	r := reading{new(parts)}
	for _, part := range list {
		switch part := part.(type) {
		case int:
			r.list = append(r.list, uint64(part))
		case string:
			r.list = append(r.list, []byte(part))
		default:
			r.list = append(r.list, part)
		}
	}
	v := load(r, version)
	switch {
	case r.err != nil:
		return "", r.err
	case len(r.list) > 0:
		return "", errors.New("parts are left")
	}
	d := v.(*Doc)
	return string(AppendText(nil, d.Root())), d.Check()
}

func TestModuleReadsAllVersions(t *testing.T) {
	deep := strings.Repeat("[", MaxLevels-1) + strings.Repeat("]", MaxLevels-1)
	for _, c := range []struct {
		version int
		parts   []any
		text    string
	}{
		{3, []any{`{"a":1}`}, `{"a":1}`},
		{3, []any{" [1 , 2] "}, "[1,2]"},
		{3, []any{"1 x"}, "1"},
		{3, []any{deep}, deep},
		{2, []any{"5", 0}, "5"},
		{2, []any{"5", 1, "index", "path"}, "5"},
		{0, []any{1}, "null"},
		{0, []any{2, "hi"}, `"hi"`},
		{0, []any{4, 1.5}, "1.5"},
		{0, []any{8, 5}, "5"},
		{0, []any{8, uint64(math.MaxUint64 - 4)}, "-5"},
		{0, []any{16, "1"}, "true"},
		{0, []any{16, "0"}, "false"},
		{0, []any{32, 0}, "{}"},
		{0, []any{32, 1, 128, "k", 1}, `{"k":null}`},
		{0, []any{64, 2, 1, 8, 7}, "[null,7]"},
		{0, []any{32, 2, 128, "k", 8, 1, 128, "j", 2, "x"}, `{"k":1,"j":"x"}`},
		{0, []any{32, 2, 128, "k", 8, 1, 128, "k", 2, "x"}, `{"k":"x"}`},
	} {
		text, err := read(c.version, c.parts...)
		require.NoError(t, err, c.text)
		require.Equal(t, c.text, text)
	}
}

func TestModuleRefusesLies(t *testing.T) {
	tooDeep := strings.Repeat("[", MaxLevels) + strings.Repeat("]", MaxLevels)
	nested := make([]any, 0, 4*MaxLevels)
	for range MaxLevels {
		nested = append(nested, 64, 1)
	}
	for _, c := range []struct {
		version int
		parts   []any
	}{
		{3, nil}, {3, []any{""}}, {3, []any{"{"}}, {3, []any{"\"\xff\""}}, {3, []any{1}}, {3, []any{"1", "2"}},
		{3, []any{tooDeep}}, {3, []any{strings.Repeat("[", 1_000_000)}}, {3, []any{"1e999"}},
		{2, []any{"5"}}, {2, []any{"5", "x"}}, {2, []any{"5", 0, 0}}, {2, []any{"{"}}, {2, []any{"5", 1, "i"}},
		{0, []any{"5"}}, {0, nil}, {0, []any{0}}, {0, []any{3}}, {0, []any{256}}, {0, []any{2}}, {0, []any{4}},
		{0, []any{8}}, {0, []any{16}}, {0, []any{16, 1}}, {0, []any{32}}, {0, []any{64}},
		{0, []any{128, "k", 1}}, {0, []any{32, 1, 128, "k"}}, {0, []any{32, 1, 2, "k", 1}},
		{0, []any{64, uint64(math.MaxUint64), 1, 1}}, {0, []any{32, uint64(math.MaxUint64), 128, "k", 1}},
		{0, []any{4, math.NaN()}}, {0, []any{4, math.Inf(-1)}}, {0, []any{2, "\xff"}},
		{0, []any{32, 1, 128, "\xff", 1}},
		{0, append(nested, 1)},
		{1, []any{"5"}}, {4, []any{"5"}}, {1023, []any{"5", 0}},
	} {
		text, err := read(c.version, c.parts...)
		require.Error(t, err, "version %d, %.60q: %.60s", c.version, fmt.Sprint(c.parts...), text)
	}
}

// TestModuleOfManyTokens: objects and arrays of the first version can be of any size.
func TestModuleOfManyTokens(t *testing.T) {
	list, want := []any{32, 3000}, "{"
	for i := range 3000 {
		name := fmt.Sprint("name", i)
		list = append(list, 128, name, 64, 2, 4, 0.5, 2, strings.Repeat("t", i))
		want += fmt.Sprintf(`%q:[0.5,"%s"],`, name, strings.Repeat("t", i))
	}
	text, err := read(0, list...)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(want, ",")+"}", text)
}

// TestSavePauses: a snapshot may pause while the text of a large document is made.
func TestSavePauses(t *testing.T) {
	text := "[" + strings.Repeat("1000000,", 100_000) + "0]"
	var to parts
	module.Save(parsed(t, text), &to)
	require.Equal(t, []any{[]byte(text)}, to.list)
	require.Greater(t, to.rests, len(text)/restBytes/2)
}

var _ value.PartReader = reading{}

// FuzzLoad reads parts that bytes make, which may be any, in all versions. What is read is a
// document, and saved as a text that reads as the same.
func FuzzLoad(f *testing.F) {
	f.Add(byte(3), []byte("\x05\x07{\"a\":1}"))
	f.Add(byte(2), []byte("\x05\x01\x35\x02\x00"))
	f.Add(byte(0), []byte("\x02\x20\x02\x02\x02\x80\x05\x01k\x02\x40\x02\x01\x02\x01\x02\x80\x05\x01k\x04\x3f"))
	f.Add(byte(0), []byte("\x02\x40\x02\xff\x02\x40\x02\xff\x05\x02hi"))
	f.Fuzz(func(t *testing.T, version byte, b []byte) {
		r := reading{new(parts)}
		for len(b) > 1 {
			kind, n := b[0], int(b[1])
			switch b = b[2:]; kind {
			case 2:
				r.list = append(r.list, uint64(n))
			case 4:
				r.list = append(r.list, math.Float64frombits(uint64(n)<<55))
			default:
				n = min(n, len(b))
				r.list = append(r.list, b[:n:n])
				b = b[n:]
			}
		}
		v := load(r, int(version%4))
		if r.err != nil {
			require.Nil(t, v)
			return
		}
		d := v.(*Doc)
		require.NoError(t, d.Check())
		var to parts
		module.Save(d, &to)
		again, err := read(3, to.list...)
		require.NoError(t, err)
		require.Equal(t, string(to.list[0].([]byte)), again)
	})
}
