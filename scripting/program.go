package scripting

import (
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// program is what runs: a script, or a function of a library.
type program struct {
	name  string // in errors: a script's SHA1, a function's name
	fn    *lua.Function
	flags flags
	box   *sandbox
}

// refusal returns the error that keeps a program from being run at all: one that declared its flags
// must have those that the circumstances ask for. Outside of transactions the gate sees to memory.
func (p *program) refusal(readOnly, short bool) error {
	switch {
	case p.flags&declared == 0 || p.flags&noWrites != 0:
		return nil
	case readOnly:
		return errWriteFlag
	case short:
		return errOOMFlag
	}
	return nil
}

// enter prepares a run, and returns false if it is refused.
func (s *Scripts) enter(c *engine.Call, p *program, readOnly bool) bool {
	short := p.flags&allowOOM == 0 && s.engine.MemoryShort()
	if err := p.refusal(readOnly, short); err != nil {
		return c.Fail(err)
	}
	s.session.EnterScript(c.Session, readOnly || p.flags&noWrites != 0, short)
	s.call, s.running, s.resp3 = c, p, false
	s.started = s.engine.Clock()
	s.engine.Revive()
	s.lua.Globals = p.box.globals
	s.lua.SetMemoryLimit(int(s.memoryLimit))
	return true
}

// run executes the program that was entered, and replies with what it returned.
func (s *Scripts) run(c *engine.Call, args ...lua.Value) {
	p := s.running
	c.BeginTx()
	results, err := s.lua.Run(p.fn, args...)
	var table []byte
	if err == nil && len(results) > 0 && results[0].AsTable() != nil {
		table, err = s.encode(results[0], c.Reply.Proto(), p.name)
	}
	c.Rejoin()
	c.EndTx()
	switch {
	case err != nil:
		c.Reply.Error(s.describe(err, p))
	case len(results) == 0:
		c.Reply.Null()
	case table != nil:
		c.Reply.Raw(table)
	default:
		e := encoder{w: c.Reply, resp3: s.resp3}
		e.scalar(results[0])
	}
	s.leave()
}

// maxKept is the size up to which what a run has used is kept for the next.
const maxKept = 64 << 10

// leave lets go of what a run has left behind.
func (s *Scripts) leave() {
	s.call, s.running = nil, nil
	clear(s.args[:cap(s.args)])
	if cap(s.args) > maxKept/16 {
		s.args = nil
	}
	if cap(s.digits) > maxKept {
		s.digits = nil
	}
	if cap(s.session.Reply.Bytes()) > maxKept {
		s.session.Reply.Swap(nil)
	}
	s.tidy()
}

// tidy makes the State forget a run that held much.
func (s *Scripts) tidy() {
	if s.lua.Held() > maxKept {
		s.lua.Forget()
	}
}

// interrupt is the State's hook: it lets go of the lock when the run has become slow, and ends it when
// it was killed, or takes too long to load a library.
func (s *Scripts) interrupt() error {
	passed := s.engine.Clock() - s.started
	if s.loading != nil {
		if passed > loadLimit && !s.engine.Keyspace.Replaying {
			return errLoadTimeout
		}
		return nil
	}
	if s.busyAfter > 0 && passed > s.busyAfter*1000 {
		s.call.Leave(s.running.box.busy)
	}
	if s.engine.Killed() {
		return engine.ErrScriptKilled
	}
	return nil
}
