// Package progress shows how far something is: on a terminal by one line that is drawn anew, elsewhere by a
// line now and then. On a terminal the cursor stays in front of the line, so that whatever is written next
// takes its place.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"
)

const (
	pause     = 100 * time.Millisecond // between two drawings
	elsewhere = 10 * time.Second       // between two lines where there is no terminal, and before the first

	longest  = 110 // characters of the line
	clearing = "\x1b[K"
)

// Line is such a line.
type Line struct {
	out      io.Writer
	terminal bool
	now      func() time.Time
	start    time.Time
	next     time.Time // when it is drawn again
	drawn    bool
}

// New returns a line on f. On a terminal it appears after patience: what is over by then needs none.
func New(f *os.File, patience time.Duration) *Line {
	return newLine(f, IsTerminal(f), patience, time.Now)
}

func newLine(out io.Writer, terminal bool, patience time.Duration, now func() time.Time) *Line {
	l := &Line{out: out, terminal: terminal, now: now, start: now()}
	l.next = l.start.Add(elsewhere)
	if terminal {
		l.next = l.start.Add(patience)
	}
	return l
}

// Show draws what text returns, given the time that has passed, unless the line was drawn a moment ago.
// Between two drawings it does not call text.
func (l *Line) Show(text func(passed time.Duration) string) {
	now := l.now()
	if now.Before(l.next) {
		return
	}
	line := text(now.Sub(l.start))
	if !l.terminal {
		l.next = now.Add(elsewhere)
		fmt.Fprintln(l.out, line)
		return
	}
	l.next, l.drawn = now.Add(pause), true
	fmt.Fprintf(l.out, clearing+"%.*s\r", longest, line)
}

// End removes the line from a terminal. It may be called twice.
func (l *Line) End() {
	if l.drawn {
		l.drawn = false
		fmt.Fprint(l.out, clearing)
	}
}

// IsTerminal reports whether out is a terminal.
func IsTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
