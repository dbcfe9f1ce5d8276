package testkit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Worlds: tests that run side by side on one server are each in a world of their own, and do not
// meet. A world has its own databases, scripts, functions, channels, clock and random numbers: see
// engine.World. Its first client makes it, and it stays until MINI.WORLD DROP.

// defaultWorld is the name of the world of new connections.
const defaultWorld = "default"

// worldOf is what the kit keeps for each world.
type worldOf struct {
	name  string
	clock *Clock
	chaos chaos
}

// here returns what the kit keeps for the world in which the command runs.
func here(c *engine.Call) *worldOf { return engine.PerWorld[worldOf](c.World) }

// clockOf returns the clock of a world.
func clockOf(w *engine.World) *Clock { return engine.PerWorld[worldOf](w).clock }

func nameOf(w *engine.World) string { return engine.PerWorld[worldOf](w).name }

// existing returns the world with a name; nil if there is none.
func (k *Kit) existing(name string) *engine.World {
	for _, w := range k.engine.Worlds() {
		if nameOf(w) == name {
			return w
		}
	}
	return nil
}

// world returns the world with a name. It makes the world if there is none.
func (k *Kit) world(name string) *engine.World {
	if w := k.existing(name); w != nil {
		return w
	}
	return k.newWorld(name, newClock(k.engine))
}

// newWorld makes a world with a clock.
func (k *Kit) newWorld(name string, clock *Clock) *engine.World {
	w := k.engine.NewWorld(seedOf(k.seed, name))
	*engine.PerWorld[worldOf](w) = worldOf{name: name, clock: clock}
	clock.worlds = append(clock.worlds, w)
	w.Steer(clock)
	return w
}

// Beside makes a world whose clock is that of the world of new connections, for a node of a
// cluster.
func (k *Kit) Beside(name string) *engine.World { return k.newWorld(name, k.Clock) }

// checkWorld returns why the world with a name cannot be made; nil if it can, or is there.
func (k *Kit) checkWorld(name string) error {
	if k.existing(name) != nil {
		return nil
	}
	return k.engine.Home().CheckRoom(engine.WorldBytes)
}

// World returns the world with a name, and its clock. It makes the world if there is none.
func (k *Kit) World(name string) (*engine.World, *Clock) {
	w := k.world(name)
	return w, clockOf(w)
}

// inOrder returns the worlds by name.
func (k *Kit) inOrder() []*engine.World {
	return slices.SortedFunc(slices.Values(k.engine.Worlds()),
		func(a, b *engine.World) int { return cmp.Compare(nameOf(a), nameOf(b)) })
}

// guests lets clients log in to a world: as the user "world", with its name for a password. So
// redis://world:NAME@host is all that a client must know. If the default user has a password, it
// stands behind the name, after a colon; or the user is "world:NAME" and has that password, but not
// all clients can read a URL in which a user has a colon.
func (k *Kit) guests(c *engine.Call, user, password []byte) (compared []byte, admitted func()) {
	name, compared, found := k.guest(user, password)
	if !found || c.Nested() || k.checkWorld(name) != nil {
		return nil, nil
	}
	return compared, func() { c.Session.MoveTo(k.world(name)) }
}

// guest returns to which world a user logs in, and the password to compare.
func (k *Kit) guest(user, password []byte) (name string, compared []byte, found bool) {
	name, found = strings.CutPrefix(string(user), "world:")
	switch {
	case found || string(user) != "world":
	case !k.engine.Users.Default().NoPass():
		var secret string
		name, secret, found = strings.Cut(string(password), ":")
		password = []byte(secret)
	default:
		name, found = string(password), true
	}
	return name, password, found && isName(name)
}

// worldName reads the name of a world.
func worldName(c *engine.Call) string {
	name := string(c.Arg())
	if !isName(name) {
		c.Refuse(errWorldName)
	}
	return name
}

// existingWorld reads the name of a world that there is.
func (k *Kit) existingWorld(c *engine.Call) *engine.World {
	name := worldName(c)
	w := k.existing(name)
	if w == nil {
		c.Refusef(errNoWorld, name)
	}
	return w
}
