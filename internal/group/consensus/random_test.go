package consensus

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the faults of TestRandomFaults")

// load appends numbered entries at whoever leads, several at a time, and notes what becomes of
// them.
type load struct {
	nodes  func() []*running
	mu     sync.Mutex
	result map[string]error
	done   int // confirmed ones
	stop   chan struct{}
	tasks  sync.WaitGroup
}

func (l *load) run() {
	room := make(chan struct{}, 8)
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		case room <- struct{}{}:
		}
		leader, seat := l.leader()
		if leader == nil {
			<-room
			time.Sleep(time.Millisecond)
			continue
		}
		entry := fmt.Sprint(i)
		l.tasks.Add(1)
		leader.Append(seat, []byte(entry), func(err error) {
			l.note(entry, err)
			<-room
			l.tasks.Done()
		})
	}
}

func (l *load) leader() (*running, uint64) {
	for _, m := range l.nodes() {
		if s := m.held(); s.Leader {
			return m, s.ID
		}
	}
	return nil, 0
}

func (l *load) note(entry string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.result[entry] = err; err == nil {
		l.done++
	}
}

func (l *load) confirmed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

// watchLeases looks for a member with a lease that another one has followed in the seat.
func (l *load) watchLeases(t *testing.T) {
	for {
		select {
		case <-l.stop:
			return
		case <-time.After(50 * time.Microsecond):
		}
		var newest Seat
		for _, m := range l.nodes() {
			if s := m.held(); s.Leader && s.Term > newest.Term {
				newest = s
			}
		}
		for _, m := range l.nodes() {
			if term := m.Status().Term; m.Leased() && term == m.Status().Term && term < newest.Term {
				t.Errorf("a lease in term %d, but term %d has a leader", term, newest.Term)
			}
		}
	}
}

// TestRandomFaults has faults of disks and the network, and transfers, under load. No confirmed
// entry is lost, none that was refused appears, and all members have the same. Nobody has a lease
// when another one has taken the seat.
func TestRandomFaults(t *testing.T) {
	quick.Skip(t, "waits for elections")
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	g := newGroup(t, 3, func(o *Options) { o.StoreLimit = 500 * time.Millisecond }).founded()
	var members []*running
	for _, m := range g.nodes {
		members = append(members, m)
	}
	l := &load{nodes: func() []*running { return members }, result: make(map[string]error), stop: make(chan struct{})}
	l.tasks.Go(l.run)
	l.tasks.Go(func() { l.watchLeases(t) })
	for round := range 12 {
		victim := members[r.IntN(3)]
		heal := hurt(victim, round%4, g)
		enough := l.confirmed() + 100
		eventually(t, "progress", func() bool { return l.confirmed() >= enough })
		heal()
		eventually(t, "that the disk works", func() bool { return victim.Status().Disk == nil })
	}
	close(l.stop)
	l.tasks.Wait()

	last := g.newLeader(nil, "end")
	eventually(t, "agreement", func() bool {
		n := len(last.list.all())
		return len(members[0].list.all()) == n && len(members[1].list.all()) == n && len(members[2].list.all()) == n
	})
	entries := last.list.all()
	for _, m := range members {
		require.Equal(t, entries, m.list.all())
	}
	seen := make(map[string]bool)
	for _, e := range entries {
		require.False(t, seen[e], "twice: %s", e)
		require.NotErrorIs(t, l.result[e], ErrNotAppended, "refused: %s", e)
		seen[e] = true
	}
	for e, err := range l.result {
		require.True(t, err != nil || seen[e], "lost: %s", e)
	}
}

// hurt begins a fault, and returns what ends it.
func hurt(m *running, kind int, g *group) (heal func()) {
	switch kind {
	case 0:
		m.net.set(errors.New("cut off"), nil)
		return func() { m.net.set(nil, nil) }
	case 1:
		m.disk.set(syscall.ENOSPC, nil)
		return func() { m.disk.set(nil, nil) }
	case 2:
		hang := make(chan struct{})
		m.disk.set(nil, hang)
		return func() { m.disk.set(nil, nil); close(hang) }
	}
	leader := g.leader()
	leader.Transfer(g.another(leader).options.ID)
	return func() {}
}
