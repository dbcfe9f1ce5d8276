package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDropReplies(t *testing.T) {
	e := New(Options{Clock: func() int64 { return 0 }})
	told, quiet := e.NewSession(nil), e.NewSession(nil)
	e.With(func() {
		told.Reply.Status("OK")
		e.DropReplies()
	})
	o := e.Collect(told)
	require.Empty(t, o.Out)
	require.True(t, o.Closing)
	require.False(t, e.Collect(quiet).Closing)
}
