package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openConvert saves random data, converts the snapshot to JSON and to commands, loads both, and compares DEBUG DIGEST.
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
	replies, err := c.pipeline([][]string{{"DEBUG", "DIGEST"}, {"SAVE"}})
	if err != nil {
		return err
	}
	dump := filepath.Join(a.server.process.Dir, "dump.rdb")
	defer os.Remove(dump + ".json")
	for _, args := range [][]string{{"json", dump, dump + ".json"}, {"resp", dump, dump + ".resp"}, {"rdb", dump + ".json", dump}} {
		if out, err := exec.Command(a.path, append([]string{"convert"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("convert %s: %w\n%.2000s", args[0], err, out)
		}
	}
	return a.load(c, dump, replies[0].Text)
}

// load loads what was converted to JSON and back, and what was converted to commands.
func (a *converting) load(c *conn, dump, digest string) error {
	got, err := c.pipeline([][]string{{"DEBUG", "RELOAD", "NOSAVE"}, {"DEBUG", "DIGEST"}})
	if err != nil {
		return err
	}
	if got[0].IsError() || got[1].Text != digest {
		return fmt.Errorf("the data differ after convert json: %s", got[0].Text)
	}
	text, err := os.ReadFile(dump + ".resp")
	if err != nil {
		return err
	}
	if err := c.fill(nil); err != nil {
		return err
	}
	go func() { c.Write(append(text, request("DEBUG", "DIGEST")...)) }()
	for {
		reply, err := c.replies.Read()
		switch {
		case err != nil:
			return err
		case reply.IsError():
			return fmt.Errorf("convert resp makes a command that fails: %s", reply.Text)
		case len(reply.Text) == len(digest) && reply.Text != digest:
			return fmt.Errorf("the data differ after convert resp")
		case reply.Text == digest:
			return nil
		}
	}
}
