package corpus

import (
	"bytes"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// CheckReplies has each reply in RESP2 of an engine's commands compared with the shape that the
// command's line tells.
func CheckReplies(t testing.TB, e *engine.Engine) {
	check := func(cmd *command.Command) {
		run := e.Handler(cmd)
		if run == nil {
			return
		}
		e.Handle(cmd, func(c *engine.Call) {
			at, proto := c.Reply.Len(), c.Reply.Proto()
			run(c)
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
			strings.ReplaceAll(c.Cmd.FullName(), "|", " "), shape, c.Args, reply)
	}
}
