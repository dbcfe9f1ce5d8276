package dap_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	protocol "github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/scripting/dap"
	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// runs is the number of runs that have not ended.
var runs atomic.Int64

// launch runs a file in an engine of its own, which has a string and a list.
func launch(l dap.Launch) (dap.Run, error) {
	source, err := os.ReadFile(l.Program)
	if err != nil {
		return nil, err
	}
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	e.Join(commands.Parts(e)...)
	s := scripting.New(e)
	e.Join(s.Part())
	session := e.NewSession(nil)
	do := func(words ...string) { e.Do(session, [][][]byte{request(words...)}) }
	do("SET", "text", "hello")
	do("RPUSH", "list", "a", "b")
	words := []string{"EVAL", string(source)}
	if l.Function != "" {
		do("FUNCTION", "LOAD", string(source))
		words = []string{"FCALL", l.Function}
	}
	words = append(append(append(words, strconv.Itoa(len(l.Keys))), l.Keys...), l.Args...)
	return func(front debugger.FrontEnd) []byte {
		runs.Add(1)
		defer runs.Add(-1)
		return s.Debug(session, engine.DebugCopy, request(words...), front)
	}, nil
}

func request(words ...string) (list [][]byte) {
	for _, w := range words {
		list = append(list, []byte(w))
	}
	return list
}

// client is an editor.
type client struct {
	t       *testing.T
	to      *io.PipeWriter
	from    *bufio.Reader
	seq     int
	waiting []protocol.Message // events that nothing has asked for yet
	served  chan error
}

// connect starts a session.
func connect(t *testing.T) *client {
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &client{t: t, to: to, from: bufio.NewReader(from), served: make(chan error, 1)}
	go func() {
		c.served <- dap.Serve(t.Context(), in, out, launch)
		_ = in.Close()
		_ = out.Close()
	}()
	t.Cleanup(func() { _ = to.Close(); _ = from.Close() })
	return c
}

// write sends bytes as they are.
func (c *client) write(text string) {
	_, _ = io.WriteString(c.to, text)
}

// send sends a request.
func (c *client) send(command string, arguments any) {
	c.seq++
	content, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command,
		"arguments": arguments})
	require.NoError(c.t, err)
	c.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content))
}

// read returns the next message.
func (c *client) read() protocol.Message {
	overdue := time.AfterFunc(time.Minute, func() { _ = c.to.Close() })
	defer overdue.Stop()
	m, err := protocol.ReadProtocolMessage(c.from)
	require.NoError(c.t, err)
	return m
}

// response returns the next response, and keeps the events before it.
func (c *client) response() protocol.Message {
	for {
		m := c.read()
		if _, ok := m.(protocol.ResponseMessage); ok {
			return m
		}
		c.waiting = append(c.waiting, m)
	}
}

type arguments = map[string]any

// ask sends a request and returns its response, which is no error.
func ask[R protocol.Message](c *client, command string, a any) R {
	c.t.Helper()
	c.send(command, a)
	m := c.response()
	r, ok := m.(R)
	require.True(c.t, ok, "%s: %+v", command, m)
	require.Equal(c.t, c.seq, m.(protocol.ResponseMessage).GetResponse().RequestSeq)
	return r
}

// refused sends a request and returns the text of its error.
func (c *client) refused(command string, a any) string {
	c.t.Helper()
	c.send(command, a)
	return c.failure()
}

func (c *client) failure() string {
	c.t.Helper()
	m := c.response()
	r, ok := m.(*protocol.ErrorResponse)
	require.True(c.t, ok, "%+v", m)
	require.False(c.t, r.Success)
	require.Equal(c.t, r.Message, r.Body.Error.Variables["text"])
	return r.Message
}

// event returns the next event of a kind, and drops those before it.
func event[E protocol.EventMessage](c *client) E {
	c.t.Helper()
	for {
		var m protocol.Message
		if len(c.waiting) > 0 {
			m, c.waiting = c.waiting[0], c.waiting[1:]
		} else {
			m = c.read()
		}
		if e, ok := m.(E); ok {
			return e
		}
		_, isEnd := m.(*protocol.TerminatedEvent)
		require.False(c.t, isEnd, "the script has ended")
	}
}

// file writes a script.
func file(t *testing.T, source string) string {
	path := filepath.Join(t.TempDir(), "script.lua")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	return path
}

// launched starts a session that debugs a script, and returns it where the breakpoints can be set.
func launched(t *testing.T, a arguments) *client {
	c := connect(t)
	ask[*protocol.InitializeResponse](c, "initialize", arguments{"adapterID": "miniserver", "linesStartAt1": true})
	ask[*protocol.LaunchResponse](c, "launch", a)
	event[*protocol.InitializedEvent](c)
	return c
}

// started starts a session that stops at the first line, or at breakpoints.
func started(t *testing.T, path string, points ...arguments) *client {
	c := launched(t, arguments{"program": path, "keys": []string{"text", "k"}, "args": []any{"x", 5},
		"stopOnEntry": len(points) == 0})
	for _, p := range c.setBreakpoints(path, points...) {
		require.True(t, p.Verified, "%+v", p)
	}
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	return c
}

func (c *client) setBreakpoints(path string, points ...arguments) []protocol.Breakpoint {
	args := arguments{"source": arguments{"path": path}, "breakpoints": points}
	return ask[*protocol.SetBreakpointsResponse](c, "setBreakpoints", args).Body.Breakpoints
}

// stopped waits until the script has stopped, and returns "<reason> <name> <line>" of where.
func (c *client) stopped() string {
	c.t.Helper()
	e := event[*protocol.StoppedEvent](c)
	f := ask[*protocol.StackTraceResponse](c, "stackTrace", arguments{"threadId": 1}).Body.StackFrames[0]
	return fmt.Sprintf("%s %s %d", e.Body.Reason, f.Name, f.Line)
}

// scope returns the variables of a scope of the innermost frame as "name=value".
func (c *client) scope(name string) (list []protocol.Variable) {
	c.t.Helper()
	for _, s := range ask[*protocol.ScopesResponse](c, "scopes", arguments{"frameId": 1}).Body.Scopes {
		if s.Name == name {
			return c.variables(s.VariablesReference)
		}
	}
	return nil
}

func (c *client) variables(reference int) []protocol.Variable {
	c.t.Helper()
	return ask[*protocol.VariablesResponse](c, "variables", arguments{"variablesReference": reference}).Body.Variables
}

func shown(list []protocol.Variable) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, v.Name+"="+v.Value)
	}
	return strings.Join(parts, " ")
}

// evaluate returns what an expression yields in a frame.
func (c *client) evaluate(context, expression string) string {
	c.t.Helper()
	args := arguments{"expression": expression, "frameId": 1, "context": context}
	return ask[*protocol.EvaluateResponse](c, "evaluate", args).Body.Result
}

// goOn sends a request that lets the script go on, and returns where that stops.
func (c *client) goOn(command string) string {
	c.t.Helper()
	c.send(command, arguments{"threadId": 1})
	r := c.response().(protocol.ResponseMessage).GetResponse()
	require.True(c.t, r.Success, r.Message)
	return c.stopped()
}

// end lets the script run to its end, and returns the reply that it shows, and the exit code.
func (c *client) end() (reply string, code int) {
	c.t.Helper()
	ask[*protocol.ContinueResponse](c, "continue", arguments{"threadId": 1})
	return c.ended()
}

func (c *client) ended() (reply string, code int) {
	c.t.Helper()
	for !strings.HasPrefix(reply, "Reply:") {
		reply = event[*protocol.OutputEvent](c).Body.Output
	}
	code = event[*protocol.ExitedEvent](c).Body.ExitCode
	event[*protocol.TerminatedEvent](c)
	return reply, code
}

// leave ends the session.
func (c *client) leave() {
	c.t.Helper()
	ask[*protocol.DisconnectResponse](c, "disconnect", nil)
	require.NoError(c.t, <-c.served)
}
