//go:build linux

package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
)

// enough is the number of different findings after which an area ends.
const enough = 20

// An area is one kind of attack.
type area struct {
	name, does string
	open       func(*hunt) (step, error)
	brief      int // steps in a test
}

// A step is one attack, which its random numbers determine. See the package comment.
type step func(*rand.Rand) error

// limits say how long an area attacks, and what it attacks.
type limits struct {
	path      string // of the server under attack
	reference string // of redis-server; empty if there is none
	seed      uint64
	steps     int            // at most this many; no limit if 0
	until     time.Time      // and until then; no limit if zero
	brief     bool           // in a test
	group     string         // the directory of a control group with that memory; empty if there is none
	memory    int64          // bytes that a server under attack may take
	slack     int64          // bytes that a server may keep after the last step
	patience  time.Duration  // for the reply to a PING
	chain     []string       // servers of the area replication; it chooses if empty
	rival     bool           // the area groups attacks redis-server with Sentinels
	groupSize int            // members of a group; the area groups chooses if 0
	mishaps   *regexp.Regexp // those that strike a group; nil for all
	settling  time.Duration  // until memory and descriptors must be back after the last step
}

// hunt is one area at work. Its methods may be called from several goroutines.
type hunt struct {
	limits
	area    area
	out     io.Writer
	targets []*target
	at      uint64 // the seed of the step under way

	mu       sync.Mutex
	attempt  string           // what the step does, as lines to paste
	counts   map[string]int64 // what was done
	findings map[string]int   // how often, by the kind of finding
	measures map[string][]time.Duration
}

// run attacks in one area and returns the number of different findings.
func (l limits) run(a area, out io.Writer) (int, error) {
	h := &hunt{limits: l, area: a, out: out, at: l.seed, counts: map[string]int64{}, findings: map[string]int{},
		measures: map[string][]time.Duration{}}
	defer h.stop()
	start := time.Now()
	attack, err := a.open(h)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", a.name, err)
	}
	for h.counts["steps"] = 0; h.more(); h.counts["steps"]++ {
		h.at = l.seed + uint64(h.counts["steps"])
		h.step(attack)
		if err := h.inspect(); err != nil {
			return len(h.findings), err
		}
	}
	for _, t := range h.targets {
		if trouble := t.settle(h.settling); trouble != "" {
			h.found(trouble, "")
		}
	}
	fmt.Fprintf(out, "%s: %s\n", a.name, h.summary(time.Since(start)))
	return len(h.findings), nil
}

// more reports whether there is a next step.
func (h *hunt) more() bool {
	done := h.steps > 0 && h.counts["steps"] >= int64(h.steps)
	return !done && (h.until.IsZero() || time.Now().Before(h.until)) && len(h.findings) < enough
}

// step carries out one attack. Its error counts unless a target is in trouble, which explains it.
func (h *hunt) step(attack step) {
	defer func() {
		if p := recover(); p != nil {
			h.found(fmt.Sprintf("panic: %v\n%s", p, debug.Stack()), h.attempted())
		}
	}()
	h.doing("")
	err := attack(h.random())
	healthy := !slices.ContainsFunc(h.targets, func(t *target) bool { return t.trouble() != "" })
	if err != nil && healthy {
		h.found(err.Error(), h.attempted())
	}
}

// random returns the random numbers of the step under way.
func (h *hunt) random() *rand.Rand {
	sum := fnv.New64()
	io.WriteString(sum, h.area.name)
	return rand.New(rand.NewPCG(h.at, sum.Sum64()))
}

// inspect reports and restarts the targets that are in trouble.
func (h *hunt) inspect() (err error) {
	for _, t := range h.targets {
		if trouble := t.trouble(); trouble != "" {
			h.found(trouble, h.attempted())
			err = errors.Join(err, t.restart())
		}
	}
	return err
}

// fell reports whether a target is in trouble, and restarts it then: for a step that looks for the
// cause.
func (h *hunt) fell() (fell bool) {
	for _, t := range h.targets {
		if t.trouble() != "" {
			fell = true
			t.restart()
		}
	}
	return fell
}

// stop ends the targets.
func (h *hunt) stop() {
	for _, t := range h.targets {
		t.stop()
	}
}

// serve starts a server under attack, with further options as --maxmemory 100mb. The frame watches
// it.
func (h *hunt) serve(options ...string) (*target, error) {
	return h.start(h.server(options...))
}

// server returns a server under attack that is not started. What starts it also inspects and stops
// it.
func (h *hunt) server(options ...string) *target {
	return &target{path: h.path, group: h.group, options: options, memory: h.memory, slack: h.slack,
		patience: h.patience, name: "miniserver"}
}

// compare starts a redis-server with which the area compares; nil if there is none.
func (h *hunt) compare(options ...string) (*target, error) {
	if h.reference == "" {
		fmt.Fprintf(h.out, "%s: NOT COMPARED: redis-server was not found\n", h.area.name)
		return nil, nil
	}
	return h.start(h.rivalServer(options...))
}

// newest returns the newest redis-server that is there, "" if there is none.
func newest() string {
	for _, r := range []reference.Release{reference.Default, reference.Redis80, reference.Redis70} {
		if path := r.Find(); path != "" {
			return path
		}
	}
	path, _ := exec.LookPath("redis-server")
	return path
}

// rivalServer returns a redis-server that is not started. What starts it also stops it.
func (h *hunt) rivalServer(options ...string) *target {
	return &target{path: h.reference, options: options, memory: 1 << 40, slack: h.slack, patience: h.patience,
		name: "redis-server"}
}

// compared returns the release of the redis-server with which the area compares, such as redis:8.6.
func (h *hunt) compared() string {
	major, rest, _ := strings.Cut(launch.Version(h.reference), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return "redis:" + major + "." + minor
}

// like returns the options that make the server behave as the redis-server with which the area
// compares.
func (h *hunt) like() []string {
	if _, err := release.Find(h.compared()); err != nil {
		return nil
	}
	return []string{"--like", h.compared()}
}

func (h *hunt) start(t *target) (*target, error) {
	if err := t.start(); err != nil {
		return nil, err
	}
	h.targets = append(h.targets, t)
	return t, nil
}

// size returns n, or a fiftieth of it in a test.
func (h *hunt) size(n int) int {
	if h.brief {
		return max(1, n/50)
	}
	return n
}

// doing says what the step is about to do, as lines for a shell. A finding of the frame shows them.
func (h *hunt) doing(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attempt = fmt.Sprintf(format, args...)
}

func (h *hunt) attempted() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.attempt
}

// count adds to the number of things done, which the summary shows.
func (h *hunt) count(what string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[what] += int64(n)
}

// measured notes a duration, of which the summary shows the median and the worst.
func (h *hunt) measured(what string, d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.measures[what] = append(h.measures[what], d)
}

var numbers = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+|'[^']*'`)

// found reports what is wrong and how to show it again: lines for a shell, or empty. Findings whose
// first lines differ only in numbers and quoted text are of one kind, of which one is printed.
func (h *hunt) found(what, again string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first, _, _ := strings.Cut(what, "\n")
	kind := numbers.ReplaceAllString(first, "0")
	if h.findings[kind]++; h.findings[kind] > 1 {
		return
	}
	fmt.Fprintf(h.out, "FOUND %s: %s\n", h.area.name, indent(what))
	fmt.Fprintf(h.out, "  again:  go run ./internal/hunt -seed %d -steps 1 %s\n", h.at, h.area.name)
	if again != "" {
		fmt.Fprintf(h.out, "  or:     %s\n", indent(again))
	}
}

func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n          ")
}

// summary says what was done and found, and what the pings of a healthy client took meanwhile.
func (h *hunt) summary(passed time.Duration) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(h.counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", h.counts[what], what))
	}
	for _, what := range slices.Sorted(maps.Keys(h.measures)) {
		all := slices.Sorted(slices.Values(h.measures[what]))
		parts = append(parts, fmt.Sprintf("%d %s (median of %d; worst %d)", all[len(all)/2].Milliseconds(), what,
			len(all), all[len(all)-1].Milliseconds()))
	}
	for _, t := range h.targets {
		parts = append(parts, fmt.Sprintf("longest ping of %s %v", t.name, t.longest().Round(time.Millisecond)))
	}
	parts = append(parts, fmt.Sprintf("%d findings of %d kinds in %v", total(h.findings), len(h.findings),
		passed.Round(time.Second)))
	return strings.Join(parts, ", ")
}

func total(counts map[string]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}
