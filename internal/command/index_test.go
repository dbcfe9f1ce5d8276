package command

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Each byte becomes what a loop over bytes makes of it, whatever is beside it.
func TestLower(t *testing.T) {
	for c := range 256 {
		for _, others := range []byte{0, 'A', 'Z', 'z', 0x7f, 0x80, 0xff} {
			name := bytes.Repeat([]byte{others}, 8)
			name[c%8] = byte(c)
			got := lower(binary.LittleEndian.Uint64(name))
			for i, b := range name {
				if 'A' <= b && b <= 'Z' {
					name[i] += 'a' - 'A'
				}
			}
			require.Equal(t, binary.LittleEndian.Uint64(name), got, "%d among %d", c, others)
		}
	}
}

// Names of all lengths are told apart, also those whose ends are alike.
func TestIndex(t *testing.T) {
	table := NewTable(&release.Default)
	var names []string
	for n := 1; n <= 24; n++ {
		names = append(names, strings.Repeat("a", n), strings.Repeat("ab", n)[:n]+"_", fmt.Sprintf("%0*d", n, 7))
	}
	for _, name := range names {
		require.Nil(t, table.Find([]byte(name)), name)
		table.put(name, (&Command{Line: Line{Name: name}}).called(name))
		require.Equal(t, name, table.Find([]byte(strings.ToUpper(name))).Name)
	}
	for _, name := range names {
		require.Equal(t, name, table.Find([]byte(name)).Name)
		for i := range name {
			other := []byte(name)
			other[i] ^= 0x80
			require.Nil(t, table.Find(other), "%q", other)
		}
	}
	require.True(t,
		slices.IsSortedFunc(table.ordered, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) }))
	require.Len(t, table.ordered, len(names))
	for _, name := range names {
		table.remove(name)
		require.Nil(t, table.Find([]byte(name)), name)
	}
	require.Empty(t, table.ordered)
}

// Tables of a release share their commands, but not what one of them renames.
func TestTablesShareCommands(t *testing.T) {
	family := Family{Group: "g", Commands: []Line{{Name: "alone", Arity: 1},
		{Name: "container", Arity: -2, Subs: []Line{{Name: "sub", Arity: 2}}}}}
	a, b, older := NewTable(&release.Default), NewTable(&release.Default), NewTable(&release.Known[0])
	for _, table := range []*Table{a, b, older} {
		require.Len(t, table.Add(family), 3)
	}
	find := func(table *Table, name string) *Command { return table.Find([]byte(name)) }
	require.Same(t, find(a, "container"), find(b, "CONTAINER"))
	require.NotSame(t, find(a, "container"), find(older, "container"))

	require.NoError(t, a.Rename("container", "box"))
	require.Nil(t, find(a, "container"))
	box := find(a, "box")
	require.Equal(t, []int{1, 2}, []int{box.ID, box.Subs[0].ID})
	require.Same(t, box, box.Sub([]byte("sub")).Parent)
	require.Same(t, box, a.Original("container"))
	require.Nil(t, find(b, "box"))
	require.Same(t, find(b, "container"), find(b, "container").Subs[0].Parent)
}
