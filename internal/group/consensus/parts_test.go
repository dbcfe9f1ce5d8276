package consensus

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestLargeEntries: an entry in parts reaches all members, now and after a start.
func TestLargeEntries(t *testing.T) {
	quick.Skip(t, "waits for elections")
	g := newGroup(t, 3, steady)
	leader := g.leader()
	large := string(bytes.Repeat([]byte("0123456789abcdef"), 5<<16)) // 5 MB
	require.NoError(t, leader.append("a"))
	require.NoError(t, leader.append(large))
	require.NoError(t, leader.append("b"))
	g.agree("a", large, "b")
	other := g.another(leader)
	g.stop(other)
	g.start(other)
	g.agree("a", large, "b")
}

// TestPartsCountWithTheLast: also when a snapshot is taken between them, and not when another seat
// follows.
func TestPartsCountWithTheLast(t *testing.T) {
	const seat, later = 2*maxTaken + 1, 2*maxTaken + 2
	l := &list{}
	m := &machine{inner: l}
	index := uint64(0)
	apply := func(seat uint64, kind byte, data string) {
		index++
		m.replay([]pb.Entry{{Index: index, Term: 2, Data: envelope(seat, kind, []byte(data))}})
	}
	apply(seat, moreParts, "a")
	apply(seat, moreParts, "b")
	require.Empty(t, l.all())
	require.Equal(t, []byte("ab"), m.begun)

	apply(seat, wholeEntry, "c")
	apply(seat, moreParts, "lost")
	apply(later, wholeEntry, "d")
	require.Equal(t, []string{"abc", "d"}, l.all())
}
