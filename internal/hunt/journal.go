//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// journalWriters is the number of clients that write while the journal's server lives.
const journalWriters = 4

// openJournal kills servers with signal 9 while clients write, and while the journal is rewritten
// and, in some lives, turned off and on, or the disk is full now and then. It loads what they
// leave: each client's numbers must be there without a gap, up to the last that was confirmed with
// appendfsync always. The last server is not killed: it must return what it took.
func openJournal(h *hunt) (step, error) {
	if _, err := exec.LookPath("prlimit"); err != nil {
		fmt.Fprintf(h.out, "%s: NO FULL DISK: prlimit was not found\n", h.area.name)
	}
	return func(r *rand.Rand) error {
		dir, err := os.MkdirTemp("", "journal")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		l := &journalLife{hunt: h, r: r, dir: dir, policy: pick(r, []string{"always", "always", "everysec", "no"}),
			toggled: r.IntN(3) == 0, fills: r.IntN(2) == 0}
		h.doing("miniserver --dir %s --appendonly yes --appendfsync %s    # with clients that RPUSH, BGREWRITEAOF,\n"+
			"# if %t, CONFIG SET appendonly, and, if %t, prlimit --pid $PID --fsize=BYTES:", dir, l.policy,
			l.toggled, l.fills)
		for range 3 {
			if err := l.live(l.writeAndRewrite); err != nil {
				return err
			}
			h.count("kills", 1)
		}
		return l.live(func(t *target) string { return t.settle(h.settling) })
	}, nil
}

// journalLife is a journal's directory and the servers that use it, one after the other.
type journalLife struct {
	*hunt
	r           *rand.Rand
	dir, policy string
	toggled     bool                // the journal is turned off and on
	fills       bool                // the disk is full at times
	kept        [journalWriters]int // numbers that were loaded
	confirmed   [journalWriters]int
}

// live starts a server, checks what it loads, and kills it after what happens to it. Trouble is an
// error.
func (l *journalLife) live(happens func(*target) (trouble string)) error {
	t := l.hunt.server("--dir", l.dir, "--appendonly", "yes", "--appendfsync", l.policy, "--auto-aof-rewrite-min-size",
		"16kb", "--auto-aof-rewrite-percentage", "50")
	if err := t.start(); err != nil {
		return err
	}
	defer t.stop()
	if err := l.examine(t); err != nil {
		return err
	}
	if trouble := happens(t); trouble != "" {
		return errors.New(trouble)
	}
	return nil
}

// writeAndRewrite kills a server after a while, in which much happens to it.
func (l *journalLife) writeAndRewrite(t *target) (trouble string) {
	var busy sync.WaitGroup
	for w := range journalWriters {
		busy.Go(func() { l.write(t, w) })
	}
	busy.Go(func() { l.rewrite(t) })
	if l.fills {
		seed := l.r.Uint64()
		busy.Go(func() { l.fillDisk(t, rand.New(rand.NewPCG(seed, 0))) })
	}
	select {
	case <-t.process.Exited():
		trouble = t.trouble()
	case <-time.After(time.Duration(20+l.r.IntN(300)) * time.Millisecond):
	}
	syscall.Kill(t.process.PID, syscall.SIGKILL)
	busy.Wait()
	return trouble
}

// fillDisk lets no file of the server become longer than some bytes, as if the disk were full: for
// a moment, and again, or until the server ends.
func (l *journalLife) fillDisk(t *target, r *rand.Rand) {
	limit := func(bytes string) bool {
		return exec.Command("prlimit", "--pid", strconv.Itoa(t.process.PID), "--fsize="+bytes+":").Run() == nil
	}
	for limit(strconv.Itoa(r.IntN(20_000))) {
		l.count("full disks", 1)
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		if r.IntN(4) == 0 || !limit("unlimited") {
			return
		}
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
	}
}

// write pushes numbers until the server ends. It pushes one that was refused again.
func (l *journalLife) write(t *target, w int) {
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	for n := l.kept[w] + 1; ; {
		reply, err := c.do("RPUSH", fmt.Sprint("log", w), strconv.Itoa(n))
		if err != nil {
			return
		}
		if reply.IsError() {
			l.count("refused", 1)
			time.Sleep(time.Millisecond)
			continue
		}
		l.confirmed[w] = n
		n++
	}
}

// rewrite rewrites the journal, and perhaps turns it off and on, until the server ends.
func (l *journalLife) rewrite(t *target) {
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	commands := [][]string{{"BGREWRITEAOF"}}
	if l.toggled {
		commands = append(commands, []string{"CONFIG", "SET", "appendonly", "no"}, []string{"BGREWRITEAOF"},
			[]string{"CONFIG", "SET", "appendonly", "yes"})
	}
	for i := 0; err == nil; i++ {
		_, err = c.do(commands[i%len(commands)]...)
		time.Sleep(time.Duration(i%7) * 500 * time.Microsecond)
	}
}

// examine compares what a server loaded with what was written.
func (l *journalLife) examine(t *target) error {
	c, err := t.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for w := range journalWriters {
		log, err := loadedReply(c, "LRANGE", fmt.Sprint("log", w), "0", "-1")
		if err != nil {
			return err
		}
		for i, e := range log.Elems {
			if e.Text != strconv.Itoa(i+1) {
				return fmt.Errorf("after a kill, number %d of client %d is %s", i+1, w, e.Text)
			}
		}
		l.kept[w] = len(log.Elems)
		if l.policy == "always" && !l.toggled && l.kept[w] < l.confirmed[w] {
			return fmt.Errorf("after a kill, client %d has %d numbers, and %d were confirmed", w, l.kept[w],
				l.confirmed[w])
		}
		l.confirmed[w] = l.kept[w]
	}
	return nil
}

// loadedReply returns the reply to a command when the server has loaded its data.
func loadedReply(c *conn, command ...string) (resp.Value, error) {
	for {
		reply, err := c.do(command...)
		if err != nil || !strings.HasPrefix(reply.Text, "LOADING") {
			return reply, err
		}
		time.Sleep(time.Millisecond)
	}
}
