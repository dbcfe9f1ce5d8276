//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// openSaves leads this server and redis-server 8.6 through the same random lives of their files:
// saves, rewrites, settings, signals, kills, a disk that is full, and restarts. Whatever they do
// must be the same. Acts that show a difference are made fewer.
func openSaves(h *hunt) (step, error) {
	if h.reference = reference.Default.Find(); h.reference == "" {
		fmt.Fprintf(h.out, "%s: NOT COMPARED: there is no server of %s\n", h.area.name, reference.Default)
		return func(*rand.Rand) error { return nil }, nil
	}
	if _, err := exec.LookPath("prlimit"); err != nil {
		return nil, err
	}
	// What is started from here on gets an error for a file that becomes too long, as if the disk
	// were full.
	signal.Ignore(syscall.SIGXFSZ)
	return func(r *rand.Rand) error {
		acts := randomActs(r, 40)
		h.doing("%s", asLines(acts))
		played, err := h.lead(acts)
		h.count("acts", played)
		if err == nil {
			return nil
		}
		acts = reduce(acts[:played], func(part []act) bool {
			if !possible(part) {
				return false
			}
			_, failed := h.lead(part)
			if failed != nil {
				err = failed
			}
			return failed != nil
		})
		h.doing("%s", asLines(acts))
		return err
	}, nil
}

// asLines returns acts as lines.
func asLines(acts []act) string {
	var b strings.Builder
	for _, a := range acts {
		fmt.Fprintln(&b, a)
	}
	return b.String()
}

// lead plays acts on new servers, and at last kills and starts them again. It returns how many it
// played up to the first difference.
func (h *hunt) lead(acts []act) (played int, err error) {
	p := &pair{hunt: h}
	defer func() { err = errors.Join(err, p.end()) }()
	if err := p.begin(); err != nil {
		return 0, err
	}
	for ; played < len(acts); played++ {
		if err := p.play(acts[played]); err != nil {
			return played + 1, fmt.Errorf("%w\nafter %s", err, acts[played])
		}
	}
	return played, p.play(killAct)
}

// pair is this server and redis-server.
type pair struct {
	*hunt
	sides [2]*side
	next  string // options of the next start
}

// begin starts both servers with empty directories.
func (p *pair) begin() (err error) {
	for i, t := range []*target{p.server(p.like()...), p.rivalServer()} {
		if p.sides[i], err = newSide(t); err != nil {
			return err
		}
	}
	return p.start()
}

// end ends both servers and removes their files.
func (p *pair) end() (err error) {
	for _, s := range p.sides {
		if s != nil {
			err = errors.Join(err, s.remove())
		}
	}
	return err
}

// both does something with both servers, and compares what it returns.
func (p *pair) both(do func(*side) (string, error)) error {
	ours, err := do(p.sides[0])
	if err != nil {
		return fmt.Errorf("miniserver: %w", err)
	}
	theirs, err := do(p.sides[1])
	if err != nil {
		return fmt.Errorf("redis-server: %w", err)
	}
	if ours != theirs {
		return errors.New(differing(ours, theirs))
	}
	return nil
}

// differing returns the lines that differ.
func differing(ours, theirs string) string {
	a, b := strings.Split(ours, "\n"), strings.Split(theirs, "\n")
	a, b = append(a, make([]string, max(0, len(b)-len(a)))...), append(b, make([]string, max(0, len(a)-len(b)))...)
	var text strings.Builder
	for i := range a {
		if a[i] != b[i] {
			fmt.Fprintf(&text, "\nminiserver:   %s\nredis-server: %s", a[i], b[i])
		}
	}
	return "the servers differ" + text.String()
}

// start starts both servers, and compares what they have loaded. EXISTS removes the keys that are
// due, which else goes at any time.
func (p *pair) start() error {
	for _, s := range p.sides {
		if err := s.begin(p.next); err != nil {
			return fmt.Errorf("the start of %s: %w", s.name, err)
		}
	}
	loaded := "INFO persistence"
	for _, db := range []string{"1", "0"} {
		loaded += " ; SELECT " + db + " ; EXISTS " + strings.Join(actKeys, " ") + " ; DBSIZE"
	}
	return errors.Join(p.both(func(s *side) (string, error) { return s.say(loaded + " ; DEBUG DIGEST") }), p.settle())
}

// play performs an act on both servers, and starts them again if it ended them.
func (p *pair) play(a act) error {
	if next, is := strings.CutPrefix(string(a), nextAct); is {
		p.next = next
		return nil
	}
	gone := false
	err := p.both(func(s *side) (string, error) {
		outcome, err := s.perform(a)
		gone = strings.Contains(outcome, hasEnded)
		return outcome, err
	})
	switch {
	case err != nil:
		return err
	case !gone:
		return p.settle()
	}
	p.count("restarts", 1)
	for _, s := range p.sides {
		s.stop()
	}
	return p.start()
}

// settle waits until neither server has anything to do, and both say the same.
func (p *pair) settle() (err error) {
	for end := time.Now().Add(settling); time.Now().Before(end); {
		time.Sleep(3 * time.Millisecond) // in which also a key becomes due that PEXPIRE 1 has set
		err = p.both((*side).settled)
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("at last %w", err)
}

// settling is how long servers may need to do what they were asked for.
const settling = 10 * time.Second
