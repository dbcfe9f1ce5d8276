package keyspace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/stream"
)

// TestStreams: a stream lies in a box from its first entry on, stays when it has none, and is
// copied with its groups.
func TestStreams(t *testing.T) {
	ks := New(2, 1, func(n uint64) uint64 { return 0 })
	db, key := ks.DB(0), []byte("s")
	s := db.Create(key, stream.Type).(*stream.Stream)
	s.Append(stream.ID{Ms: 1}, [][]byte{[]byte("f"), []byte("v")}, stream.Defaults)
	g := s.AddGroup([]byte("g"), stream.ID{}, 0)
	g.Deliver(stream.ID{Ms: 1}, g.AddConsumer([]byte("c"), 5))
	require.False(t, db.Exists(key), "not before it is settled")
	db.Commit(key)
	require.NoError(t, db.Check())
	require.Equal(t, stream.Type, db.Type(key))

	db.Copy(key, ks.DB(1), []byte("copy"))
	edited, _ := db.Edit(key)
	require.Same(t, s, edited)
	s.Delete(stream.ID{Ms: 1})
	require.True(t, s.RemoveGroup([]byte("g")))
	require.False(t, db.Commit(key), "an empty stream stays")
	require.True(t, db.Exists(key))
	require.NoError(t, db.Check())

	copied, _ := ks.DB(1).Find([]byte("copy"))
	c := copied.(*stream.Stream)
	require.Equal(t, 1, c.Len())
	require.Equal(t, "c", c.Group([]byte("g")).Message(stream.ID{Ms: 1}).Consumer().Name())
	require.NoError(t, ks.DB(1).Check())
}
