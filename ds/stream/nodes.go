package stream

import "errors"

// How a snapshot writes a stream, as whole nodes, and reads it:
//
//	for id, pack := range s.Packs() { write(id, pack) }
//
//	var s stream.Stream
//	err := s.AddPack(id, pack) ...
//	s.SetLast(last); s.SetAdded(added); s.SetMaxDeleted(deleted)
//	g := s.AddGroup(name, last, read)
//	c := g.AddConsumer(name, seen); c.Active = active
//	p := g.Deliver(id, c); p.Delivered, p.Count = at, count

// ErrPack is the error of a pack that is none, or does not come after the one before.
var ErrPack = errors.New("stream: damaged node")

// Packs walks the nodes: the ID of each and its listpack, which is the one of Redis.
func (s *Stream) Packs() func(yield func(id ID, pack []byte) bool) {
	return func(yield func(id ID, pack []byte) bool) {
		for _, n := range s.nodes {
			if !yield(n.id, n.pack) {
				return
			}
		}
	}
}

// AddPack adds a node behind the last, with a copy of its listpack, whose live entries count as
// added. Bytes that are not those of a node give ErrPack and change nothing. Last moves to the
// node's last live entry.
func (s *Stream) AddPack(id ID, pack []byte) error {
	n := node{id: id, pack: pack}
	last, live, err := n.check()
	if err != nil || len(s.nodes) > 0 && !s.last.Before(id) {
		return ErrPack
	}
	s.addCopy(id, pack)
	s.length += live
	s.added += int64(live)
	s.last = last
	if s.length == live {
		s.findFirst()
	}
	return nil
}
