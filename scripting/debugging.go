package scripting

import (
	"bytes"
	"errors"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/library"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
)

// debugging is one run that is debugged: an interpreter for a single run, with a State and a
// session of its own. It is the Host of its Debugger. On a connection the front end is that of
// DebugOnConnections, and the run has a goroutine of its own. A caller of Debug brings another
// front end, and the run is on the caller's goroutine.
type debugging struct {
	*interpreter
	debug  *debugger.Debugger
	client *engine.Session
	mode   engine.DebugMode
	front  debugger.FrontEnd
	line   *Connection // nil for the front end of a caller of Debug
	proto  int         // of the reply
	loan   loan

	// What the run begins with, each time.
	of subject
	input
	short  bool       // of memory
	random lua.Random // behind math.random
}

// Debug executes a request, such as EVAL with its arguments, for a session. If the request runs a
// script, front debugs it, on a copy of the data or on the data. All of it happens on the goroutine
// of the caller, who does not hold the lock. Debug returns the reply in the protocol, nil if it is
// larger than the session may get. If there was a run, front has got the reply as well.
func (s *Scripts) Debug(session *engine.Session, mode engine.DebugMode, request [][]byte,
	front debugger.FrontEnd) (reply []byte) {
	direct := &direct{FrontEnd: front}
	s.debuggers.directs.Store(session, starter(func(c *engine.Call, of subject, in input) {
		d := s.newDebugging(c, of, in)
		args, err := s.setUp(c, d, direct)
		if err != nil {
			c.Fail(err)
			return
		}
		c.BeginDebugging(d.session, d.mode)
		direct.run = func() { d.run(args) }
	}))
	session.Debug = mode
	o := s.engine.Do(session, [][][]byte{request})
	session.Debug = engine.NoDebug
	s.debuggers.directs.Delete(session)
	if direct.run == nil {
		return bytes.Clone(o.Out)
	}
	direct.run()
	return direct.reply
}

// direct is the front end of a caller of Debug.
type direct struct {
	debugger.FrontEnd
	run   func() // nil if the request runs no script
	reply []byte
}

func (f *direct) Ended(reply []byte) {
	f.reply = bytes.Clone(reply)
	f.FrontEnd.Ended(reply)
}

// subject is what is debugged: a script, or a function of a library.
type subject struct {
	source   string
	function string // its name; "" for a script
}

// load compiles the subject. The library of a function is loaded anew for the run: the local
// variables that its functions share begin as they began when it was loaded.
func (d *debugging) load() (p *program.Program, err error) {
	if d.of.function == "" {
		sc, err := d.compile([]byte(d.of.source))
		if err != nil {
			return nil, err
		}
		return &sc.Program, nil
	}
	d.debug.Quiet(func() {
		var l *library.Library
		if l, err = d.loadLibrary([]byte(d.of.source), new(library.Registry)); err == nil {
			p = &l.Find(d.of.function).Program
		}
	})
	return p, err
}

// input is what a run gets, besides the data.
type input struct {
	keys, argv [][]byte
	readOnly   bool
}

// starter begins a run that is debugged, for a caller of Debug. An error before the run ends the
// session at once.
type starter func(c *engine.Call, of subject, in input)

// onConnection begins a run whose front end talks with the client on its connection. It is nil in a
// program that has no such front end.
var onConnection func(s *Scripts, c *engine.Call, of subject, in input)

// DebugOnConnections lets clients debug scripts, by the front end that front makes.
func DebugOnConnections(front func(c *Connection) debugger.FrontEnd) {
	onConnection = func(s *Scripts, c *engine.Call, of subject, in input) {
		d := s.newDebugging(c, of, in)
		if !c.CanDebug() {
			c.Fail(errNoDebugger)
			return
		}
		d.line = newConnection(s.engine, c.Session, d.ending)
		args, err := s.setUp(c, d, front(d.line))
		if err != nil {
			d.line.refuse(c, s.engine.Commands.Worded(err))
			return
		}
		c.BeginDebugging(d.session, d.mode)
		c.Converse(d.line, func() { d.run(args) })
	}
}

// startDebugging begins a run of a client that debugs.
func (s *Scripts) startDebugging(c *engine.Call, of subject, in input) {
	if start, direct := s.debuggers.directs.Load(c.Session); direct {
		start.(starter)(c, of, in)
	} else {
		onConnection(s, c, of, in)
	}
}

// newDebugging returns a run that is to be set up. The client debugs no other one.
func (s *Scripts) newDebugging(c *engine.Call, of subject, in input) *debugging {
	d := &debugging{
		client: c.Session, mode: c.Session.Debug, proto: c.Reply.Proto(),
		of: of, input: input{cloneAll(in.keys), cloneAll(in.argv), in.readOnly},
	}
	c.Session.Debug = engine.NoDebug
	return d
}

// setUp gives a run its debugger and an interpreter like that of other runs, and prepares it.
func (s *Scripts) setUp(c *engine.Call, d *debugging, front debugger.FrontEnd) (args []lua.Value, err error) {
	s.turnTo(c.World)
	d.random = *s.interpreter.random
	d.front = front
	d.debug = debugger.New(d.of.source, d, front)
	d.interpreter = d.twinOf(&s.interpreter, s.engine.NewScriptSession())
	d.current.room, d.current.started = c.Reply.Room(), s.engine.Machine()
	limit, account := int(d.memoryLimit), s.debuggers.account
	d.loan = loan{account: account, share: min(limit, account.Bytes()+min(limit, c.World.Room()))}
	if args, err = d.prepare(c); err != nil {
		d.loan.giveBack()
	}
	return args, err
}

// twinOf returns an interpreter like in for the run.
func (d *debugging) twinOf(in *interpreter, session *engine.Session) *interpreter {
	twin := in.twin(session, d.random, d.debug)
	twin.open(d.api())
	twin.lua.SetHook(hookInterval, d.interrupt)
	return twin
}

// prepare checks and prepares the run.
func (d *debugging) prepare(c *engine.Call) (args []lua.Value, err error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	p, err := d.load()
	if err == nil {
		d.short, err = d.check(d.client, p, d.readOnly)
	}
	if err == nil {
		err = c.CheckDebug(d.mode)
	}
	if err != nil {
		return nil, err
	}
	return d.ready(p)
}

// ready gives the program its keys and arguments: a script in globals, a function as the arguments
// that ready returns. The error is that of a program for which there is no memory.
func (d *debugging) ready(p *program.Program) (args []lua.Value, err error) {
	d.begin(d.client, p, d.readOnly, d.short)
	args = d.give(d.keys, d.argv)
	if n := debuggingBytes + sizeOf(d.keys) + sizeOf(d.argv); d.loan.lend(n, n) == 0 || !d.lua.Borrow(d.loan.lend) {
		return nil, engine.ErrOOM
	}
	return args, nil
}

// debuggingBytes is about what a run holds besides values and arguments.
const debuggingBytes = 64 << 10

// run runs the subject, again and again if the debugger goes back, and ends the session.
func (d *debugging) run(args []lua.Value) {
	results, err := d.lua.Run(d.current.program.Fn, args...)
	for d.debug.Rewinds() || d.debug.Fails(err) {
		if args, err = d.restart(); err == nil {
			results, err = d.lua.Run(d.current.program.Fn, args...)
		}
	}
	p := d.current.program
	var table []byte
	if err == nil && len(results) > 0 && results[0].AsTable() != nil {
		table, _, err = d.encode(results[0], d.proto, p.Name)
	}
	d.place(err)
	w := resp.NewWriter(d.proto)
	d.reply(w, p, results, table, err)
	if w.Full() {
		d.debug.Ended(nil)
	} else {
		d.debug.Ended(w.Bytes())
	}
	d.engine.EndDebugging(d.client, d.session)
	d.loan.giveBack()
}

// restart prepares the run anew: a new State, and a copy of the data as they were at the beginning.
// The error is that of a library that takes too long to load this time.
func (d *debugging) restart() (args []lua.Value, err error) {
	d.engine.RewindDebugging(d.session, func() {
		before := d.interpreter
		d.interpreter = d.twinOf(before, d.session)
		var p *program.Program
		if p, err = d.load(); err == nil {
			d.loan.giveBack()
			args, err = d.ready(p)
		}
		if err != nil {
			d.interpreter = before
		}
	})
	return args, err
}

// errRewindData is why a run on the data cannot go back.
var errRewindData = errors.New("only a run on a copy of the data can go back, not one in sync mode")

// CanRewind returns why the run cannot go back, nil if it can.
func (d *debugging) CanRewind() error {
	if d.mode == engine.DebugData {
		return errRewindData
	}
	return nil
}

func cloneAll(list [][]byte) [][]byte {
	clones := make([][]byte, len(list))
	for i, item := range list {
		clones[i] = bytes.Clone(item)
	}
	return clones
}

func sizeOf(list [][]byte) (n int) {
	for _, item := range list {
		n += len(item)
	}
	return n
}

// place gives the error of an aborted run the line where the debugger has stopped.
func (d *debugging) place(err error) {
	if failed := (*lua.Error)(nil); errors.As(err, &failed) && failed.Cause != nil {
		failed.Chunk, failed.Line = d.current.program.Box.Chunk, d.debug.CurrentLine()
	}
}

// interrupt is the State's hook: it stops a run that takes long, and ends an evaluation that does.
func (d *debugging) interrupt() error {
	if d.loading != nil {
		return d.interpreter.interrupt()
	}
	if d.busyAfter > 0 && (d.engine.Machine()-d.current.started)/1000 >= d.busyAfter {
		d.debug.Overdue()
	}
	if d.line != nil && d.line.isGone() {
		if err := d.ending(); err != nil {
			return err
		}
	}
	return d.debug.Interrupt()
}

// errDeserted ends a run on a copy of the data whose client is gone.
var errDeserted = errors.New("ERR the client that debugged the script is gone")

// ending returns what ends a run whose client is gone: on the data the run goes on, as in Redis,
// unless it takes long.
func (d *debugging) ending() error {
	late := d.busyAfter > 0 && (d.engine.Machine()-d.current.started)/1000 >= d.busyAfter
	if d.mode == engine.DebugData && !late {
		return nil
	}
	return errDeserted
}

// Resumed lets the time limit begin anew, as in Redis: the time in which the user thinks does not
// count.
func (d *debugging) Resumed() { d.current.started = d.engine.Machine() }

// ErrorText returns the text of a thrown value.
func (d *debugging) ErrorText(v lua.Value) string {
	return strings.TrimPrefix(d.errorText(&lua.Error{Value: v}), "ERR ")
}

// Call runs a command for the front end.
func (d *debugging) Call(L *lua.State, words []string) (reply []byte, err error) {
	values := make([]lua.Value, len(words))
	for i, w := range words {
		values[i] = lua.String(w)
	}
	var refusal lua.Value
	run := func(L *lua.State, c *lua.Call) { refusal, _ = d.execute(L, c) }
	d.session.RestartReply()
	if _, err = L.Try(lua.NewFunction("pcall", run), nil, values...); err != nil {
		return nil, errors.New(err.Error())
	}
	if reply = d.session.Reply.Bytes(); len(reply) == 0 {
		return nil, errors.New(refused(refusal))
	}
	return reply, nil
}

// Peek runs code that must not write.
func (d *debugging) Peek(run func()) {
	random, readOnly := *d.interpreter.random, d.session.SetReadOnly(true)
	defer func() {
		*d.interpreter.random = random
		d.session.SetReadOnly(readOnly)
	}()
	run()
}

// refused returns the text of a table of an error.
func refused(v lua.Value) string {
	text, _ := v.AsTable().GetString("err").ToString()
	return strings.TrimPrefix(text, "ERR ")
}

// api returns the functions of the table redis that do otherwise.
func (d *debugging) api() api {
	return api{d.luaCall, d.luaPCall, d.luaErrorReply, d.luaLog, d.luaBreakpoint, d.luaDebug}
}

// luaCall and luaPCall are redis.call and redis.pcall that tell the debugger what they do.
func (d *debugging) luaCall(L *lua.State, c *lua.Call) {
	v, failed := d.execute(L, c)
	d.dropBuffers()
	if failed {
		d.throw(L, v)
	}
	c.Return1(v)
}

func (d *debugging) luaPCall(L *lua.State, c *lua.Call) {
	v, _ := d.execute(L, c)
	d.dropBuffers()
	c.Return1(v)
}

// execute runs a command, and tells the debugger of it.
func (d *debugging) execute(L *lua.State, c *lua.Call) (v lua.Value, failed bool) {
	if d.args.gather(c) == nil {
		words := make([]string, len(d.args.list))
		for i, a := range d.args.list {
			words[i] = string(a)
		}
		d.debug.Called(words)
	}
	d.session.RestartReply()
	v, failed = d.interpreter.execute(L, c)
	if reply := d.session.Reply.Bytes(); len(reply) > 0 {
		d.touch()
		d.debug.Replied(reply)
	} else {
		d.debug.Refused(refused(v))
	}
	return v, failed
}

// touch tells the debugger the keys of the command that has run.
func (d *debugging) touch() {
	cmd, _ := d.engine.Commands.Resolve(d.args.list)
	uses, _ := cmd.Keys.At(d.args.list)
	for _, use := range uses {
		if use.Access != "not_key" {
			d.debug.Touch(string(d.args.list[use.At]), use.Reads(), use.Writes())
		}
	}
}

// redis.error_reply(text), which is shown too
func (d *debugging) luaErrorReply(_ *lua.State, c *lua.Call) {
	v := d.errorReply(c)
	text, _ := v.AsTable().GetString("err").ToString()
	d.debug.Refused("-" + text)
	c.Return1(v)
}

// redis.log(level, text, ...), which the front end gets whatever its level is
func (d *debugging) luaLog(L *lua.State, c *lua.Call) {
	if d.loading != nil || d.debug.Replays() {
		return
	}
	d.debug.Logged(d.loggedLevel(c), loggedText(c))
	d.interpreter.luaLog(L, c)
}

// redis.breakpoint()
func (d *debugging) luaBreakpoint(_ *lua.State, c *lua.Call) {
	d.debug.Break()
	c.Return1(lua.Bool(true))
}

// redis.debug(...)
func (d *debugging) luaDebug(L *lua.State, c *lua.Call) { d.debug.Printed(L, c.Args()) }
