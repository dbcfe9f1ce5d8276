package suggest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

// randomText returns a text of a few letters, some of which have two cases.
func randomText(r *rand.Rand, most int) string {
	letters := []rune("aAbÀàßx漢")
	text := make([]rune, r.IntN(most+1))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}

// all returns the suggestions of a dictionary by their texts.
func all(d *Dictionary) map[string]string {
	m := make(map[string]string)
	d.Each(func(s Suggestion) { m[string(s.Text)] = fmt.Sprintf("%v %s", s.Score, s.Payload) })
	return m
}

// TestModel changes a dictionary and a map.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d, model := New(), make(map[string]float32)
	for i := range 5000 {
		text, score := randomText(r, 6), float32(r.IntN(7))-1
		before, there := model[text]
		switch {
		case r.IntN(3) == 0:
			require.Equal(t, there, d.Delete([]byte(text)))
			delete(model, text)
		case score != 0 && text != "":
			by := r.IntN(2) == 0
			d.Add([]byte(text), float64(score), by, nil)
			if by {
				score += before
			}
			model[text] = score
		}
		require.Equal(t, len(model), d.Len())
		require.NoError(t, d.Check(), "change %d", i)
	}
	found := make(map[string]float32)
	d.Each(func(s Suggestion) { found[string(s.Text)] = s.Score })
	require.Equal(t, model, found)
	requirePrefixes(t, d, model)
	require.Equal(t, all(d), all(d.Clone().(*Dictionary)))
	require.NoError(t, d.Clone().(*Dictionary).Check())
}

// requirePrefixes searches for prefixes of all cases.
func requirePrefixes(t *testing.T, d *Dictionary, model map[string]float32) {
	for _, prefix := range []string{"", "a", "A", "ab", "ÀA", "s", "漢", "bx"} {
		var want, got []string
		for text := range model {
			if strings.HasPrefix(foldText(text), foldText(prefix)) {
				want = append(want, text)
			}
		}
		list, ok := d.Search(Query{Prefix: []byte(prefix), Most: 1 << 20})
		require.True(t, ok)
		require.True(t, slices.IsSortedFunc(list, func(a, b Suggestion) int { return int(b.Score - a.Score) }))
		for _, s := range list {
			got = append(got, string(s.Text))
		}
		require.ElementsMatch(t, want, got, "prefix %q", prefix)
	}
}

func foldText(text string) string { return string(AppendText(nil, folded(Runes([]byte(text))))) }

// TestFuzzySearch finds texts of which one edit makes the prefix, and others only if it makes it of
// their begin.
func TestFuzzySearch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	d, texts := New(), map[string]bool{}
	for range 300 {
		if text := randomText(r, 5); text != "" {
			d.Add([]byte(text), 1, false, nil)
			texts[text] = true
		}
	}
	for range 100 {
		prefix := foldText(randomText(r, 4))
		list, _ := d.Search(Query{Prefix: []byte(prefix), Most: 1 << 20, Edits: 1})
		found := make(map[string]bool)
		for _, s := range list {
			found[string(s.Text)] = true
		}
		for text := range texts {
			if distance([]rune(foldText(text)), []rune(prefix)) <= 1 {
				require.True(t, found[text], "%q is %q", text, prefix)
			}
			if found[text] {
				require.True(t, beginsWithin(foldText(text), prefix, 1), "%q begins with %q", text, prefix)
			}
		}
	}
}

// beginsWithin reports whether so many edits make some begin of a text a prefix. A text that is
// empty is none.
func beginsWithin(text, prefix string, edits int) bool {
	runes := []rune(text)
	for n := 1; n <= len(runes); n++ {
		if distance(runes[:n], []rune(prefix)) <= edits {
			return true
		}
	}
	return false
}

func distance(a, b []rune) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return distance(a[1:], b[1:])
	}
	return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
}

// TestTrim leaves out what is less than a tenth as good.
func TestTrim(t *testing.T) {
	d := New()
	for i, text := range []string{"aa", "ab", "ac", "ad"} {
		d.Add([]byte(text), []float64{100, 50, 11, 5}[i], false, nil)
	}
	list, _ := d.Search(Query{Prefix: []byte("a"), Most: 10, Trim: true})
	require.Len(t, list, 3)
}

// TestLimits: texts that are empty or too long, and prefixes.
func TestLimits(t *testing.T) {
	d := New()
	for _, text := range []string{"", strings.Repeat("x", 256), strings.Repeat("漢", 171), "\x00a"} {
		d.Add([]byte(text), 1, false, nil)
	}
	require.Zero(t, d.Len())
	d.Add([]byte(strings.Repeat("x", 255)), 1, false, nil)
	d.Add([]byte("a\x00b"), 1, false, nil)
	require.Equal(t, 2, d.Len())
	_, ok := d.Search(Query{Prefix: []byte(strings.Repeat("x", 100)), Most: 1})
	require.False(t, ok)
	require.True(t, d.Delete([]byte("a")))
}

// FuzzChanges adds and deletes what lines say, saves the dictionary and loads it.
func FuzzChanges(f *testing.F) {
	f.Add([]byte("+hello\n+help\n-hel\n-help\n+h\xc3\n+\xff\xf0\x9f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := New()
		for i, line := range bytes.Split(b, []byte("\n")) {
			switch {
			case len(line) == 0:
			case line[0] == '-':
				d.Delete(line[1:])
			default:
				d.Add(line[1:], float64(i-1), line[0] == '+', line[:1])
			}
			require.NoError(t, d.Check())
		}
		again, err := valuetest.Load(Type, valuetest.Save(d))
		require.NoError(t, err)
		require.Equal(t, all(d), all(again.(*Dictionary)))
		d.Search(Query{Prefix: b[:min(len(b), 50)], Most: 3, Edits: 1})
	})
}

// TestDamaged refuses what is no dictionary.
func TestDamaged(t *testing.T) {
	for _, parts := range []valuetest.Parts{
		{uint64(1)}, {uint64(1 << 60)}, {uint64(1), []byte{}, 1.0, []byte{0}},
		{uint64(1), []byte("a\x00"), 1.0, []byte{}},
		{uint64(1), []byte("a\x00"), math.NaN(), []byte{0}}, {uint64(1), []byte{0}, 1.0, []byte{0}},
		{uint64(1), append(bytes.Repeat([]byte("a"), 300), 0), 1.0, []byte{0}},
	} {
		_, err := valuetest.Load(Type, parts)
		require.Error(t, err, "%q", parts)
	}
}

// TestSavedAgain: what is loaded is what was saved.
func TestSavedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	d := New()
	for range 500 {
		d.Add([]byte(randomText(r, 6)), float64(r.IntN(9)+1), false, []byte(randomText(r, 2)))
	}
	again, err := valuetest.Load(Type, valuetest.Save(d))
	require.NoError(t, err)
	require.Equal(t, all(d), all(again.(*Dictionary)))
	require.NoError(t, again.(*Dictionary).Check())
}
