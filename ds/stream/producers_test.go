package stream

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProducers compares idempotent IDs with a naive model: all that was ever sent, and a search
// through it.
func TestProducers(t *testing.T) {
	type sent struct {
		producer, iid string
		id            ID
	}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 3))
		s, model := new(Stream), []sent(nil)
		limits := IDLimits{Seconds: 1 + r.IntN(3), Most: 1 + r.IntN(5)}
		s.SetIDLimits(limits)
		forget := func(now int64) {
			model = slices.DeleteFunc(model,
				func(v sent) bool { return int64(v.id.Ms) <= now-int64(limits.Seconds)*1000 })
		}
		now, added := int64(1_000_000), int64(0)
		for i := range 600 {
			now += int64(r.IntN(200))
			producer, iid, id := "p"+strconv.Itoa(r.IntN(4)), strconv.Itoa(r.IntN(8)), ID{uint64(now), uint64(i)}
			forget(now)
			at := slices.IndexFunc(model, func(v sent) bool { return v.producer == producer && v.iid == iid })
			found, ok := s.Sent([]byte(producer), []byte(iid), now)
			require.Equal(t, at >= 0, ok)
			if ok {
				require.Equal(t, model[at].id, found)
				continue
			}
			s.Remember([]byte(producer), []byte(iid), id, now)
			model = append(model, sent{producer, iid, id})
			mine := func(v sent) bool { return v.producer == producer }
			if n := len(slices.DeleteFunc(slices.Clone(model),
				func(v sent) bool { return !mine(v) })); n > limits.Most {
				oldest := slices.IndexFunc(model, mine)
				model = slices.Delete(model, oldest, oldest+1)
			}
			added++
			require.NoError(t, s.Check())
			_, ids := s.Producers().Tracked(now)
			require.Equal(t, len(model), ids)
		}
		c := s.Clone().(*Stream)
		require.NoError(t, c.Check())
		require.Equal(t, s.Producers().All(), c.Producers().All())
		total, _ := c.Producers().Counts()
		require.Equal(t, added, total)
		require.False(t, s.SetIDLimits(limits))
		limits.Most++
		require.True(t, s.SetIDLimits(limits))
		require.NoError(t, s.Check())
		require.Empty(t, s.Producers().All())
	}
}

// TestRememberAgain remembers another entry by an ID that is known, as a journal can after the
// clock has gone back.
func TestRememberAgain(t *testing.T) {
	s := new(Stream)
	for i := range uint64(3) {
		s.Remember([]byte("p"), []byte("1"), ID{i, 0}, Always)
		s.Remember([]byte("p"), []byte("2"), ID{i, 1}, Always)
		require.NoError(t, s.Check())
	}
	id, _ := s.Sent([]byte("p"), []byte("1"), Always)
	require.Equal(t, ID{2, 0}, id)
	require.Len(t, s.Producers().All()[0].Sent(), 2)
}
