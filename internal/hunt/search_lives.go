//go:build linux

package main

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// openSearchLives attacks the indexes of a server with an append-only file, and those of its
// replica, as openSearch does. Now and then one of the two is killed by signal 9 and comes back, or
// the file is rewritten. Whatever became of the documents, both servers have the same, and each
// index is as one that is made anew.
func openSearchLives(h *hunt) (step, error) {
	return func(r *rand.Rand) error {
		dir, err := os.MkdirTemp("", "indexes")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		l := &searchLives{searching: &searching{hunt: h}, r: r}
		for _, name := range []string{"master", "replica"} {
			t, err := h.replicating(ours, pairing{ours, ours})
			if err != nil {
				return err
			}
			t.options = append(t.options, "--appendonly", "yes", "--dir", filepath.Join(dir, name))
			if err := cmp.Or(os.Mkdir(t.option("--dir"), 0o755), t.start()); err != nil {
				return err
			}
			defer t.stop()
			l.servers = append(l.servers, t)
		}
		if err = l.follow(); err == nil {
			err = l.live()
		}
		for _, t := range l.servers {
			err = errors.Join(err, t.verdictOf())
		}
		return err
	}, nil
}

// searchLives is a master and its replica.
type searchLives struct {
	*searching
	r       *rand.Rand
	servers []*target
}

// follow makes the replica follow its master, as soon as it has loaded what it has.
func (l *searchLives) follow() error {
	return l.await("the replica follows its master", func() bool {
		c, err := l.servers[1].dial()
		if err != nil {
			return false
		}
		defer c.Close()
		reply, err := c.do("REPLICAOF", l.servers[0].host(), l.servers[0].option("--port"))
		return err == nil && !reply.IsError()
	})
}

// live attacks the indexes in several lives of the servers.
func (l *searchLives) live() error {
	g := dataset.New(l.r.Uint64())
	commands := lines(definitions...)
	l.payloads, l.strictly = nil, len(commands)
	for range l.size(5) {
		for range 1 + l.size(l.r.IntN(200)) {
			commands = append(commands, l.round(l.r, g)...)
		}
		if err := l.write(commands); err != nil {
			return err
		}
		if err := l.fault(); err != nil {
			return err
		}
		if err := l.compare(); err != nil {
			return err
		}
		commands = nil
	}
	return nil
}

// write sends commands to the master.
func (l *searchLives) write(commands []dataset.Command) error {
	c, err := l.servers[0].dial()
	if err != nil {
		return err
	}
	defer c.Close()
	a := &valueAttack{hunt: l.hunt, seen: l.seen}
	return a.do(c, commands)
}

// fault lets something happen to the servers.
func (l *searchLives) fault() error {
	at := l.r.IntN(4)
	if at >= len(l.servers) {
		l.servers[at%2].order("BGREWRITEAOF")
		return nil
	}
	t := l.servers[at]
	l.count("kills of the "+filepath.Base(t.option("--dir")), 1)
	if err := syscall.Kill(t.process.PID, syscall.SIGKILL); err != nil {
		return err
	}
	if err := t.restart(); err != nil {
		return err
	}
	if at == 1 { // a replica that starts again has no master
		return l.follow()
	}
	return nil
}

// compare compares the two servers, and their indexes with those that are made anew.
func (l *searchLives) compare() error {
	err := same(l.servers[0], l.servers[1])
	if err != nil { // an element may have expired between the looks at the two
		err = same(l.servers[0], l.servers[1])
	}
	if err != nil {
		return errors.Join(err, errors.New(l.servers[1].lastLog(5)))
	}
	for _, t := range l.servers {
		c, err := t.dial()
		if err != nil {
			return err
		}
		defer c.Close()
		if err := l.check(c); err != nil {
			return err
		}
	}
	return nil
}
