package shards

import (
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// down takes a node off the others.
func (s *Shards) down(n *topology.Node, now int64) {
	n.Down = true
	s.cluster.Meet(now)
}

// up brings a node back that was killed or stopped.
func (s *Shards) up(n *topology.Node, now int64) {
	n.Down = false
	s.cluster.Meet(now)
	s.kit.Hang(s.worlds[n], false)
	s.listen(n, true)
}

// listen opens the port of a node, or closes it.
func (s *Shards) listen(n *topology.Node, on bool) {
	w, host := s.worlds[n], s.engine.Parts.Host
	var err error
	switch {
	case w.IsHome():
		err = host.Listen(on)
	case !on:
		host.ShutTo(w)
	default:
		host.ShutTo(w) // unless it is shut
		_, err = host.OpenTo(w, n.Port)
	}
	if err != nil {
		s.engine.Log('#', "The port %d: %v", n.Port, err)
	}
}

// move moves slots with their keys to a master.
func (s *Shards) move(to *topology.Node, slots []uint16) {
	moved := make(map[uint16]bool)
	for _, at := range slots {
		moved[at] = true
	}
	for _, from := range s.cluster.Nodes {
		if from != to && s.masterOf(from) == nil && !from.Down {
			s.moveKeys(s.worlds[from], s.worlds[to], func(at uint16) bool {
				return moved[at] && from.View.Owner(at) == from
			})
		}
		for _, at := range slots {
			delete(from.Migrating, at)
			delete(from.Importing, at)
		}
	}
	s.cluster.Assign(to.View, to, slots...)
}

// moveKeys moves the keys of some slots from one world to another.
func (s *Shards) moveKeys(from, to *engine.World, moves func(at uint16) bool) {
	encoder := rdb.Encoder{Compress: true, Alone: true, Format: payload.Format(s.engine)}
	there, here := to.NewMaster(), from.NewMaster()
	db := from.Keyspace.DB(0)
	for _, key := range keysOf(from, moves) {
		v, ok := db.Find(key)
		if !ok {
			continue
		}
		deadline, _ := db.Deadline(key)
		value := encoder.Payload(nil, v)
		_ = to.Nested(there, [][]byte{[]byte("RESTORE"), key, strconv.AppendInt(nil, deadline, 10), value,
			[]byte("REPLACE"), []byte("ABSTTL")})
		_ = from.Nested(here, [][]byte{[]byte("DEL"), key})
	}
}

// keysOf returns the keys of a world in some slots.
func keysOf(w *engine.World, in func(at uint16) bool) (keys [][]byte) {
	w.Keyspace.DB(0).Keys().Each(func(key string, _ keyspace.Type) bool {
		if in(slot.Of([]byte(key))) {
			keys = append(keys, []byte(key))
		}
		return true
	})
	return keys
}
