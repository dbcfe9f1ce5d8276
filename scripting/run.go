package scripting

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// admit prepares a run, or returns the error that refuses it.
func (in *interpreter) admit(c *engine.Call, p *program.Program, readOnly bool) error {
	short, err := in.check(c.Session, p, readOnly)
	if err == nil {
		err = c.ScriptRefusal(p.Reads(), p.Flags&program.AllowStale != 0)
	}
	if err != nil {
		return err
	}
	in.current.call, in.current.room = c, c.Reply.Room()
	in.current.started = in.engine.Machine()
	in.engine.Slow.Forgive()
	in.begin(c.Session, p, readOnly, short)
	return nil
}

// check returns the error for a program that may not run. short reports that it may not use more
// memory.
func (in *interpreter) check(client *engine.Session, p *program.Program, readOnly bool) (short bool, err error) {
	short = p.Flags&program.AllowOOM == 0 && in.engine.OutOfMemory() && !client.Obeyed()
	if err := p.Refusal(readOnly, short); err != nil {
		return short, err
	}
	if p.Flags&program.NoCluster != 0 && in.engine.Config.Cluster {
		return short, errNoCluster
	}
	return short, nil
}

// begin prepares the session and the State for a run of a client.
func (in *interpreter) begin(client *engine.Session, p *program.Program, readOnly, short bool) {
	in.session.EnterScript(client, readOnly || p.Flags&program.NoWrites != 0, short, in.memoryLimit)
	in.session.CrossSlots(p.Flags&program.Declared == 0 || p.Flags&program.AllowCrossSlotKeys != 0)
	in.current.program, in.replies.RESP3 = p, false
	in.enter(p.Box)
	in.lua.SetMemoryLimit(int(in.memoryLimit))
}

// give gives the program that was entered its keys and arguments: a script in globals, a function
// as the arguments that give returns.
func (in *interpreter) give(keys, argv [][]byte) []lua.Value {
	in.declare(keys)
	if in.current.program.Box == &in.functions {
		in.given = [2]lua.Value{in.replies.Array(keys), in.replies.Array(argv)} // new tables: a function may keep them
		return in.given[:]
	}
	in.replies.Refill(in.keys, keys)
	in.replies.Refill(in.argv, argv)
	return nil
}

// takeBack drops what give gave.
func (in *interpreter) takeBack() {
	in.keys.Refill(0)
	in.argv.Refill(0)
	clear(in.given[:])
}

// run executes the program that was entered, and replies with its result.
func (in *interpreter) run(c *engine.Call, args ...lua.Value) {
	p := in.current.program
	results, err := in.lua.Run(p.Fn, args...)
	var table []byte
	var counts reply.Counts
	if err == nil && len(results) > 0 && results[0].AsTable() != nil {
		table, counts, err = in.encode(results[0], c.Reply.Proto(), p.Name)
	}
	c.Relock()
	if text := in.reply(c.Reply, p, results, table, err); text != nil {
		counts.Add(text.Error(), in.isKnown(err))
	}
	c.CountErrors(counts.Fresh, counts.Known)
	in.leave()
}

// reply writes the result of a run: its error, or the first of its results, which is encoded
// already if it is a table. It returns what it says of an error.
func (in *interpreter) reply(w *resp.Writer, p *program.Program, results []lua.Value, table []byte,
	err error) (text error) {
	switch {
	case err == errOverflow:
		w.Fill()
	case err != nil:
		text = in.describe(err, p)
		w.Error(text)
	case len(results) == 0:
		w.Null()
	case table != nil:
		w.Raw(table)
	default:
		e := reply.Encoder{W: w, RESP3: in.replies.RESP3}
		e.Scalar(results[0])
	}
	return text
}

// encode returns the reply for a table. It is written to the buffer of the interpreter's session,
// and valid until that session replies again. A reply beyond the memory limit becomes an error
// text, and one beyond the output limit of the caller errOverflow.
func (in *interpreter) encode(v lua.Value, proto int, name string) (table []byte, counts reply.Counts, err error) {
	w := in.session.Reply
	in.session.RestartReply()
	limit := w.Room()
	w.SetLimit(min(limit, in.current.room))
	w.SetProto(proto)
	e := reply.Encoder{W: w, RESP3: in.replies.RESP3, Bare: in.bare, Pause: in.interrupt}
	counts, err = e.Table(v)
	switch {
	case err != nil:
		return nil, counts, &lua.Error{Cause: err}
	case w.Full() && in.current.room < limit:
		return nil, counts, errOverflow
	case w.Full():
		in.session.RestartReply()
		text := command.Errorf(errReplySize, name)
		w.Error(text)
		counts = reply.Counts{Fresh: []string{text.Error()}}
	}
	return w.Bytes(), counts, nil
}

// leave ends a run.
func (in *interpreter) leave() {
	in.current.call, in.current.program = nil, nil
	in.dropBuffers()
	in.trim()
	if in.recorder != nil {
		in.recorder.End()
	}
}

// dropBuffers releases the buffers of calls that have become large.
func (in *interpreter) dropBuffers() {
	in.args.drop()
	if cap(in.session.Reply.Bytes()) > maxKept {
		in.session.Reply.Swap(nil)
	}
}

// trim releases the memory of the State after a run that used much.
func (in *interpreter) trim() {
	if in.lua.Held() > maxKept {
		in.lua.Forget()
	}
}

// interrupt is the State's hook. It releases the engine's lock when the run has become slow, and
// ends the run when it was killed or takes too long to load a library.
func (in *interpreter) interrupt() error {
	passed := in.engine.Machine() - in.current.started
	if in.loading != nil {
		if passed > loadLimit && !in.world.Keyspace.Replaying {
			return errLoadTimeout
		}
		return nil
	}
	if in.busyAfter > 0 && passed/1000 >= in.busyAfter {
		in.current.call.Unlock(in.current.program.Box.Busy)
	}
	if in.engine.Slow.Killed() {
		return in.killed()
	}
	return nil
}

// killed returns the error that ends a program after SCRIPT KILL or FUNCTION KILL.
func (in *interpreter) killed() error {
	return in.engine.Commands.Errorf(engine.ErrScriptKilled, in.current.program.Box.Killer)
}

// loadLimit is the time in which a library must load, in microseconds.
const loadLimit = 500_000
