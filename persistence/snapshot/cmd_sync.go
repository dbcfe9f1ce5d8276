package snapshot

import (
	"slices"

	"github.com/miniserver-go/miniserver/engine"
)

// SYNC. The reply is a snapshot, and what changes from then on.
func (s *Saver) cmdSync(c *engine.Call) {
	if s.admits(c) {
		s.invite(c.Session.Replica(), true)
	}
}

// PSYNC replicationid offset [FAILOVER]. The reply is what changed from the offset on, or as that of SYNC.
func (s *Saver) cmdPSync(c *engine.Call) {
	if !s.admits(c) {
		return
	}
	id, offset := c.Arg(), c.Int()
	if c.Left() > 0 && c.Word("FAILOVER") {
		c.Refuse(errFailover)
	}
	if !c.OK() {
		return
	}
	r := c.Session.Replica()
	if r.Resume(id, offset) {
		s.opts.Log('*', "Partial resynchronization request from %s accepted from offset %d.", r.Name(), offset)
		return
	}
	s.invite(r, false)
}

// admits reports whether a session may ask for a snapshot, and has not already.
func (s *Saver) admits(c *engine.Call) bool {
	r := c.Session.Replica()
	switch {
	case r.Attached():
		return false
	case c.Reply.Len() > 0:
		c.Refuse(errPending)
	case (r.Request.NoData || r.Request.NoFunctions) && !r.Request.EOF:
		c.Refuse(errNeedsEOF)
	}
	return c.OK()
}

// invite has a replica wait for the next snapshot, which begins at once unless a picture is being taken.
func (s *Saver) invite(r *engine.Replica, plain bool) {
	s.opts.Log('*', "Replica %s asks for synchronization", r.Name())
	r.Attach(plain)
	s.guests = append(s.guests, r)
	if !s.busy() {
		s.deliver()
	}
}

// deliver begins a snapshot for those who wait, as far as they want the same as the first.
func (s *Saver) deliver() {
	s.guests = slices.DeleteFunc(s.guests, (*engine.Replica).Gone)
	if len(s.guests) == 0 {
		return
	}
	d := s.newDelivery(s.guests[0].Request)
	s.guests = slices.DeleteFunc(s.guests, func(r *engine.Replica) bool {
		if r.Request != d.request {
			return false
		}
		d.guests = append(d.guests, r)
		r.Begin()
		return true
	})
	s.opts.Log('*', "Starting a snapshot for SYNC, for %d replicas", len(d.guests))
	s.opts.Beside(d.deliver)
}
