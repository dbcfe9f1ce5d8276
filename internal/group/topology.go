package group

import "github.com/miniserver-go/miniserver/internal/topology"

// source implements topology.Source.
type source struct{ member *Group }

// Group implements topology.Source.
func (t source) Group() *topology.Group { return t.member.known }

// Transfer implements topology.Source.
func (t source) Transfer(id uint64, done func(error)) {
	go func() { done(t.member.transfer(id)) }()
}
