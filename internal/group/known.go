package group

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// age returns how many milliseconds ago the data were those of the leader, at most; -1 if they
// never were.
func (g *Group) age() int64 {
	switch {
	case g.leading:
		return 0
	case !g.seen.live:
		return -1
	}
	return (g.opts.Nanos() - g.seen.at) / 1e6
}

// refresh notes what clients are told of the group.
func (g *Group) refresh() {
	k := &topology.Group{Name: g.params.name, Shard: g.sharing.ID, Self: g.params.id, Seated: g.leading,
		Age: g.age(), Last: g.known.Last, Map: g.mapOf(), Coming: g.sharing.coming}
	if g.log != nil {
		s := g.log.Status()
		k.Term, k.Leader = s.Term, s.Leader
		for _, m := range s.Members {
			k.Members = append(k.Members, g.memberOf(m))
		}
	}
	if g.leading {
		k.Leader = k.Self
	} else if k.Leader == k.Self {
		k.Leader = 0 // its seat is not taken yet, or lost
	}
	if k.Leader != 0 {
		k.Last = k.Leader
	}
	slices.SortFunc(k.Members, func(a, b topology.Member) int { return cmp.Compare(a.ID, b.ID) })
	changed := g.known.Leader != k.Leader
	if g.known = k; changed {
		g.tellClients()
	}
}

// memberOf returns what clients are told of a member.
func (g *Group) memberOf(m consensus.MemberStatus) topology.Member {
	host, port, secure := splitAddress(g.clients[m.ID])
	known := topology.Member{ID: m.ID, Host: host, Port: port, TLSPort: secure, Up: true, Learner: !m.Voter,
		Applied: m.Last}
	if g.leading && m.ID != g.params.id {
		known.Heard = -1
		if !m.Contact.IsZero() {
			known.Heard = time.Since(m.Contact).Milliseconds()
		}
		known.Up = known.Heard >= 0 && known.Heard < downAfter
	}
	return known
}

// downAfter is for how many milliseconds a leader hears nothing from a member that it takes to be
// down.
const downAfter = 5000

// splitAddress splits what clientAddress returns.
func splitAddress(address string) (host string, port, secure int) {
	address, field, _ := strings.Cut(address, tlsPortField)
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, 0
	}
	port, _ = strconv.Atoi(text)
	secure, _ = strconv.Atoi(field)
	return host, port, secure
}

// tellClients has parts tell clients soon, in their Tick, that there is another leader or member.
// It is called under the engine's lock.
func (g *Group) tellClients() { g.engine.Home().TickBy(g.engine.Home().Millis()) }
