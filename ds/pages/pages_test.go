package pages_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/pages"
)

// TestModel does with a block what is done with a slice of bytes.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		size, page := 1+r.Uint64N(3000), 1+r.Uint64N(500)
		b, model := pages.New(size, page), make([]byte, size)
		require.Equal(t, size, b.Len())
		held := b.Held()
		for range 50 {
			offset := r.Uint64N(size)
			n := r.Uint64N(size - offset + 1)
			switch r.IntN(4) {
			case 0:
				copy(model[offset:], bytes.Repeat([]byte{'x'}, int(n)))
				b.Write(offset, bytes.Repeat([]byte{'x'}, int(n)))
			case 1:
				clear(model[offset : offset+n])
				b.Write(offset, make([]byte, n))
			case 2:
				model[offset]++
				b.Make(offset / page)[offset%page]++
			default:
				c := b.Clone()
				b.Make(offset / page)[offset%page]++
				b = c
			}
			require.Equal(t, model[offset:offset+n], append([]byte{}, b.Append(nil, offset, n)...))
			require.Equal(t, held, b.Held())
		}
		require.Equal(t, model, b.Append(nil, 0, size))
	}
}

func TestZerosAreNotMade(t *testing.T) {
	b := pages.New(1<<30, pages.Size)
	require.Greater(t, b.Held(), 1<<30)
	b.Write(5, make([]byte, 1000))
	require.Nil(t, b.Page(0))
	b.Write(3*pages.Size-1, []byte{0, 1})
	require.Nil(t, b.Page(2))
	require.NotNil(t, b.Page(3))
	require.Equal(t, uint64(1<<14), b.Pages())
	require.Zero(t, (&pages.Block{}).Held())
}
