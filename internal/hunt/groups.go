//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/hunt/linear"
)

// openGroups starts a group of members, lets clients do operations on many small objects while
// faults strike the members, and looks at the end whether all members have the same data, each
// confirmed count is there, one order of all operations explains what the clients saw, and an index
// over documents that changed meanwhile is right at each member. With -rival it does so, without
// the index, with redis-server and its Sentinels.
func openGroups(h *hunt) (step, error) {
	if h.rival && h.reference == "" {
		fmt.Fprintf(h.out, "%s: NOT TRIED: redis-server was not found\n", h.area.name)
		return func(*rand.Rand) error { return nil }, nil
	}
	return func(r *rand.Rand) error {
		l := &life{hunt: h, r: r, began: time.Now(), objects: objects{current: map[string][]*object{}}}
		return l.live()
	}, nil
}

// life is a group from its start to its end.
type life struct {
	*hunt
	r       *rand.Rand
	began   time.Time
	net     *network
	members []*member
	options []string // of all members
	objects objects
	over    atomic.Bool
	struck  []string // the faults

	written sync.Mutex
	writes  []confirmation
}

// confirmation is when a confirmed write was under way.
type confirmation struct{ call, end time.Duration }

const (
	clients  = 10
	deciding = 5 * time.Second // for one history
)

func (l *life) live() (err error) {
	n := cmp.Or(l.groupSize, 3)
	if l.groupSize == 0 && !l.brief && l.r.IntN(4) == 0 {
		n = 5
	}
	l.count(fmt.Sprintf("lives of %d members", n), 1)
	l.count("violations", 0)
	if l.net = newNetwork(n); l.net == nil {
		l.count("lives without a network to cut: only root can", 1)
	} else {
		defer l.net.close()
	}
	defer func() { err = errors.Join(err, l.stopMembers()) }()
	if err := errors.Join(l.newMembers(n), l.startMembers()); err != nil {
		return err
	}
	if err := l.await("a member leads", func() bool { return l.leads() && l.isComplete() }); err != nil {
		return fmt.Errorf("%w\n%s", err, l.members[0].lastLog(20))
	}
	if !l.rival {
		if err := l.indexed(); err != nil {
			return err
		}
	}
	wait := l.work()
	err = l.suffer()
	l.over.Store(true)
	wait()
	if err == nil {
		err = l.examine()
	}
	if err != nil {
		err = fmt.Errorf("%w\nfaults: %s", err, strings.Join(l.struck, "; "))
	}
	return err
}

// leads reports whether writes are taken.
func (l *life) leads() bool {
	m := l.leader()
	if m == nil {
		return false
	}
	_, err := m.ask("SET", "probe", "1")
	return err == nil
}

// isComplete reports whether the replicas of a rival have the master's data: what they do not have
// yet cannot be kept.
func (l *life) isComplete() bool {
	leader := l.leader()
	return !slices.ContainsFunc(l.members, func(m *member) bool {
		if !l.rival || m == leader {
			return false
		}
		info, err := m.info("replication")
		return err != nil || info["master_link_status"] != "up"
	})
}

// work lets clients work until the life is over, and returns a function that waits for that.
func (l *life) work() (wait func()) {
	var all sync.WaitGroup
	for id := range clients {
		c := &client{life: l, id: id, token: "none", r: rand.New(rand.NewPCG(l.r.Uint64(), uint64(id)))}
		all.Go(c.work)
	}
	if indexer := rand.New(rand.NewPCG(l.r.Uint64(), clients)); !l.rival {
		all.Go(func() { l.indexing(indexer) })
	}
	return all.Wait
}

// suffer lets faults strike, now and then two at a time.
func (l *life) suffer() error {
	times := 6
	if l.brief {
		times = 2
	}
	for range times {
		l.pause(500)
		if err := l.suffers(1 + l.r.IntN(4)/3); err != nil {
			return err
		}
	}
	l.pause(500)
	return nil
}

// pause waits for some time, at least half of some milliseconds.
func (l *life) pause(ms int) {
	time.Sleep(time.Duration(ms/2+l.r.IntN(ms)) * time.Millisecond)
}

// suffers lets some faults strike one after the other, and heals them.
func (l *life) suffers(n int) (err error) {
	hit, alone := map[*member]bool{}, false
	var heals []func()
	defer func() {
		for _, heal := range heals {
			heal()
		}
	}()
	for range n {
		f, m := l.fault(), l.victim()
		if hit[m] || alone || len(hit) > 0 && f.alone {
			continue
		}
		hit[m], alone = true, f.alone
		leads := m == l.leader()
		at := time.Since(l.began)
		l.note(f, m, leads, at)
		heal, failed := f.strike(l, m)
		if failed != nil {
			return fmt.Errorf("%s: %w", f.name, failed)
		}
		place := 0
		if f.last {
			place = len(heals)
		}
		heals = slices.Insert(heals, place, func() {
			if failed := heal(); failed != nil {
				err = errors.Join(err, fmt.Errorf("healing %s: %w", f.name, failed))
			}
			if leads && n == 1 && f.name == "kill -9" {
				l.gap(at)
			}
		})
		l.pause(200)
	}
	l.pause(2500)
	return nil
}

// note records which fault strikes whom.
func (l *life) note(f mishap, m *member, leads bool, at time.Duration) {
	role := "a follower"
	if leads {
		role = "the leader"
	}
	l.struck = append(l.struck, fmt.Sprintf("%v %s, member %d, %s", at.Round(time.Millisecond), f.name, m.id, role))
	l.doing("# a group of %d; faults: %s", len(l.members), strings.Join(l.struck, "; "))
	l.count("faults", 1)
	l.count(f.name, 1)
}

// fault returns a fault that can strike here.
func (l *life) fault() mishap {
	for {
		if f := mishaps[l.r.IntN(len(mishaps))]; (l.mishaps == nil || l.mishaps.MatchString(f.name)) &&
			(f.needs == nil || f.needs(l)) {
			return f
		}
	}
}

// victim returns the leader every second time, or another member.
func (l *life) victim() *member {
	m := l.members[l.r.IntN(len(l.members))]
	if leads := l.r.IntN(2) == 0; leads {
		return cmp.Or(l.leader(), m)
	}
	return m
}

// wrote notes a confirmed write.
func (l *life) wrote(call, end time.Duration) {
	l.written.Lock()
	defer l.written.Unlock()
	l.writes = append(l.writes, confirmation{call, end})
}

// gap counts how long after a fault no write was confirmed that began after it.
func (l *life) gap(at time.Duration) {
	l.written.Lock()
	defer l.written.Unlock()
	first := time.Since(l.began)
	for _, w := range l.writes {
		if w.call > at {
			first = min(first, w.end)
		}
	}
	l.measured("ms without a confirmed write after kill -9 of the leader", first-at)
}

// score counts what clients know of their operations.
func (l *life) score(o fate) {
	l.count([]string{"confirmed", "unknown", "refused"}[o], 1)
	l.count("operations", 1)
}

// examine looks at the data and the histories when all is over.
func (l *life) examine() error {
	if err := l.await("a member leads", l.leads); err != nil {
		return fmt.Errorf("%w%s", err, l.standings())
	}
	if err := l.equal(); err != nil {
		return err
	}
	if err := l.readAll(); err != nil {
		return err
	}
	if err := l.check(); err != nil || l.rival {
		return err
	}
	return l.checkIndex()
}

// equal waits until all members have the same data.
func (l *life) equal() error {
	var digests []string
	err := l.await("all members have the same data", func() bool {
		digests = digests[:0]
		for _, m := range l.members {
			digest, err := m.ask("DEBUG", "DIGEST")
			if err != nil {
				digest = err.Error()
			}
			digests = append(digests, digest)
		}
		return !slices.ContainsFunc(digests, func(d string) bool { return d != digests[0] || len(d) != 40 })
	})
	if err != nil {
		err = fmt.Errorf("%w: %v%s", err, digests, l.standings())
	}
	return err
}

// standings returns what the members say of themselves, and the ends of their logs.
func (l *life) standings() string {
	var b strings.Builder
	for _, m := range l.members {
		if m.process == nil {
			fmt.Fprintf(&b, "\nmember %d did not start\n", m.id)
			continue
		}
		info, err := m.ask("INFO", "group")
		fmt.Fprintf(&b, "\nmember %d: %v\n%s%s", m.id, err, info, m.lastLog(12))
	}
	return b.String()
}

// readAll reads each object once more.
func (l *life) readAll() error {
	c := &client{life: l, id: clients, r: l.r}
	defer c.leave()
	for _, o := range l.objects.all {
		err := l.await("an object can be read", func() bool {
			o.Begin()
			before := len(o.Operations())
			c.note(o, "GET", "", o.get())
			return len(o.Operations()) > before
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// check decides on all histories.
func (l *life) check() error {
	var errs []error
	var mu sync.Mutex
	var all sync.WaitGroup
	turn := make(chan struct{}, 2)
	for _, o := range l.objects.all {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			if err := l.decide(o); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	all.Wait()
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("%d histories that no order explains; one is %w", len(errs), errs[0])
}

// decide says what is wrong with the history of an object.
func (l *life) decide(o *object) error {
	history := o.Operations()
	l.count("objects", 1)
	l.count("counts lost", lost(o.Model, history))
	switch o.Model.Check(history, deciding) {
	case linear.Undecided:
		l.count("objects undecided", 1)
	case linear.Violation:
		l.count("violations", 1)
		return fmt.Errorf("that of the %s %s:\n%s", o.Model.Name, o.key,
			linear.Text(o.Model.Smallest(history, deciding)))
	}
	return nil
}

// lost returns how many confirmed counts of a counter the last read does not have.
func lost(m linear.Model, history []linear.Operation) int {
	if m.Name != linear.Counter.Name {
		return 0
	}
	counts := 0
	for _, o := range history {
		if o.Name != "GET" && !o.Open {
			counts++
		}
	}
	last, _ := strconv.Atoi(history[len(history)-1].Reply)
	return max(0, counts-last)
}
