//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// openBlackouts starts groups whose members store the same entries, so that their logs change to
// the next file at the same moments, and strikes all members at once at such moments. Every member
// must come back by itself, with all that was confirmed, and the group must take writes again.
func openBlackouts(h *hunt) (step, error) {
	return func(r *rand.Rand) error {
		l := &life{hunt: h, r: r, began: time.Now(),
			options: []string{"--group-segment-size", "256kb", "--group-snapshot-entries", "400"}}
		b := &blackouts{life: l}
		for i := range 4 {
			b.writers = append(b.writers,
				&writer{key: fmt.Sprintf("{k}%d", i), r: rand.New(rand.NewPCG(r.Uint64(), 0))})
		}
		return b.live()
	}, nil
}

// blackouts is the life of a group that loses all members again and again.
type blackouts struct {
	*life
	writers []*writer
}

// A blackout strikes all members at once. It returns how it heals; who is down is started after
// that.
type blackout struct {
	name   string
	strike func(*blackouts) (heal func() error, err error)
	lasts  int  // milliseconds at most
	disks  bool // each member needs a disk of its own
}

var blackoutKinds = []blackout{
	{"kill -9", (*blackouts).killMembers, 1, false},
	{"power cut", (*blackouts).cutPower, 1, true},
	{"full disks", (*blackouts).fillDisks, 600, true},
	{"hanging disks", (*blackouts).freezeDisks, 3000, true},
	{"no new files", (*blackouts).lockLogs, 600, true},
	{"start on read-only disks", (*blackouts).startReadOnly, 1, true},
}

func (b *blackouts) live() (err error) {
	n := cmp.Or(b.groupSize, 3-2*(b.r.IntN(4)/3)) // one of four groups has one member
	b.count(fmt.Sprintf("lives of %d members", n), 1)
	b.count("confirmed entries lost", 0)
	defer func() { err = errors.Join(err, b.stopMembers()) }()
	if err := errors.Join(b.newMembers(n), b.startMembers()); err != nil {
		return err
	}
	times := 12
	if b.brief {
		times = 3
	}
	for i := range times {
		if err := b.blackOut(b.kind(i)); err != nil {
			return fmt.Errorf("%w\nblackouts: %s%s", err, strings.Join(b.struck, "; "), b.standings())
		}
	}
	return nil
}

// kind returns what strikes here. A test has the first ones.
func (b *blackouts) kind(i int) blackout {
	for ; ; i = b.r.IntN(len(blackoutKinds)) {
		if !b.brief {
			i = b.r.IntN(len(blackoutKinds))
		}
		if k := blackoutKinds[i]; (!k.disks || b.hasDisks()) && (b.mishaps == nil || b.mishaps.MatchString(k.name)) {
			return k
		}
	}
}

// blackOut strikes all members while clients write, starts who is down, and looks whether all is
// there.
func (b *blackouts) blackOut(k blackout) error {
	b.struck = append(b.struck, k.name)
	b.doing("# a group of %d; blackouts: %s", len(b.members), strings.Join(b.struck, "; "))
	if err := b.await("a member leads", b.leads); err != nil {
		return err
	}
	wait := b.write()
	defer wait()
	b.awaitNextFile()
	heal, err := k.strike(b)
	time.Sleep(time.Duration(b.r.IntN(k.lasts)) * time.Millisecond)
	if k.lasts > 1 && b.r.IntN(2) == 0 {
		b.signalAll()
	}
	if err := errors.Join(err, heal(), b.startAgain()); err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	b.count("blackouts", 1)
	b.count(k.name, 1)
	if err := b.isWell(wait); err != nil {
		return fmt.Errorf("after %s: %w", k.name, err)
	}
	return nil
}

// isWell waits until all clients get replies to writes again and the members have the same data,
// and looks whether those have what was confirmed.
func (b *blackouts) isWell(wait func()) error {
	for _, w := range b.writers {
		before := w.confirmed.Load()
		if err := b.await("writes are confirmed", func() bool { return w.confirmed.Load() > before }); err != nil {
			return err
		}
	}
	wait()
	if err := b.equal(); err != nil {
		return err
	}
	for _, m := range b.members {
		if err := b.await("a member is as before", m.isWell); err != nil {
			return err
		}
	}
	return errors.Join(b.each(b.isThere)...)
}

// isWell reports whether a member can store entries, and has lost none. It may not answer at once,
// as the leader's seat may change at any time.
func (m *member) isWell() bool {
	info, err := m.info("group")
	return err == nil && info["group_disk"] == "ok" && info["group_hole"] == "0"
}

func (b *blackouts) each(do func(*writer) error) (errs []error) {
	for _, w := range b.writers {
		errs = append(errs, do(w))
	}
	return errs
}

// isThere looks whether the last value that was confirmed, or a later one, is there.
func (b *blackouts) isThere(w *writer) error {
	var number string
	err := b.await("a key can be read", func() bool {
		leader := b.leader()
		if leader == nil {
			return false
		}
		value, err := leader.ask("GET", w.key)
		number, _, _ = strings.Cut(value, ":")
		return err == nil
	})
	if n, _ := strconv.ParseInt(number, 10, 64); err == nil && n < w.confirmed.Load() {
		b.count("confirmed entries lost", 1)
		err = fmt.Errorf("%s has %d, and %d was confirmed", w.key, n, w.confirmed.Load())
	}
	return err
}

// writer sets a key to numbers that grow, with something behind them.
type writer struct {
	key       string
	r         *rand.Rand
	number    int64
	confirmed atomic.Int64
}

// write lets the writers work, and returns a function that ends that.
func (b *blackouts) write() (wait func()) {
	b.over.Store(false)
	var all sync.WaitGroup
	for _, w := range b.writers {
		all.Go(func() {
			for !b.over.Load() {
				if leader := b.leader(); leader != nil {
					b.writeTo(leader, w)
				}
				time.Sleep(time.Duration(w.r.IntN(20)) * time.Millisecond)
			}
		})
	}
	return func() {
		b.over.Store(true)
		all.Wait()
	}
}

// writeTo writes until a reply is missing.
func (b *blackouts) writeTo(leader *member, w *writer) {
	c, err := leader.dialWithin(hasty)
	if err != nil {
		return
	}
	defer c.Close()
	for !b.over.Load() {
		w.number++
		c.SetDeadline(time.Now().Add(hasty))
		reply, err := c.do("SET", w.key, strconv.FormatInt(w.number, 10)+":"+strings.Repeat("x", w.r.IntN(200_000)))
		if err != nil || reply.IsError() {
			return
		}
		w.confirmed.Store(w.number)
		b.count("confirmed", 1)
	}
}

// awaitNextFile waits until a log goes on in another file, and a moment more or less; not forever,
// since it may just have done so.
func (b *blackouts) awaitNextFile() {
	m := b.members[b.r.IntN(len(b.members))]
	before := m.files()
	for end := time.Now().Add(time.Second); time.Now().Before(end) && slices.Equal(before, m.files()); {
		time.Sleep(200 * time.Microsecond)
	}
	time.Sleep(time.Duration(b.r.IntN(20_000)) * time.Microsecond)
}

// logDir is where a member has the files of its log.
func (m *member) logDir() string { return filepath.Join(m.dir(), "group", "log") }

func (m *member) files() []string {
	files, _ := filepath.Glob(filepath.Join(m.logDir(), "*.wal"))
	return files
}

func (b *blackouts) signalAll() {
	for _, m := range b.members {
		m.down = true
		if m.process != nil {
			syscall.Kill(m.process.PID, syscall.SIGKILL)
		}
	}
}

func (b *blackouts) killMembers() (heal func() error, err error) {
	b.signalAll()
	for _, m := range b.members {
		<-m.process.Exited()
	}
	return b.nothing, nil
}

// startAgain starts those that are down, all at once.
func (b *blackouts) startAgain() error {
	return atOnce(b.members, func(m *member) error {
		if !m.down {
			return nil
		}
		m.down = false
		if m.process == nil {
			return m.start()
		}
		return m.restart()
	})
}

// disks does something with all disks.
func (b *blackouts) disks(do func(*disk) error) error {
	return atOnce(b.members, func(m *member) error { return do(m.disk) })
}

// cutPower lets the file systems keep what the disks have, and nothing else.
func (b *blackouts) cutPower() (heal func() error, err error) {
	err = b.disks((*disk).cutPower)
	_, failed := b.killMembers()
	return func() error { return b.disks((*disk).mountAgain) }, errors.Join(err, failed)
}

func (b *blackouts) fillDisks() (heal func() error, err error) {
	return func() error { return b.disks((*disk).empty) }, b.disks((*disk).fill)
}

func (b *blackouts) freezeDisks() (heal func() error, err error) {
	return func() error { return b.disks((*disk).thaw) }, b.disks((*disk).freeze)
}

// lockLogs lets members write files, and make none.
func (b *blackouts) lockLogs() (heal func() error, err error) {
	change := func(how string) error {
		return atOnce(b.members, func(m *member) error { return m.disk.change(how, m.logDir()) })
	}
	return func() error { return change("-i") }, change("+i")
}

// startReadOnly starts members whose disks cannot be written. They end, and say why.
func (b *blackouts) startReadOnly() (heal func() error, err error) {
	_, err = b.killMembers()
	err = errors.Join(err, b.disks((*disk).readOnly))
	atOnce(b.members, (*member).restart)
	b.signalAll()
	return func() error { return b.disks((*disk).writable) }, err
}
