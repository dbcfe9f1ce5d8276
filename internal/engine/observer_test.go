package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// TestObserverEndsItself: one that ends its observing with a batch keeps no other from being told.
func TestObserverEndsItself(t *testing.T) {
	e := newEffects()
	var told []string
	w := e.Home()
	e.With(func() {
		for _, name := range []string{"a", "b", "c"} {
			o := new(engine.Observer)
			o.Batch = func() {
				told = append(told, name)
				w.Unobserve(o)
			}
			w.Observe(o)
		}
	})
	e.do("PING")
	require.ElementsMatch(t, []string{"a", "b", "c"}, told)
	e.do("PING")
	require.Len(t, told, 3)
}
