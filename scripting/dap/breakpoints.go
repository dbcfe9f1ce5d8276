package dap

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// breakpoints are what a client wants, and what has become of that. The session changes them, and
// the run places them:
//
//	before launch       they are kept, and told as pending
//	where it stopped    they are placed at once, and the response tells what became of them
//	while it runs       the run pauses at its next line; an event tells what became of them
type breakpoints struct {
	mu      sync.Mutex               // of all fields; program changes only while there is no run
	files   map[string][]*breakpoint // of each file by canonical path, in the order of the client
	program string                   // the file that is debugged; "" before launch
	last    int                      // number given to a breakpoint; numbers are never used again
	stale   bool                     // the run does not know them yet
	catches bool                     // the run stops where an error ends it
}

type breakpoint struct {
	wanted dap.SourceBreakpoint // the line as the debugger counts
	told   dap.Breakpoint       // to the client, but with a line as the debugger counts
}

// canonical returns a path as breakpoints compare it: absolute, and without symbolic links, since
// editors send what their user has opened.
func canonical(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// setBreakpoints replaces the breakpoints of a file. Those of a run that has not stopped are placed
// a moment later.
func (s *session) setBreakpoints(r *dap.SetBreakpointsRequest) (dap.ResponseMessage, error) {
	file := canonical(r.Arguments.Source.Path)
	list := r.Arguments.Breakpoints
	for _, line := range r.Arguments.Lines {
		if r.Arguments.Breakpoints == nil {
			list = append(list, dap.SourceBreakpoint{Line: line})
		}
	}
	s.points.replace(s, file, list)
	if s.run != nil && s.run.look(func(d *debugger.Debugger) { s.run.placeBreakpoints(d, false) }) == errRuns {
		s.run.visit()
	}
	return &dap.SetBreakpointsResponse{Body: dap.SetBreakpointsResponseBody{Breakpoints: s.points.of(s, file)}}, nil
}

// visit makes the run place the breakpoints at its next line. It pauses there, and goes on without
// telling the client.
func (r *run) visit() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.debug != nil {
		r.debug.Pause()
	}
}

func (b *breakpoints) replace(s *session, file string, list []dap.SourceBreakpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files == nil {
		b.files = make(map[string][]*breakpoint)
	}
	b.files[file], b.stale = nil, true
	for _, wanted := range list {
		b.last++
		wanted.Line = s.fromClient(wanted.Line)
		p := &breakpoint{wanted: wanted,
			told: dap.Breakpoint{Id: b.last, Line: wanted.Line, Message: errPending.Error()}}
		if b.program != "" && file != b.program {
			p.told.Message = errOtherFile.Error()
		}
		b.files[file] = append(b.files[file], p)
	}
}

// of returns the breakpoints of a file as the client is told them.
func (b *breakpoints) of(s *session, file string) []dap.Breakpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := []dap.Breakpoint{}
	for _, p := range b.files[file] {
		told = append(told, p.forClient(s))
	}
	return told
}

func (p *breakpoint) forClient(s *session) dap.Breakpoint {
	told := p.told
	told.Line = s.toClient(told.Line)
	return told
}

// at returns the numbers of the breakpoints at a line.
func (b *breakpoints) at(line int) (numbers []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.files[b.program] {
		if p.told.Verified && p.told.Line == line {
			numbers = append(numbers, p.told.Id)
		}
	}
	return numbers
}

// placeBreakpoints sets the breakpoints where the run has stopped, if they are stale. With tells it
// tells the client what has become of them.
func (r *run) placeBreakpoints(d *debugger.Debugger, tells bool) {
	b := &r.points
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stale {
		return
	}
	b.stale = false
	d.RemoveBreakpoints()
	for _, p := range b.files[b.program] {
		before := p.told
		r.place(d, p)
		if tells && p.told != before {
			e := new(dap.BreakpointEvent)
			e.Body.Reason, e.Body.Breakpoint = "changed", p.forClient(r.session)
			r.tell("breakpoint", e)
		}
	}
}

// place sets a breakpoint, at the first line with code from the wanted one on. One that cannot be
// set stays where the user wanted it, unverified, with the reason as its message.
func (r *run) place(d *debugger.Debugger, p *breakpoint) {
	line := d.LineWithCode(p.wanted.Line)
	hits, err := parseHits(p.wanted.HitCondition)
	switch {
	case line == 0:
		line, err = p.wanted.Line, errNoCode
	case err == nil:
		point := debugger.Breakpoint{Line: line, Condition: p.wanted.Condition}
		if hits != nil || p.wanted.LogMessage != "" {
			point.Met = func() bool { return r.meets(d, p, hits) }
		}
		err = d.AddBreakpoint(point)
	}
	p.told.Line, p.told.Verified, p.told.Message = line, err == nil, ""
	if err != nil {
		p.told.Message = err.Error()
	}
}

// meets reports whether the run stops at a breakpoint with a hit condition or a message. Hits are
// counted while the run goes forward: a replay passes the same lines again, and there every
// breakpoint is a stop to go back to. A message is shown instead of stopping.
func (r *run) meets(d *debugger.Debugger, p *breakpoint, hits func() bool) bool {
	switch {
	case d.Replays():
		return p.wanted.LogMessage == ""
	case hits != nil && !hits():
		return false
	case p.wanted.LogMessage == "":
		return true
	}
	r.say("stdout", fill(d, p.wanted.LogMessage), d.CurrentLine())
	return false
}

var hitCondition = regexp.MustCompile(`^\s*(==|>=|<=|>|<|%|)\s*([0-9]{1,9})\s*$`)

// parseHits returns a function that counts a hit and reports whether it is one to stop at; nil for
// no condition. A number alone means the hit of that number, as in most debuggers.
func parseHits(condition string) (func() bool, error) {
	if strings.TrimSpace(condition) == "" {
		return nil, nil
	}
	parts := hitCondition.FindStringSubmatch(condition)
	if parts == nil {
		return nil, errHitCondition
	}
	n, _ := strconv.Atoi(parts[2])
	hits := 0
	return func() bool {
		hits++
		switch parts[1] {
		case ">=":
			return hits >= n
		case ">":
			return hits > n
		case "<=":
			return hits <= n
		case "<":
			return hits < n
		case "%":
			return n > 0 && hits%n == 0
		}
		return hits == n
	}, nil
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// fill puts values in the place of {expressions}.
func fill(d *debugger.Debugger, message string) string {
	return placeholder.ReplaceAllStringFunc(message, func(text string) string {
		values, err := d.Inspect(text[1:len(text)-1], 0)
		if err != nil {
			return "{" + err.Error() + "}"
		}
		return cut(showAll(d, values))
	})
}

// breakpointLocations returns the lines with code in a range.
func (s *session) breakpointLocations(r *dap.BreakpointLocationsRequest) (dap.ResponseMessage, error) {
	a := r.Arguments
	if a == nil || canonical(a.Source.Path) != s.points.program {
		return nil, errOtherFile
	}
	found := []dap.BreakpointLocation{}
	err := s.run.look(func(d *debugger.Debugger) {
		end := s.fromClient(max(a.Line, a.EndLine))
		for line := d.LineWithCode(s.fromClient(a.Line)); line > 0 && line <= end; line = d.LineWithCode(line + 1) {
			found = append(found, dap.BreakpointLocation{Line: s.toClient(line)})
		}
	})
	return &dap.BreakpointLocationsResponse{Body: dap.BreakpointLocationsResponseBody{Breakpoints: found}}, err
}

// uncaught is the name of the errors that end a script: the debugger can stop at these.
const uncaught = "uncaught"

// setExceptionBreakpoints notes whether the run stops where an error ends it. One that runs hears
// of that at its next stop.
func (s *session) setExceptionBreakpoints(r *dap.SetExceptionBreakpointsRequest) (dap.ResponseMessage, error) {
	s.points.setCatches(slices.Contains(r.Arguments.Filters, uncaught))
	if s.run != nil {
		_ = s.run.look(s.run.catchErrors)
	}
	return new(dap.SetExceptionBreakpointsResponse), nil
}

func (b *breakpoints) setCatches(yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.catches = yes
}

func (r *run) catchErrors(d *debugger.Debugger) {
	r.points.mu.Lock()
	defer r.points.mu.Unlock()
	_ = d.CatchErrors(r.points.catches)
}

// setFunctionBreakpoints refuses all: clients ask for it without being offered any.
func (s *session) setFunctionBreakpoints(r *dap.SetFunctionBreakpointsRequest) (dap.ResponseMessage, error) {
	return &dap.SetFunctionBreakpointsResponse{Body: dap.SetFunctionBreakpointsResponseBody{
		Breakpoints: make([]dap.Breakpoint, len(r.Arguments.Breakpoints)),
	}}, nil
}
