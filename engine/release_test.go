package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
)

const errNo, errNoLonger = engine.Error("ERR no"), engine.Error("ERR no longer")

// likeFamily is commands that differ between releases in each way that a line can say.
func likeFamily() engine.Family {
	words := func(c *engine.Call) {
		for _, word := range []string{"OLD", "NEW"} {
			if c.Word(word) {
				c.Reply.Status(word)
				return
			}
		}
		c.Fail(errNo)
	}
	return engine.Family{Group: "generic", Commands: []engine.Command{
		{Name: "always", Arity: -1, Run: words, Since: "1.0.0", Syntax: "[OLD|NEW]@7.2.0"},
		{Name: "words", Arity: -1, Run: words, Since: "1.0.0", Syntax: "[OLD|NEW@7.2.0]"},
		{Name: "later", Arity: 1, Run: words, Since: "7.4.0"},
		{Name: "latest", Arity: 1, Run: words, Since: "9.0.0"},
		{Name: "edited", Arity: 2, Run: words, Since: "1.0.0", Was: []engine.Was{
			{Before: "7.2.0", Edit: func(cmd *engine.Command) { cmd.Arity = -2 }},
			{Before: "7.0.0", Edit: func(cmd *engine.Command) { cmd.Arity = -3 }}}},
	}, Wordings: []engine.Wording{{Before: "7.0.0", Error: errNo, Was: errNoLonger}}}
}

// TestLike sends the same commands to servers of several releases.
func TestLike(t *testing.T) {
	const unknown, arity = "ERR unknown command 'x', with args beginning with: ", "ERR wrong number of arguments for 'x' command"
	for _, c := range []struct {
		name string
		want map[string]string
	}{
		{"redis:6.2", map[string]string{"always new": "ERR no longer", "words old": "OLD", "words new": "ERR no longer", "later": unknown,
			"latest": unknown, "edited": arity, "edited old": arity, "edited old new": "OLD"}},
		{"redis:7.0", map[string]string{"always new": "ERR no", "words old": "OLD", "words new": "ERR no", "later": unknown,
			"latest": unknown, "edited": arity, "edited old": "OLD", "edited old new": "OLD"}},
		{"redis:7.4", map[string]string{"always new": "NEW", "words old": "OLD", "words new": "NEW", "later": "ERR no",
			"latest": unknown, "edited": arity, "edited old": "OLD", "edited old new": arity}},
		{"default", map[string]string{"words new": "NEW", "later": "ERR no", "latest": "ERR no"}},
	} {
		r, err := release.Find(c.name)
		require.NoError(t, err)
		e := engine.New(engine.Options{Clock: func() int64 { return 0 }, Release: r})
		e.Join(engine.Commands(likeFamily()))
		s := e.NewSession(nil)
		for command, want := range c.want {
			out := string(e.Do(s, [][][]byte{bytes.Fields([]byte(command))}).Out)
			name, _, _ := strings.Cut(command, " ")
			require.Equal(t, strings.ReplaceAll(want, "'x'", "'"+name+"'"), strings.Trim(out, "+-\r\n"), "%s: %s", c.name, command)
		}
	}
}
