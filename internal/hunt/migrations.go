//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// migrationTime bounds a migration, with what strikes it.
const migrationTime = 90 * time.Second

// openMigrations migrates a server to another one while clients write, and strikes one of the
// servers, a link, or the migration itself, which is started again then. A migration that says that
// all is there must be right: the target has every key as the source has it, and one that ends
// otherwise says why.
func openMigrations(h *hunt) (step, error) {
	all := pairings()
	return func(r *rand.Rand) (err error) {
		p := all[h.at%uint64(len(all))][:2]
		m := &migration{hunt: h, r: r, hitch: hitches[r.IntN(len(hitches))]}
		h.doing("# miniserver migrate from %s to %s; %s", p[0], p[1], m.hitch.name)
		h.count(m.hitch.name, 1)
		defer func() { err = errors.Join(err, m.stop()) }()
		if err := m.start(p); err != nil {
			return err
		}
		return m.attempt()
	}, nil
}

// migration is two servers, and the links by which the migration reaches them.
type migration struct {
	*hunt
	r              *rand.Rand
	hitch          hitch
	source, target *target
	links          [2]*link
	writers        *writers
	gone           bool // the target was killed
}

// start starts the servers. The source has data, and clients that write.
func (m *migration) start(p pairing) (err error) {
	for i, t := range []**target{&m.source, &m.target} {
		if *t, err = m.replicating(p[i], p); err == nil {
			err = (*t).start()
		}
		if err != nil {
			*t = nil
			return err
		}
		cuts := 0
		if m.hitch.cuts == i+1 {
			cuts = 1 + m.r.IntN(3)
		}
		far := rand.New(rand.NewPCG(m.r.Uint64(), 3))
		if m.links[i], err = newLink((*t).address(), cuts,
			func() cut { return cut{after: far.IntN(300_000)} }); err != nil {
			return err
		}
	}
	m.source.order(fmt.Sprintf("DEBUG POPULATE %d k %d", 100+m.r.IntN(m.size(100_000)), 1+m.r.IntN(200)))
	m.writers = m.write(m.source, m.r,
		[]func() []string{migratedCommands(m.r.Uint64()), migratedCommands(m.r.Uint64())})
	return nil
}

func (m *migration) stop() (err error) {
	if m.writers != nil {
		m.source.order("CLIENT UNPAUSE")
		m.writers.stop()
	}
	for _, l := range m.links {
		if l != nil {
			l.close()
		}
	}
	for _, t := range []*target{m.source, m.target} {
		if t != nil {
			if t != m.target || !m.gone {
				err = errors.Join(err, t.verdictOf())
			}
			t.stop()
		}
	}
	return err
}

// migratedCommands returns random commands about keys of all types, which change their types,
// vanish and expire. They come no faster than a target takes them.
func migratedCommands(seed uint64) func() []string {
	r, whole := rand.New(rand.NewPCG(seed, 4)), []string{"FLUSHDB", "SWAPDB 1 2"} // which are rare
	lines := []string{"INCR n#", "SET k:# x#", "APPEND k:# y", "DEL k:#", "RPUSH l# a#", "LPOP l#", "HSET h# f# v#",
		"HDEL h# f#", "SADD s# #", "SPOP s#", "ZADD z# # m#", "ZREM z# m#", "XADD x# * f #",
		"DEL l# h#", "RENAME k:# k:@", "COPY k:# c#", "PEXPIRE k:# 100000000", "PERSIST k:#", "SET brief# x PX 30",
		"SET l# text", "MSET a# 1 b# 2 c# 3", "FLUSHDB", "MOVE k:# 1", "SWAPDB 1 2", "SELECT 1", "SELECT 0",
		"SETRANGE large# # x"}
	return func() []string {
		time.Sleep(200 * time.Microsecond)
		line := pick(r, lines)
		for slices.Contains(whole, line) && r.IntN(200) > 0 {
			line = pick(r, lines)
		}
		return strings.Fields(strings.NewReplacer("#", strconv.Itoa(r.IntN(300)), "@", strconv.Itoa(r.IntN(300))).
			Replace(line))
	}
}

// attempt migrates, and looks whether what the migration says is so.
func (m *migration) attempt() error {
	ctx, stop := context.WithTimeout(context.Background(), migrationTime)
	defer stop()
	url := func(i int) string { return "redis://127.0.0.1:" + m.links[i].port() }
	var out bytes.Buffer
	c := exec.CommandContext(ctx, m.path, "migrate", "--from", url(0), "--to", url(1), "--switch-when-caught-up",
		"--keep-paused", "10m")
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	struck, over := make(chan bool, 1), make(chan struct{})
	wait := time.Duration(m.r.IntN(400)) * time.Millisecond
	go func() {
		defer close(struck)
		select {
		case <-over:
		case <-time.After(wait):
			m.hitch.strike(m, c.Process)
		}
	}()
	err := <-ended
	close(over)
	<-struck
	switch said := strings.TrimSpace(out.String()); {
	case ctx.Err() != nil:
		return fmt.Errorf("the migration does not end:\n%s", said)
	case m.hitch.again && !c.ProcessState.Exited():
		m.hitch = hitch{strike: func(*migration, *osProcess) {}}
		m.target.order("FLUSHALL")
		return m.attempt()
	case m.hitch.ends && !c.ProcessState.Exited(): // by a signal that came before it began
		return nil
	case strings.Contains(said, "goroutine ") || said == "":
		return fmt.Errorf("%v:\n%s", err, said)
	case err == nil && strings.Contains(said, ", different: 0"):
		m.count("done", 1)
		return m.compare(said)
	case c.ProcessState.ExitCode() == 1 && m.hitch.ends:
		m.count("ended", 1)
		return nil
	case c.ProcessState.ExitCode() == 1 && neverBegun.MatchString(said):
		m.count("not begun", 1)
		return nil
	default:
		return fmt.Errorf("%v:\n%s", err, said)
	}
}

// neverBegun is all that a migration says whose first connection, or first link, breaks.
var neverBegun = regexp.MustCompile(`^(from [^\n]*\n)?the (source|target): [^\n]*$`)

// compare compares the keys that do not expire soon. The source is paused.
func (m *migration) compare(said string) error {
	if m.gone {
		return nil
	}
	for db := range 3 {
		ours, err := m.digests(m.source, db)
		if err != nil {
			return err
		}
		theirs, err := m.digests(m.target, db)
		if err != nil {
			return err
		}
		m.count("keys compared", len(ours))
		for _, key := range slices.Sorted(maps.Keys(ours)) {
			if ours[key] != theirs[key] {
				return fmt.Errorf("database %d, key %q: %s at the source, %q at the target, after:\n%s", db, key,
					ours[key], theirs[key], said)
			}
		}
		for key := range theirs {
			if ours[key] == "" {
				return fmt.Errorf("database %d, key %q: only at the target, after:\n%s", db, key, said)
			}
		}
	}
	return nil
}

// digests returns digests and deadlines of the keys of a database.
func (m *migration) digests(t *target, db int) (map[string]string, error) {
	c, err := t.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.do("SELECT", strconv.Itoa(db)); err != nil {
		return nil, err
	}
	keys, err := c.do("KEYS", "*")
	if err != nil {
		return nil, err
	}
	digests := map[string]string{}
	for chunk := range slices.Chunk(keys.Elems, 500) {
		var out []byte
		for _, k := range chunk {
			out = append(append(out, request("DEBUG", "DIGEST-VALUE", k.Text)...), request("PTTL", k.Text)...)
		}
		if _, err := c.Write(out); err != nil {
			return nil, err
		}
		for _, k := range chunk {
			digest, err := c.replies.Read()
			if err != nil {
				return nil, err
			}
			ttl, err := c.replies.Read()
			if err != nil {
				return nil, err
			}
			if !strings.HasPrefix(k.Text, "brief") {
				digests[k.Text] = fmt.Sprint(digest.Elems[0].Text, " expires: ", ttl.Int >= 0)
			}
		}
	}
	return digests, nil
}

// signal sends a signal to a server.
func (t *target) signal(s syscall.Signal) { syscall.Kill(t.process.PID, s) }
