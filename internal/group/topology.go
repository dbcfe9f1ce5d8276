package group

import (
	"github.com/miniserver-go/miniserver/engine"
)

// topology implements engine.Topology.
type topology struct{ member *Group }

// Group implements engine.Topology.
func (t topology) Group() *engine.Group { return t.member.known }

// Transfer implements engine.Topology.
func (t topology) Transfer(id uint64, done func(error)) {
	go func() { done(t.member.transfer(id)) }()
}
