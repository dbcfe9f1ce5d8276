package index

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRows: vectors come at the end, go at the front and are cut off behind, as from a plain list.
func TestRows(t *testing.T) {
	dice := rand.New(rand.NewPCG(2, 3))
	for range 100 {
		r := rows[float64]{width: 1 + dice.IntN(4)}
		var model [][]float64
		for range 600 {
			switch p := dice.IntN(20); {
			case p < 14 || len(model) == 0:
				v := make([]float64, r.width)
				for i := range v {
					v[i] = dice.Float64()
				}
				r.add(v)
				model = append(model, v)
			case p < 19:
				r.shift()
				model = model[1:]
			default:
				n := len(model) - dice.IntN(min(len(model), 100)+1)
				r.cut(n)
				model = model[:n]
			}
			require.Equal(t, len(model), r.n)
			for i, v := range model {
				require.Equal(t, v, r.at(i))
			}
			bytes := 24 * cap(r.blocks)
			for _, b := range r.blocks {
				bytes += 8 * cap(b)
			}
			require.Equal(t, bytes, r.bytes())
			require.LessOrEqual(t, len(r.blocks), (r.n+r.gone)/rowsOfBlock+1)
		}
	}
}
