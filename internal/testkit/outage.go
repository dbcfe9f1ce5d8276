package testkit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// An outage plays a server that cannot be reached. It concerns connections, where a fault concerns
// commands: those of the clients in a world, and those by which clients log in to it. Whoever
// connects is in the world of new connections, and shows only by its first command where it wants
// to go; so that is when it is struck. When the whole server is down, the system refuses.
//
//	HANG    what clients send does not arrive, and they get nothing, until the end
//	REFUSE  new clients are disconnected
//	CUT     all clients are disconnected
//	DOWN    the clients of all worlds are disconnected, and nothing listens
//
// Connections that steer the tests are spared: those that entered their world as operators, those
// that the program itself has, and the commands of the kit.

// mishap is what happens to the connections.
type mishap uint8

const (
	noMishap mishap = iota
	hang
	refuse
	cut
	down
)

// String returns the word of a mishap.
func (m mishap) String() string { return [...]string{"none", "HANG", "REFUSE", "CUT", "DOWN"}[m] }

// outage is what is wrong with the connections of a world. The zero value is none.
type outage struct {
	mishap mishap
	on     []selector // of clients
	until  int64      // milliseconds since the epoch, by the world's clock; 0 for MINI.OUTAGE END
	newest int64      // ID of the last client before it
	struck int64      // connections, as often as they were disconnected or hang
	hung   map[*engine.Session]bool
}

// operator is what a session has that steers tests.
type operator struct{ is bool }

// outageOf returns the outage of a world.
func outageOf(w *engine.World) *outage { return engine.PerWorld[outage](w) }

// begin begins an outage in a world. The caller is struck after its reply.
func (k *Kit) begin(w *engine.World, o outage, caller *engine.Session) error {
	if listen := k.engine.Parts.Host.Listen; o.mishap == down && listen != nil {
		if err := listen(false); err != nil {
			return err
		}
	}
	for id := range k.engine.Sessions.ByID {
		o.newest = max(o.newest, id)
	}
	o.hung = make(map[*engine.Session]bool)
	*outageOf(w) = o
	if o.mishap == down && o.until == 0 && isOperator(caller) {
		k.ender = caller
	}
	k.arrange()
	if o.until != 0 {
		w.TickBy(o.until)
	}
	clients := w.Clients()
	if o.mishap == down {
		clients = k.engine.Sessions.InOrder()
	}
	for _, s := range clients {
		if o.mishap != refuse && s != caller && o.concerns(s) {
			outageOf(w).strike(s)
		}
	}
	if o.mishap >= cut && o.concerns(caller) {
		outageOf(w).struck++
		caller.CloseAfterReply()
	}
	return nil
}

// Hang keeps what clients send to a world from arriving, or lets it arrive, as an outage does.
func (k *Kit) Hang(w *engine.World, on bool) {
	o := outageOf(w)
	switch {
	case !on && o.mishap == hang:
		_ = k.end(w) // which is no error, since nothing listens again
	case on && o.mishap == noMishap:
		*o = outage{mishap: hang, hung: make(map[*engine.Session]bool)}
		k.arrange()
		for _, s := range w.Clients() {
			if o.concerns(s) {
				o.strike(s)
			}
		}
	}
}

// Cut ends the connections of a world's clients, as an outage does; that of who asked for it ends
// after its reply.
func (k *Kit) Cut(w *engine.World, asked *engine.Session) {
	var o outage
	for _, s := range w.Clients() {
		if o.concerns(s) {
			s.DisconnectBy(asked)
		}
	}
}

// end ends the outage of a world, if there is one. What hangs goes on.
func (k *Kit) end(w *engine.World) error {
	o := outageOf(w)
	if o.mishap == noMishap {
		return nil
	}
	if listen := k.engine.Parts.Host.Listen; o.mishap == down && listen != nil {
		if err := listen(true); err != nil {
			return err
		}
	}
	if o.mishap == down {
		k.ender = nil
	}
	hung := o.hung
	*o = outage{}
	k.arrange()
	for _, s := range slices.SortedFunc(maps.Keys(hung), byID) {
		s.Hang(false)
	}
	w.Stir()
	return nil
}

func byID(a, b *engine.Session) int { return cmp.Compare(a.ID, b.ID) }

// arrange has commands looked at in the worlds that have an outage, and in that of new connections
// if any world has one.
func (k *Kit) arrange() {
	k.out = false
	for _, w := range slices.Backward(k.engine.Worlds()) { // the home world is the first
		has := outageOf(w).mishap != noMishap
		if k.out = k.out || has; has || k.out && w.IsHome() {
			w.SetOutage(k.arrives)
		} else {
			w.SetOutage(nil)
		}
	}
}

// arrives is an engine.Outage.
func (k *Kit) arrives(s *engine.Session, cmd *command.Command, args [][]byte) bool {
	if cmd != nil && (cmd.Group() == group || leadsAnywhere(cmd, args)) {
		return true
	}
	o := k.outageFor(k.destination(s, cmd, args))
	if o == nil || !o.concerns(s) || o.mishap == refuse && s.ID <= o.newest {
		return true
	}
	o.strike(s)
	k.worldOf(o).Stir()
	return false
}

// outageFor returns the outage that concerns the clients of a world; nil for none.
func (k *Kit) outageFor(w *engine.World) *outage {
	for _, other := range k.engine.Worlds() {
		if o := outageOf(other); o.mishap == down || other == w && o.mishap != noMishap {
			return o
		}
	}
	return nil
}

// leadsAnywhere reports whether a command logs in with nothing but a password, behind which
// operators say where they want to go.
func leadsAnywhere(cmd *command.Command, args [][]byte) bool {
	return cmd.Flags&command.LogsIn != 0 && len(args) == 2
}

// destination returns the world that a command is for: that to which it logs in, nil if that is yet
// to be made, or the client's.
func (k *Kit) destination(s *engine.Session, cmd *command.Command, args [][]byte) *engine.World {
	for i := range args {
		if cmd != nil && cmd.Flags&command.NoAuth != 0 && i+2 < len(args) && command.IsWord(args[i], "AUTH") {
			if name, _, found := k.guest(args[i+1], args[i+2]); found {
				return k.existing(name)
			}
		}
	}
	return s.World()
}

// worldOf returns the world in which an outage began.
func (k *Kit) worldOf(o *outage) *engine.World {
	worlds := k.engine.Worlds()
	return worlds[slices.IndexFunc(worlds, func(w *engine.World) bool { return outageOf(w) == o })]
}

// concerns reports whether the outage may strike a client.
func (o *outage) concerns(s *engine.Session) bool {
	if s.Operator() || s.OnlyLooks != nil || s.Obeyed() || s.Replica() != nil || isOperator(s) {
		return false
	}
	if b := s.Blocked(); b != nil && b.Command().Group() == group {
		return false
	}
	return !slices.ContainsFunc(o.on, func(sel selector) bool { return !sel.client(s) })
}

// strike disconnects a client, or has it hang.
func (o *outage) strike(s *engine.Session) {
	o.struck++
	if o.mishap == hang {
		o.hung[s] = true
		s.Hang(true)
		return
	}
	s.Disconnect()
}

func isOperator(s *engine.Session) bool {
	o := engine.KeptBy[operator](s)
	return o != nil && o.is
}

// forgetHung forgets a client that has gone.
func (k *Kit) forgetHung(s *engine.Session) {
	if !k.out {
		return
	}
	for _, w := range k.engine.Worlds() {
		delete(outageOf(w).hung, s)
	}
}

// endWithEnder ends an outage DOWN whose client has gone.
func (k *Kit) endWithEnder() {
	if k.ender == nil || k.engine.Sessions.ByID[k.ender.ID] == k.ender {
		return
	}
	k.ender = nil
	k.endOrLog(k.worldOf(k.outageFor(k.engine.Home())))
}

// endOrLog is end where no client learns of an error.
func (k *Kit) endOrLog(w *engine.World) (ended bool) {
	err := k.end(w)
	if err != nil {
		k.engine.Log('#', "The outage does not end: %v", err)
	}
	return err == nil
}

// endOutages ends the outage of a world when it is over. It is an engine.Part's Due.
func (k *Kit) endOutages(w *engine.World) (next int64) {
	o := outageOf(w)
	if o.until == 0 || o.until > w.Millis() {
		return o.until
	}
	if !k.endOrLog(w) {
		o.until = 0
	}
	return 0
}
