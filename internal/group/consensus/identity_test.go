package consensus

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemberOfAnotherGroup: an address has gone from a member of one group to one of another, as it
// may where machines come and go. Nobody takes entries of the other group.
func TestMemberOfAnotherGroup(t *testing.T) {
	var said saying
	ours, theirs := newGroup(t, 3, nil).founded(), newGroup(t, 3, func(o *Options) { o.Log = said.log }).founded()
	ours.newLeader(nil, "ours")
	ours.agree("ours")
	for _, e := range []string{"a", "b", "c"} {
		eventually(t, "an entry", func() bool { return theirs.leader().append(e) == nil })
	}
	for range 3 { // their term is higher
		eventually(t, "another leader", func() bool {
			old := theirs.leader()
			return old.Transfer(theirs.another(old).options.ID) == nil
		})
	}
	theirs.agree("a", "b", "c")

	moved := ours.another(ours.leader())
	gone := theirs.nodes[moved.options.ID]
	ours.stop(moved)
	theirs.stop(gone)
	theirs.options = func(o *Options) { o.Members = ours.members }
	theirs.start(&running{dir: moved.dir, Node: &Node{options: moved.options}})
	moved = theirs.nodes[moved.options.ID]
	delete(theirs.nodes, moved.options.ID)
	defer moved.Close()
	theirs.newLeader(nil, "d")
	eventually(t, "what is said", func() bool { return said.count("it is a member of another group") > 0 })
	for _, e := range moved.list.all() {
		require.Equal(t, "ours", e)
	}
	ours.newLeader(nil, "more")
	theirs.agree("a", "b", "c", "d")

	theirs.options = nil
	require.NoError(t, moved.Close())
	theirs.start(gone)
	theirs.agree("a", "b", "c", "d")
}

// TestAllHaveTheIdentity: founders, those who come later, and those who lose their directories.
func TestAllHaveTheIdentity(t *testing.T) {
	g := newGroup(t, 3, nil).founded()
	leader := g.newLeader(nil, "a")
	fourth := g.join(4)
	require.NoError(t, leader.Add(g.members[3]))
	lost := g.another(leader, fourth)
	g.stop(lost)
	empty(t, lost)
	lost = g.start(lost)
	eventually(t, "its vote", func() bool { return !lost.Status().Hole })
	for _, m := range g.nodes {
		require.Equal(t, leader.identity(), m.identity())
		require.NotZero(t, m.identity())
	}
}
