package consensus

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func empty(t *testing.T, m *running) { require.NoError(t, os.RemoveAll(m.dir)) }

func TestMemberThatForgotItsVoteComesBack(t *testing.T) {
	path := func(m *running) string { return filepath.Join(m.dir, "vote") }
	for name, damage := range map[string]func(t *testing.T, m *running){
		"directory is empty": empty,
		"vote is missing":    func(t *testing.T, m *running) { require.NoError(t, os.Remove(path(m))) },
		"vote is damaged": func(t *testing.T, m *running) {
			require.NoError(t, os.WriteFile(path(m), []byte(strings.Repeat("damage", recordSize)), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			comesBack(t, damage)
		})
	}
}

// TestEmptiedMemberDoesNotVote: a follower that confirmed an entry loses its directory, and meets a
// member that never had the entry. The two are most of the group, but must not elect a leader.
func TestEmptiedMemberDoesNotVote(t *testing.T) {
	var stood atomic.Bool
	g := newGroup(t, 3, func(o *Options) {
		o.Log = func(_, message string) {
			if strings.Contains(message, "is starting a new election") {
				stood.Store(true)
			}
		}
	})
	leader := g.founded().leader()
	behind := g.another(leader)
	emptied := g.another(leader, behind)
	g.stop(behind)
	require.NoError(t, leader.append("confirmed"))
	g.stop(leader)
	g.stop(emptied)
	empty(t, emptied)

	stood.Store(false)
	behind, emptied = g.start(behind), g.start(emptied)
	eventually(t, "an election", func() bool { return stood.Load() || behind.held().Leader || emptied.held().Leader })
	g.start(leader)
	g.newLeader(nil, "next")
	g.agree("confirmed", "next")
	eventually(t, "its vote", func() bool { return !emptied.Status().Hole })
}

// TestLeadersOfTheHoleAreRefused: this member may have promised to follow later ones.
func TestLeadersOfTheHoleAreRefused(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	term := leader.held().Term
	m := g.another(leader)
	g.stop(m)
	empty(t, m)
	m = g.start(m)
	eventually(t, "its term", func() bool { return m.Status().Term > term })
	require.Greater(t, m.called(leader.options.ID, term), term)
	eventually(t, "its vote", func() bool { return !m.Status().Hole })
	g.newLeader(nil, "b")
	g.agree("a", "b")
}

// TestFirstStartWaitsForAll: two of three could not know whether the third has had a leader
// together with one of them.
func TestFirstStartWaitsForAll(t *testing.T) {
	g := &group{t: t, nodes: make(map[uint64]*running)}
	t.Cleanup(g.close)
	var listeners []net.Listener
	for id := range uint64(3) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listeners = append(listeners, l)
		g.members = append(g.members, Member{id + 1, l.Addr().String()})
	}
	g.open(1, t.TempDir(), listeners[0])
	g.open(2, t.TempDir(), listeners[1])
	met := func(m *running) bool {
		return !strings.Contains(m.newcomer.missing(), " 1 ") && !strings.Contains(m.newcomer.missing(), " 2 ")
	}
	eventually(t, "the answers of those who are there", func() bool { return met(g.nodes[1]) && met(g.nodes[2]) })
	for _, m := range g.nodes {
		require.Contains(t, m.newcomer.missing(), "3 ("+g.address(3)+")")
		require.Zero(t, m.Status().Term)
		require.True(t, m.Status().Hole)
	}
	g.open(3, t.TempDir(), listeners[2])
	require.NoError(t, g.newLeader(nil, "a").append("b"))
	g.agree("a", "b")
}

// TestANewcomerRemembersFew: anybody who reaches the port can tell it of members without end.
func TestANewcomerRemembersFew(t *testing.T) {
	g := &group{t: t, nodes: make(map[uint64]*running),
		members: []Member{{1, "127.0.0.1:1"}, {2, "127.0.0.1:2"}, {3, "127.0.0.1:3"}}}
	t.Cleanup(g.close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &g.open(1, t.TempDir(), l).newcomer
	for i := range uint64(1000) {
		c.hear(account{ID: i + 10, Members: []member{{i + 10, fmt.Sprint("127.0.0.1:", i+10), true}}})
	}
	c.hear(account{ID: 2})
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Contains(t, c.told, uint64(2))
	require.LessOrEqual(t, len(c.told), maxMet+1)
	require.LessOrEqual(t, len(c.asked), maxMet)
}

// TestMemberThatJoinedLosesItsDirectory: it starts with the options with which it joined, and knows
// only the members that contact it.
func TestMemberThatJoinedLosesItsDirectory(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	fourth := g.join(4)
	require.NoError(t, leader.Add(g.members[3]))
	require.False(t, fourth.Status().Hole)
	require.True(t, leader.held().Leader, "a new member costs no election")
	term := leader.held().Term
	g.agree("a")
	g.stop(fourth)
	empty(t, fourth)

	g.options = func(o *Options) { o.Join, o.Members = true, o.Members[3:] }
	fourth = g.start(fourth)
	g.agree("a")
	eventually(t, "its vote", func() bool { return !fourth.Status().Hole })
	require.Greater(t, fourth.log.last().term, term, "it had a hole")
}

// TestRemovedMemberLosesItsDirectory: it founds no group of its own, and knows that it was removed.
func TestRemovedMemberLosesItsDirectory(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	gone := g.another(leader)
	require.NoError(t, leader.Remove(gone.options.ID))
	g.stop(gone)
	empty(t, gone)
	gone = g.start(gone)
	eventually(t, "that it knows", func() bool { return gone.Status().Removed })
	require.Empty(t, gone.Status().Members)
}

// TestTwoOfFiveLoseTheirDirectories is as much as a group of five survives.
func TestTwoOfFiveLoseTheirDirectories(t *testing.T) {
	g := newGroup(t, 5, nil)
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	one := g.another(leader)
	two := g.another(leader, one)
	for _, m := range []*running{one, two} {
		g.stop(m)
		empty(t, m)
	}
	one, two = g.start(one), g.start(two)
	g.agree("a")
	eventually(t, "their votes", func() bool { return !one.Status().Hole && !two.Status().Hole })
	require.NoError(t, g.newLeader(nil, "b").append("c"))
	g.agree("a", "b", "c")
}
