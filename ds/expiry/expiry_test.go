package expiry_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestTableIsAMap plays random operations on a Table and on a map.
func TestTableIsAMap(t *testing.T) {
	for seed := range uint64(20) {
		playTable(t, seed, 3000)
	}
}

func playTable(t *testing.T, seed uint64, steps int) {
	dice := rand.New(rand.NewPCG(seed, 1))
	table, model := &expiry.Table{}, map[arena.Ref]int64{}
	elements := arena.Ref(1 + dice.IntN(300))
	now := int64(1000)
	for range steps {
		b := 1 + dice.Uint32N(elements)
		switch dice.IntN(10) {
		case 0:
			table.Delete(b)
			delete(model, b)
		case 1:
			table.Replace(b, b+elements) // an element that moves
			if d, ok := model[b]; ok {
				delete(model, b)
				model[b+elements] = d
			}
		case 2:
			now += dice.Int64N(300)
			requireDue(t, table, model, now)
		default:
			d := now + 1 + dice.Int64N(1000)
			table.Put(b, d)
			model[b] = d
		}
		require.Equal(t, len(model), table.Count())
		require.Equal(t, model[b], table.At(b))
	}
	require.NoError(t, table.Check())
	require.NoError(t, table.Clone().Check())
	requireDue(t, table, model, now+2000)
	require.Zero(t, table.Count())
	require.Zero(t, table.Next())
	require.Equal(t, new(expiry.Table).Bytes(), table.Bytes())
}

// requireDue takes what is due from both.
func requireDue(t *testing.T, table *expiry.Table, model map[arena.Ref]int64, now int64) {
	last := int64(0)
	for {
		b, deadline := table.PopDue(now)
		if deadline == 0 {
			break
		}
		require.Equal(t, model[b], deadline)
		require.LessOrEqual(t, deadline, now)
		require.GreaterOrEqual(t, model[b], last, "soonest first")
		last = model[b]
		require.NotZero(t, last)
		delete(model, b)
	}
	require.NoError(t, table.Check())
	for _, d := range model {
		require.Greater(t, d, now)
		require.LessOrEqual(t, table.Next(), d)
	}
}

func TestRenewingLeavesTheQueueAlone(t *testing.T) {
	table, b := &expiry.Table{}, arena.Ref(7)
	table.Put(b, 10)
	held := table.Bytes()
	for d := int64(11); d < 10000; d++ {
		table.Put(b, d)
	}
	require.Equal(t, held, table.Bytes())
	require.EqualValues(t, 10, table.Next())
	_, deadline := table.PopDue(9998)
	require.Zero(t, deadline)
	require.EqualValues(t, 9999, table.Next(), "put where it belongs when it surfaced")
	got, deadline := table.PopDue(9999)
	require.EqualValues(t, 9999, deadline)
	require.Equal(t, b, got)
}

func TestEarlierDeadlinesDoNotPileUp(t *testing.T) {
	table, b := &expiry.Table{}, arena.Ref(7)
	for d := int64(10000); d > 0; d-- {
		table.Put(b, d)
	}
	require.NoError(t, table.Check())
	require.Less(t, table.Bytes(), 2000)
}

// TestRowIsASlice plays random operations on a Row and on a slice.
func TestRowIsASlice(t *testing.T) {
	for seed := range quick.Rounds(uint64(20)) {
		playRow(t, seed, 2000)
	}
}

func playRow(t *testing.T, seed uint64, steps int) {
	dice := rand.New(rand.NewPCG(seed, 2))
	model := make([]int64, dice.IntN(50))
	row := expiry.NewArray(len(model))
	now := int64(1000)
	for range steps {
		switch dice.IntN(8) {
		case 0, 1:
			i, n := []int{0, len(model), dice.IntN(len(model) + 1)}[dice.IntN(3)], dice.IntN(4)
			row.Insert(i, n)
			model = append(model[:i:i], append(make([]int64, n), model[i:]...)...)
		case 2:
			i := dice.IntN(len(model) + 1)
			n := dice.IntN(min(4, len(model)-i+1))
			row.Delete(i, n)
			model = append(model[:i:i], model[i+n:]...)
		case 3:
			now += dice.Int64N(100)
			model = requireSwept(t, row, model, now)
		default:
			if len(model) > 0 {
				i, d := dice.IntN(len(model)), (now+1+dice.Int64N(500))*dice.Int64N(2)
				row.Put(i, d)
				model[i] = d
			}
		}
		require.NoError(t, row.Check(len(model)))
		for i, d := range model {
			require.Equal(t, d, row.At(i))
		}
	}
	require.NoError(t, row.Clone().Check(len(model)))
}

func requireSwept(t *testing.T, row *expiry.Array, model []int64, now int64) (left []int64) {
	due := map[int]bool{}
	for end := len(model); ; {
		i, n := row.LastDue(now, end)
		if n == 0 {
			break
		}
		for k := range n {
			due[i+k] = true
		}
		end = i
	}
	for i, d := range model {
		require.Equal(t, d != 0 && d <= now, due[i])
		if !due[i] {
			left = append(left, d)
		}
	}
	require.Equal(t, len(due), row.DeleteDue(now))
	return left
}

func TestRowKeepsTheLastDeadline(t *testing.T) {
	row := expiry.NewArray(1)
	row.Put(0, expiry.Max)
	require.EqualValues(t, expiry.Max, row.At(0))
	require.EqualValues(t, expiry.Max, row.Next())
}
