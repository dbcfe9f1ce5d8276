package consensus

import (
	"bytes"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

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
	part := func(seat, number uint64, data string) []*raft.Log {
		return []*raft.Log{{Index: 1, Term: 2, Data: envelope(seat, number, []byte(data))}}
	}
	l := &list{}
	m := newMachine(&Node{options: Options{Machine: l}})
	m.ApplyBatch(part(seat, 1|moreParts, "a"))
	m.ApplyBatch(part(seat, 2|moreParts, "b"))
	require.Empty(t, l.all())

	h, err := readHeader(bytes.NewReader(header{m.last, 3, m.begun}.bytes()))
	require.NoError(t, err)
	require.Equal(t, header{m.last, 3, []byte("ab")}, h)
	_, err = readHeader(bytes.NewReader(header{m.last, 3, m.begun}.bytes()[:headerSize+1]))
	require.Error(t, err)

	m.ApplyBatch(part(seat, 3, "c"))
	m.ApplyBatch(part(seat, 4|moreParts, "lost"))
	m.ApplyBatch(part(later, 1, "d"))
	require.Equal(t, []string{"abc", "d"}, l.all())
}

func TestRequestsHaveFewBytes(t *testing.T) {
	var entries []*raft.Log
	require.Empty(t, few(entries))
	for range 5 {
		entries = append(entries, &raft.Log{Data: make([]byte, maxRequest/2)})
	}
	require.Len(t, few(entries), 2)
	entries[0].Data = make([]byte, 2*maxRequest)
	require.Len(t, few(entries), 1)
}
