package rdb

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// TestDistinct: an element that appears twice is found, for any number of elements and any two
// positions.
func TestDistinct(t *testing.T) {
	for _, format := range []string{"%d", "field %d", "%d x"} {
		for _, n := range []int{2, 3, few - 1, few, few + 1, 100} {
			for _, second := range []int{1, n / 2, n - 1} {
				for _, twice := range []bool{false, true} {
					zl := ziplist.New()
					for i := range n {
						if twice && i == second {
							i = 0
						}
						zl = zl.Append(fmt.Appendf(nil, format, i)).Append([]byte("0"))
					}
					d := decoder{}
					d.distinct(zl, 2)
					require.Equal(t, twice, d.err != nil, "%s, %d, %d", format, n, second)
				}
			}
		}
	}
	text := func(s string) *ziplist.Entry { return &ziplist.Entry{Str: []byte(s)} }
	twelve := &ziplist.Entry{Int: 12}
	for _, other := range []string{"", "12 ", "012", "x", "-12"} {
		require.False(t, same(twelve, text(other)) || same(text(other), twelve), other)
	}
	require.True(t, same(twelve, text("12")) && same(text("12"), twelve) && same(twelve, twelve))
}
