package consensus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// saying collects what members log as notices and warnings.
type saying struct {
	mu    sync.Mutex
	lines []string
}

func (s *saying) log(level, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if level == "warning" || level == "notice" {
		s.lines = append(s.lines, message)
	}
}

func (s *saying) count(words string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.lines {
		if strings.Contains(line, words) {
			n++
		}
	}
	return n
}

// TestAllLoseTheirEnds: a power cut has taken the ends of all logs, as without Sync it may. No
// member leads, each says why, and one begins the group anew.
func TestAllLoseTheirEnds(t *testing.T) {
	quick.Skip(t, "waits for elections")
	var said saying
	g := newGroup(t, 3, func(o *Options) { o.Sync, o.Heartbeat, o.Log = false, 100*time.Millisecond, said.log }).
		founded()
	for _, e := range []string{"first", "second", "third"} {
		g.newLeader(nil, e)
	}
	g.agree("first", "second", "third")
	var all []*running
	for id := range uint64(3) {
		m := g.nodes[id+1]
		all = append(all, m)
		g.stop(m)
		for range id + 1 {
			cutTail(t, m)
		}
	}
	for i := range all {
		all[i] = g.start(all[i])
	}
	eventually(t, "what each says", func() bool { return said.count("group-salvage begins the group anew") >= 3 })
	for _, m := range all {
		require.True(t, m.Status().Hole)
		g.stop(m)
	}

	last := all[0] // it had the most entries
	g.options = func(o *Options) { o.Sync, o.Log, o.Salvage = false, said.log, 1 }
	last = g.start(last)
	g.newLeader(nil, "fourth")
	entries := last.list.all()
	require.Equal(t, "fourth", entries[len(entries)-1])
	require.Subset(t, []string{"first", "second", "third"}, entries[:len(entries)-1])
	require.Equal(t, 1, said.count("begins the group anew, alone"))
	for _, m := range all[1:] {
		empty(t, m)
		g.options = func(o *Options) { o.Join, o.Members = true, o.Members[m.options.ID-1:m.options.ID] }
		g.start(m)
		require.NoError(t, last.Add(Member{m.options.ID, g.address(m.options.ID)}))
	}
	g.agree(entries...)

	g.stop(last)
	g.options = func(o *Options) { o.Salvage, o.Log = 1, said.log }
	last = g.start(last)
	g.newLeader(nil, "fifth")
	g.agree(append(entries, "fifth")...)
	require.Equal(t, 1, said.count("begins the group anew, alone"), "a number counts once")
	require.Len(t, last.Status().Members, 3)
}

// TestSalvageOfAnything: a member with whatever damage begins anew, with the first entries and
// perhaps all, and starts after that as any other.
func TestSalvageOfAnything(t *testing.T) {
	quick.Skip(t, "waits for elections")
	newest := func(t *testing.T, m *running) string {
		names, err := filepath.Glob(filepath.Join(m.dir, "snapshots", "*.snap"))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		return names[len(names)-1]
	}
	garble := func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := range b {
			b[i] ^= 0x55
		}
		require.NoError(t, os.WriteFile(path, b, 0o644))
	}
	each := func(t *testing.T, pattern string, do func(path string)) {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			do(name)
		}
	}
	for name, damage := range map[string]func(t *testing.T, m *running){
		"nothing":             func(*testing.T, *running) {},
		"entry in the middle": flipByte,
		"end is missing":      cutTail,
		"log is missing": func(t *testing.T,
			m *running) {
			require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "log")))
		},
		"all files": func(t *testing.T, m *running) {
			each(t, filepath.Join(m.dir, "log", "*.wal"), func(p string) { garble(t, p) })
		},
		"files cut short": func(t *testing.T, m *running) {
			each(t, filepath.Join(m.dir, "log", "*.wal"), func(p string) { require.NoError(t, os.Truncate(p, 100)) })
		},
		"newest snapshot": func(t *testing.T, m *running) { garble(t, newest(t, m)) },
		"all snapshots": func(t *testing.T, m *running) {
			each(t, filepath.Join(m.dir, "snapshots", "*.snap"), func(p string) { garble(t, p) })
		},
		"no snapshots": func(t *testing.T,
			m *running) {
			require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "snapshots")))
		},
		"vote": func(t *testing.T, m *running) { garble(t, filepath.Join(m.dir, "vote")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGroup(t, 1, func(o *Options) { o.SnapshotTrailing, o.Heartbeat = 2, 30*time.Millisecond })
			m := g.leader()
			var all []string
			for i, n := range []int{4, 4, 2} {
				for j := range n {
					all = append(all, fmt.Sprintf("entry%d.%d second", i, j))
					require.NoError(t, m.append(all[len(all)-1]))
				}
				if n == 4 {
					require.NoError(t, m.Snapshot())
				}
			}
			g.stop(m)
			damage(t, m)
			g.options = func(o *Options) { o.SnapshotTrailing, o.Heartbeat, o.Salvage = 2, 30*time.Millisecond, 1 }
			m = g.start(m)
			require.NoError(t, g.leader().append("more"))
			kept := m.list.all()
			require.Equal(t, append(append([]string{}, all[:len(kept)-1]...), "more"), kept)
			t.Logf("%d of %d", len(kept)-1, len(all))
			g.stop(m)
			g.options = nil
			g.start(m)
			require.NoError(t, g.leader().append("still more"))
			g.agree(append(kept, "still more")...)
		})
	}
}

// TestDamagedMemberThatJoined has no list of the others, and gets its entries from them all the
// same.
func TestDamagedMemberThatJoined(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 1, nil)
	for _, e := range []string{"first", "second", "third"} {
		require.NoError(t, g.leader().append(e))
	}
	m := g.join(2)
	require.NoError(t, g.leader().Add(g.members[1]))
	require.NoError(t, g.leader().append("second again"))
	g.agree("first", "second", "third", "second again")
	g.options = func(o *Options) { o.Join, o.Members = true, o.Members[1:] }
	g.stop(m)
	flipByte(t, m)
	m = g.start(m)
	require.True(t, m.Status().Hole)
}
