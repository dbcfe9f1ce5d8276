package script

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

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/ldb"
)

// debugTerminal is the user of a debugger: at a terminal, or lines of a file or a pipe. The
// requests are those of redis-cli --ldb. It is the Console of an ldb.Session, and the front end
// around it.
type debugTerminal struct {
	*ldb.Session
	ctx     context.Context
	lines   lines
	out     io.Writer
	colours bool

	debug  atomic.Pointer[debugger.Debugger] // nil before the first stop of a run
	last   []string                          // the last request, which an empty line repeats
	next   next                              // after the run
	points []debugger.Breakpoint             // of the run before
	failed bool                              // the last reply was an error
}

const (
	debugPrompt = "lua debugger> "
	debugBanner = "help lists the commands, restart begins again, quit leaves. Press Ctrl-C to stop a running script.\n"
)

// next is what follows a run.
type next int

const (
	toWait next = iota // for a request of the user
	toRestart
	toQuit
)

// errLeft ends a run whose user leaves.
var errLeft = errors.New("ERR script aborted for user request")

// atTerminal debugs until the user leaves or the lines end. The error is errReply if the last run
// has ended with an error by itself.
func (d *debugging) atTerminal(ctx context.Context, in io.Reader, out io.Writer) error {
	t := &debugTerminal{ctx: ctx, out: out, lines: plainLines{bufio.NewReader(in)}}
	if in == os.Stdin && progress.IsTerminal(out) {
		defer t.openTerminal()()
	}
	if err := d.prepare(); err != nil {
		return fmt.Errorf("miniserver debug: %w", err)
	}
	for t.next = toRestart; t.next == toRestart; {
		if t.runOnce(d); t.next == toWait {
			t.wait()
		}
		for t.next == toRestart {
			err := d.prepare()
			if err == nil {
				break
			}
			fmt.Fprintln(out, "(error) "+err.Error())
			t.wait()
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
	editor.SetCompleter(t.complete)
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
	t.next, t.failed = toWait, false
	t.Session = ldb.New(t,
		ldb.Leaving("restart", "Read the file again and begin again.", func() { t.next = toRestart }),
		ldb.Leaving("quit exit q", "Leave.", func() { t.next = toQuit }))
	t.ShowLog()
	t.debug.Store(nil)
	defer context.AfterFunc(t.ctx, t.pause)()
	reply := d.debug(t)
	if t.next != toWait {
		return
	}
	v, err := resp.NewReader(bytes.NewReader(reply)).Read()
	if err != nil {
		fmt.Fprintln(t.out, "The reply is too large.")
		return
	}
	_ = subcommand.PrintReply(t.out, v, false)
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

// Ask reads a request. An empty line is the last one again.
func (t *debugTerminal) Ask() (words []string, ok bool) {
	for {
		text, err := t.prompt()
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			continue
		case err != nil:
			t.next = toQuit
			return nil, false
		}
		if strings.TrimSpace(text) == "" {
			words = t.last
		} else if words = t.Split(text); words == nil {
			fmt.Fprintln(t.out, "Invalid argument(s)")
		}
		if words != nil {
			t.last = words
			return words, true
		}
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

// wait reads requests after a run, until one says what is next.
func (t *debugTerminal) wait() {
	t.debug.Store(nil)
	for t.last, t.next = nil, toWait; t.next == toWait; {
		if words, ok := t.Ask(); ok && !t.Leave(words) {
			t.Answer([]string{"The script has ended: restart, or quit."})
		}
	}
}

// complete completes the name of a request.
func (t *debugTerminal) complete(line string) (names []string) {
	for _, name := range t.Names() {
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
