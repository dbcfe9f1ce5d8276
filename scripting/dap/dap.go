// Package dap lets an editor debug scripts: it is the front end of the debugger that speaks the
// Debug Adapter Protocol, as of https://microsoft.github.io/debug-adapter-protocol. It knows
// neither the engine nor files: a Launcher makes what runs.
//
//	editor ─ request ─▶ session ─ task ─▶ run ─ an Order ─▶ Debugger   requests.go: their table
//	   ▲                   │               │                   │       run.go: its goroutine
//	   └──── response ─────┘               │                   │       breakpoints.go, watches.go
//	   └──────────── events ───────────────┴───── Stopped ─────┘       variables.go, front.go
//
// A session is one connection, which handles one request at a time. Its script runs on a goroutine
// of its own:
//
//  1. launch starts it. It waits at its first line until the client has sent its breakpoints and
//     configurationDone.
//  2. Where it stops, it serves tasks, in which the requests look around. A task that returns an
//     order lets it go on.
//  3. While it runs, requests that need it are refused. New breakpoints let it pause for a moment.
//
// So only the goroutine of the run uses the debugger, except to ask for a pause or for the end,
// which the debugger allows at any time.
//
// What a client sends in a wrong order, or what is no request, gets an error response. A frame that
// cannot be read ends the session, since nothing tells where the next one begins.
package dap

import (
	"encoding/json"
	"path/filepath"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// Launch is what a client wants to debug: the arguments of its launch request.
type Launch struct {
	Program     string  `json:"program"`  // the file
	Function    string  `json:"function"` // of the library in the file; "" if the file is a script
	Keys        texts   `json:"keys"`
	Args        texts   `json:"args"`
	Load        paths   `json:"load"` // files with data that are loaded first
	At          string  `json:"at"`   // time at which the clock stands still
	Seed        *uint64 `json:"seed"`
	StopOnEntry bool    `json:"stopOnEntry"`
	NoDebug     bool    `json:"noDebug"`
}

// texts are strings. A client may write them as numbers.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		return errTexts
	}
	for _, item := range items {
		var text string
		var number json.Number
		if json.Unmarshal(item, &text) != nil {
			if err := json.Unmarshal(item, &number); err != nil {
				return errTexts
			}
			text = number.String()
		}
		*t = append(*t, text)
	}
	return nil
}

// paths are names of files. A client may write a single one without a list.
type paths []string

// UnmarshalJSON implements json.Unmarshaler.
func (p *paths) UnmarshalJSON(data []byte) error {
	var one string
	switch {
	case json.Unmarshal(data, (*[]string)(p)) == nil:
	case json.Unmarshal(data, &one) != nil:
		return errPaths
	case one != "":
		*p = paths{one}
	}
	return nil
}

// Run runs a script or a function with a front end, and returns the reply in the protocol; nil if
// that is too large.
type Run func(front debugger.FrontEnd) (reply []byte)

// Launcher prepares what a client wants to debug. It is called again for a restart.
type Launcher func(l Launch) (Run, error)

// session is a client.
type session struct {
	*output
	launcher Launcher

	phase  phase
	launch Launch      // of the present run; a restart uses it again
	run    *run        // nil before launch; an ended one until a restart
	points breakpoints // of the client; they outlive a run
	keys   []string    // whose values the client watches, also in the next run

	zeroBased bool   // the client counts lines and columns from 0
	content   []byte // of the message that is handled

	// What is done once the response is sent: an event must not overtake the response to the
	// request that caused it, or editors show the wrong state.
	then func()
	left bool // the client has said that it leaves
}

// phase is how far a client has come. The protocol has one order, and each request says from which
// phase on it makes sense.
type phase int

const (
	fresh       phase = iota
	initialized       // the capabilities were exchanged
	launched          // a run waits at its first line for breakpoints
	configured        // the client has sent all of them
)

// fromClient returns a line as the debugger counts it, toClient one as the client does.
func (s *session) fromClient(line int) int { return line + s.offset() }
func (s *session) toClient(line int) int   { return line - s.offset() }

func (s *session) offset() int {
	if s.zeroBased {
		return 1
	}
	return 0
}

// source is the file of the script.
func (s *session) source() *dap.Source {
	return &dap.Source{Name: filepath.Base(s.launch.Program), Path: s.launch.Program}
}
