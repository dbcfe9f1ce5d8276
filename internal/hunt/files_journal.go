//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// recording is an append-only file: a snapshot, perhaps, and the commands that came later. Some are
// in transactions.
type recording struct {
	snapshot []byte
	before   []dataset.Command // that built the data in the snapshot
	commands []dataset.Command
	text     []byte
	ends     []int // of each command in text
	safe     []int // where each command has an effect: of a transaction's commands where it ends
	frame    []int // offsets in text of what is neither data nor a digit
}

// add appends commands, in a transaction if atomic.
func (f *recording) add(commands []dataset.Command, atomic bool) {
	if atomic {
		commands = slices.Concat([]dataset.Command{{"MULTI"}}, commands, []dataset.Command{{"EXEC"}})
	}
	first := len(f.ends)
	for _, command := range commands {
		f.append(command)
	}
	f.safe = append(f.safe, f.ends[first:]...)
	for i := first; atomic && i < len(f.safe); i++ {
		f.safe[i] = len(f.text)
	}
}

// append appends a command.
func (f *recording) append(command dataset.Command) {
	line := func(mark byte, n int) {
		at := len(f.text)
		f.text = fmt.Appendf(f.text, "%c%d\r\n", mark, n)
		f.frame = append(f.frame, at, len(f.text)-2, len(f.text)-1)
	}
	line('*', len(command))
	for _, arg := range command {
		line('$', len(arg))
		f.text = append(append(f.text, arg...), "\r\n"...)
		f.frame = append(f.frame, len(f.text)-2, len(f.text)-1)
	}
	f.commands = append(f.commands, command)
	f.ends = append(f.ends, len(f.text))
}

// file returns all bytes of the file.
func (f *recording) file() []byte { return slices.Concat(f.snapshot, f.text) }

// valid returns the commands that are complete in the first n bytes of text, and where the last of
// them ends.
func (f *recording) valid(n int) (commands []dataset.Command, end int) {
	commands = f.before
	for i, command := range f.commands {
		if f.safe[i] <= n {
			commands, end = append(slices.Clip(commands), command), f.safe[i]
		}
	}
	return commands, end
}

// record makes an append-only file of the commands for some keys.
func (a *damaging) record(r *rand.Rand, c *conn, keys [][]dataset.Command) (*recording, error) {
	f := &recording{}
	from := 0
	if r.IntN(2) == 0 {
		from = r.IntN(len(keys))
		f.before = slices.Concat(keys[:from]...)
		path, err := a.save(c, "SAVE", f.before)
		if err != nil {
			return nil, err
		}
		if f.snapshot, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	for _, key := range keys[from:] {
		f.add(key, r.IntN(3) == 0)
	}
	return f, nil
}

// replay has servers start with an append-only file: whole, cut off, with a damaged frame, and
// mutated.
func (a *damaging) replay(r *rand.Rand, c *conn, keys [][]dataset.Command) error {
	f, err := a.record(r, c, keys)
	if err != nil {
		return err
	}
	broken := slices.Clone(f.file())
	broken[len(f.snapshot)+f.frame[r.IntN(len(f.frame))]] = 'x'
	return errors.Join(
		a.complete(c, f, len(f.text)),
		a.complete(c, f, r.IntN(len(f.text))),
		a.complete(c, f, f.ends[r.IntN(len(f.ends))]),
		a.start(broken, func(t *target) { a.found("a server starts with a damaged append-only file", a.attempted()) }),
		a.start(mutated(r, f.file(), f.text), func(*target) { a.count("started", 1) }))
}

// complete starts a server with the first bytes of the commands. It must load all that is complete,
// and cut off the rest.
func (a *damaging) complete(c *conn, f *recording, n int) error {
	commands, end := f.valid(n)
	if err := c.fill(commands); err != nil {
		return err
	}
	want, err := c.state()
	if err != nil {
		return err
	}
	started := false
	err = a.start(f.file()[:len(f.snapshot)+n], func(t *target) {
		started = true
		got, err := t.state()
		if err != nil || got != want {
			a.found(fmt.Sprintf("a whole append-only file, or one that is cut off, is loaded as other data: %v\n%s",
				err, difference(want, got)), a.attempted())
		}
		left, err := os.ReadFile(filepath.Join(t.option("--dir"), "appendonlydir", "appendonly.aof"))
		if err != nil || !bytes.Equal(left, f.file()[:len(f.snapshot)+end]) {
			a.found(fmt.Sprintf("of an append-only file that is cut off at byte %d and complete up to %d, "+
				"%d are left %v",
				len(f.snapshot)+n, len(f.snapshot)+end, len(left), err), a.attempted())
		}
	})
	if err == nil && !started {
		a.found("a server does not start with an append-only file that is cut off", a.attempted())
	}
	return err
}

// start has a server start with an append-only file, and calls run if it does. After that the
// server must give back memory and descriptors.
func (a *damaging) start(file []byte, run func(*target)) error {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "appendonly.aof")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		return err
	}
	a.count("journals", 1)
	a.doing("printf '%s' > appendonly.aof; miniserver --appendonly yes --enable-debug-command yes", escape(file))
	if err := a.check(false, "check-aof", path); err != nil {
		return err
	}
	t := a.hunt.server("--dir", dir, "--appendonly", "yes", "--enable-debug-command", "yes")
	if err := t.start(); err != nil {
		return crash(t.stderr.String() + err.Error())
	}
	defer t.stop()
	if !t.loads() {
		return crash(t.stderr.String())
	}
	run(t)
	t.rss, t.descriptors = a.server.rss, a.server.descriptors+2 // the file, and its directory
	if trouble := t.settle(a.settling); trouble != "" {
		a.found(trouble, a.attempted())
	}
	return nil
}

// crash returns an error if a program's output is that of a crash.
func crash(out string) error {
	if crashed(out) {
		return errors.New(out)
	}
	return nil
}

// loads reports whether the server loads its data, when it has; if not, it has ended.
func (t *target) loads() bool {
	c, err := t.dial()
	if err == nil {
		defer c.Close()
		_, err = loadedReply(c, "PING")
	}
	if err != nil {
		<-t.process.Exited()
	}
	return err == nil
}

// state returns the data of a server.
func (t *target) state() (string, error) {
	c, err := t.dial()
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.state()
}
