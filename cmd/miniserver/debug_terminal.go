package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"

	"github.com/peterh/liner"

	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/ldb"
)

// debugTerminal is the user of a debugger: at a terminal, or lines of a file or a pipe. The requests are those of redis-cli
// --ldb. It is the Console of an ldb.Session, and the front end around it.
type debugTerminal struct {
	*ldb.Session
	ctx     context.Context
	lines   lines
	out     io.Writer
	colours bool

	debug  atomic.Pointer[debugger.Debugger] // nil before the first stop of a run
	last   []string                          // the last request, which an empty line repeats
	word   string                            // restart or quit, which ends the run; "" for none
	points []debugger.Breakpoint             // of the run before
	failed bool                              // the last reply was an error
}

const (
	debugPrompt = "lua debugger> "
	debugBanner = "help lists the commands, restart begins again, quit leaves. Press Ctrl-C to stop a running script.\n"
	wordRestart = "restart"
	wordQuit    = "quit"
)

// errLeft ends a run whose user leaves.
var errLeft = errors.New("ERR script aborted for user request")

// atTerminal debugs until the user leaves or the lines end. The error is errReply if the last run has ended with an error by
// itself.
func (d *debugging) atTerminal(ctx context.Context, in io.Reader, out io.Writer) error {
	t := &debugTerminal{ctx: ctx, out: out, lines: plainLines{bufio.NewReader(in)}}
	if in == os.Stdin && progress.IsTerminal(out) {
		defer t.openTerminal()()
	}
	if err := d.prepare(); err != nil {
		return fmt.Errorf("miniserver debug: %w", err)
	}
	for t.word = wordRestart; t.word == wordRestart; {
		if t.runOnce(d); t.word == "" {
			t.waitForWord()
		}
		for t.word == wordRestart {
			err := d.prepare()
			if err == nil {
				break
			}
			fmt.Fprintln(out, "(error) "+err.Error())
			t.waitForWord()
		}
	}
	if t.failed {
		return errReply
	}
	return nil
}

// openTerminal opens the line editor, and lets Ctrl-C stop a run at its next line.
func (t *debugTerminal) openTerminal() (close func()) {
	editor := liner.NewLiner()
	editor.SetCtrlCAborts(true)
	editor.SetCompleter(completeRequest)
	t.lines = editor
	_, plain := os.LookupEnv("NO_COLOR")
	t.colours = !plain
	interrupts := make(chan os.Signal, 1)
	signal.Reset(os.Interrupt)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for range interrupts {
			t.pause()
		}
	}()
	fmt.Fprint(t.out, debugBanner)
	return func() {
		signal.Stop(interrupts)
		_ = editor.Close()
	}
}

func (t *debugTerminal) pause() {
	if d := t.debug.Load(); d != nil {
		d.Pause()
	}
}

// runOnce debugs one run and shows its reply.
func (t *debugTerminal) runOnce(d *debugging) {
	t.Session, t.word, t.failed = ldb.New(t), "", false
	t.ShowLog()
	t.debug.Store(nil)
	defer context.AfterFunc(t.ctx, t.pause)()
	reply := d.debug(t)
	if t.word != "" {
		return
	}
	v, err := resp.NewReader(bytes.NewReader(reply)).Read()
	if err != nil {
		fmt.Fprintln(t.out, "The reply is too large.")
		return
	}
	_ = printReply(t.out, v, false)
	if t.failed = v.IsError(); t.failed {
		explain(os.Stderr, d.file, d.source, v.Text)
	}
}

// Stopped puts the breakpoints of the run before into a new one.
func (t *debugTerminal) Stopped(d *debugger.Debugger, s debugger.Stop) debugger.Order {
	if t.debug.Swap(d) == nil {
		for _, p := range t.points {
			_ = d.SetBreakpoint(p.Line, p.Condition) // the source may have changed
		}
	}
	order := t.Session.Stopped(d, s)
	t.points = d.Breakpoints()
	return order
}

// Ask reads a request.
func (t *debugTerminal) Ask() (words []string, ok bool) {
	for {
		text, err := t.prompt()
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			continue
		case err != nil:
			t.word = wordQuit
			return nil, false
		}
		if strings.TrimSpace(text) == "" {
			words = t.last
		} else if words = splitRequest(text); len(words) == 0 {
			fmt.Fprintln(t.out, "Invalid argument(s)")
		}
		if len(words) == 0 {
			continue
		}
		t.last = words
		switch strings.ToLower(words[0]) {
		case wordRestart:
			t.word = wordRestart
		case wordQuit, "exit", "q":
			t.word = wordQuit
		case "help", "h":
			t.Answer([]string{"restart                Read the file again and begin again.", "quit                   Leave."})
		}
		return words, t.word == ""
	}
}

// prompt reads a line, until the context ends.
func (t *debugTerminal) prompt() (string, error) {
	type result struct {
		text string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := t.lines.Prompt(debugPrompt)
		read <- result{text, err}
	}()
	select {
	case r := <-read:
		if h, ok := t.lines.(interface{ AppendHistory(string) }); ok && r.err == nil && r.text != "" {
			h.AppendHistory(r.text)
		}
		return r.text, r.err
	case <-t.ctx.Done():
		return "", io.EOF
	}
}

// waitForWord reads requests after a run, when there are only two.
func (t *debugTerminal) waitForWord() {
	t.debug.Store(nil)
	for t.last = nil; ; {
		if _, ok := t.Ask(); !ok {
			return
		}
		t.Answer([]string{"The script has ended: restart, or quit."})
	}
}

// splitRequest splits a request into words, but leaves Lua as it is; no words if quotes do not match.
func splitRequest(text string) []string {
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	quoted := func() (words []string) {
		list, ok := resp.Words([]byte(text), nil)
		if !ok {
			return nil
		}
		for _, w := range list {
			words = append(words, string(w))
		}
		return words
	}
	switch strings.ToLower(word) {
	case "redis", "r":
		return quoted()
	case "watch":
		if strings.HasPrefix(rest, "key ") {
			return quoted()
		}
	case "break", "b":
		line, condition, ok := strings.Cut(rest, " if ")
		if !ok {
			return strings.Fields(text)
		}
		return []string{word, strings.TrimSpace(line), "if", strings.TrimSpace(condition)}
	case "print", "p", "eval", "e":
	default:
		return strings.Fields(text)
	}
	if rest == "" {
		return []string{word}
	}
	return []string{word, rest}
}

// completeRequest completes the name of a request.
func completeRequest(line string) (names []string) {
	for _, name := range append(ldb.Names(), wordRestart, wordQuit) {
		if line != "" && strings.HasPrefix(name, line) {
			names = append(names, name)
		}
	}
	return names
}

// colours are those of redis-cli, by what a line begins with.
var colours = []struct{ prefix, code string }{
	{"<debug>", "1"}, {"<redis>", "32"}, {"<reply>", "36"}, {"<error>", "31"}, {"<hint>", "1"},
	{"<value>", "35"}, {"<retval>", "35"}, {"->", "1"},
}

// Answer shows lines.
func (t *debugTerminal) Answer(lines []string) {
	for _, line := range lines {
		for _, c := range colours {
			if t.colours && strings.HasPrefix(line, c.prefix) {
				line = "\x1b[" + c.code + "m" + line + "\x1b[0m"
			}
		}
		fmt.Fprintln(t.out, line)
	}
}

// Gone ends a run whose user leaves.
func (t *debugTerminal) Gone() error { return errLeft }

// End shows the last lines of a run.
func (t *debugTerminal) End(lines []string, _ []byte) { t.Answer(lines[:len(lines)-1]) }
