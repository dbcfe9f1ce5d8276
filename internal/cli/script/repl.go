package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/peterh/liner"
	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// repl is a prompt for Redis commands and Lua. A line whose first word names a command is a
// command, as in redis-cli. Every other line is Lua, and so is one that begins with "="; a line
// that Lua wants more of is continued. The globals that a line sets stay.
type repl struct {
	embedded
	asJSON bool
	out    io.Writer
	lines  lines

	answering atomic.Bool
}

// lines is where the lines come from. Prompt returns io.EOF at the end, and liner.ErrPromptAborted
// for a line that was given up.
type lines interface {
	Prompt(prompt string) (string, error)
}

const (
	prompt     = "> "
	promptMore = ">> "
	banner     = "Enter Redis commands or Lua. MINI.HELP lists the commands for the clock, the seed and faults. " +
		"Press Ctrl-D to end.\n"
)

// Repl returns the sub-command with the prompt.
func Repl() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "repl",
		Forms:   []string{"[options]"},
		Purpose: "opens a prompt for Redis commands and Lua, without a server",
		Prepare: prepareRepl,
	}
}

func prepareRepl(flags *pflag.FlagSet) subcommand.Action {
	r := new(repl)
	r.addOptions(flags)
	flags.BoolVar(&r.asJSON, "json", false, "print replies as JSON, one on each line")
	return r.run
}

func (r *repl) run(_ context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) > 0 {
		return subcommand.Misuse("")
	}
	if err := r.start(); err != nil {
		return fmt.Errorf("miniserver repl: %w", err)
	}
	r.out = out
	r.Scripts.KeepGlobals()
	if in != os.Stdin || !progress.IsTerminal(out) {
		r.lines = plainLines{bufio.NewReader(in)}
		return r.loop()
	}
	stop := r.killOnInterrupt()
	defer stop()
	terminal := liner.NewLiner()
	defer func() { _ = terminal.Close() }()
	terminal.SetCtrlCAborts(true)
	terminal.SetTabCompletionStyle(liner.TabPrints)
	terminal.SetWordCompleter(r.complete)
	history := historyFile()
	readHistory(terminal, history)
	defer writeHistory(terminal, history)
	r.lines = terminal
	fmt.Fprint(out, banner)
	defer fmt.Fprintln(out)
	return r.loop()
}

// killOnInterrupt lets Ctrl-C end a script that runs, and not the program.
func (r *repl) killOnInterrupt() (stop func()) {
	interrupts := make(chan os.Signal, 1)
	signal.Reset(os.Interrupt)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for range interrupts {
			for r.answering.Load() { // a script may not have begun yet
				r.Engine.Slow.Kill()
				time.Sleep(10 * time.Millisecond)
			}
		}
	}()
	return func() { signal.Stop(interrupts) }
}

// loop reads and runs lines until they end.
func (r *repl) loop() error {
	for {
		text, err := r.read()
		switch {
		case errors.Is(err, liner.ErrPromptAborted) || err == nil && strings.TrimSpace(text) == "":
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if h, ok := r.lines.(interface{ AppendHistory(string) }); ok {
			h.AppendHistory(strings.ReplaceAll(text, "\n", " "))
		}
		r.answering.Store(true)
		more, err := r.answer(text)
		r.answering.Store(false)
		if !more {
			return err
		}
	}
}

// read reads a command or a piece of Lua, which may be several lines.
func (r *repl) read() (text string, err error) {
	if text, err = r.lines.Prompt(prompt); err != nil || r.isCommand(text) {
		return text, err
	}
	for wantsMore(text) {
		line, err := r.lines.Prompt(promptMore)
		if errors.Is(err, io.EOF) {
			break // Lua tells what is missing
		}
		if err != nil {
			return "", err
		}
		text += "\n" + line
	}
	return text, nil
}

// answer runs a command or a piece of Lua, prints the reply, and reports whether the user wants to
// go on.
func (r *repl) answer(text string) (more bool, err error) {
	command := [][]byte{[]byte("EVAL"), []byte(luaOf(text)), []byte("0")}
	if r.isCommand(text) {
		var ok bool
		if command, ok = resp.Words([]byte(text), nil); !ok {
			_, err = fmt.Fprintln(r.out, "Invalid argument(s)")
			return true, err
		}
		if strings.EqualFold(string(command[0]), "quit") {
			return false, nil
		}
	}
	reply, err := r.do(command)
	if err != nil {
		return false, err
	}
	if reply.IsError() {
		reply.Text = withoutPlace(reply.Text)
	}
	return true, subcommand.PrintReply(r.out, reply, r.asJSON)
}

// isCommand reports whether the first word of a line names a command. In lower case "function" is
// Lua's.
func (r *repl) isCommand(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && words[0] != "function" && r.Engine.Commands.Named(words[0]) != nil
}

// luaOf returns the script for a piece of Lua: one that returns the value if it is an expression.
func luaOf(text string) string {
	if trimmed := strings.TrimLeft(text, " \t"); strings.HasPrefix(trimmed, "=") {
		return "return " + trimmed[1:]
	}
	if parse("return "+text) == nil {
		return "return " + text
	}
	return text
}

// wantsMore reports whether a piece of Lua could be valid if more lines followed.
func wantsMore(text string) bool {
	err := parse(luaOf(text))
	return err != nil && strings.HasSuffix(err.Error(), "'<eof>'")
}

func parse(source string) error {
	_, err := syntax.Parse(source, "", 0, nil)
	return err
}

// plainLines are the lines of a file or a pipe, for which there is no prompt.
type plainLines struct{ *bufio.Reader }

func (l plainLines) Prompt(string) (string, error) {
	line, err := l.ReadString('\n')
	if line != "" {
		return strings.TrimRight(line, "\r\n"), nil
	}
	return "", err
}

// historyFile returns where the lines of earlier runs are: beside those of redis-cli. "" if there
// is no such place.
func historyFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".miniserver_history")
}

func readHistory(terminal *liner.State, path string) {
	if f, err := os.Open(path); err == nil {
		_, _ = terminal.ReadHistory(f)
		_ = f.Close()
	}
}

// writeHistory saves the lines, which may hold secrets, for the user alone. They are lost if the
// file cannot be written.
func writeHistory(terminal *liner.State, path string) {
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err == nil {
		_, _ = terminal.WriteHistory(f)
		_ = f.Close()
	}
}
