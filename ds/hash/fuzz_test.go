package hash

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// model is the naive form: fields in order of creation, and the form that
// Redis would have chosen.
type model struct {
	fields []string
	values map[string]string
	table  bool
}

func (m *model) set(field, value string, lim Limits) (created bool) {
	_, there := m.values[field]
	if !there {
		m.fields = append(m.fields, field)
	}
	m.values[field] = value
	m.table = m.table || len(field) > lim.MaxValue || len(value) > lim.MaxValue || len(m.fields) > lim.MaxEntries
	return !there
}

func (m *model) delete(field string) bool {
	for i, f := range m.fields {
		if f == field {
			m.fields = append(m.fields[:i:i], m.fields[i+1:]...)
			delete(m.values, field)
			return true
		}
	}
	return false
}

func (m *model) compare(t *testing.T, h *Hash) {
	require.NoError(t, h.Check())
	require.Equal(t, len(m.fields), h.Len())
	require.Equal(t, m.table, h.Encoding() == "hashtable")
	require.Equal(t, m.values, collect(h))
	if !m.table {
		var order []string
		h.Each(func(f, _ ziplist.Entry) bool { order = append(order, string(f.Append(nil))); return true })
		require.Equal(t, len(m.fields), len(order))
		for i, f := range m.fields {
			require.Equal(t, f, order[i])
		}
	}
	for f, v := range m.values {
		require.Equal(t, v, get(h, f))
		require.Equal(t, len(v), h.StrLen(bs(f)))
		require.True(t, h.Has(bs(f)))
	}
}

func fuzzText(kind, arg byte) string {
	switch kind % 4 {
	case 0:
		return strconv.Itoa(int(int8(arg)))
	case 1:
		return strings.Repeat("t", int(arg)%20)
	case 2:
		return "f" + strconv.Itoa(int(arg)%8)
	default:
		return strings.Repeat("l", int(arg))
	}
}

// FuzzChanges reads limits and a program of changes, four bytes each, and
// compares the hash with the model after each.
func FuzzChanges(f *testing.F) {
	f.Add(byte(3), byte(10), []byte("\x00\x02\x01\x05\x00\x02\x02\x05\x00\x02\x03\x05\x00\x02\x04\x05\x05\x02\x02\x00"))
	f.Add(byte(200), byte(64), []byte("\x00\x02\x01\x05\x04\x02\x01\x05\x00\x03\xff\x05\x05\x02\x01\x00"))
	f.Add(byte(0), byte(255), []byte("\x00\x00\x01\xff\x01\x00\x01\xfe\x02\x00\x01\x03"))
	f.Fuzz(func(t *testing.T, entries, value byte, prog []byte) {
		lim := Limits{MaxEntries: int(entries), MaxValue: int(value), Seed: uint64(entries)}
		h, m := Of(ziplist.AppendEmpty(make([]byte, 64))), &model{values: map[string]string{}}
		for ; len(prog) >= 4 && len(m.fields) < 40; prog = prog[4:] {
			field, arg := fuzzText(prog[1], prog[2]), prog[3]
			switch prog[0] % 8 {
			case 0, 1, 2:
				v := fuzzText(prog[0]>>3, arg)
				require.Equal(t, m.set(field, v, lim), h.Set(bs(field), bs(v), lim))
			case 3, 4:
				n := int64(int8(arg)) << (prog[0] >> 3)
				require.Equal(t, m.set(field, strconv.FormatInt(n, 10), lim), h.UpdateInt(bs(field), n, lim))
			case 5, 6:
				require.Equal(t, m.delete(field), h.Delete(bs(field)))
			default:
				h = *h.Clone().(*Hash)
			}
			m.compare(t, &h)
		}
	})
}

// FuzzCheck makes hashes of arbitrary bytes: Check must not panic, and what
// it lets pass must bear every method.
func FuzzCheck(f *testing.F) {
	var h Hash
	fill(&h, 3, defaults)
	zl, _ := h.Packed()
	f.Add([]byte(zl))
	f.Add([]byte(ziplist.New()))
	f.Fuzz(func(t *testing.T, b []byte) {
		h := Of(append(ziplist.List{}, b...))
		if h.Check() != nil {
			return
		}
		all := collect(&h)
		require.Len(t, all, h.Len())
		for f, v := range all {
			require.Equal(t, v, get(&h, f))
		}
		c := *h.Clone().(*Hash)
		c.Fit(Limits{})
		require.Equal(t, all, collect(&c))
		for f := range all {
			require.True(t, h.Delete(bs(f)))
			require.NoError(t, h.Check())
			require.True(t, c.Delete(bs(f)))
			require.NoError(t, c.Check())
		}
	})
}
