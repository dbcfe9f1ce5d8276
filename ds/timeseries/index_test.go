package timeseries

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzIndex compares the index with a look at all series. The program is bytes: what happens, to
// which key, and which labels it gets.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz0123456789"))
	f.Add([]byte{0, 1, 255, 0, 2, 254, 1, 1, 7, 2, 1, 3, 0, 1, 9, 3, 2, 8, 0, 3, 255, 1, 2, 0})
	f.Fuzz(func(t *testing.T, program []byte) {
		x := NewIndex().(*Index)
		all := make(map[string]*Series)
		for ; len(program) >= 3; program = program[3:] {
			key := fmt.Sprint("k", program[1]%8)
			s := all[key]
			switch program[0] % 3 {
			case 0:
				if s == nil {
					s = New(Options{ChunkBytes: 128})
					all[key] = s
				}
				s.SetOptions(Options{ChunkBytes: 128, Labels: someLabels(program[2])})
				x.Enter(key, s)
			case 1:
				if s != nil {
					x.Enter(key, s)
				}
			case 2:
				if s != nil {
					x.Leave(s)
					delete(all, key)
				}
			}
			requireFinds(t, x, all, program[2])
		}
		for _, s := range all {
			x.Leave(s)
		}
		require.Equal(t, 0, x.bytes)
		require.Empty(t, x.names)
	})
}

// someLabels returns labels that bits ask for, some of which may come twice.
func someLabels(bits byte) (list []Label) {
	for i, l := range []Label{{"a", "1"}, {"a", "2"}, {"b", "1"}, {"b", ""}, {"a", "1"}, {"c", "3"}} {
		if bits>>i&1 != 0 {
			list = append(list, l)
		}
	}
	return list
}

// requireFinds requires that the index finds what filters say, and that places are right.
func requireFinds(t *testing.T, x *Index, all map[string]*Series, pick byte) {
	t.Helper()
	for n, f := range x.files {
		for i, l := range f.labels {
			require.Equal(t, post{uint32(n), uint32(i)}, x.names[l.Name][l.Value].list[f.places[i]])
		}
	}
	texts := []string{"a=1", "a=(1,2)", "b=1", "b!=1", "c=", "a!=", "b!=(1,2)", "a=()", "c=3", "a!=1"}
	var filters []Filter
	for _, text := range []string{texts[pick%3], texts[pick/3%10], texts[pick/30]} {
		f, ok := ParseFilter([]byte(text))
		require.True(t, ok)
		filters = append(filters, f)
	}
	var want, got []string
	for key, s := range all {
		if !slices.ContainsFunc(filters, func(f Filter) bool { return !naive(f, s.Labels()) }) {
			want = append(want, key)
		}
	}
	slices.Sort(want)
	for _, f := range x.Find(filters) {
		require.Same(t, all[f.Key], f.Series)
		got = append(got, f.Key)
	}
	require.Equal(t, want, got)
}

// naive is Filter.passes with sets.
func naive(f Filter, labels []Label) bool {
	values := make(map[string]bool)
	for _, l := range labels {
		if l.Name == f.label {
			values[l.Value] = true
		}
	}
	met := f.any && len(values) > 0
	for _, v := range f.values {
		met = met || values[v]
	}
	return met == f.has
}

func TestParseFilter(t *testing.T) {
	for text, want := range map[string]Filter{
		"x=1":       {label: "x", values: []string{"1"}, has: true},
		"x==1=2":    {label: "x", values: []string{"1"}, has: true},
		"x=!1":      {label: "x", values: []string{"!1"}, has: true},
		"x!=!1":     {label: "x", values: []string{"1"}},
		"x=1!=2":    {label: "x", values: []string{"1"}},
		"x=":        {label: "x", any: true},
		"=x":        {label: "x", any: true},
		"x!=":       {label: "x", any: true, has: true},
		"x=(2,1)":   {label: "x", values: []string{"1", "2"}, has: true},
		"x=()":      {label: "x", has: true},
		"x=((1,2))": {label: "x", values: []string{"1", "2)"}, has: true},
		"x=(1)(":    {label: "x", values: []string{"1"}, has: true},
		"x!=(1)":    {label: "x", values: []string{"1"}},
		"x!==(1)":   {label: "x", values: []string{"(1)"}},
		"x=1)":      {label: "x", values: []string{"1)"}, has: true},
		"x=1\x00y":  {label: "x", values: []string{"1"}, has: true},
	} {
		got, ok := ParseFilter([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "=", "x=(", "x=(1", "x=(1)2", "x=(1,)", "x=(,)", "x=(1,(2))", "!", "x!=("} {
		_, ok := ParseFilter([]byte(text))
		require.False(t, ok, text)
	}
}

func TestIndexIsQuickToLeave(t *testing.T) {
	x := NewIndex().(*Index)
	var all []*Series
	for i := range 2000 {
		s := New(Options{ChunkBytes: 128, Labels: []Label{{"all", "1"}, {"one", fmt.Sprint(i)}}})
		x.Enter(strings.Repeat("k", i%7)+fmt.Sprint(i), s)
		all = append(all, s)
	}
	held := x.Bytes()
	for _, s := range all[:1999] {
		x.Leave(s)
	}
	require.Len(t, x.Find([]Filter{{label: "all", values: []string{"1"}, has: true}}), 1)
	require.Less(t, x.Bytes(), held)
	require.LessOrEqual(t, cap(x.names["all"]["1"].list), 8)
}
