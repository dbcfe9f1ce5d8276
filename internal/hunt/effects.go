//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// openEffects sends the same random commands to the server and to redis-server, and compares what
// their replicas receive.
func openEffects(h *hunt) (step, error) {
	theirs, err := h.compare("--enable-debug-command", "yes")
	if theirs == nil || err != nil {
		return func(*rand.Rand) error { return nil }, err
	}
	intended := func(effects string) string { return effects }
	if h.compared() == "redis:8.0" {
		intended = asInRedis80
	}
	server, err := h.serve(append(h.like(), "--enable-debug-command", "yes")...)
	if err != nil {
		return nil, err
	}
	return func(r *rand.Rand) error {
		seed := r.Uint64()
		want, err := followed(theirs, seed, h.compared())
		if err != nil {
			return err
		}
		got, err := followed(server, seed, h.compared())
		if err != nil {
			return err
		}
		for i := range want {
			if i < len(got) && intended(want[i].effects) == intended(got[i].effects) {
				h.count("batches", 1)
				continue
			}
			h.doing("%s", want[i].commands)
			return errors.New("redis-server sends something else: " + difference(want[i].effects, got[i].effects))
		}
		return nil
	}, nil
}

// newSum is the new value of a field that HINCRBYFLOAT changed, which keeps its deadline.
var newSum = regexp.MustCompile(`\["HSETEX" (\S+) "KEEPTTL" "FIELDS" "1" `)

// asInRedis80 returns effects with new sums of fields as Redis 8.0 propagates them, whose replicas
// lose the deadline: docs/differences.md.
func asInRedis80(effects string) string { return newSum.ReplaceAllString(effects, `["HSET" $1 `) }

// batch is what clients send in one go, and what a replica receives meanwhile, as lines.
type batch struct{ commands, effects string }

// unequal are commands whose effects may differ: CONFIG changes the server, WATCH removes keys that
// are due, which Redis leaves, and Redis does not propagate a VADD that changes an element.
var unequal = map[string]bool{"CONFIG": true, "WATCH": true, "VADD": true}

// followed sends random commands that a release survives to a server that it empties first. Keys
// expire when a command looks at them.
func followed(t *target, seed uint64, as string) (all []batch, err error) {
	g, err := difftest.NewGenerator(seed, difftest.FamiliesOf(&release.Default))
	if err != nil {
		return nil, err
	}
	c, err := t.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.pipeline([][]string{{"FLUSHALL"}, {"FUNCTION", "FLUSH"}, {"SCRIPT", "FLUSH"},
		{"DEBUG", "SET-ACTIVE-EXPIRE", "0"}}); err != nil {
		return nil, err
	}
	f, err := t.observe()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for n := range 100 {
		var commands [][]string
		var b batch
		for _, command := range g.Take(10) {
			if !unequal[strings.ToUpper(command.Args[0])] && !difftest.Crashes(command, as) {
				commands = append(commands, command.Args)
				b.commands += command.String() + "\n"
			}
		}
		if _, err := c.pipeline(commands); err != nil {
			return nil, err
		}
		t.order("PUBLISH effects " + strconv.Itoa(n))
		if b.effects, err = f.until("effects"); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// observe attaches a replica to a server.
func (t *target) observe() (*conn, error) {
	c, err := t.dial()
	if err != nil {
		return nil, err
	}
	if _, err := c.Write([]byte("PSYNC ? -1\r\n")); err != nil {
		return nil, err
	}
	in := bufio.NewReader(c.Conn)
	for size := int64(0); size == 0; {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if fmt.Sscanf(line, "$%d", &size); size > 0 {
			if _, err := io.CopyN(io.Discard, in, size); err != nil {
				return nil, err
			}
		}
	}
	c.replies = resp.NewReader(in)
	return c, nil
}

// moments are points in time, in seconds and milliseconds, which differ between two servers; also
// those after the longest duration.
var moments = regexp.MustCompile(`\b(1[0-9]{9}([0-9]{3})?|92251[0-9]{11})\b`)

// until returns what a replica receives before a message on a channel, without pings.
func (c *conn) until(channel string) (lines string, err error) {
	for {
		v, err := c.replies.Read()
		if err != nil {
			return "", err
		}
		switch words := v.Strings(); {
		case len(words) > 1 && words[0] == "PUBLISH" && words[1] == channel:
			return lines, nil
		case !strings.EqualFold(words[0], "PING"):
			lines += moments.ReplaceAllString(fmt.Sprintf("%q", words), "<time>") + "\n"
		}
	}
}
