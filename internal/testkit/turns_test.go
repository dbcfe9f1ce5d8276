package testkit_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// filled returns an engine with more keys than a reply is made of at once, in two databases, and
// sessions of two clients.
func filled(t *testing.T) (e *engine.Engine, a, b *engine.Session) {
	e = engine.New(engine.Options{Clock: func() int64 { return 1e15 }})
	furnish(e)
	a, b = e.NewSession(nil), e.NewSession(nil)
	for i := range 10_000 {
		n := strconv.Itoa(i)
		for _, words := range [][]string{{"SET", "k" + n, n}, {"RPUSH", "list" + n, n, n},
			{"SET", "due" + n, n, "PX", "1000"}}[:1+i%3] {
			require.NotContains(t, do(e, b, words...), "-")
		}
	}
	do(e, b, "SELECT", "3")
	do(e, b, "HSET", "h\n", "f", "v")
	do(e, b, "SELECT", "0")
	do(e, b, "MINI.WORLD", "SNAPSHOT", "before")
	do(e, b, "SET", "k5000", "another")
	do(e, b, "SET", "new\r\n", "x", "NX")
	return e, a, b
}

func do(e *engine.Engine, s *engine.Session, words ...string) string {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	return string(e.Do(s, [][][]byte{args}).Out)
}

// What looks at many keys lets other clients go on, and replies with what was there when it began.
func TestLongRepliesAreMadeInTurns(t *testing.T) {
	for _, line := range []string{"MINI.DUMP", "MINI.DUMP k*", "MINI.DIFF before default", "MINI.DIFF default before",
		"MINI.LEAKS", "MINI.LEAKS SINCE mark"} {
		t.Run(line, func(t *testing.T) {
			words := strings.Fields(line)
			e, a, b := filled(t)
			do(e, b, "MINI.LEAKS", "MARK", "mark")
			do(e, b, "SET", "later", "x")
			want := do(e, a, words...)

			e, a, b = filled(t)
			do(e, b, "MINI.LEAKS", "MARK", "mark")
			do(e, b, "SET", "later", "x")
			turn := holdTurns(e)
			require.Empty(t, do(e, a, words...))
			n := 0
			for (*turn)(0) {
				n++
				do(e, b, "SET", fmt.Sprint("k", n), "changed")
				do(e, b, "DEL", fmt.Sprint("list", n))
			}
			require.Greater(t, n, 100)
			require.Equal(t, want, string(e.Collect(a).Out))
			require.Equal(t, "+PONG\r\n", do(e, a, "PING"))
		})
	}
}

// holdTurns has the test make the turns.
func holdTurns(e *engine.Engine) *engine.Turn {
	turn := new(engine.Turn)
	e.Join(engine.Part{Host: engine.Host{InTurns: func(w engine.Work) bool {
		*turn = w.Turn
		return true
	}}})
	return turn
}

// A client that waits for a long reply can be unblocked and ended, and what the reply holds is the
// client's.
func TestLongRepliesEnd(t *testing.T) {
	e, a, b := filled(t)
	turn := holdTurns(e)
	memory := func() (n int) {
		_, text, _ := strings.Cut(do(e, b, "CLIENT", "LIST", "ID", fmt.Sprint(a.ID)), "tot-mem=")
		_, err := fmt.Sscan(text, &n)
		require.NoError(t, err)
		return n
	}
	before, copies := memory(), e.Copies().Bytes()
	do(e, a, "MINI.DUMP")
	require.True(t, (*turn)(0))
	require.Greater(t, memory(), before+4000)
	require.Greater(t, e.Copies().Bytes(), copies+100_000)
	require.Equal(t, ":1\r\n", do(e, b, "CLIENT", "UNBLOCK", fmt.Sprint(a.ID)))
	require.Contains(t, string(e.Collect(a).Out), "UNBLOCKED")
	require.False(t, (*turn)(0))
	require.Less(t, memory(), before+4000)
	require.Equal(t, copies, e.Copies().Bytes())

	do(e, a, "MINI.DIFF", "before", "default")
	require.True(t, (*turn)(0))
	e.Close(a)
	require.False(t, (*turn)(0))
	require.Equal(t, copies, e.Copies().Bytes())
	do(e, b, "CONFIG", "SET", "maxmemory", "1mb")
	for _, line := range []string{"MINI.DUMP", "MINI.DIFF default before", "MINI.LEAKS"} {
		require.Contains(t, do(e, b, strings.Fields(line)...), "-OOM", line)
	}
	require.Equal(t, copies, e.Copies().Bytes())
}
