package scripting

import (
	"errors"
	"strings"
	"sync"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/ldb"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// debugging is one debugging session: a script engine for a single run, with a State and a session of its own, on a
// goroutine of its own. It is the engine's Debugger and the Console of package ldb.
type debugging struct {
	*Scripts
	ldb    *ldb.Session
	client *engine.Session
	mode   engine.DebugMode
	bytes  int // that wait

	mu    sync.Mutex
	ready sync.Cond
	queue [][]string // requests that wait
	gone  bool
}

// maxRequests bounds the requests that wait, in bytes.
const maxRequests = 1 << 20

// errDeserted ends a run on a copy of the data whose client is gone.
var errDeserted = errors.New("ERR the client that debugged the script is gone")

// SCRIPT DEBUG YES | SYNC | NO
func (s *Scripts) cmdDebug(c *engine.Call) {
	mode := engine.NoDebug
	switch {
	case c.Word("NO"):
	case c.Word("YES"):
		mode = engine.DebugCopy
	case c.Word("SYNC"):
		mode = engine.DebugData
	default:
		c.Refuse(errDebugMode)
	}
	if c.Nested() {
		c.Refuse(errDebugNested)
	}
	if c.OK() {
		c.Session.Debug = mode
		c.Reply.Status("OK")
	}
}

// debug begins a debugging session for EVAL. An error that the script has before it runs ends it at once.
func (s *Scripts) debug(c *engine.Call, body []byte, keys, argv [][]byte, readOnly bool) {
	mode := c.Session.Debug
	c.Session.Debug = engine.NoDebug
	if !c.CanDebug() {
		c.Fail(errNoDebugger)
		return
	}
	d := s.newDebugging(c, string(body), mode)
	var sc *script
	err := c.Err()
	if err == nil {
		sc, err = d.compile(body)
	}
	if err == nil {
		err = d.admit(c, &sc.program, readOnly)
	}
	if err != nil {
		c.Reply.Array(1)
		c.Reply.Status("<endsession>")
		c.Reply.Error(s.engine.Worded(err))
		c.Session.CloseAfterReply()
		return
	}
	d.call, d.running = nil, &sc.program
	d.declare(keys)
	d.setArray(d.keys, keys)
	d.setArray(d.argv, argv)
	proto := c.Reply.Proto()
	c.StartDebugging(d.session, mode, d, func() { d.run(sc, proto) })
}

// newDebugging returns a session whose script engine is like s.
func (s *Scripts) newDebugging(c *engine.Call, body string, mode engine.DebugMode) *debugging {
	twin := &Scripts{
		Log: s.Log, engine: s.engine, session: s.engine.NewScriptSession(), own: s.own,
		busyAfter: s.busyAfter, strictKeys: s.strictKeys, memoryLimit: s.memoryLimit, logLevel: s.logLevel,
		all17: s.all17, bare: s.bare, sized: s.sized,
		scripts: sandbox{chunk: s.scripts.chunk, busy: s.scripts.busy, killer: s.scripts.killer},
	}
	d := &debugging{Scripts: twin, client: c.Session, mode: mode}
	d.ready.L = &d.mu
	d.ldb = ldb.New(body, d)
	twin.debugging = d
	twin.lua = twin.newState()
	*twin.random = *s.random
	twin.lua.SetHook(hookInterval, d.interrupt)
	return d
}

// run runs the script, and ends the session.
func (d *debugging) run(sc *script, proto int) {
	results, err := d.lua.Run(sc.fn)
	var table []byte
	if err == nil && len(results) > 0 && results[0].AsTable() != nil {
		table, err = d.encode(results[0], proto, sc.name)
	}
	d.engine.EndDebugging(d.client, func(w *resp.Writer) {
		answer(w, d.ldb.End())
		d.place(err)
		d.reply(w, &sc.program, results, table, err)
	})
}

// place gives the error of an aborted run the line where the debugger has stopped.
func (d *debugging) place(err error) {
	if failed := (*lua.Error)(nil); errors.As(err, &failed) && failed.Cause != nil {
		failed.Chunk, failed.Line = d.scripts.chunk, d.ldb.CurrentLine()
	}
}

// answer writes lines as an array of status replies.
func answer(w *resp.Writer, lines []string) {
	w.Array(len(lines))
	for _, line := range lines {
		w.Status(line)
	}
}

// interrupt is the State's hook: it stops a run that takes long.
func (d *debugging) interrupt() error {
	if d.busyAfter > 0 && (d.engine.Watch()-d.started)/1000 >= d.busyAfter {
		d.ldb.Overdue()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return d.ending()
	}
	return nil
}

// ending returns what ends a run whose client is gone: on the data the run goes on, as in Redis, unless it takes long.
func (d *debugging) ending() error {
	late := d.busyAfter > 0 && (d.engine.Watch()-d.started)/1000 >= d.busyAfter
	if d.mode == engine.DebugData && !late {
		return nil
	}
	return errDeserted
}

// Request takes a request of the client.
func (d *debugging) Request(words [][]byte) {
	if len(words) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	request := make([]string, len(words))
	for i, w := range words {
		request[i] = string(w)
		d.bytes += len(w) + 16
	}
	if d.bytes > maxRequests {
		d.gone = true
	}
	d.queue = append(d.queue, request)
	d.ready.Signal()
}

// Close reports that the client is gone.
func (d *debugging) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = true
	d.ready.Signal()
}

// Ask waits for a request.
func (d *debugging) Ask() (words []string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 && !d.gone {
		d.ready.Wait()
	}
	if d.gone {
		return nil, false
	}
	words = d.queue[0]
	if d.queue = d.queue[1:]; len(d.queue) == 0 {
		d.queue, d.bytes = nil, 0
	}
	return words, true
}

// Answer sends lines to the client.
func (d *debugging) Answer(lines []string) {
	d.engine.Answer(d.client, func(w *resp.Writer) { answer(w, lines) })
}

// Gone returns what ends the run when the client is gone.
func (d *debugging) Gone() error { return d.ending() }

// ErrorText returns the text of a thrown value.
func (d *debugging) ErrorText(v lua.Value) string {
	return strings.TrimPrefix(d.errorText(&lua.Error{Value: v}), "ERR ")
}

// Call runs a command for the client.
func (d *debugging) Call(L *lua.State, args []string) {
	values := make([]lua.Value, len(args))
	for i, a := range args {
		values[i] = lua.String(a)
	}
	L.Try(lua.NewFunction("pcall", d.luaPCall), values...)
}

// luaCall and luaPCall are redis.call and redis.pcall that show what they do.
func (d *debugging) luaCall(L *lua.State, c *lua.Call) {
	v, failed := d.execute(L, c)
	if failed {
		d.throw(L, v)
	}
	c.Return1(v)
}

func (d *debugging) luaPCall(L *lua.State, c *lua.Call) {
	v, _ := d.execute(L, c)
	c.Return1(v)
}

// execute runs a command, and shows it if the run goes step by step.
func (d *debugging) execute(L *lua.State, c *lua.Call) (v lua.Value, failed bool) {
	if !d.ldb.Steps() {
		return d.Scripts.execute(L, c)
	}
	if d.gather(c) == nil {
		words := make([]string, len(d.args))
		for i, a := range d.args {
			words[i] = string(a)
		}
		d.ldb.Command(words)
	}
	d.session.RestartReply()
	v, failed = d.Scripts.execute(L, c)
	reply := d.session.Reply.Bytes()
	switch {
	case len(reply) == 0:
		text, _ := v.AsTable().GetString("err").ToString()
		d.ldb.Error(strings.TrimPrefix(text, "ERR "))
		return v, failed
	case failed:
		line, _, _ := strings.Cut(string(reply), "\r\n")
		d.ldb.Error(line)
	}
	d.ldb.Reply(reply)
	return v, failed
}

// redis.error_reply(text), which is shown too
func (d *debugging) luaErrorReply(_ *lua.State, c *lua.Call) {
	v := d.errorReply(c)
	if text, _ := v.AsTable().GetString("err").ToString(); d.ldb.Steps() {
		d.ldb.Error("-" + text)
	}
	c.Return1(v)
}

// redis.breakpoint()
func (d *debugging) luaBreakpoint(_ *lua.State, c *lua.Call) {
	d.ldb.Break()
	c.Return1(lua.Bool(true))
}

// redis.debug(...)
func (d *debugging) luaDebug(L *lua.State, c *lua.Call) { d.ldb.Debug(L, c.Args()) }
