// Package lint finds mistakes in Lua scripts for Redis before they run.
//
//	source ─▶ syntax tree ─▶ values: what is known at each place ─▶ rules ─▶ findings
//
// A run evaluates a script without executing it. Instead of a value it computes what is known of it: its types, whether
// its text comes from KEYS, from ARGV, from constants or from a reply, and whether it is nil or false because a key was
// absent. It takes both ways of an if, goes twice through a loop, and follows calls into the script's own functions, so
// that a key that a helper builds is seen where it is used. Conditions count: behind "if not v then return end" v is
// there, and a script that has asked about a key knows whether it is there.
//
// Rules speak only when they are sure: what is unknown is right. The table in rules.go has them all, each with an example;
// docs/lint.md is made of it. What commands exist, since when, and where their keys are, the engine's command table says.
package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// Finding is a mistake, or something to look at.
type Finding struct {
	Rule    string `json:"rule"`
	Level   Level  `json:"level"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
	Link    string `json:"link"` // of the page that explains the rule
}

// String returns "line:column: rule: message".
func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %s: %s", f.Line, f.Column, f.Rule, f.Message)
}

// Linter checks scripts for one release.
type Linter struct {
	engine *engine.Engine
	target *release.Release
}

// New returns a linter for scripts that will run on a release. It knows the commands of e. If those are the commands of
// more releases than the target, it can tell when a command came.
func New(e *engine.Engine, target *release.Release) *Linter { return &Linter{e, target} }

// Lint returns what it finds in a script or in a library of functions, in the order of the source. A source that is no
// Lua has one finding, of the rule syntax.
func (l *Linter) Lint(source string) []Finding {
	r := &run{
		linter: l, source: source, places: syntax.PlacesIn(source), seen: make(map[spot]bool), scope: newScope(), globals: make(map[string]*value),
		read: make(map[*syntax.Variable]bool), followed: make(map[*syntax.Function]bool), names: make(map[string]bool),
		keys: make(map[string]bool), walks: make(map[*invocation]bool),
	}
	ignores := r.readIgnores()
	r.check()
	findings := slices.DeleteFunc(r.findings, func(f Finding) bool { return ignores.cover(f) })
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return findings
}

// spot is a rule at a place: it is reported once, in how many ways the place may be reached.
type spot struct {
	rule string
	at   int32
}

// run checks one source.
type run struct {
	linter   *Linter
	source   string
	places   *syntax.Places
	findings []Finding
	seen     map[spot]bool

	scope           *scope
	frame           *frame
	silent          int                       // above 0 nothing is reported
	steps           int                       // expressions and statements so far
	at              int32                     // of the current statement, if it says
	discarded       *syntax.CallExpr          // the call whose results the current statement drops
	globals         map[string]*value         // what the script assigned to globals
	read            map[*syntax.Variable]bool // local variables that are used
	functions       []*syntax.Function        // all functions of the script
	followed        map[*syntax.Function]bool // those that were followed into
	declared        []declaration             // variables that hold an element of KEYS or ARGV, or a reply of redis.pcall
	inputs          []*input                  // KEYS and ARGV, of each program
	functionLibrary bool                      // the source is a library of functions
	readOnly        bool                      // the program has the flag no-writes
	callbacks       []callback                // the functions that a library registers

	names    map[string]bool      // commands that the program calls
	dynamic  bool                 // it also calls commands whose name is not constant
	resp3    bool                 // redis.setresp was called
	effects  bool                 // redis.replicate_commands was called
	random   *invocation          // the first command whose reply differs from one server to the next
	limits   []*invocation        // counters that were compared with a limit
	expires  bool                 // some command sets a deadline
	keys     map[string]bool      // names of keys that were looked at
	walks    map[*invocation]bool // replies whose loops were reported
	slots    []slotted            // the keys by the slot they may lie in
	apart    bool                 // two of them were reported
	unknowns []unknownGlobal      // globals that were read and are not there
}

// report adds a finding of a rule, unless there is one at the place.
func (r *run) report(rule string, at int32, format string, args ...any) {
	if r.silent > 0 || r.seen[spot{rule, at}] {
		return
	}
	r.seen[spot{rule, at}] = true
	line, column := r.places.At(at)
	r.findings = append(r.findings, Finding{rule, Find(rule).Level, line, column, fmt.Sprintf(format, args...), Link(rule)})
}

// check runs the program and applies the rules that look at all of it.
func (r *run) check() {
	body := r.parse()
	if body == nil {
		return
	}
	r.frame = &frame{fn: body, main: !r.functionLibrary}
	if !r.functionLibrary {
		r.inputs = []*input{newInput("KEYS", fromKeys), newInput("ARGV", fromArgv)}
	}
	r.block(body.Body)
	r.scope.ended = false
	for _, c := range r.callbacks {
		r.runCallback(c)
	}
	r.frame.main = false
	for i := 0; i < len(r.functions); i++ { // following one may find more
		if f := r.functions[i]; !r.followed[f] {
			r.follow(r.unknownCall(f))
		}
	}
	for _, rule := range programRules {
		rule(r)
	}
}

func newInput(name string, from source) *input {
	return &input{name: name, from: from, used: make(map[int]int32)}
}

// unknownCall returns a frame for a function about whose arguments nothing is known.
func (r *run) unknownCall(f *syntax.Function) *frame {
	for _, p := range f.Params {
		r.scope.values[p] = unknownAt(fmt.Sprintf("%s@%d", p.Name, p.At))
	}
	return &frame{fn: f, outer: r.frame, more: unknownAt("...")}
}
