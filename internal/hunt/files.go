package main

import (
	encoding "encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// filesInStep is the number of damaged snapshots in a step.
const filesInStep = 100

// openFiles damages snapshots, with true checksums, and append-only files. A server loads them or refuses them, and what
// it loads must bear to be saved; check-rdb and check-aof read some of them, too.
func openFiles(h *hunt) (step, error) {
	server, err := h.serve("--enable-debug-command", "yes", "--maxmemory", "500mb")
	if err != nil {
		return nil, err
	}
	a := &damaging{hunt: h, server: server}
	return a.step, nil
}

type damaging struct {
	*hunt
	server *target
}

func (a *damaging) step(r *rand.Rand) error {
	c, err := a.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	commands := dataset.New(r.Uint64()).Keys(1 + r.IntN(6))
	if err := c.fill(commands); err != nil {
		return err
	}
	if _, err := c.do("SAVE"); err != nil {
		return err
	}
	path := filepath.Join(a.server.process.Dir, "dump.rdb")
	sound, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := range a.size(filesInStep) {
		body := sound[9 : len(sound)-8]
		text := append([]byte("REDIS0012"), mutated(r, body, body)...)
		text = encoding.LittleEndian.AppendUint64(text, rdb.Sum(0, text))
		if err := a.load(c, path, text, i%20 == 0); err != nil {
			return err
		}
	}
	return a.replay(r, commands)
}

// load has the server load a snapshot.
func (a *damaging) load(c *conn, path string, text []byte, check bool) error {
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	a.count("snapshots", 1)
	a.doing("printf '%s' > dump.rdb; redis-cli DEBUG RELOAD NOSAVE; redis-cli SAVE", escape(text))
	replies, err := c.pipeline([][]string{{"DEBUG", "RELOAD", "NOSAVE"}})
	if err != nil {
		return err
	}
	loaded := !replies[0].IsError()
	if check {
		if err := a.check(loaded, "check-rdb", path); err != nil {
			return err
		}
	}
	if !loaded {
		return nil
	}
	a.count("loaded", 1)
	replies, err = c.pipeline([][]string{{"DEBUG", "DIGEST"}, {"SAVE"}, {"DEBUG", "RELOAD", "NOSAVE"}, {"DEBUG", "DIGEST"}})
	if err == nil && (replies[2].IsError() || replies[3].Text != replies[0].Text) {
		a.found("a snapshot that was loaded is saved as another: "+replies[2].Text, a.attempted())
	}
	return err
}

// check runs one of the programs that check files. It must agree about a file that a server loads.
func (a *damaging) check(sound bool, args ...string) error {
	out, err := exec.Command(a.path, args...).CombinedOutput()
	if crashed(string(out)) {
		return fmt.Errorf("%s: %w\n%.2000s", args[0], err, out)
	}
	if sound && err != nil {
		return fmt.Errorf("%s refuses a file that a server loads: %.300s", args[0], out)
	}
	return nil
}

// crashed reports whether a program's output is that of a crash.
func crashed(out string) bool {
	return strings.Contains(out, "panic: ") || strings.Contains(out, "fatal error: ") || strings.Contains(out, "goroutine 1 [")
}

// replay has a server start with a damaged append-only file.
func (a *damaging) replay(r *rand.Rand, commands []dataset.Command) error {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var text []byte
	for _, command := range commands {
		text = append(text, request(command...)...)
	}
	text = mutated(r, text, text)
	path := filepath.Join(dir, "appendonly.aof")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	a.count("journals", 1)
	a.doing("printf '%s' > appendonly.aof; miniserver --appendonly yes", escape(text))
	if err := a.check(false, "check-aof", path); err != nil {
		return err
	}
	words := &firstWords{}
	s, err := launch.Start(launch.Spec{Path: a.path, Unix: true, Stderr: words, Args: []string{"--dir", dir, "--appendonly", "yes"}})
	if err == nil {
		return s.Stop()
	}
	if crashed(words.String() + err.Error()) {
		return errors.Join(err, errors.New(words.String()))
	}
	return nil
}
