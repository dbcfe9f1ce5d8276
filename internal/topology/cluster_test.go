package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/slot"
)

// newCluster returns a cluster of three masters, 0 to 2, and their replicas, 3 to 5.
func newCluster() *Cluster {
	var nodes []*Node
	for i := range 6 {
		nodes = append(nodes, &Node{ID: string(rune('a' + i)), Shard: string(rune('A' + i%3)), Host: "h",
			Port: 7000 + i, Offset: func() int64 { return 0 }})
	}
	return NewCluster(nodes, 3)
}

func TestSlotsAreShared(t *testing.T) {
	c := newCluster()
	v := c.Nodes[0].View
	require.Equal(t, [][2]int{{0, 5460}}, v.Slots(c.Nodes[0]))
	require.Equal(t, [][2]int{{5461, 10922}}, v.Slots(c.Nodes[1]))
	require.Equal(t, [][2]int{{10923, slot.Count - 1}}, v.Slots(c.Nodes[2]))
	require.Equal(t, []*Node{c.Nodes[3]}, c.Replicas(v, c.Nodes[0]))
}

// TestFailureIsNoticed has a master fail. Its replica takes its place after the timeout and the
// delay of an election, and is its master when it is back.
func TestFailureIsNoticed(t *testing.T) {
	c := newCluster()
	old, heir := c.Nodes[1], c.Nodes[4]
	old.Down = true
	c.Meet(1000)
	require.EqualValues(t, 16001, c.Pass(1000))
	require.True(t, c.OK(heir.View, 16000))
	require.EqualValues(t, 16501, c.Pass(16001))
	require.True(t, heir.View.Failed(old))
	require.False(t, c.OK(heir.View, 16001))
	c.Pass(16501)
	require.Nil(t, heir.View.Master(heir))
	require.Equal(t, [][2]int{{5461, 10922}}, heir.View.Slots(heir))
	require.True(t, c.OK(heir.View, 16501))
	require.Equal(t, [][2]int{{5461, 10922}}, old.View.Slots(old), "the old master knows nothing of it")
	old.Down = false
	c.Meet(20000)
	require.Same(t, heir.View, old.View)
	require.Same(t, heir, old.View.Master(old))
	require.False(t, old.View.Failed(old))
}

// TestPartition parts a master from the others. Its side is down after the timeout, the other side
// replaces it, and both agree when they meet.
func TestPartition(t *testing.T) {
	c := newCluster()
	alone, heir := c.Nodes[0], c.Nodes[3]
	c.Part([]*Node{alone}, 1000)
	require.NotSame(t, alone.View, heir.View)
	require.True(t, c.OK(alone.View, 16000))
	require.False(t, c.OK(alone.View, 16001))
	c.Pass(16001)
	c.Pass(16501)
	require.Same(t, heir, heir.View.Owner(0))
	require.Same(t, alone, alone.View.Owner(0))
	c.Heal(17000)
	require.Same(t, heir.View, alone.View)
	require.Same(t, heir, alone.View.Owner(0))
	require.Same(t, heir, alone.View.Master(alone))
	require.True(t, c.OK(alone.View, 17000))
}

// TestLastSlot takes all slots of a master, which follows the one that has them, with its replica.
func TestLastSlot(t *testing.T) {
	c := newCluster()
	v, from, to := c.Nodes[0].View, c.Nodes[0], c.Nodes[2]
	var slots []uint16
	for at := range uint16(5461) {
		slots = append(slots, at)
	}
	c.Assign(v, to, slots[1:]...)
	require.Nil(t, v.Master(from))
	require.EqualValues(t, 3, v.EpochOf(to), "it is the highest one already")
	c.Assign(v, to, 0)
	require.Same(t, to, v.Master(from))
	require.Same(t, to, v.Master(c.Nodes[3]))
}
