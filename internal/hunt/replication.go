//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
)

// ours is the server under attack among the kinds of servers; the others are releases.
const ours = "miniserver"

// kinds are the servers that replicate ours, and that ours replicates.
var kinds = []string{"redis:6.2", "redis:7.0", "redis:7.4", "redis:8.0", "valkey:8.1", "valkey:9.1"}

// pairing is a chain of servers, each the replica of the one before it.
type pairing []string

// allOurs reports whether no server is of another kind.
func (p pairing) allOurs() bool {
	return !slices.ContainsFunc(p, func(kind string) bool { return kind != ours })
}

// pairings returns the chains that the installed servers allow.
func pairings() (all []pairing) {
	for _, kind := range kinds {
		if reference.Release(kind).Find() != "" {
			all = append(all, pairing{ours, kind}, pairing{kind, ours})
		}
	}
	return append(all, pairing{ours, ours, ours})
}

// openReplication cuts replicas off their master while clients write to it, at bytes of the
// handshake, of the snapshot and of the stream, and compares the data and the offsets at the end.
// Consecutive seeds take one pair of servers after the other.
func openReplication(h *hunt) (step, error) {
	all := pairings()
	if len(h.chain) > 0 {
		all = []pairing{h.chain}
	}
	return func(r *rand.Rand) error {
		p := all[h.at%uint64(len(all))]
		h.doing("# %s, each with REPLICAOF the one before it", strings.Join(p, ", "))
		h.count(strings.Join(p, " -> "), 1)
		return h.replicate(p, r)
	}, nil
}

// replicate starts a chain of servers, and cuts each off the one before it.
func (h *hunt) replicate(p pairing, r *rand.Rand) (err error) {
	var chain []*target
	defer func() {
		for _, t := range chain {
			err = errors.Join(err, t.verdictOf())
			t.stop()
		}
	}()
	var links []*link
	for i, kind := range p {
		t, err := h.replicating(kind, p)
		if err == nil {
			err = t.start()
		}
		if err != nil {
			return err
		}
		chain = append(chain, t)
		if i == 0 {
			continue
		}
		l, err := h.linked(chain[i-1], t, r)
		if err != nil {
			return err
		}
		defer l.close()
		links = append(links, l)
	}
	writers := h.write(chain[0], r, everything(r, !p.allOurs()))
	err = h.awaitCuts(links)
	writers.stop()
	for i, t := range chain { // the load finds errors in other servers, too
		if p[i] != ours && t.trouble() != "" && (i == 0 || t.failsToLoad()) {
			h.count("crashes of "+p[i], 1)
			t.restart()
			return nil
		}
	}
	for i := range links {
		if differs := same(chain[i], chain[i+1]); differs != nil {
			err = errors.Join(err, differs, errors.New(chain[i+1].lastLog(5)))
		}
		err = errors.Join(err, chain[i+1].refused())
	}
	return err
}

// failsToLoad reports whether a server ended by the assertion that Valkey 9.1 fails at some
// FUNCTION LOAD, as a replica or not.
func (t *target) failsToLoad() bool {
	return strings.Contains(t.lastLog(200), "luaFunctionLibraryCreate")
}

// verdictOf returns what is wrong with a server that an area started by itself, and the end of its
// log.
func (t *target) verdictOf() error {
	trouble := t.trouble()
	if trouble == "" {
		return nil
	}
	return errors.New(trouble + t.lastLog(10))
}

// refused returns the log's line about the first command of the master that a replica could not
// execute. The data may be equal at the end all the same, since the load often empties the master.
func (t *target) refused() error {
	for _, line := range t.log() {
		if strings.Contains(line, "sending an error to its master") {
			return errors.New(line)
		}
	}
	return nil
}

// log returns the lines of the server's log.
func (t *target) log() []string {
	text, _ := os.ReadFile(filepath.Join(t.process.Dir, "log"))
	return strings.SplitAfter(strings.TrimSpace(string(text)), "\n")
}

// lastLog returns the last lines of the server's log.
func (t *target) lastLog(lines int) string {
	all := t.log()
	return strings.Join(all[max(0, len(all)-lines):], "")
}

// replicating returns a server of a chain that is not started. Each has an address of its own.
func (h *hunt) replicating(kind string, p pairing) (*target, error) {
	port, err := launch.FreePort()
	if err != nil {
		return nil, err
	}
	host := fmt.Sprintf("127.0.0.%d", 2+port%200)
	options := []string{"--port", strconv.Itoa(port), "--bind", host, "--replica-announce-ip", host,
		"--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"}
	if kind != "redis:6.2" { // DEBUG needs a permission since 7.0
		options = append(options, "--enable-debug-command", "yes")
	}
	t := h.server(options...)
	if kind == ours {
		t.options = append(t.options, likeOthers(p)...)
	} else {
		t.name, t.path, t.memory = kind, reference.Release(kind).Find(), 1<<40
	}
	return t, nil
}

// likeOthers returns the options with which ours and the oldest of the other servers of a chain
// understand each other. If that one is newer than all releases that ours can be like, ours has all
// its commands as a replica, and only those of Valkey 8.1 as the master.
func likeOthers(p pairing) []string {
	for _, kind := range kinds {
		switch _, err := release.Find(kind); {
		case !slices.Contains(p, kind):
		case err == nil:
			return []string{"--like", kind}
		case p[0] == ours:
			return []string{"--like", string(reference.Valkey81)}
		}
	}
	return nil
}

// linked makes a server the replica of another, by a link that cuts it off.
func (h *hunt) linked(master, replica *target, r *rand.Rand) (*link, error) {
	r = rand.New(rand.NewPCG(r.Uint64(), 2))
	master.order("CONFIG SET repl-backlog-size " + pick(r, []string{"16kb", "1mb", "1mb"}))
	replica.order("CONFIG SET repl-diskless-load " + pick(r, []string{"disabled", "swapdb"}))
	master.order("CONFIG SET repl-diskless-sync " + pick(r, []string{"yes", "no"}))
	l, err := newLink(master.address(), h.size(20)+2, func() cut { return randomCut(master, r) })
	if err == nil {
		replica.order("REPLICAOF 127.0.0.1 " + l.port())
	}
	return l, err
}

// randomCut returns a cut in one of the places that differ.
func randomCut(master *target, r *rand.Rand) cut {
	whole := func() { master.order("DEBUG CHANGE-REPL-ID") }
	switch r.IntN(6) {
	case 0:
		return cut{after: r.IntN(120)} // of the handshake
	case 1, 2:
		return cut{text: "+FULLRESYNC", after: r.IntN(20_000), full: whole}
	case 3:
		return cut{text: "MULTI\r\n", after: r.IntN(60)}
	case 4:
		return cut{text: "SELECT\r\n", after: r.IntN(200)}
	}
	return cut{after: 200 + r.IntN(100_000)}
}

// comingBack bounds the time in which a link must be cut again.
const comingBack = 20 * time.Second

// awaitCuts waits until all links have been cut as planned.
func (h *hunt) awaitCuts(links []*link) error {
	var all sync.WaitGroup
	failures := make([]error, len(links))
	for i, l := range links {
		all.Go(func() {
			before, since := l.left.Load(), time.Now()
			for l.left.Load() > 0 && failures[i] == nil {
				time.Sleep(10 * time.Millisecond)
				if now := l.left.Load(); now != before {
					h.count("cuts", int(before-now))
					before, since = now, time.Now()
				}
				if time.Since(since) > comingBack {
					failures[i] = fmt.Errorf("the replica did not come back: %d cuts are left", before)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}
