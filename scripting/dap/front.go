package dap

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// begin starts a run, which waits at its first line. A run that ends before, such as one that does
// not compile, is the error of the launch; one without any line has only ended, and start tells
// that.
func (s *session) begin(l Launch) error {
	execute, err := s.launcher(l)
	if err != nil {
		return err
	}
	r := &run{
		session: s, first: 1,
		tasks: make(chan func(*debugger.Debugger) *debugger.Order), begun: make(chan struct{}),
		ended: make(chan struct{}),
	}
	s.launch, s.points.program, s.points.stale = l, canonical(l.Program), true
	go func() { r.finish(execute(r)) }()
	select {
	case <-r.begun:
	case <-r.ended:
		if len(r.reply) > 0 && r.reply[0] == '-' {
			return errors.New(strings.TrimRight(string(r.reply[1:]), "\r\n"))
		}
	}
	s.run = r
	return nil
}

// Stopped tells the client, and serves tasks until one lets the run go on. At the first line it
// waits for start.
func (r *run) Stopped(d *debugger.Debugger, s debugger.Stop) debugger.Order {
	r.mu.Lock()
	isFirst, wanted, ending := r.debug == nil, r.pausing, r.ending
	r.debug, r.pausing = d, false
	r.mu.Unlock()
	if ending {
		return debugger.Abort(errAborted)
	}
	r.placeBreakpoints(d, true)
	r.catchErrors(d)
	if s.Reason == debugger.Paused && !wanted && !isFirst {
		return debugger.Resume // breakpoints were to be placed
	}
	r.forget()
	r.setStopped(true)
	if isFirst {
		r.watchKeys(d)
		close(r.begun)
	} else {
		r.announce(s)
	}
	for {
		if o := (<-r.tasks)(d); o != nil {
			r.shows = *o == debugger.StepInto || *o == debugger.StepOver
			return *o
		}
	}
}

// start lets the run leave its first line, if it does not stop there for the client.
func (r *run) start() {
	err := r.do(func(d *debugger.Debugger) *debugger.Order {
		switch s := (debugger.Stop{Line: d.CurrentLine(), Reason: debugger.AtBreakpoint}); {
		case r.launch.NoDebug:
			return &debugger.Detach
		case d.MeetsBreakpoint():
			r.announce(s)
			return nil
		case r.launch.StopOnEntry:
			s.Reason = debugger.Stepped
			r.announce(s)
			return nil
		}
		return &debugger.Continue
	})
	if err != nil { // it had no line
		r.tellEnd(r.reply)
	}
}

// endRun ends the run, if there is one, for a client that leaves.
func (s *session) endRun() {
	if s.run != nil {
		s.run.end(true)
	}
}

// reasons are the reasons of a stop, in the words of the protocol, and what an editor shows.
var reasons = map[debugger.Reason][2]string{
	debugger.BreakCalled:  {"breakpoint", "Paused at redis.breakpoint()"},
	debugger.AtBreakpoint: {"breakpoint", "Paused at a breakpoint"},
	debugger.Changed:      {"data breakpoint", "Paused: a watched value has changed"},
	debugger.Finished:     {"step", "Paused: the function has returned"},
	debugger.Overdue:      {"pause", "Paused: the script has run for a long time"},
	debugger.Paused:       {"pause", "Paused"},
	debugger.Stepped:      {"step", "Paused"},
	debugger.Rewound:      {"step", "Paused after going back"},
	debugger.Failed:       {"exception", "Paused at an error"},
}

// announce tells the client where the run has stopped, and why. Editors show the text of the event
// in different places, some nowhere, so it goes to the console as well.
func (r *run) announce(s debugger.Stop) {
	e := new(dap.StoppedEvent)
	e.Body = dap.StoppedEventBody{
		Reason: reasons[s.Reason][0], Description: reasons[s.Reason][1], ThreadId: thread, AllThreadsStopped: true,
		Text: changes(s.Changes),
	}
	if s.Reason == debugger.AtBreakpoint {
		e.Body.HitBreakpointIds = r.points.at(s.Line)
	}
	switch {
	case s.Reason == debugger.Failed:
		e.Body.Text = s.Err.Error()
	case s.Err != nil:
		r.say("stderr", fmt.Sprintf("The condition of the breakpoint at line %d failed: %s", s.Line, s.Err), s.Line)
	}
	if e.Body.Text != "" {
		r.say("console", e.Body.Text, s.Line)
	}
	r.tell("stopped", e)
}

// changes returns what the values of watches were and are.
func changes(list []debugger.Change) string {
	var lines []string
	for _, c := range list {
		name := c.Expression
		if name == "" {
			name = "key " + c.Key
		}
		lines = append(lines, name+": "+c.Old+" -> "+c.Value)
	}
	return strings.Join(lines, "\n")
}

// Printed shows the arguments of redis.debug.
func (r *run) Printed(d *debugger.Debugger, values []lua.Value) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = debugger.ShowValue(d.State(), v)
	}
	r.say("stdout", strings.Join(texts, ", "), d.CurrentLine())
}

// Logged shows the text of redis.log.
func (r *run) Logged(level int, text string) {
	r.say("stdout", [...]string{"debug", "verbose", "notice", "warning"}[level]+": "+text, r.line())
}

// Called shows a command that the script is about to call, if the run goes step by step.
func (r *run) Called(words []string) {
	if r.shows {
		line := []byte("redis>")
		for _, w := range words {
			if strings.ContainsAny(w, " \"'\\\r\n") || w == "" {
				w = string(resp.Quote(nil, w))
			}
			line = append(append(line, ' '), w...)
		}
		r.say("console", cut(string(line)), r.line())
	}
}

// Replied shows the reply to it.
func (r *run) Replied(reply []byte) {
	if r.shows {
		r.say("console", cut(debugger.DescribeReply(reply)), 0)
	}
}

// Refused shows an error of the functions of redis.
func (r *run) Refused(text string) {
	if r.shows {
		r.say("console", text, 0)
	}
}

// Ended is called when the run has ended. The session hears of it from finish, which knows runs
// without a line, too.
func (r *run) Ended([]byte) {}

// finish notes the reply of the run, and tells the client of it.
func (r *run) finish(reply []byte) {
	r.reply = bytes.Clone(reply)
	r.mu.Lock()
	hasBegun, silent := r.debug != nil, r.silent
	r.stopped = false
	r.mu.Unlock()
	close(r.ended)
	if hasBegun && !silent {
		r.tellEnd(r.reply)
	}
}

// errorLine is where the text of an error names a line of the script.
var errorLine = regexp.MustCompile(`user_(?:script|function):(\d+)`)

// tellEnd tells the client the reply, and that the run has ended.
func (r *run) tellEnd(reply []byte) {
	text, category, line := errTooLarge.Error(), "stderr", 0
	if v, err := resp.NewReader(bytes.NewReader(reply)).Read(); err == nil {
		text, category = v.String(), "stdout"
		if v.IsError() {
			category = "stderr"
			if at := errorLine.FindStringSubmatch(text); at != nil {
				line, _ = strconv.Atoi(at[1])
			}
		}
	}
	separator := " "
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	r.say(category, "Reply:"+separator+text, line)
	e := new(dap.ExitedEvent)
	if category == "stderr" {
		e.Body.ExitCode = 1
	}
	r.tell("exited", e)
	r.tell("terminated", new(dap.TerminatedEvent))
}
