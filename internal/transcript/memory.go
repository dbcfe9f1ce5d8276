package transcript

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// epoch is the time at which the clock of every Memory starts, in microseconds.
const epoch = 1_700_000_000_000_000

// spoil overwrites arguments after their command ran: a command that wrongly keeps one shows wrong
// data.
const spoil = 0xDB

// Memory is the world of an engine in process: no socket, no goroutine, and a clock that only
// Advance moves. Reset makes a new engine.
type Memory struct {
	traits Traits
	wire   func(e *engine.Engine)
	engine *engine.Engine
	clock  atomic.Int64 // microseconds; a goroutine of an engine, such as a replica's, reads it too
	conns  []*memoryConn
	steer  func(d time.Duration) error // in place of the clock; nil for nothing

	// Patience, if it is set, is how long a command may run. A script that runs longer is killed.
	Patience time.Duration
	killed   atomic.Bool

	// Journal, if it is set before Reset, receives the commands that the engines propagate.
	Journal func(db int, args [][]byte)
}

// NewMemory returns a world. wire adds command families and parameters to each of its engines.
func NewMemory(traits Traits, wire func(e *engine.Engine)) *Memory {
	traits.Tags = append(slices.Clone(traits.Tags), "miniserver", "memory", "virtual")
	if traits.Proto == 3 {
		traits.Tags = append(traits.Tags, "resp3")
	}
	traits.Sleep = math.MaxInt64
	m := &Memory{traits: traits, wire: wire}
	m.renew()
	return m
}

func (m *Memory) renew() {
	m.clock.Store(epoch)
	m.conns = nil
	m.killed.Store(false)
	m.engine = m.Fresh(m.Journal)
}

// Fresh returns another engine on the world's clock, with the same parts. It allows DEBUG.
func (m *Memory) Fresh(journal func(db int, args [][]byte)) *engine.Engine {
	e := engine.New(engine.Options{Release: m.traits.Release, Clock: m.clock.Load, Seed: 1})
	e.Join(engine.Part{Propagate: journal})
	m.wire(e)
	e.Params.Named("enable-debug-command").Set("yes")
	return e
}

// Engine returns the engine in use, for tests that check more than replies.
func (m *Memory) Engine() *engine.Engine { return m.engine }

// Traits implements World.
func (m *Memory) Traits() Traits { return m.traits }

// Dial implements World.
func (m *Memory) Dial(string) (Conn, error) {
	c := &memoryConn{world: m}
	c.session = m.engine.NewSession(c)
	c.replies = resp.NewReader(&c.out)
	m.conns = append(m.conns, c)
	return c, c.SetProto(m.traits.Proto)
}

// SetConfig implements World.
func (m *Memory) SetConfig(name, value string) error {
	p := m.engine.Params.Named(name)
	if p == nil {
		return fmt.Errorf("no parameter %s", name)
	}
	var err error
	m.engine.With(func() {
		if err = p.Set(value); err == nil && p.Apply != nil {
			err = p.Apply()
		}
	})
	if err != nil {
		return fmt.Errorf("%s %s: %s", name, value, err)
	}
	return nil
}

// Advance implements World. Events that are due on the way happen at their time, not at the end.
func (m *Memory) Advance(d time.Duration) error {
	if m.steer != nil {
		return m.steer(d)
	}
	end := m.clock.Load() + d.Microseconds()
	for {
		next := m.engine.Tick() // milliseconds, which may be too many to count in microseconds
		steered := next*1000 <= m.clock.Load() && next*1000 > m.micros()
		if next == 0 || next > end/1000 || steered {
			break
		}
		m.clock.Store(max(m.clock.Load(), next*1000))
	}
	m.clock.Store(end)
	m.engine.Tick()
	return nil
}

// micros returns the engine's time, which a transcript may steer apart from the clock.
func (m *Memory) micros() (now int64) {
	m.engine.With(func() { now = m.engine.Home().Micros() })
	return now
}

// Now returns the time that the clock shows.
func (m *Memory) Now() time.Time { return time.UnixMicro(m.clock.Load()) }

// SetTime sets the clock. On the way ahead, what is due happens at its time; deadlines do not go
// back with the clock.
func (m *Memory) SetTime(at time.Time) error {
	if d := at.Sub(m.Now()); d >= 0 {
		return m.Advance(d)
	}
	m.clock.Store(at.UnixMicro())
	return nil
}

// Reset implements World.
func (m *Memory) Reset() error {
	m.renew()
	return nil
}

// Check implements World: it checks the invariants of every database.
func (m *Memory) Check() (err error) {
	m.engine.With(func() { err = m.engine.Home().Keyspace.Check() })
	return err
}

// Close implements World.
func (m *Memory) Close() error { return nil }

// pump runs the commands that were held while their sessions were blocked, until no more can run.
func (m *Memory) pump() {
	for ran := true; ran; {
		ran = false
		for _, c := range m.conns {
			ran = c.run() || ran
		}
	}
}

// memoryConn is a session with its commands to execute and its replies to read.
type memoryConn struct {
	world   *Memory
	session *engine.Session
	held    [][][]byte
	out     bytes.Buffer
	replies *resp.Reader
	closed  bool
	over    bool // Next has returned Closed
}

// Wake implements engine.Peer. It does nothing, since Next collects the output itself.
func (c *memoryConn) Wake() {}

// SetProto implements Conn.
func (c *memoryConn) SetProto(proto int) error {
	c.session.Reply.SetProto(proto)
	return nil
}

// Send implements Conn.
func (c *memoryConn) Send(args []string) error {
	command := make([][]byte, len(args))
	for i, arg := range args {
		command[i] = []byte(arg)
	}
	c.held = append(c.held, command)
	defer c.world.guard()()
	c.world.pump()
	if c.world.killed.Load() {
		return fmt.Errorf("the script ran for %v and was killed: does it end?", c.world.Patience)
	}
	return nil
}

// guard kills a script that has not ended after Patience. The caller calls what it returns at the
// end of the command. A script that begins withdraws what killed the one before it, so guard
// repeats it.
func (m *Memory) guard() (ended func()) {
	if m.Patience == 0 {
		return func() {}
	}
	over, e := make(chan struct{}), m.engine
	timer := time.AfterFunc(m.Patience, func() {
		m.killed.Store(true)
		for again := time.Tick(10 * time.Millisecond); ; {
			e.Slow.Kill()
			select {
			case <-again:
			case <-over:
				return
			}
		}
	})
	return func() {
		timer.Stop()
		close(over)
	}
}

// run executes held commands until the session blocks, collects its output, and reports whether it
// executed any.
func (c *memoryConn) run() bool {
	before := len(c.held)
	if before > 0 && !c.closed {
		c.collect(c.world.engine.Do(c.session, c.held))
	} else {
		c.collect(c.world.engine.Collect(c.session))
	}
	return len(c.held) < before
}

// collect stores the replies and removes the commands that ran.
func (c *memoryConn) collect(o engine.Outcome) {
	c.out.Write(o.Out)
	c.closed = c.closed || o.Closing
	for _, command := range c.held[:o.Executed] {
		for _, arg := range command {
			for i := range arg {
				arg[i] = spoil
			}
		}
	}
	c.held = c.held[o.Executed:]
}

// Next implements Conn. Replies arrive at once here, except those after a short timeout: a patient
// Next moves the clock by the time for which a world with a real clock would sleep.
func (c *memoryConn) Next(patient bool) (resp.Value, bool, error) {
	c.world.pump()
	if patient && c.silent() {
		if err := c.world.Advance(LongSleep); err != nil {
			return Closed, false, err
		}
		c.world.pump()
	}
	if c.out.Len()+c.replies.Buffered() > 0 {
		v, err := c.replies.Read()
		return v, err == nil, err
	}
	first := c.closed && !c.over
	c.over = c.closed
	return Closed, first, nil
}

// silent reports whether nothing has arrived.
func (c *memoryConn) silent() bool { return !c.closed && c.out.Len()+c.replies.Buffered() == 0 }

// Close implements Conn.
func (c *memoryConn) Close() error {
	c.world.engine.Close(c.session)
	c.world.conns = slices.DeleteFunc(c.world.conns, func(other *memoryConn) bool { return other == c })
	return nil
}
