//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/resp"
)

// valueAttack attacks values by random commands, in a server of its own. Whatever became of them,
// they are the same after a reload.
type valueAttack struct {
	*hunt
	server *target
	rounds int                                                        // of commands in a step
	begin  func(r *rand.Rand, g *dataset.Generator) []dataset.Command // of a step
	round  func(r *rand.Rand, g *dataset.Generator) []dataset.Command
	seen   func(reply resp.Value) // looks at a reply
	check  func(c *conn) error    // looks at the values, before a reload and after it
}

// attackValues starts the server of an area that attacks values, which looks at nothing so far.
func (h *hunt) attackValues(rounds int, params ...string) (*valueAttack, error) {
	server, err := h.serve(append(params, "--enable-debug-command", "yes")...)
	return &valueAttack{hunt: h, server: server, rounds: rounds, begin: none, check: func(*conn) error { return nil },
		seen: func(resp.Value) {}}, err
}

func none(*rand.Rand, *dataset.Generator) []dataset.Command { return nil }

func (a *valueAttack) step(r *rand.Rand) error {
	c, err := a.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	g := dataset.New(r.Uint64())
	if err := a.do(c, append([]dataset.Command{{"FLUSHALL"}}, a.begin(r, g)...)); err != nil {
		return err
	}
	for range a.size(a.rounds) {
		if err := a.do(c, a.round(r, g)); err != nil {
			return err
		}
	}
	if err := a.check(c); err != nil {
		return err
	}
	if err := a.reload(c); err != nil {
		return err
	}
	return a.check(c)
}

// do executes commands, whatever they reply.
func (a *valueAttack) do(c *conn, commands []dataset.Command) error {
	for _, args := range commands {
		a.doing("printf '%.2000s' | nc 127.0.0.1 6379", escape(request(args...)))
		c.SetDeadline(time.Now().Add(replyTime)) // there may be many commands
		reply, err := c.do(args...)
		if err != nil {
			return err
		}
		a.seen(reply)
	}
	a.count("commands", len(commands))
	return nil
}

// reload compares all values before and after a reload.
func (a *valueAttack) reload(c *conn) error {
	keys, err := c.do("KEYS", "*")
	if err != nil {
		return err
	}
	all := append([]string{"DEBUG", "DIGEST-VALUE"}, keys.Strings()...)
	before, err := c.do(all...)
	if err != nil {
		return err
	}
	if v, err := c.do("DEBUG", "RELOAD"); err != nil || v.IsError() {
		a.found("values that were saved are not loaded: "+v.Text, a.attempted())
		return err
	}
	after, err := c.do(all...)
	for i := range min(len(before.Elems), len(after.Elems)) {
		if before.Elems[i].Text != after.Elems[i].Text {
			a.found(fmt.Sprintf("the value of %q is another one after a reload", keys.Elems[i].Text), a.attempted())
		}
	}
	return err
}
