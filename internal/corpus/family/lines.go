package family

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
)

// CheckLines has what an engine's commands do compared with what their lines tell: the shapes of
// replies in RESP2, and that only a command with the flag Write changes data, or one for
// administrators.
func CheckLines(t testing.TB, e *engine.Engine) {
	check := func(cmd *command.Command) {
		run := e.Handler(cmd)
		if run == nil {
			return
		}
		e.Handle(cmd, func(c *engine.Call) {
			at, proto := c.Reply.Len(), c.Reply.Proto()
			run(c)
			checkFlags(t, c)
			if proto == 2 && c.Reply.Proto() == 2 && c.Reply.Len() > at {
				checkReply(t, c, c.Reply.Bytes()[at:])
			}
		})
	}
	for _, cmd := range e.Commands.All() {
		check(cmd)
		for _, sub := range cmd.Subs {
			check(sub)
		}
	}
}

// IsBeyondRedis reports whether a command may be in a journal although redis-server does not know
// it: it is about what no redis-server has, deadlines of elements and Bloom filters.
func IsBeyondRedis(name []byte) bool { return beyondRedis.Match(bytes.ToUpper(name)) }

var beyondRedis = regexp.MustCompile(`^(BF\.[A-Z]+|LAPSE|[HSZL]P?EXPIREAT|[HSZL]PERSIST|HSETEX)$`)

// CheckJournal has the commands that a world's engines propagate compared with those that
// redis-server knows, which may be a replica, or load the journal.
func CheckJournal(t testing.TB, w *transcript.Memory) {
	w.Journal = func(_ int, args [][]byte) {
		cmd, _ := w.Engine().Commands.Resolve(args)
		if cmd != nil && release.From(cmd.Since).Foreign() && !IsBeyondRedis(args[0]) {
			t.Errorf("%.200q is propagated, but redis-server does not know %s: the handler must say what it did in "+
				"Redis' commands, with Call.PropagateAs", args, cmd.Name)
		}
	}
	if err := w.Reset(); err != nil {
		t.Fatal(err)
	}
}

func checkFlags(t testing.TB, c *engine.Call) {
	const may = command.Write | command.MayReplicate | command.Admin
	if c.Dirty() && c.World.FlagsWith(c.Cmd, c.Args)&may == 0 {
		t.Errorf("%.200q changes data, but the line of %s has not the flag Write", c.Args, nameOf(c))
	}
}

func nameOf(c *engine.Call) string { return strings.ReplaceAll(c.Cmd.FullName(), "|", " ") }

func checkReply(t testing.TB, c *engine.Call, reply []byte) {
	v, err := resp.NewReader(bytes.NewReader(reply)).Read()
	if err != nil || v.IsError() {
		return
	}
	args := c.Args[1:]
	if c.Cmd.IsSub() {
		args = args[1:]
	}
	has := func(word string) bool {
		for _, arg := range args {
			if command.IsWord(arg, word) {
				return true
			}
		}
		return false
	}
	if shape := c.Cmd.Reply.For(len(args), has, false); !shape.Fits(v) {
		t.Errorf("the line of %s says that it replies with %q, but to %.200q it replies %.200q",
			nameOf(c), shape, c.Args, reply)
	}
}
