package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// A trace is a whole run of a script in the sandbox, line by line: what the page needs to step
// through it, ahead and back, without asking again. The script runs under the debugger, on a copy
// of the world, so the world stays as it is.

// traceOrder is the body of POST /api/trace.
type traceOrder struct {
	World   string         `json:"world"`   // of the sandbox
	Request []word         `json:"request"` // EVAL or FCALL, with its arguments
	Points  map[int]string `json:"points"`  // conditions of breakpoints, by their lines
	Watches []string       `json:"watches"` // expressions
}

// trace is the response.
type trace struct {
	Steps []step          `json:"steps"`
	End   step            `json:"end"` // what came after the last line
	Reply json.RawMessage `json:"reply"`
	Cut   bool            `json:"cut"` // more lines ran than are there
}

// step is a line that the run has reached, before it runs.
type step struct {
	Line    int         `json:"line"`
	Frames  []frame     `json:"frames"`          // the innermost first
	Calls   []call      `json:"calls,omitempty"` // since the step before
	Keys    []keyState  `json:"keys,omitempty"`  // that have changed since the step before
	Watches []string    `json:"watches,omitempty"`
	Stops   bool        `json:"stops,omitempty"` // the condition of the breakpoint here is true
	Failed  string      `json:"failed,omitempty"`
	Globals [][2]string `json:"globals,omitempty"`
}

// frame is a function that runs.
type frame struct {
	Name   string      `json:"name"`
	Line   int         `json:"line"`
	Locals [][2]string `json:"locals"` // name and value
	Outer  [][2]string `json:"outer,omitempty"`
}

// call is a command that the script has called, or a text that it has written.
type call struct {
	Line   int      `json:"line"`
	Words  []string `json:"words"`
	Reply  string   `json:"reply"`
	Micros float64  `json:"micros"`
	Failed bool     `json:"failed,omitempty"`
}

// keyState is the value of a key. Kind says what the script did with it so far: r, w, rw, or
// nothing.
type keyState struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Limits of a trace.
const (
	maxSteps    = 3000
	maxTrace    = 8 << 20 // bytes, about
	maxTracing  = 10 * time.Second
	maxShown    = 400 // bytes of a value
	maxSeen     = 40  // variables of a frame, frames, keys, watches
	maxCalls    = 5000
	traceBudget = 256 << 10 // bytes of the order
)

var errTraceEnds = errors.New("ERR the trace has taken too long")

// traceScript is POST /api/trace.
func (c *Console) traceScript(w http.ResponseWriter, r *http.Request, p *page) {
	var o traceOrder
	if !read(w, r, traceBudget, &o) {
		return
	}
	if len(o.Request) == 0 || len(o.Request) > maxWords || len(o.Watches) > maxSeen {
		refuse(w, http.StatusBadRequest, "a trace needs a request, and has at most 40 watches")
		return
	}
	if !c.maySandbox(p.login) {
		refuse(w, http.StatusForbidden, errNoSandbox)
		return
	}
	box, err := p.box()
	held := hold{of: c.held}
	if err == nil {
		err = held.take(maxTrace)
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer held.release()
	ctx, stop := context.WithTimeout(r.Context(), maxTracing)
	defer stop()
	answer(w, box.trace(ctx, &o))
}

// trace traces a run in a world of the sandbox, as its default user.
func (b *sandbox) trace(ctx context.Context, o *traceOrder) *trace {
	defer b.enter()()
	s := b.engine.NewSession(nil)
	defer b.engine.Close(s)
	request := make([][]byte, len(o.Request))
	for i, w := range o.Request {
		request[i] = []byte(w)
	}
	b.engine.Do(s, [][][]byte{bytesOf([]string{"HELLO", "3"}), bytesOf([]string{"MINI.WORLD", "USE", o.World})})
	t := &tracer{ctx: ctx, order: o, keys: make(map[string]keyState), trace: trace{Steps: []step{}}}
	reply := b.scripts.Debug(s, engine.DebugCopy, request, t)
	if v, err := resp.NewReader(bytes.NewReader(reply)).Read(); err == nil {
		t.trace.Reply = appendReply(nil, v)
	} else {
		t.trace.Reply = appendReply(nil, resp.Value{Kind: resp.Error, Text: "ERR the reply is too large"})
	}
	return &t.trace
}

// tracer is the front end of the debugger that writes the trace.
type tracer struct {
	ctx   context.Context
	order *traceOrder
	trace trace
	debug *debugger.Debugger // nil before the first line

	keys   map[string]keyState // as they were told last
	calls  []call              // since the step before
	called int                 // in all
	began  time.Time           // of the call that runs
	size   int
}

// Stopped notes a step.
func (t *tracer) Stopped(d *debugger.Debugger, stop debugger.Stop) debugger.Order {
	if t.debug == nil {
		t.debug = d
		context.AfterFunc(t.ctx, d.Pause)
	}
	switch {
	case t.ctx.Err() != nil || stop.Reason == debugger.Overdue:
		return debugger.Abort(errTraceEnds)
	case len(t.trace.Steps) >= maxSteps || t.size > maxTrace:
		t.trace.Cut = true
		return debugger.Continue
	}
	s := step{Line: stop.Line, Frames: t.frames(d)}
	s.Globals = t.variables(d.Globals())
	t.finish(&s)
	t.look(d, &s)
	t.trace.Steps = append(t.trace.Steps, s)
	return debugger.StepInto
}

// finish gives a step the calls and the changes of keys before it.
func (t *tracer) finish(s *step) {
	s.Calls = t.calls
	if len(t.trace.Steps) == 0 || t.calls != nil {
		s.Keys = t.changedKeys()
	}
	t.calls = nil
}

// frames describes the functions that run.
func (t *tracer) frames(d *debugger.Debugger) (frames []frame) {
	for i, l := range d.Frames() {
		if i == maxSeen {
			break
		}
		frames = append(frames,
			frame{Name: l.Name, Line: l.Line, Locals: t.variables(l.Locals()), Outer: t.variables(l.Upvalues())})
	}
	return frames
}

func (t *tracer) variables(list []lua.Variable) [][2]string {
	texts := make([][2]string, 0, len(list))
	for _, v := range list[max(0, len(list)-maxSeen):] {
		texts = append(texts, [2]string{v.Name, t.cut(debugger.ShowValue(t.debug.State(), v.Value))})
	}
	return texts
}

// cut shortens a text, and counts what is told.
func (t *tracer) cut(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + " ..."
	}
	t.size += len(text) + 16
	return text
}

// look evaluates watches, and the condition of a breakpoint.
func (t *tracer) look(d *debugger.Debugger, s *step) {
	for _, w := range t.order.Watches {
		text, _ := t.evaluate(d, w)
		s.Watches = append(s.Watches, text)
	}
	if condition := t.order.Points[s.Line]; condition != "" {
		text, err := t.evaluate(d, condition)
		s.Stops = err != nil || text != "nil" && text != "false"
		if err != nil {
			s.Failed = text
		}
	}
}

func (t *tracer) evaluate(d *debugger.Debugger, expression string) (string, error) {
	values, err := d.Inspect(expression, 0)
	if err != nil {
		return t.cut(err.Error()), err
	}
	return t.cut(debugger.ShowValue(d.State(), append(values, lua.Nil)[0])), nil
}

// changedKeys returns the declared and the used keys whose values are not those that were told
// last.
func (t *tracer) changedKeys() (changed []keyState) {
	kinds := make(map[string]string)
	names := t.declared()
	for _, k := range t.debug.Touched() {
		kind := ""
		if k.Read {
			kind += "r"
		}
		if k.Written {
			kind += "w"
		}
		kinds[k.Name] = kind
		names = append(names, k.Name)
	}
	for i, name := range names {
		if i == maxSeen {
			break
		}
		k := keyState{Name: name, Kind: kinds[name], Value: t.debug.DescribeKey(name)}
		if before, known := t.keys[name]; !known || before != k {
			t.keys[name] = k
			k.Value = t.cut(k.Value)
			changed = append(changed, k)
		}
	}
	return changed
}

// declared returns the keys of the request.
func (t *tracer) declared() (names []string) {
	words := t.order.Request
	if len(words) < 3 {
		return nil
	}
	n, _ := resp.ParseInt([]byte(words[2]))
	for i := 3; i < len(words) && int64(i-3) < n; i++ {
		names = append(names, string(words[i]))
	}
	return names
}

// Called notes a command that is about to run, Replied what it has replied, Refused what has kept
// it from running.
func (t *tracer) Called(words []string) {
	shown := make([]string, 0, len(words))
	for _, w := range words[:min(len(words), maxSeen)] {
		shown = append(shown, t.cut(strings.ToValidUTF8(w, "?")))
	}
	t.add(call{Words: shown})
	t.began = time.Now()
}

func (t *tracer) Replied(reply []byte) {
	took := time.Since(t.began)
	if c := t.lastCall(); c != nil {
		c.Micros, c.Reply, c.Failed = float64(took.Nanoseconds())/1000, t.cut(debugger.DescribeReply(reply)),
			reply[0] == '-'
	}
}

func (t *tracer) Refused(text string) {
	if c := t.lastCall(); c != nil && c.Reply == "" {
		c.Reply, c.Failed = t.cut(text), true
		return
	}
	t.add(call{Words: []string{"error"}, Reply: t.cut(text), Failed: true})
}

func (t *tracer) lastCall() *call {
	if len(t.calls) == 0 {
		return nil
	}
	return &t.calls[len(t.calls)-1]
}

func (t *tracer) add(c call) {
	if t.debug != nil {
		if frames := t.debug.Frames(); len(frames) > 0 {
			c.Line = frames[0].Line
		}
	}
	if t.called++; t.called <= maxCalls {
		t.calls = append(t.calls, c)
	}
}

// Printed notes the arguments of redis.debug, Logged the text of redis.log.
func (t *tracer) Printed(d *debugger.Debugger, values []lua.Value) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = debugger.ShowValue(d.State(), v)
	}
	t.add(call{Words: []string{"redis.debug"}, Reply: t.cut(strings.Join(texts, ", "))})
}

func (t *tracer) Logged(_ int, text string) {
	t.add(call{Words: []string{"redis.log"}, Reply: t.cut(strings.ToValidUTF8(text, "?"))})
}

// Ended notes what came after the last step.
func (t *tracer) Ended([]byte) {
	if t.debug != nil {
		t.finish(&t.trace.End)
	}
}
