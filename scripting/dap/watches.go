package dap

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// A data breakpoint is a watch of the debugger. Its name tells what it watches:
//
//	key <name>                      a key
//	<activation> <expression>       Lua in the frame of an activation, 0 for any
//
// The client keeps the names, and sends all of them whenever one comes or goes. A key has the same
// name in the next run, where an activation is gone: so only keys can be kept.

const keyName = "key "

// dataBreakpointInfo returns the name of the data breakpoint for a variable, or for an expression.
func (s *session) dataBreakpointInfo(q *dap.DataBreakpointInfoRequest) (dap.ResponseMessage, error) {
	a, r := q.Arguments, s.run
	body := dap.DataBreakpointInfoResponseBody{AccessTypes: []dap.DataBreakpointAccessType{"write"}}
	var missing error
	err := r.look(func(d *debugger.Debugger) {
		expression, frame := a.Name, a.FrameId-1
		if a.VariablesReference > 0 {
			h := r.held(a.VariablesReference)
			if h == nil {
				missing = errReference
				return
			}
			if h.keys {
				body.DataId, body.Description, body.CanPersist = keyName+a.Name, "key "+a.Name, true
				return
			}
			list := h.list(0, 0)
			i := slices.IndexFunc(list, func(v dap.Variable) bool { return v.Name == a.Name })
			if i < 0 || list[i].EvaluateName == "" {
				body.Description = "cannot watch " + a.Name
				return
			}
			expression, frame = list[i].EvaluateName, h.frame
		}
		activation := 0
		if frames := d.Frames(); frame >= 0 && frame < len(frames) {
			activation = frames[frame].Activation
		}
		body.DataId, body.Description = strconv.Itoa(activation)+" "+expression, expression
	})
	return &dap.DataBreakpointInfoResponse{Body: body}, firstOf(err, missing)
}

// setDataBreakpoints replaces the watches.
func (s *session) setDataBreakpoints(q *dap.SetDataBreakpointsRequest) (dap.ResponseMessage, error) {
	list := q.Arguments.Breakpoints
	told := make([]dap.Breakpoint, len(list))
	s.keys = nil
	for i, p := range list {
		told[i].Message = errNoWatch.Error()
		if key, ok := strings.CutPrefix(p.DataId, keyName); ok {
			s.keys = append(s.keys, key)
			told[i] = dap.Breakpoint{Verified: true}
		}
	}
	if s.run != nil {
		err := s.run.look(func(d *debugger.Debugger) {
			for _, w := range d.Watches() {
				_ = d.Unwatch(w.Number)
			}
			s.run.watchKeys(d)
			for i, p := range list {
				if !strings.HasPrefix(p.DataId, keyName) {
					told[i] = watch(d, p.DataId)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return &dap.SetDataBreakpointsResponse{Body: dap.SetDataBreakpointsResponseBody{Breakpoints: told}}, nil
}

// watchKeys watches the keys that the client has named, also in a run that has just begun.
func (r *run) watchKeys(d *debugger.Debugger) {
	for _, key := range r.keys {
		_, _ = d.WatchKey(key)
	}
}

// watch watches the expression of a data breakpoint.
func watch(d *debugger.Debugger, name string) dap.Breakpoint {
	number, expression, _ := strings.Cut(name, " ")
	activation, err := strconv.Atoi(number)
	frame := 0
	if activation > 0 {
		frame = slices.IndexFunc(d.Frames(), func(l lua.Level) bool { return l.Activation == activation })
	}
	if err != nil || frame < 0 {
		return dap.Breakpoint{Message: errNoWatch.Error()}
	}
	if _, err := d.WatchExpression(expression, frame); err != nil {
		return dap.Breakpoint{Message: err.Error()}
	}
	return dap.Breakpoint{Verified: true}
}
