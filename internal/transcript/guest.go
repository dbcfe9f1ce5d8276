package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Guest is the world of one of many that share an engine with the test kit. Its clock stands still
// but for Advance, and starts where a Memory's does. Different guests may be used at the same time.
type Guest struct {
	*Memory
	name  string
	admin Conn
}

// NewGuest makes a world of that name in the engine, which must have the test kit and allow DEBUG.
func NewGuest(traits Traits, e *engine.Engine, name string) (*Guest, error) {
	traits.Tags = append(slices.Clone(traits.Tags), "miniserver", "memory", "virtual")
	traits.Sleep = 100 * 365 * 24 * time.Hour
	g := &Guest{Memory: &Memory{traits: traits, engine: e}, name: name}
	g.steer = g.advance
	admin, err := g.Dial("admin")
	if err != nil {
		return nil, err
	}
	g.admin = admin
	return g, g.Reset()
}

// Dial implements World: the connection moves to the guest's world.
func (g *Guest) Dial(name string) (Conn, error) {
	c, err := g.Memory.Dial(name)
	if err != nil {
		return nil, err
	}
	return c, ask(c, "MINI.WORLD", "USE", g.name)
}

// SetConfig implements World. Parameters are not a world's.
func (g *Guest) SetConfig(string, string) error { return errors.New("a guest has no parameters") }

// Reset implements World: everything is as in a new engine of a Memory.
func (g *Guest) Reset() error {
	return errors.Join(ask(g.admin, "MINI.WORLD", "RESET"), ask(g.admin, "MINI.CLOCK", "FREEZE"),
		ask(g.admin, "MINI.CLOCK", "SET", strconv.FormatInt(epoch/1000, 10)), ask(g.admin, "MINI.SEED", "1"))
}

// Now returns the time that the guest's clock shows; the zero time if the engine does not say.
func (g *Guest) Now() time.Time {
	if g.admin.Send([]string{"TIME"}) != nil {
		return time.Time{}
	}
	v, came, err := g.admin.Next(false)
	if err != nil || !came || len(v.Elems) != 2 {
		return time.Time{}
	}
	seconds, _ := strconv.ParseInt(v.Elems[0].Text, 10, 64)
	micros, _ := strconv.ParseInt(v.Elems[1].Text, 10, 64)
	return time.UnixMicro(seconds*1e6 + micros)
}

// SetTime sets the guest's clock.
func (g *Guest) SetTime(at time.Time) error {
	return ask(g.admin, "MINI.CLOCK", "SET", strconv.FormatInt(at.UnixMilli(), 10))
}

// Check implements World. The engine's own check is of the home world.
func (g *Guest) Check() error { return nil }

// Close implements World.
func (g *Guest) Close() error {
	return g.admin.Close()
}

func (g *Guest) advance(d time.Duration) error {
	return ask(g.admin, "MINI.CLOCK", "ADVANCE", strconv.FormatInt(d.Milliseconds(), 10))
}

// ask sends a command, which must not fail.
func ask(c Conn, words ...string) error {
	if err := c.Send(words); err != nil {
		return err
	}
	v, came, err := c.Next(false)
	if err == nil && (!came || v.Kind == resp.Error) {
		err = fmt.Errorf("%q: %s", words, v)
	}
	return err
}
