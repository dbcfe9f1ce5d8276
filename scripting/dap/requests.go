package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// request is a line of the table: what a client may ask for.
type request struct {
	needs phase
	do    func(s *session, m dap.Message) (dap.ResponseMessage, error)
}

// on makes a line of the table.
func on[R dap.Message](needs phase, do func(s *session, r R) (dap.ResponseMessage, error)) request {
	return request{needs, func(s *session, m dap.Message) (dap.ResponseMessage, error) { return do(s, m.(R)) }}
}

// order makes a line of the table for a request that lets the script go on.
func order[R dap.Message](o debugger.Order, response func() dap.ResponseMessage) request {
	return on(launched, func(s *session, _ R) (dap.ResponseMessage, error) { return response(), s.order(o) })
}

// requests are all that a client may ask for, by the names of the protocol. What initialize does
// not offer is not here, but for what clients send all the same.
var requests = map[string]request{
	"initialize":              on(fresh, (*session).initialize),
	"launch":                  on(initialized, (*session).onLaunch),
	"attach":                  on(initialized, (*session).attach),
	"setBreakpoints":          on(initialized, (*session).setBreakpoints),
	"setExceptionBreakpoints": on(initialized, (*session).setExceptionBreakpoints),
	"setFunctionBreakpoints":  on(initialized, (*session).setFunctionBreakpoints),
	"breakpointLocations":     on(launched, (*session).breakpointLocations),
	"dataBreakpointInfo":      on(launched, (*session).dataBreakpointInfo),
	"setDataBreakpoints":      on(initialized, (*session).setDataBreakpoints),
	"configurationDone":       on(launched, (*session).configurationDone),
	"threads":                 on(initialized, (*session).threads),
	"stackTrace":              on(launched, (*session).stackTrace),
	"scopes":                  on(launched, (*session).scopes),
	"variables":               on(launched, (*session).variables),
	"evaluate":                on(launched, (*session).evaluate),
	"pause":                   on(launched, (*session).pause),
	"restart":                 on(launched, (*session).restart),
	"terminate":               on(launched, (*session).terminate),
	"disconnect":              on(fresh, (*session).disconnect),

	"continue": order[*dap.ContinueRequest](debugger.Continue, func() dap.ResponseMessage {
		return &dap.ContinueResponse{Body: dap.ContinueResponseBody{AllThreadsContinued: true}}
	}),
	"next": order[*dap.NextRequest](debugger.StepOver, func() dap.ResponseMessage { return new(dap.NextResponse) }),
	"stepIn": order[*dap.StepInRequest](debugger.StepInto,
		func() dap.ResponseMessage { return new(dap.StepInResponse) }),
	"stepOut": order[*dap.StepOutRequest](debugger.StepOut,
		func() dap.ResponseMessage { return new(dap.StepOutResponse) }),
	"stepBack": order[*dap.StepBackRequest](debugger.BackwardStep,
		func() dap.ResponseMessage { return new(dap.StepBackResponse) }),
	"reverseContinue": order[*dap.ReverseContinueRequest](debugger.BackwardContinue, func() dap.ResponseMessage {
		return new(dap.ReverseContinueResponse)
	}),
}

// tooEarly is what a request gets that needs a later phase.
var tooEarly = map[phase]error{fresh: errNotInit, initialized: errNotLaunched, launched: errNotLaunched}

// initialize tells what the debugger can do. Clients count lines from 1 unless they say otherwise,
// which the decoded message cannot tell from not saying anything: so the bytes are read once more.
func (s *session) initialize(*dap.InitializeRequest) (dap.ResponseMessage, error) {
	if s.phase != fresh {
		return nil, errInitialized
	}
	s.phase = initialized
	var counts struct{ Arguments struct{ LinesStartAt1 *bool } }
	if json.Unmarshal(s.content, &counts) == nil && counts.Arguments.LinesStartAt1 != nil {
		s.zeroBased = !*counts.Arguments.LinesStartAt1
	}
	return &dap.InitializeResponse{Body: dap.Capabilities{
		SupportsConfigurationDoneRequest:   true,
		SupportsConditionalBreakpoints:     true,
		SupportsHitConditionalBreakpoints:  true,
		SupportsLogPoints:                  true,
		SupportsDataBreakpoints:            true,
		SupportsBreakpointLocationsRequest: true,
		SupportsEvaluateForHovers:          true,
		SupportsClipboardContext:           true,
		SupportsStepBack:                   true,
		SupportsRestartRequest:             true,
		SupportsTerminateRequest:           true,
		SupportsDelayedStackTraceLoading:   true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{
			{Filter: uncaught, Label: "Errors that end the script", Default: true},
		},
	}}, nil
}

// attach is refused with a text that says what to do: editors offer it for every debugger.
func (s *session) attach(*dap.AttachRequest) (dap.ResponseMessage, error) { return nil, errAttach }

// onLaunch starts the script, and then asks for the breakpoints by the event initialized: they can
// be placed now, so the client is told at once which ones have no code.
func (s *session) onLaunch(r *dap.LaunchRequest) (dap.ResponseMessage, error) {
	if s.phase >= launched {
		return nil, errLaunched
	}
	launch, err := parseLaunch(r.Arguments)
	if err != nil {
		return nil, err
	}
	if err := s.begin(launch); err != nil {
		return nil, err
	}
	s.phase = launched
	s.then = func() { s.tell("initialized", new(dap.InitializedEvent)) }
	return new(dap.LaunchResponse), nil
}

// parseLaunch reads the arguments of a launch, which a user has written: errors name the attribute.
func parseLaunch(arguments json.RawMessage) (l Launch, err error) {
	if len(arguments) > 0 {
		err = json.Unmarshal(arguments, &l)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return l, fmt.Errorf("the attribute %s cannot be a %s", wrong.Field, wrong.Value)
	case err != nil && wrong == nil:
		return l, err
	case l.Program == "":
		return l, errNoProgram
	}
	l.Program, err = filepath.Abs(l.Program)
	return l, err
}

// configurationDone lets the script leave its first line.
func (s *session) configurationDone(*dap.ConfigurationDoneRequest) (dap.ResponseMessage, error) {
	if s.phase == configured {
		return nil, errConfigured
	}
	s.phase = configured
	s.then = s.run.start
	return new(dap.ConfigurationDoneResponse), nil
}

// order lets the script go on once the response is sent. Whether it may go back is found out
// before, as a response cannot be taken back.
func (s *session) order(o debugger.Order) error {
	if s.phase < configured {
		return errRuns
	}
	var refused error
	err := s.run.look(func(d *debugger.Debugger) {
		if o.GoesBack() {
			refused = d.CanGoBack()
		}
	})
	if err != nil || refused != nil {
		return firstOf(err, refused)
	}
	s.then = func() { _ = s.run.do(func(*debugger.Debugger) *debugger.Order { return &o }) }
	return nil
}

func (s *session) pause(*dap.PauseRequest) (dap.ResponseMessage, error) {
	s.then = s.run.pause
	return new(dap.PauseResponse), nil
}

// restart begins anew, with the file, the data and the arguments of the launch, or with those that
// the client sends. The old run ends first, without a word: to the client it is the same session.
func (s *session) restart(r *dap.RestartRequest) (dap.ResponseMessage, error) {
	launch := s.launch
	var again struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if len(r.Arguments) > 0 && json.Unmarshal(r.Arguments, &again) == nil && len(again.Arguments) > 0 {
		var err error
		if launch, err = parseLaunch(again.Arguments); err != nil {
			return nil, err
		}
	}
	if !s.run.end(true) {
		return nil, errNotEnding
	}
	if err := s.begin(launch); err != nil {
		s.tell("terminated", new(dap.TerminatedEvent))
		return nil, err
	}
	if s.phase == configured {
		s.then = s.run.start
	}
	return new(dap.RestartResponse), nil
}

func (s *session) terminate(*dap.TerminateRequest) (dap.ResponseMessage, error) {
	s.then = func() { s.run.end(false) }
	return new(dap.TerminateResponse), nil
}

// disconnect ends the script and the session. There is no script that goes on without its editor.
func (s *session) disconnect(*dap.DisconnectRequest) (dap.ResponseMessage, error) {
	s.endRun()
	s.left = true
	return new(dap.DisconnectResponse), nil
}

// threads returns the only one.
func (s *session) threads(*dap.ThreadsRequest) (dap.ResponseMessage, error) {
	list := []dap.Thread{}
	if s.run != nil {
		list = append(list, dap.Thread{Id: thread, Name: filepath.Base(s.launch.Program)})
	}
	return &dap.ThreadsResponse{Body: dap.ThreadsResponseBody{Threads: list}}, nil
}
