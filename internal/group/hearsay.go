package group

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
)

// What the members of groups tell one another: GROUP MAP, over the port of clients, with what the
// asking member knows, and what the asked one does comes back. Each member asks, once a second, a
// member of some other groups. A member that knows no others asks nobody.

// The limits of hearsay.
const (
	hearsayEvery = time.Second
	asksAtOnce   = 8
	maxShards    = 1024
	maxMap       = 16 << 20 // bytes
	maxNodes     = 64       // members of one group
	savesEvery   = 5e9      // nanoseconds between two writes of it into the log
)

// tells returns what this member tells of all groups.
func (g *Group) tells() []*topology.Shard {
	s := &g.sharing
	if s.ID == "" {
		return others(s.heard)
	}
	k := g.known
	own := &topology.Shard{ID: s.ID, Rev: s.Rev, Claims: s.Owned, Gave: s.gifts(),
		Term: k.Term, At: g.seen.index, Leader: k.Leader}
	for _, m := range k.Members {
		if m.Host != "" {
			m.Heard, m.Applied = 0, 0 // which change all the time
			own.Members = append(own.Members, m)
		}
	}
	return append(others(s.heard), own)
}

// hear takes in what another member tells.
func (g *Group) hear(list []*topology.Shard) {
	s := &g.sharing
	for _, told := range list {
		if told == nil || !isShard(told) || told.ID == s.ID {
			continue
		}
		known := s.heard[told.ID]
		if known == nil {
			if len(s.heard) >= maxShards {
				continue
			}
			known = &topology.Shard{ID: told.ID}
		}
		both, more := known.Merge(told)
		if s.heard == nil {
			s.heard = make(map[string]*topology.Shard)
			g.wakeHearsay()
		}
		if s.heard[told.ID] = both; more {
			s.mapped = nil
		}
	}
	delete(s.heard, s.ID)
}

// isShard reports whether what is told of a group can be true.
func isShard(s *topology.Shard) bool {
	if len(s.ID) != 40 || len(s.Members) > maxNodes || len(s.Claims) > slot.Count {
		return false
	}
	return !slices.ContainsFunc(s.Claims, func(c topology.Claim) bool { return c.From > c.To || c.To >= slot.Count })
}

// saveHearsay writes what was heard into the log, now and then. The leader calls it.
func (g *Group) saveHearsay() {
	s := &g.sharing
	now := g.opts.Nanos()
	if s.ID == "" || len(s.heard) == 0 || s.saved != 0 && now-s.saved < savesEvery {
		return
	}
	list := others(s.heard)
	if slices.EqualFunc(list, s.Heard, func(a, b *topology.Shard) bool {
		return a.ID == b.ID && a.Rev == b.Rev && a.Term == b.Term && a.Leader == b.Leader
	}) {
		return
	}
	s.saved = now
	g.change(func(s *share) { s.Heard = list })
}

// GROUP MAP [text]
func (g *Group) cmdMap(c *engine.Call) {
	var list []*topology.Shard
	if c.More() {
		if text := c.Arg(); len(text) > maxMap || json.Unmarshal(text, &list) != nil {
			c.Refuse(errMap)
		}
	}
	if c.End(); !c.OK() {
		return
	}
	if g.hear(list); len(list) > 0 {
		g.refresh()
	}
	text, err := json.Marshal(g.tells())
	if err != nil {
		panic(err)
	}
	c.Reply.Bulk(text)
}

// wakeHearsay has others asked now.
func (g *Group) wakeHearsay() {
	select {
	case g.asks <- struct{}{}:
	default:
	}
}

// watchOthers asks members of other groups, again and again.
func (g *Group) watchOthers() {
	for {
		var pause <-chan time.Time
		if g.askOthers() {
			pause = time.After(hearsayEvery)
		}
		select {
		case <-g.ended:
			return
		case <-pause:
		case <-g.asks:
			select { // what comes in one go is one reason
			case <-g.ended:
				return
			case <-time.After(hearsayEvery / 50):
			}
		}
	}
}

// askOthers asks a member of some groups, and reports whether there is anybody to ask.
func (g *Group) askOthers() bool {
	var addresses []string
	var text []byte
	g.engine.With(func() {
		addresses = g.toAsk()
		text, _ = json.Marshal(g.tells())
	})
	done := make(chan []*topology.Shard)
	for _, address := range addresses {
		go func() { done <- g.askMap(address, text) }()
	}
	for range addresses {
		if list := <-done; len(list) > 0 {
			g.engine.With(func() {
				g.hear(list)
				g.refresh()
			})
		}
	}
	return len(addresses) > 0
}

// toAsk returns the addresses of members of other groups to ask now: those that were given, and one
// of each of some groups that are known.
func (g *Group) toAsk() (list []string) {
	s := &g.sharing
	list = append(list, s.met...)
	known := others(s.heard)
	rand.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	for _, shard := range known[:min(len(known), asksAtOnce)] {
		if n := len(shard.Members); n > 0 {
			of := shard.Group().For(g.usesTLS())
			list = append(list, of.Members[rand.IntN(n)].Address())
		}
	}
	return list
}

// askMap asks a member of another group what it knows. A member that was met by its address and has
// answered is known from then on.
func (g *Group) askMap(address string, text []byte) (list []*topology.Shard) {
	p, err := g.call(address, hearsayEvery)
	if err != nil {
		return nil
	}
	defer p.close()
	reply, err := p.do(hearsayEvery, []byte("GROUP"), []byte("MAP"), text)
	if err != nil || json.Unmarshal([]byte(reply), &list) != nil || len(list) == 0 {
		return nil
	}
	g.engine.With(func() {
		g.sharing.met = slices.DeleteFunc(g.sharing.met, func(met string) bool { return met == address })
	})
	return list
}
