//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openConvert saves random data, converts the snapshot to JSON and to commands, loads both, and
// compares the data.
func openConvert(h *hunt) (step, error) {
	server, err := h.serve("--enable-debug-command", "yes")
	if err != nil {
		return nil, err
	}
	a := &converting{hunt: h, server: server}
	return a.step, nil
}

type converting struct {
	*hunt
	server *target
}

func (a *converting) step(r *rand.Rand) error {
	g := dataset.New(r.Uint64())
	var keys [][]dataset.Command
	for range 2 + r.IntN(30) {
		keys = append(keys, g.Key())
	}
	a.count("datasets", 1)
	what := a.convert(keys)
	if what == nil {
		return nil
	}
	keys = reduce(keys, func(part [][]dataset.Command) bool { return a.convert(part) != nil })
	text := ""
	for _, key := range keys {
		for _, command := range key {
			text += escape(request(command...))
		}
	}
	a.doing("printf '%s' | nc 127.0.0.1 6379\nredis-cli SAVE\nminiserver convert json dump.rdb out.json\n"+
		"miniserver convert rdb out.json dump.rdb", text)
	return what
}

// convert says what is wrong with the conversions of the data, if anything is.
func (a *converting) convert(keys [][]dataset.Command) error {
	c, err := a.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	var commands []dataset.Command
	for _, key := range keys {
		commands = append(commands, key...)
	}
	if err := c.fill(commands); err != nil {
		return err
	}
	want, err := c.state()
	if err != nil {
		return err
	}
	if _, err := c.do("SAVE"); err != nil {
		return err
	}
	dump := filepath.Join(a.server.process.Dir, "dump.rdb")
	defer os.Remove(dump + ".json")
	for _, args := range [][]string{{"json", dump, dump + ".json"}, {"resp", dump, dump + ".resp"},
		{"rdb", dump + ".json", dump}} {
		if out, err := exec.Command(a.path, append([]string{"convert"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("convert %s: %w\n%.2000s", args[0], err, out)
		}
	}
	return a.load(c, dump, want)
}

// load loads what was converted to JSON and back, and what was converted to commands.
func (a *converting) load(c *conn, dump, want string) error {
	reply, err := c.do("DEBUG", "RELOAD", "NOSAVE")
	if err != nil {
		return err
	}
	if got, err := c.state(); err != nil || got != want {
		return fmt.Errorf("the data differ after convert json: %s %v\n%s", reply.Text, err, difference(want, got))
	}
	text, err := os.ReadFile(dump + ".resp")
	if err != nil {
		return err
	}
	if err := c.feed(text); err != nil {
		return fmt.Errorf("convert resp: %w", err)
	}
	if got, err := c.state(); err != nil || got != want {
		return fmt.Errorf("the data differ after convert resp: %v\n%s", err, difference(want, got))
	}
	return nil
}

// feed replaces all data by those that requests build. An error reply is an error.
func (c *conn) feed(requests []byte) error {
	if err := c.fill(nil); err != nil {
		return err
	}
	const end = "the last of the requests"
	go func() { c.Write(append(requests, request("ECHO", end)...)) }()
	for {
		reply, err := c.replies.Read()
		switch {
		case err != nil:
			return err
		case reply.IsError():
			return errors.New(reply.Text)
		case reply.Text == end:
			return nil
		}
	}
}
