package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
)

// A batch with large replies ends early, and goes on where it ended.
func TestLargeRepliesEndABatch(t *testing.T) {
	e := New(Options{Clock: func() int64 { return 1e15 }, Seed: 1})
	e.Join(Commands(command.Family{Group: "connection",
		Commands: []command.Line{{Name: "echo", Arity: 2, Run: func(c *Call) { c.Reply.Bulk(c.Arg()) }}}}))
	s := e.NewSession(nil)
	text := []byte(strings.Repeat("x", 100_000))
	batch := make([][][]byte, 20)
	for i := range batch {
		batch[i] = [][]byte{[]byte("ECHO"), text}
	}
	pieces, replies := 0, 0
	for more := true; more; pieces++ {
		o := e.Do(s, batch)
		require.Less(t, len(o.Out), batchReplies+len(text)+100)
		require.Equal(t, len(batch) > o.Executed, o.More)
		replies += len(o.Out)
		batch, more = batch[o.Executed:], o.More
	}
	require.Empty(t, batch)
	require.Equal(t, 20*(len(text)+len("$100000\r\n\r\n")), replies)
	require.Equal(t, 4, pieces)
}
