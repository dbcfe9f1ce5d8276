package hash

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

var defaults = Limits{MaxEntries: 512, MaxValue: 64, Seed: 1}

// forms are limits under which a hash of a few short fields is packed, and a
// table.
var forms = map[string]Limits{"packed": defaults, "table": {MaxEntries: 0, MaxValue: 64}}

func bs(s string) []byte { return []byte(s) }

func collect(h *Hash) map[string]string {
	all := map[string]string{}
	h.Each(func(field, value ziplist.Entry) bool {
		all[string(field.Append(nil))] = string(value.Append(nil))
		return true
	})
	return all
}

func get(h *Hash, field string) string {
	v, ok := h.Get(bs(field), nil)
	if !ok {
		return "(none)"
	}
	return string(v)
}

func TestZeroHash(t *testing.T) {
	var h Hash
	require.NoError(t, h.Check())
	require.Zero(t, h.Len())
	require.Equal(t, "ziplist", h.Encoding())
	require.Zero(t, h.Bytes())
	require.False(t, h.Has(bs("f")))
	require.False(t, h.Delete(bs("f")))
	require.Zero(t, h.StrLen(bs("f")))
	require.Empty(t, collect(&h))
	field, value := h.Random(nil)
	require.Zero(t, field)
	require.Zero(t, value)
	h.Sample(1, nil, nil)
	h.Draw(1, nil, nil)
	require.Zero(t, h.Scan(0, 10, nil))
	c := *h.Clone().(*Hash)
	require.Zero(t, c.Len())
	zl, packed := h.Packed()
	require.True(t, packed)
	require.Equal(t, []byte(ziplist.New()), zl)
}

func TestSetGetDelete(t *testing.T) {
	for name, lim := range forms {
		t.Run(name, func(t *testing.T) {
			var h Hash
			require.True(t, h.Set(bs("name"), bs("ann"), lim))
			require.True(t, h.Set(bs("17"), bs("42"), lim))
			require.True(t, h.UpdateInt(bs("n"), -5, lim))
			require.True(t, h.Set(nil, nil, lim))
			require.False(t, h.Set(bs("name"), bs("a longer value than before"), lim))
			require.Equal(t, "a longer value than before", get(&h, "name"))
			require.Equal(t, "42", get(&h, "17"))
			require.Equal(t, "(none)", get(&h, "017"))
			require.Equal(t, "(none)", get(&h, "42"), "a value is no field")
			require.Equal(t, "-5", get(&h, "n"))
			require.Equal(t, "", get(&h, ""))
			require.False(t, h.UpdateInt(bs("n"), math.MinInt64, lim))
			require.Equal(t, "-9223372036854775808", get(&h, "n"))
			require.Equal(t, 20, h.StrLen(bs("n")))
			require.Equal(t, 26, h.StrLen(bs("name")))
			require.Zero(t, h.StrLen(bs("")))
			require.Zero(t, h.StrLen(bs("absent")))
			require.Equal(t, 4, h.Len())
			require.NoError(t, h.Check())
			require.True(t, h.Delete(bs("17")))
			require.False(t, h.Delete(bs("17")))
			require.True(t, h.Delete(nil))
			require.Equal(t, map[string]string{"name": "a longer value than before", "n": "-9223372036854775808"},
				collect(&h))
			require.True(t, h.Delete(bs("n")))
			require.True(t, h.Delete(bs("name")))
			require.Zero(t, h.Len())
			require.NoError(t, h.Check())
		})
	}
}

func TestConversion(t *testing.T) {
	at := func(n int) string { return strings.Repeat("v", n) }
	for _, c := range []struct {
		name string
		do   func(h *Hash)
		want string
	}{
		{"value at the limit", func(h *Hash) { h.Set(bs("f"), bs(at(64)), defaults) }, "ziplist"},
		{"value over it", func(h *Hash) { h.Set(bs("f"), bs(at(65)), defaults) }, "hashtable"},
		{"field at the limit", func(h *Hash) { h.Set(bs(at(64)), bs("v"), defaults) }, "ziplist"},
		{"field over it", func(h *Hash) { h.Set(bs(at(65)), bs("v"), defaults) }, "hashtable"},
		{"long field with an integer", func(h *Hash) { h.UpdateInt(bs(at(65)), 1, defaults) }, "hashtable"},
		{"digits count", func(h *Hash) { h.UpdateInt(bs("f"), -100, Limits{MaxEntries: 9, MaxValue: 3}) }, "hashtable"},
		{"few digits", func(h *Hash) { h.UpdateInt(bs("f"), 100, Limits{MaxEntries: 9, MaxValue: 3}) }, "ziplist"},
		{"replacement over it", func(h *Hash) {
			h.Set(bs("f"), bs("v"), defaults)
			h.Set(bs("f"), bs(at(65)), defaults)
		}, "hashtable"},
		{"512 fields", func(h *Hash) { fill(h, 512, defaults) }, "ziplist"},
		{"513 fields", func(h *Hash) { fill(h, 513, defaults) }, "hashtable"},
		{"a limit lowered, then a replacement", func(h *Hash) {
			fill(h, 10, defaults)
			h.Set(bs("f0"), bs("v"), Limits{MaxEntries: 9, MaxValue: 64})
		}, "hashtable"},
		{"never back", func(h *Hash) {
			fill(h, 513, defaults)
			for i := range 512 {
				h.Delete(bs("f" + strconv.Itoa(i)))
			}
		}, "hashtable"},
		{"loaded too large", func(h *Hash) { fill(h, 10, defaults); h.Fit(Limits{MaxEntries: 9}) }, "hashtable"},
		{"loaded", func(h *Hash) { fill(h, 10, defaults); h.Fit(Limits{MaxEntries: 10}) }, "ziplist"},
	} {
		var h Hash
		c.do(&h)
		require.Equal(t, c.want, h.Encoding(), c.name)
		_, packed := h.Packed()
		require.Equal(t, c.want == "ziplist", packed, c.name)
		require.NoError(t, h.Check(), c.name)
	}
}

func fill(h *Hash, n int, lim Limits) {
	for i := range n {
		h.UpdateInt(bs("f"+strconv.Itoa(i)), int64(i), lim)
	}
}

func TestConversionKeepsAll(t *testing.T) {
	var h Hash
	h.Set(bs("1700000000000"), bs("1"), defaults)
	h.Set(bs("text"), bs("-17"), defaults)
	h.Set(bs(""), bs("x"), defaults)
	before := collect(&h)
	h.Fit(Limits{})
	require.Equal(t, "hashtable", h.Encoding())
	require.Equal(t, before, collect(&h))
	for f, v := range before {
		require.Equal(t, v, get(&h, f))
	}
}

// The article's limiter record: bytes known from Redis' format.
func TestPackedBytes(t *testing.T) {
	var h Hash
	h.UpdateInt(bs("1700000000000"), 1, defaults)
	zl, _ := h.Packed()
	require.Equal(t, ziplist.List{
		23, 0, 0, 0, 20, 0, 0, 0, 2, 0,
		0, 0xE0, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0x00, 0x00,
		10, 0xF2, 0xFF,
	}, ziplist.List(zl))
}

func TestViewOfForeignBytes(t *testing.T) {
	buf := make([]byte, 512)
	h := Of(ziplist.AppendEmpty(buf))
	allocs := testing.AllocsPerRun(100, func() {
		h = Of(ziplist.AppendEmpty(buf))
		h.UpdateInt(bs("1700000000000"), 1, defaults)
		h.Set(bs("f"), bs("v"), defaults)
		h.UpdateInt(bs("1700000000000"), 2, defaults)
		h.Delete(bs("f"))
	})
	require.Zero(t, allocs)
	zl, _ := h.Packed()
	require.Same(t, &buf[0], &zl[0])
	require.Equal(t, "2", get(&h, "1700000000000"))
}

func TestReadsDoNotAllocate(t *testing.T) {
	for name, lim := range forms {
		var h Hash
		fill(&h, 20, lim)
		buf, field, sum := make([]byte, 0, 20), bs("f7"), 0
		require.Zero(t, testing.AllocsPerRun(100, func() {
			v, _ := h.Get(field, buf)
			sum += len(v) + h.StrLen(field)
			h.Each(func(f, v ziplist.Entry) bool { sum += f.Len() + v.Len(); return true })
		}), name)
	}
}

func TestClone(t *testing.T) {
	for name, lim := range forms {
		var h Hash
		fill(&h, 30, lim)
		c := *h.Clone().(*Hash)
		require.Equal(t, collect(&h), collect(&c), name)
		require.Equal(t, h.Encoding(), c.Encoding())
		h.Set(bs("f3"), bs("other"), lim)
		h.Delete(bs("f4"))
		require.Equal(t, "3", get(&c, "f3"))
		require.Equal(t, "4", get(&c, "f4"))
		require.NoError(t, c.Check())
		require.Equal(t, 30, c.Len())
	}
}

func TestCheckFindsDamage(t *testing.T) {
	list := func(texts ...string) ziplist.List {
		l := ziplist.New()
		for _, s := range texts {
			l = l.Append(bs(s))
		}
		return l
	}
	for name, zl := range map[string]ziplist.List{
		"odd":           list("f"),
		"twice":         list("f", "v", "g", "v", "f", "w"),
		"twice as int":  list("5", "v", "5", "w"),
		"no ziplist":    {1, 2, 3},
		"empty":         {},
		"half an entry": list("f", "v")[:14],
	} {
		h := Of(zl)
		require.Error(t, h.Check(), name)
	}
	h := Of(list("f", "f", "g", "f"))
	require.NoError(t, h.Check())
	fill(&h, 3, Limits{})
	h.packed = ziplist.New()
	require.Error(t, h.Check())
}

func TestBytes(t *testing.T) {
	var h Hash
	fill(&h, 100, defaults)
	zl, _ := h.Packed()
	require.Equal(t, cap(zl), h.Bytes())
	for i := range 95 {
		h.Delete(bs("f" + strconv.Itoa(i)))
	}
	require.Equal(t, 5, h.Len())
	require.LessOrEqual(t, h.Bytes(), 1024, "what a shrunken hash keeps")

	h = Hash{}
	fill(&h, 1000, Limits{})
	full := h.Bytes()
	require.Greater(t, full, 1000*(16+8))
	require.Less(t, full, 1000*48)
	for i := range 1000 {
		h.Set(bs("f"+strconv.Itoa(i)), bs(strings.Repeat("v", i%300)), Limits{})
	}
	require.Greater(t, h.Bytes(), full+130*1000)
	require.NoError(t, h.Check())
	for i := range 1000 {
		require.True(t, h.Delete(bs("f"+strconv.Itoa(i))))
	}
	require.NoError(t, h.Check())
}

func TestPairLengths(t *testing.T) {
	var h Hash
	model := map[string]string{}
	for _, key := range []int{0, 1, 64, 254, 255, 300, 70000} {
		for i, value := range []int{0, 1, 14, 254, 255, 300, 2045, 70000} {
			k, v := strings.Repeat("k", key)+string(rune('a'+i)), strings.Repeat("v", value)
			require.True(t, h.Set(bs(k), bs(v), Limits{}))
			model[k] = v
		}
	}
	require.NoError(t, h.Check())
	require.Equal(t, model, collect(&h))
	for k := range model {
		require.True(t, h.Delete(bs(k)))
		require.NoError(t, h.Check())
	}
}

// Values written in place must not touch their neighbours, at any length.
func TestTableReplacesInPlace(t *testing.T) {
	var h Hash
	lim := Limits{Seed: 3}
	model := map[string]string{}
	r := rand.New(rand.NewPCG(5, 5))
	for range 5000 {
		f, v := strconv.Itoa(r.IntN(50)), strings.Repeat(strconv.Itoa(r.IntN(10)), r.IntN(150))
		_, there := model[f]
		require.Equal(t, !there, h.Set(bs(f), bs(v), lim))
		model[f] = v
	}
	require.Equal(t, model, collect(&h))
	require.NoError(t, h.Check())
}
