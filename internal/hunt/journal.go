package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

// journalWriters is the number of clients that write while the journal's server lives.
const journalWriters = 4

// openJournal kills servers with signal 9 while clients write, and while the journal is rewritten and, in some lives,
// turned off and on. It loads what they leave: each client's numbers must be there without a gap, up to the last
// that was confirmed with appendfsync always.
func openJournal(h *hunt) (step, error) {
	return func(r *rand.Rand) error {
		dir, err := os.MkdirTemp("", "journal")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		l := &journalLife{hunt: h, dir: dir, policy: []string{"always", "everysec", "no"}[r.IntN(3)], toggled: r.IntN(2) == 0}
		h.doing("miniserver --dir %s --appendonly yes --appendfsync %s    # with clients that RPUSH, BGREWRITEAOF, and, if %t, CONFIG SET appendonly",
			dir, l.policy, l.toggled)
		for range 3 {
			if err := l.live(time.Duration(20+r.IntN(300)) * time.Millisecond); err != nil {
				return err
			}
			h.count("kills", 1)
		}
		return nil
	}, nil
}

// journalLife is a journal's directory and the servers that use it, one after the other.
type journalLife struct {
	*hunt
	dir, policy string
	toggled     bool
	kept        [journalWriters]int // numbers that were loaded
	confirmed   [journalWriters]int
}

// live starts a server, checks what it loads, and kills it after a while.
func (l *journalLife) live(span time.Duration) error {
	words := &firstWords{}
	s, err := launch.Start(launch.Spec{Path: l.path, Unix: true, Stderr: words, Args: []string{"--dir", l.dir, "--appendonly", "yes",
		"--appendfsync", l.policy, "--auto-aof-rewrite-min-size", "16kb", "--auto-aof-rewrite-percentage", "50"}})
	if err != nil {
		return err
	}
	defer s.Stop()
	t := &target{process: s}
	if err := l.examine(t); err != nil {
		return err
	}
	var busy sync.WaitGroup
	for w := range journalWriters {
		busy.Go(func() { l.write(t, w) })
	}
	busy.Go(func() { l.rewrite(t) })
	select {
	case <-s.Exited():
		err = fmt.Errorf("the process ended: %s\n%s", s.Exit(), words)
	case <-time.After(span):
	}
	s.Stop()
	busy.Wait()
	return err
}

// write pushes numbers until the server ends.
func (l *journalLife) write(t *target, w int) {
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	for n := l.kept[w] + 1; ; n++ {
		reply, err := c.do("RPUSH", fmt.Sprint("log", w), strconv.Itoa(n))
		if err != nil {
			return
		}
		if !reply.IsError() {
			l.confirmed[w] = n
		}
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
			return fmt.Errorf("after a kill, client %d has %d numbers, and %d were confirmed", w, l.kept[w], l.confirmed[w])
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
