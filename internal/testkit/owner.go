package testkit

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Owners: processes that share a server give their worlds names that begin with a mark of theirs,
// as mark-1 and mark-2, and one of their clients owns the mark. When that client ends, as it does
// when its process is killed, each of these worlds goes as soon as no client is in it.

// maxGone is how many marks are remembered after their owners. Others' worlds stay.
const maxGone = 1024

// MINI.WORLD OWN mark
//
// The client owns the mark until it ends or moves to another world.
func (k *Kit) cmdWorldOwn(c *engine.Call) {
	mark := worldName(c)
	if owner := k.owners.of[mark]; owner != nil && owner != c.Session {
		c.Refusef(errOwned, mark)
	}
	if !c.OK() {
		return
	}
	if k.owners.of == nil {
		k.owners.of = make(map[string]*engine.Session)
	}
	k.owners.of[mark] = c.Session
	k.owners.gone = slices.DeleteFunc(k.owners.gone, func(other string) bool { return other == mark })
	c.Reply.Status("OK")
}

// disown notes that a session owns nothing any more. It may be the last client of a world, or of
// the server.
func (k *Kit) disown(s *engine.Session) {
	o := &k.owners
	for mark, owner := range o.of {
		if owner == s {
			delete(o.of, mark)
			o.gone = append(o.gone, mark)
		}
	}
	if len(o.gone) > maxGone {
		o.gone = slices.Delete(o.gone, 0, len(o.gone)-maxGone)
	}
	if len(o.gone) > 0 || s == k.ender {
		k.engine.Home().TickBy(k.engine.Home().Micros() / 1000)
	}
}

// removeOrphans removes the worlds without clients whose owners have ended.
func (k *Kit) removeOrphans() {
	if len(k.owners.gone) == 0 {
		return
	}
	for _, w := range slices.Clone(k.engine.Worlds()) {
		marks := func(mark string) bool { return strings.HasPrefix(nameOf(w), mark+"-") }
		if len(w.Clients()) == 0 && slices.ContainsFunc(k.owners.gone, marks) && k.endOrLog(w) {
			k.remove(w)
		}
	}
}

// remove removes a world that has no clients.
func (k *Kit) remove(w *engine.World) {
	k.leaveSnapshots(w)
	k.engine.RemoveWorld(w)
	k.forgetLeaks(leaksOf(w))
	k.endChaos(engine.PerWorld[worldOf](w))
}
