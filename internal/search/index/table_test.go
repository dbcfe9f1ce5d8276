package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestElementsAreDueInTime: of documents, and keys that are none, which come, go, change and are
// renamed, those are due whose elements have expired, and little is kept of what does not count.
func TestElementsAreDueInTime(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 4))
	var docs table
	docs.init()
	model := make(map[string]int64)
	now := int64(1)
	for range 20_000 {
		key, other := fmt.Sprint(dice.IntN(100)), fmt.Sprint(dice.IntN(100))
		due := int64(0)
		if dice.IntN(2) == 0 {
			due = now + 1 + dice.Int64N(1000)
		}
		switch op := dice.IntN(8); {
		case op == 0:
			docs.remove(key)
			delete(model, key)
		case op == 1 && docs.find(key) != nil && key != other:
			docs.remove(other)
			docs.rename(key, other)
			model[other] = model[key]
			delete(model, key)
		case op == 2:
			docs.remove(key)
			docs.wait(key, due)
			model[key] = due
		case op == 3:
			now += dice.Int64N(30)
			var want []string
			for key, due := range model {
				if due != 0 && due <= now {
					want = append(want, key)
				}
			}
			require.ElementsMatch(t, want, docs.elementsDue(now))
			for _, key := range want {
				docs.remove(key)
				delete(model, key)
			}
		default:
			docs.remove(key)
			d := docs.add(key)
			d.due = due
			docs.note(d, standing{})
			model[key] = due
		}
		require.LessOrEqual(t, len(docs.dues), 2*len(model)+leastDues+2)
	}
	require.True(t, slices.ContainsFunc(docs.dues, func(d due) bool { return d.at > now }))
}
