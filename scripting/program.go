package scripting

import (
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// program is a script, or a function of a library.
type program struct {
	name  string // a script's SHA1, a function's name; shown in errors
	fn    *lua.Function
	chunk *chunk
	flags flags
	box   *sandbox

	strays map[int]bool // lines that were told to use keys that are not declared
}

// refusal returns the error for a program that may not run: a program that declares flags needs no-writes for a
// read-only command, and allow-oom when memory is short. Outside of transactions the gate checks memory first.
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
	if err := s.admit(c, p, readOnly); err != nil {
		return c.Fail(err)
	}
	s.turnTo(c.World)
	if s.own.recorder != nil {
		s.own.recorder.begin(p.chunk)
	}
	return true
}

// admit prepares a run, or returns the error that refuses it.
func (s *Scripts) admit(c *engine.Call, p *program, readOnly bool) error {
	short, err := s.check(c.Session, p, readOnly)
	if err == nil {
		err = c.ScriptRefusal(p.flags&declared == 0 || p.flags&noWrites != 0, p.flags&allowStale != 0)
	}
	if err != nil {
		return err
	}
	s.call, s.room = c, c.Reply.Room()
	s.started = s.engine.Watch()
	s.engine.ClearKill()
	s.begin(c.Session, p, readOnly, short)
	return nil
}

// check returns the error for a program that may not run. short reports that it may not use more memory.
func (s *Scripts) check(client *engine.Session, p *program, readOnly bool) (short bool, err error) {
	short = p.flags&allowOOM == 0 && s.engine.OutOfMemory() && !client.Obeyed()
	if err := p.refusal(readOnly, short); err != nil {
		return short, err
	}
	if p.flags&noCluster != 0 && s.engine.InCluster() {
		return short, errNoCluster
	}
	return short, nil
}

// begin prepares the session and the State for a run of a client.
func (s *Scripts) begin(client *engine.Session, p *program, readOnly, short bool) {
	s.session.EnterScript(client, readOnly || p.flags&noWrites != 0, short, s.memoryLimit)
	s.session.CrossSlots(p.flags&declared == 0 || p.flags&allowCrossSlotKeys != 0)
	s.running, s.resp3 = p, false
	s.lua.Globals = p.box.globals
	s.lua.SetMemoryLimit(int(s.memoryLimit))
}

// run executes the program that was entered, and replies with its result.
func (s *Scripts) run(c *engine.Call, args ...lua.Value) {
	p := s.running
	results, err := s.lua.Run(p.fn, args...)
	var table []byte
	var counts errorCounts
	if err == nil && len(results) > 0 && results[0].AsTable() != nil {
		table, counts, err = s.encode(results[0], c.Reply.Proto(), p.name)
	}
	c.Relock()
	if text := s.reply(c.Reply, p, results, table, err); text != nil {
		counts.add(text.Error(), s.isKnown(err))
	}
	c.CountErrors(counts.fresh, counts.known)
	s.leave()
}

// reply writes the result of a run: its error, or the first of its results, which is encoded already if it is a table. It returns what it
// says of an error.
func (s *Scripts) reply(w *resp.Writer, p *program, results []lua.Value, table []byte, err error) (text error) {
	switch {
	case err == errOverflow:
		w.Fill()
	case err != nil:
		text = s.describe(err, p)
		w.Error(text)
	case len(results) == 0:
		w.Null()
	case table != nil:
		w.Raw(table)
	default:
		e := encoder{w: w, resp3: s.resp3}
		e.scalar(results[0])
	}
	return text
}

// maxKept is the size up to which buffers are kept for the next run, in bytes.
const maxKept = 64 << 10

// leave ends a run.
func (s *Scripts) leave() {
	s.call, s.running = nil, nil
	s.dropBuffers()
	s.trim()
	if s.own.recorder != nil {
		s.own.recorder.end()
	}
}

// dropBuffers releases the buffers of calls that have become large.
func (s *Scripts) dropBuffers() {
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
}

// trim releases the memory of the State after a run that used much.
func (s *Scripts) trim() {
	if s.lua.Held() > maxKept {
		s.lua.Forget()
	}
}

// interrupt is the State's hook. It releases the engine's lock when the run has become slow, and ends the run when it
// was killed or takes too long to load a library.
func (s *Scripts) interrupt() error {
	passed := s.engine.Watch() - s.started
	if s.loading != nil {
		if passed > loadLimit && !s.world.Keyspace.Replaying {
			return errLoadTimeout
		}
		return nil
	}
	if s.busyAfter > 0 && passed/1000 >= s.busyAfter {
		s.call.Unlock(s.running.box.busy)
	}
	if s.engine.ScriptKilled() {
		return s.killed()
	}
	return nil
}

// killed returns the error that ends a program after SCRIPT KILL or FUNCTION KILL.
func (s *Scripts) killed() error {
	return s.engine.Errorf(engine.ErrScriptKilled, s.running.box.killer)
}
