package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress shows how far a long run is: a bar on a terminal, a line now and then elsewhere.
type progress struct {
	w        io.Writer
	all      int
	done     int
	terminal bool
	start    time.Time
	told     time.Time
}

func newProgress(f *os.File, all int) *progress {
	info, err := f.Stat()
	now := time.Now()
	return &progress{w: f, all: all, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, start: now, told: now}
}

// step says what begins.
func (p *progress) step(what string) {
	const cells = 30
	now := time.Now()
	pause := 10 * time.Second
	if p.terminal {
		pause = 100 * time.Millisecond
	}
	if now.Sub(p.told) >= pause {
		p.told = now
		full := cells * p.done / p.all
		line := fmt.Sprintf("[%s%s] %d of %d, %s left: %s", strings.Repeat("#", full), strings.Repeat(".", cells-full), p.done, p.all,
			p.left(now), what)
		if p.terminal {
			fmt.Fprintf(p.w, "\r\x1b[K%.110s", line)
		} else {
			fmt.Fprintln(p.w, line)
		}
	}
	p.done++
}

// left guesses how long the rest takes.
func (p *progress) left(now time.Time) time.Duration {
	if p.done == 0 {
		return 0
	}
	return (now.Sub(p.start) * time.Duration(p.all-p.done) / time.Duration(p.done)).Round(time.Second)
}

// end clears the bar.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
