package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Handler executes a command: it parses, checks, changes and replies. It replies with an error
// before it changes anything.
type Handler func(c *Call)

// Method is what runs a line that is a method of the state of a part: see On.
type Method struct {
	bind func(state any) Handler
	vary func(state any, w *World, line command.Flags, args [][]byte) command.Flags
}

// On returns what runs a line: a method of the State of the part that brings the line.
func On[T any](method func(state *T, c *Call)) Method {
	return Method{bind: func(state any) Handler {
		s := state.(*T)
		return func(c *Call) { method(s, c) }
	}}
}

// Varying returns a Method whose line has other flags for some arguments in a world. vary gets
// those of the line.
func Varying[T any](m Method, vary func(state *T, w *World, line command.Flags, args [][]byte) command.Flags) Method {
	m.vary = func(state any, w *World, line command.Flags, args [][]byte) command.Flags {
		return vary(state.(*T), w, line, args)
	}
	return m
}

// execution is what the engine knows of a command beside its line: what runs it, and its figures.
type execution struct {
	run  Handler
	vary func(w *World, args [][]byte) command.Flags // see Varying; nil for none
	commandStats
}

type commandStats struct {
	calls, rejected, failed, micros int64
}

// of returns the execution of a command.
func (e *Engine) of(cmd *command.Command) *execution { return &e.executions[cmd.ID] }

// Handler returns what runs a command; nil for a container.
func (e *Engine) Handler(cmd *command.Command) Handler { return e.of(cmd).run }

// Handle has a command run by something else.
func (e *Engine) Handle(cmd *command.Command, run Handler) { e.of(cmd).run = run }

// addFamily puts a family's lines into the table. state is that of the part that brings it.
func (e *Engine) addFamily(f command.Family, state any) {
	for _, cmd := range e.Commands.Add(f) {
		x := execution{run: handlerOf(cmd, state)}
		if m, ok := cmd.Run.(Method); ok && m.vary != nil {
			x.vary = func(w *World, args [][]byte) command.Flags { return m.vary(state, w, cmd.Flags, args) }
		}
		e.executions = append(e.executions, x)
	}
}

// FlagsWith returns the flags that count for a command's arguments in the world: those of the line
// if their number is wrong.
func (w *World) FlagsWith(cmd *command.Command, args [][]byte) command.Flags {
	if vary := w.engine.of(cmd).vary; vary != nil && cmd.Fits(len(args)) {
		return vary(w, args)
	}
	return cmd.FlagsWith(args)
}

// handlerOf returns what runs a command, nil for a container, which before 7.0 is a command, too.
// It panics if the line has something else.
func handlerOf(cmd *command.Command, state any) Handler {
	switch run := cmd.Run.(type) {
	case func(c *Call):
		return run
	case Handler:
		return run
	case Method:
		return run.bind(state)
	case nil:
		if cmd.IsWhole() {
			return refuseSub
		}
		if len(cmd.Subs) > 0 {
			return nil
		}
	}
	panic(fmt.Sprintf("engine: nothing runs %q", cmd.FullName()))
}

// refuseSub runs a container that was called with none of its subcommands.
func refuseSub(c *Call) { c.Fail(c.SubSyntaxError()) }

// total returns the figures of a command, with those of the subcommands that are no commands of
// their own.
func (e *Engine) total(cmd *command.Command) commandStats {
	sum := e.of(cmd).commandStats
	if cmd.IsWhole() {
		for _, sub := range cmd.Subs {
			s := e.of(sub)
			sum.calls, sum.rejected, sum.failed, sum.micros = sum.calls+s.calls, sum.rejected+s.rejected,
				sum.failed+s.failed, sum.micros+s.micros
		}
	}
	return sum
}

// redacted stands for an argument that must not be shown.
var redacted = []byte("(redacted)")

// Shown returns a command's arguments as MONITOR and the slow log show them.
func (e *Engine) Shown(cmd *command.Command, args [][]byte) [][]byte {
	secrets := cmd.Secrets
	if cmd.Flags&command.Settings != 0 {
		secrets = e.secretSettings
	}
	if secrets == nil {
		return args
	}
	args = slices.Clone(args)
	for _, i := range secrets(args) {
		if i < len(args) {
			args[i] = redacted
		}
	}
	return args
}

// HelpLine is the HELP subcommand of a container, made from the container's other lines.
func HelpLine(since string) command.Line {
	return command.Line{Name: "help", Arity: 2,
		Flags: command.Loading | command.Stale | command.Harmless | command.Help, Run: ReplyHelp, Reply: "array",
		Since: since, Summary: "Returns helpful text about the different subcommands.", Complexity: "O(1)"}
}

// CONTAINER HELP
func ReplyHelp(c *Call) {
	var lines []string
	if c.Cmd.Parent.Fits(1) {
		lines = append(lines, "(no subcommand)", command.HelpIndent+c.Cmd.Parent.Summary)
	}
	for _, sub := range c.Cmd.Parent.Subs {
		if sub != c.Cmd && sub.Flags&command.Internal == 0 && sub.Help != "-" {
			lines = append(lines, c.Engine.Commands.Help(sub)...)
		}
	}
	c.Help(lines...)
}

// printsHelp is when the last line of HELP lost a letter.
var printsHelp = release.From("7.2.0")

// Help replies with what a container's subcommands do, one line of text each, between the heading
// and the last lines that all of them have in common.
func (c *Call) Help(lines ...string) {
	c.Reply.Array(len(lines) + 3)
	container, _, _ := strings.Cut(c.Cmd.FullName(), "|")
	c.Reply.Status(strings.ToUpper(container) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, line := range lines {
		c.Reply.Status(line)
	}
	c.Reply.Status("HELP")
	if c.Has(printsHelp) {
		c.Reply.Status(command.HelpIndent + "Print this help.")
	} else {
		c.Reply.Status(command.HelpIndent + "Prints this help.")
	}
}
