package consensus

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// A group has an identity: a number that its founders agree on, that members who come later learn,
// and that changes when one member begins the group anew. Both ends of a connection show it, and
// end the connection if the other's is another one: an address may have gone to a member of another
// group, whose entries must not mix with those of this one. 0 is not known yet, and suits all.

// proposal is the identity of a group that this member would found. That of the founder with the
// lowest ID counts.
func (n *Node) proposal() uint64 { return mix(fmt.Sprint(n.options.Members)) }

func mix(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// founded returns the identity on which the founders agree, once all have told theirs.
func (c *newcomer) founded() uint64 {
	first := slices.MinFunc(c.node.options.Members, func(a, b Member) int { return int(a.ID) - int(b.ID) })
	if first.ID == c.node.options.ID {
		return c.node.proposal()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told[first.ID].Group
}

// joined returns the identity of the group that counts; 0: there is none, or it is not known.
func (c *newcomer) joined() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, _ := c.members()
	return a.Group
}

// isSame reports whether another member is of the same group, as far as both know.
func isSame(a, b uint64) bool { return a == 0 || b == 0 || a == b }

// sameAs reports whether two members tell the same of their group.
func (a account) sameAs(b account) bool {
	return a.Group == b.Group && slices.Equal(a.Members, b.Members)
}
