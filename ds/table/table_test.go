package table

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/frozen"
)

func name(i int) []byte { return []byte("name" + strconv.Itoa(i)) }

func text(n int) []byte { return []byte(strings.Repeat("v", n)) }

func TestCheck(t *testing.T) {
	for _, values := range []bool{false, true} {
		x := New(0, 1, values)
		require.NoError(t, x.Check())
		r := x.Append(name(1), text(1))
		require.NoError(t, x.Check())
		x.PutDeadline(r+1, 5)
		require.Error(t, x.Check(), "a deadline of nothing")
		x.PutDeadline(r+1, 0)
		require.NoError(t, x.Check())
		x.Append(name(1), nil)
		require.Error(t, x.Check(), "a name twice")

		x = New(0, 1, values)
		x.cells.Alloc(8)
		require.Error(t, x.Check(), "a cell of nothing")
	}
}

// A nil Table is what a packed collection has.
func TestNil(t *testing.T) {
	var x *Table
	require.Zero(t, x.Volatile())
	require.Zero(t, x.NextDeadline())
	require.Zero(t, x.DeadlineBytes())
	require.Zero(t, x.BlockBytes())
	require.Zero(t, x.Expire(math.MaxInt64, 9, nil))
	require.Nil(t, x.Freeze())
	require.False(t, x.Drop(1))
	_, ok := x.Layout()
	require.False(t, ok)
	x.GiveUp()
	x.Settle(nil, true)
}

// A table whose values get other sizes, or that loses its elements, does not keep what they took.
func TestChangesCompact(t *testing.T) {
	x := New(0, 1, true)
	const n = 3000
	compacted := 0
	for length := range 60 {
		for i := range n {
			x.Set(name(i), text(8*length))
			if x.cells.Compacting() {
				compacted++
			}
			if i%500 == 0 {
				x.SetDeadline(name(i), int64(i+1))
			}
		}
		require.NoError(t, x.Check())
	}
	require.NotZero(t, compacted)
	require.Less(t, x.Bytes(), n*480*2)
	for i := range n - 100 {
		require.True(t, x.Remove(name(i)))
		if i%100 == 0 {
			require.NoError(t, x.Check())
		}
	}
	require.Less(t, x.Bytes(), 100*480*2)
	x.SetDeadline(name(n-50), 7)
	for i := n - 100; i < n-50; i++ {
		x.Set(name(i), text(1))
	}
	require.NoError(t, x.Check())
	deadline, ok := x.Deadline(name(n - 50))
	require.True(t, ok)
	require.EqualValues(t, 7, deadline)
	for i := n - 100; i < n; i++ {
		require.True(t, x.Remove(name(i)))
	}
	require.Zero(t, x.cells.Live())
}

// A table that loses most of its elements gives their memory back, while others come and go.
func TestShrinkingCompacts(t *testing.T) {
	for _, lengths := range []int{10, 5000} {
		x := New(0, 1, false)
		long := func(i int) []byte { return append(name(i), text(i%lengths)...) }
		const n = 4000
		for i := range n {
			require.True(t, x.Add(long(i)))
			require.True(t, x.SetDeadline(long(i), int64(i+1)))
		}
		full, began := x.Bytes(), 0
		for i := range n - n/20 {
			require.True(t, x.Remove(long(i)))
			if x.cells.Compacting() {
				if began++; began%50 == 1 {
					require.NoError(t, x.Check())
					require.NoError(t, x.Clone().Check())
				}
				x.Remove(long(n + i - 1))
				x.Add(long(n + i))
			}
		}
		require.NotZero(t, began)
		require.NoError(t, x.Check())
		require.Less(t, x.Bytes(), full/5)
		for i := n - n/20; i < n; i++ {
			deadline, ok := x.Deadline(long(i))
			require.True(t, ok)
			require.EqualValues(t, i+1, deadline)
		}
	}
}

// What a collection gives up lives until the snapshot that reads it is over.
func TestGiveUpWhileFrozen(t *testing.T) {
	x := New(0, 1, true)
	for i := range 100 {
		x.Append(name(i), text(i))
	}
	f := x.Freeze()
	x.Remove(name(7))
	x.GiveUp()
	seen := 0
	f.Each(false, func(e frozen.Element) {
		require.Equal(t, len(e.Value), len(text(numberOf(t, e.Name))))
		seen++
	}, func(int) {})
	require.Equal(t, 100, seen)
	require.Nil(t, x.frozen)
}

func numberOf(t *testing.T, name []byte) int {
	i, err := strconv.Atoi(strings.TrimPrefix(string(name), "name"))
	require.NoError(t, err)
	return i
}
