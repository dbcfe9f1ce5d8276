//go:build linux

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

// jumps are the distances by which the clock jumps, ahead or back.
var jumps = []time.Duration{1, time.Millisecond, time.Second, time.Minute, time.Hour, 25 * time.Hour,
	366 * 24 * time.Hour, 50 * 366 * 24 * time.Hour}

// openClocks runs random commands on an engine whose clock jumps. A key must outlive each jump that
// does not reach its deadline, and no other jump; and the databases must pass their own check.
func openClocks(h *hunt) (step, error) {
	return func(r *rand.Rand) error {
		world := transcript.NewMemory(transcript.Traits{Name: "clock", Proto: 2}, func(e *engine.Engine) {
			assembly.Join(e, assembly.Options{Volatile: true})
		})
		generator, err := difftest.NewGenerator(r.Uint64(), difftest.Families())
		if err != nil {
			return err
		}
		c := &clock{hunt: h, world: world}
		for i := range c.conns {
			if c.conns[i], err = world.Dial(""); err != nil {
				return err
			}
			id, err := ask(c.conns[i], "CLIENT", "ID")
			if err != nil {
				return err
			}
			c.ids[i] = id[0]
		}
		for range 20 {
			if err := c.commands(generator.Take(50)); err != nil {
				return err
			}
			d := jumps[r.IntN(len(jumps))]
			if r.IntN(2) == 0 {
				d = -d
			}
			if err := c.jump(d); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// clock is an engine with two clients, and an observer in a connection of its own.
type clock struct {
	*hunt
	world *transcript.Memory
	conns [2]transcript.Conn
	ids   [2]string
}

func (c *clock) commands(commands []difftest.Command) error {
	for _, command := range commands {
		if err := c.conns[command.Conn].Send(command.Args); err != nil {
			return err
		}
	}
	c.count("commands", len(commands))
	return nil
}

// jump moves the clock and compares the keys before and after.
func (c *clock) jump(d time.Duration) error {
	if err := c.unblock(); err != nil {
		return err
	}
	before, err := c.keys()
	if err != nil {
		return err
	}
	if err := c.world.Advance(d); err != nil {
		return err
	}
	c.count("jumps", 1)
	if err := c.world.Check(); err != nil {
		return fmt.Errorf("after a jump of %v: %w", d, err)
	}
	after, err := c.keys()
	for key, left := range before {
		_, there := after[key]
		switch ms := d.Milliseconds(); {
		case err != nil:
			return err
		case !there && (left.least > ms+1 || d < 0):
			return fmt.Errorf("a key disappeared in a jump of %v: %q, which had %d ms left", d, key, left.least)
		case there && left.most <= ms:
			return fmt.Errorf("a key is still there after a jump of %v: %q, which had %d ms left", d, key, left.most)
		}
	}
	return err
}

// unblock ends what the clients wait for, until none of them waits: what a blocked client sent
// later would be executed in the jump.
func (c *clock) unblock() error {
	observer, err := c.world.Dial("")
	if err != nil {
		return err
	}
	defer observer.Close()
	for blocked := true; blocked; {
		blocked = false
		for _, id := range c.ids {
			reply, err := ask(observer, "CLIENT", "UNBLOCK", id)
			if err != nil {
				return err
			}
			blocked = blocked || reply[0] == "1"
		}
	}
	return nil
}

// span is how many milliseconds a key lasts, at least and at most.
type span struct{ least, most int64 }

// keys returns all keys of the databases that the commands use, and how long they last.
func (c *clock) keys() (map[string]span, error) {
	observer, err := c.world.Dial("")
	if err != nil {
		return nil, err
	}
	defer observer.Close()
	keys := map[string]span{}
	for db := range 3 {
		name := fmt.Sprint(db)
		if _, err := ask(observer, "SELECT", name); err != nil {
			return nil, err
		}
		found, err := ask(observer, "KEYS", "*")
		if err != nil {
			return nil, err
		}
		for _, key := range found {
			ttl, err := ask(observer, "PTTL", key)
			if err != nil {
				return nil, err
			}
			deadline, err := ask(observer, "PEXPIRETIME", key)
			if err != nil {
				return nil, err
			}
			if at, _ := strconv.ParseInt(deadline[0], 10, 64); at-c.world.Now().UnixMilli() < 0 && at > 0 {
				ttl = deadline // what is left needs more than 64 bits, for which PTTL replies 0, as in Redis
			}
			typ, err := ask(observer, "TYPE", key)
			if err != nil {
				return nil, err
			}
			keys[name+" "+key] = lasting(strings.Join(ttl, ""), strings.Join(typ, ""))
		}
	}
	return keys, nil
}

// lasting returns how long a key of a type lasts whose PTTL is given. The elements of a hash may
// have deadlines, and with the last of them the key goes.
func lasting(ttl, typ string) span {
	ms, _ := strconv.ParseInt(ttl, 10, 64)
	if ms < 0 {
		ms = math.MaxInt64
	}
	if typ == "hash" {
		return span{0, ms}
	}
	return span{ms, ms}
}

// ask sends a command and returns the texts of its reply.
func ask(c transcript.Conn, args ...string) (texts []string, err error) {
	if err := c.Send(args); err != nil {
		return nil, err
	}
	v, _, err := c.Next(false)
	for _, elem := range v.Elems {
		texts = append(texts, elem.Text)
	}
	if !v.IsAggregate() {
		texts = []string{v.Raw()}
	}
	return texts, err
}
