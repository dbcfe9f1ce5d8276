package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/introspection"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

const errNo, errNoLonger = command.Error("ERR no"), command.Error("ERR no longer")

// likeFamily is commands that differ between releases in each way that a line can say.
func likeFamily() command.Family {
	words := func(c *engine.Call) {
		for _, word := range []string{"OLD", "NEW"} {
			if c.Word(word) {
				c.Reply.Status(word)
				return
			}
		}
		c.Fail(errNo)
	}
	return command.Family{Group: "generic", Commands: []command.Line{
		{Name: "always", Arity: -1, Run: words, Since: "1.0.0", Syntax: "[OLD|NEW]@7.2.0"},
		{Name: "words", Arity: -1, Run: words, Since: "1.0.0", Syntax: "[OLD|NEW@7.2.0]"},
		{Name: "foreign", Arity: -1, Run: words, Since: "1.0.0", Syntax: "[NEW]@keydb:6.0.0"},
		{Name: "later", Arity: 1, Run: words, Since: "7.4.0"},
		{Name: "latest", Arity: 1, Run: words, Since: "9.0.0"},
		{Name: "edited", Arity: 2, Run: words, Since: "1.0.0", Was: []command.Was{
			{Before: "7.2.0", Edit: func(cmd *command.Line) { cmd.Arity = -2 }},
			command.Before("7.0.0", "arity=-3")}},
		{Name: "box", Arity: -2, Since: "1.0.0", Was: []command.Was{command.Before("7.0.0", "+random")},
			Subs: []command.Line{
				{Name: "open", Arity: 3, Flags: command.ReadOnly | command.AllowBusy, Keys: command.Key(2, "RO"),
					Run: words, Since: "1.0.0"},
				{Name: "shut", Arity: 2, Flags: command.NoScript, Run: words, Since: "1.0.0"}}},
		{Name: "told", Arity: 1, Flags: command.ReadOnly,
			Run: words, Since: "1.0.0", Tips: "nondeterministic_output_order"},
	}, Wordings: []command.Wording{{Before: "7.0.0", Error: errNo, Was: errNoLonger}}}
}

// TestLike sends the same commands to servers of several releases.
func TestLike(t *testing.T) {
	const unknown, arity = "ERR unknown command 'x', with args beginning with: ",
		"ERR wrong number of arguments for 'x' command"
	const noSub62, noSub70 = "ERR Unknown subcommand or wrong number of arguments for 'y'. Try BOX HELP.",
		"ERR unknown subcommand 'y'. Try BOX HELP."
	for _, c := range []struct {
		name string
		want map[string]string
	}{
		{"redis:6.2", map[string]string{"always new": arity, "words old": "OLD", "words new": "ERR no longer",
			"later": "ERR unknown command `later`, with args beginning with: ", "box y": noSub62, "edited": arity,
			"edited old": arity, "edited old new": "OLD"}},
		{"redis:7.0", map[string]string{"always new": arity, "words old": "OLD",
			"words new": "ERR no", "later": unknown, "box y": noSub70,
			"latest": unknown, "edited": arity, "edited old": "OLD", "edited old new": "OLD"}},
		{"redis:7.4", map[string]string{"always new": "NEW", "words old": "OLD", "words new": "NEW", "later": "ERR no",
			"foreign new": arity, "latest": unknown, "edited": arity, "edited old": "OLD", "edited old new": arity}},
		{"default", map[string]string{"words new": "NEW", "later": "ERR no", "latest": "ERR no", "foreign new": "NEW"}},
	} {
		do := like(t, c.name)
		for command, want := range c.want {
			out := do(command)
			name, _, _ := strings.Cut(command, " ")
			require.Equal(t, strings.ReplaceAll(want, "'x'", "'"+name+"'"), strings.Trim(out, "+-\r\n"), "%s: %s",
				c.name, command)
		}
	}
}

// like returns a function that sends a command to a server of the release.
func like(t *testing.T, name string) func(command string) string {
	r, err := release.Find(name)
	require.NoError(t, err)
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }, Release: r})
	e.Join(engine.Commands(servercmds.Family, introspection.Family, likeFamily()))
	s := e.NewSession(nil)
	return func(command string) string { return string(e.Do(s, [][][]byte{bytes.Fields([]byte(command))}).Out) }
}

// Before 7.0 a container is one command with the flags and the keys of its subcommands, and flags
// say what tips say since.
func TestContainersWereOneCommand(t *testing.T) {
	do := like(t, "redis:6.2")
	for command, want := range map[string]string{
		"COMMAND INFO box":      "*1 *7 $3 box :-2 *3 +readonly +noscript +random :2 :2 :1 *3 +@keyspace +@read +@slow",
		"COMMAND INFO told":     "*1 *7 $4 told :1 *2 +readonly +sort_for_script :0 :0 :0 *3 +@keyspace +@read +@slow",
		"COMMAND INFO box|shut": "*1 $-1", "COMMAND INFO": "*0",
	} {
		require.Equal(t, want, strings.Join(strings.Fields(do(command)), " "), command)
	}
	do("box shut")
	do("box y")
	require.Contains(t, do("INFO commandstats"), "cmdstat_box:calls=2,")
	require.NotContains(t, do("INFO commandstats"), "box|")
}
