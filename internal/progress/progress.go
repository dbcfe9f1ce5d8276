// Package progress shows the progress of long work: on a terminal one line that is redrawn,
// elsewhere a new line every ten seconds. On a terminal the cursor stays at the start of the line,
// so that the next output overwrites it.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"
)

const (
	pause     = 100 * time.Millisecond // between two redraws
	elsewhere = 10 * time.Second       // between two lines without a terminal, and before the first

	longest  = 110 // characters of the line
	clearing = "\x1b[K"
)

// Line is a progress line.
type Line struct {
	out      io.Writer
	terminal bool
	now      func() time.Time
	start    time.Time
	next     time.Time // of the next redraw
	drawn    bool
}

// New returns a line on f. On a terminal it appears after delay, since shorter work needs none.
func New(f *os.File, delay time.Duration) *Line {
	return newLine(f, IsTerminal(f), delay, time.Now)
}

func newLine(out io.Writer, terminal bool, delay time.Duration, now func() time.Time) *Line {
	l := &Line{out: out, terminal: terminal, now: now, start: now()}
	l.next = l.start.Add(elsewhere)
	if terminal {
		l.next = l.start.Add(delay)
	}
	return l
}

// Show draws the result of text, which gets the time since New. It does nothing, and does not call
// text, if the line was drawn a moment ago.
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
