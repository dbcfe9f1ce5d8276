// Package lint finds mistakes in Lua scripts for Redis before they run.
//
//	source ─▶ syntax tree ─▶ values: what is known at each place ─▶ rules ─▶ findings
//
// A run evaluates a script without executing it. Instead of a value it computes what is known of
// it: its types, whether its text comes from KEYS, from ARGV, from constants or from a reply, and
// whether it is nil or false because a key was absent. It takes both ways of an if, goes twice
// through a loop, and follows calls into the script's own functions, so that a key that a helper
// builds is seen where it is used. Conditions count: behind "if not v then return end" v is there,
// and a script that has asked about a key knows whether it is there.
//
// What a run gathers is in types of its own: findings, the scope and the frames of calls, globals
// and locals, what the program calls, and what the rules about keys and about load remember.
//
// Rules speak only when they are sure: what is unknown is right. The table in rules.go has them
// all, each with an example; docs/lint.md is made of it. The engine's command table says which
// commands exist, since when, and where their keys are.
//
// Invariants:
//  1. A run ends: loops run at most twice, calls nest at most maxDepth deep, a function does not
//     call itself, and behind maxSteps nothing more is followed.
//  2. A rule reports a place once, however many ways lead there.
//  3. A value is not changed once others may see it: with and join make new ones. Tables are
//     changed, since all who hold one see the assignment, as in Lua.
//  4. Nothing is reported in a first turn of a loop, which does not know yet what the loop changes.
//
// Non-goals: what a script computes; strings that a script builds character by character; the
// effects of metatables and coroutines. All of that is unknown, and so it is right.
package lint

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
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

// New returns a linter for scripts that will run on a release. It knows the commands of e. If those
// are the commands of more releases than the target, it can tell when a command came.
func New(e *engine.Engine, target *release.Release) *Linter { return &Linter{e, target} }

// Lint returns what it finds in a script or in a library of functions, in the order of the source.
// A source that is no Lua has one finding, of the rule syntax.
func (l *Linter) Lint(source string) []Finding {
	r := newRun(l, source)
	ignores := r.readIgnores()
	r.check()
	return r.sorted(ignores)
}

// run evaluates one source: see flow.go for its statements, eval.go for its expressions.
type run struct {
	*findings
	program
	linter *Linter
	scope  *scope
	frame  *frame
	steps  int   // expressions and statements so far; see maxSteps
	at     int32 // of the current call or return, for expressions that do not know their place

	discarded *syntax.CallExpr // the call whose results the current statement drops
	globals   globals
	locals    locals
	functions []*syntax.Function          // those whose value was made, in this order
	followed  map[*syntax.Function]bool   // those that were followed into
	chained   map[*syntax.BinaryExpr]bool // and, or: those that chain has looked at

	keys  keyRules
	loads loadRules
}

func newRun(l *Linter, source string) *run {
	return &run{
		findings: newFindings(source), linter: l, scope: newScope(), program: program{names: make(map[string]bool)},
		globals: globals{values: make(map[string]*value)}, locals: locals{read: make(map[*syntax.Variable]bool)},
		followed: make(map[*syntax.Function]bool), chained: make(map[*syntax.BinaryExpr]bool),
		keys: keyRules{told: make(map[string]bool)}, loads: loadRules{walks: make(map[*invocation]bool)},
	}
}

// check runs the program and applies the rules that look at all of it: first the main chunk, then
// the functions that a library registers, as FCALL calls them. Functions that nobody has called by
// then are followed with unknown arguments, so that their mistakes are found too. The rules about
// unused things come last, when all uses are known.
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
	r.reportUnused()
	r.locals.reportUnused(r.findings)
	r.loads.report(r)
	r.locals.reportProtected(r.findings)
	r.globals.report(r)
}

func newInput(name string, from source) *input {
	return &input{name: name, from: from, used: make(map[int]int32)}
}

// unknownCall returns a frame for a function about whose arguments nothing is known. Each parameter
// has a name of its own: two unknown values are the same text only if they are the same parameter.
func (r *run) unknownCall(f *syntax.Function) *frame {
	for _, p := range f.Params {
		r.scope.values[p] = unknownAt(fmt.Sprintf("%s@%d", p.Name, p.At))
	}
	return &frame{fn: f, outer: r.frame, more: unknownAt("...")}
}
