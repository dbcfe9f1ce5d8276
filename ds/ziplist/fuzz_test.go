package ziplist

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzValue makes a value of interesting size from two bytes.
func fuzzValue(kind, arg byte) string {
	switch kind % 6 {
	case 0:
		return strconv.Itoa(int(int8(arg)))
	case 1:
		return strconv.FormatInt(int64(int8(arg))<<(arg%56), 10)
	case 2:
		return strings.Repeat("s", int(arg)%70)
	case 3:
		return strings.Repeat("b", 240+int(arg)%16)
	case 4:
		return strings.Repeat("l", 16300+int(arg))
	default:
		return "0" + strconv.Itoa(int(arg))
	}
}

// FuzzChanges reads a program of changes, three or four bytes each, and
// compares the list with the model byte for byte after each.
func FuzzChanges(f *testing.F) {
	f.Add([]byte("\x00\x00\x03\xfa\x00\x00\x03\xfa\x00\x00\x03\xfc\x01\x01\x00\x00"))
	f.Add([]byte("\x00\x00\x01\x00\x02\x00\x03\x0f\x01\x00\x01\x00"))
	f.Fuzz(func(t *testing.T, prog []byte) {
		p := &pair{t: t, l: New()}
		for ; len(prog) >= 4 && len(p.m) < 64; prog = prog[4:] {
			op, at, text := prog[0], int(prog[1]), fuzzValue(prog[2], prog[3])
			switch {
			case op%4 < 2 || len(p.m) == 0:
				p.insert(at%(len(p.m)+1), text)
			case op%4 == 2:
				p.replace(at%len(p.m), text)
			default:
				p.delete(at%len(p.m), 1+int(prog[2])%3)
			}
		}
		compareReads(t, p)
	})
}

// compareReads asks the list everything the model can answer.
func compareReads(t *testing.T, p *pair) {
	require.Equal(t, len(p.m), p.l.Len())
	pos := p.l.Last()
	for i := len(p.m) - 1; i >= 0; i-- {
		require.Equal(t, pos, p.l.Index(i))
		require.Equal(t, pos, p.l.Index(i-len(p.m)))
		e, _ := p.l.Get(pos)
		require.Equal(t, p.m[i].text, string(e.Append(nil)))
		require.Equal(t, len(p.m[i].text), e.Len())
		pos = p.l.Prev(pos)
	}
	require.Equal(t, None, pos)
	for i, e := range p.m {
		for skip := range 3 {
			want := i
			for j := i % (skip + 1); j < i; j += skip + 1 {
				if p.m[j].text == e.text {
					want = j
					break
				}
			}
			from := p.l.Index(i % (skip + 1))
			require.Equal(t, p.l.Index(want), p.l.Find([]byte(e.text), from, skip))
		}
	}
}

// FuzzCheck feeds arbitrary bytes: Check must not panic, and what it lets
// pass must bear every method.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(New()))
	f.Add([]byte(of("a", "1", strings.Repeat("x", 300), "-70000")))
	f.Add([]byte{0x17, 0, 0, 0, 0x12, 0, 0, 0, 3, 0, 0, 0xF3, 2, 4, 'a', 'b', 'c', 'd', 6, 0xC0, 0xE8, 3, 0xFF})
	f.Fuzz(func(t *testing.T, b []byte) {
		l := List(b)
		for range l.Layout() {
		}
		if l.Check() != nil {
			return
		}
		l = append(List(nil), l...)
		all := texts(l)
		require.Len(t, all, l.Len())
		for i, text := range all {
			require.Equal(t, l.Index(i), l.Index(i-len(all)))
			require.NotEqual(t, None, l.Find([]byte(text), l.First(), 0))
		}
		l = l.Prepend([]byte("new")).Append([]byte(strings.Repeat("n", 260)))
		require.NoError(t, l.Check())
		for i := range all {
			l = l.Replace(l.Index(i+1), []byte("other"))
			require.NoError(t, l.Check())
		}
		for !l.Empty() {
			l = l.DeleteRange(l.Len()/2, 1)
			require.NoError(t, l.Check())
		}
	})
}
