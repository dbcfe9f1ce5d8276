package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/progress"
)

// steps shows on standard error how many of so many steps are done.
type steps struct {
	*progress.Line
	all, done int
}

func newSteps(all int) *steps { return &steps{Line: progress.New(os.Stderr, 0), all: all} }

// begin says which step begins.
func (s *steps) begin(what string) {
	s.Show(func(passed time.Duration) string {
		const cells = 30
		full := cells * s.done / s.all
		return fmt.Sprintf("[%s%s] %d of %d, %s left: %s", strings.Repeat("#", full), strings.Repeat(".", cells-full),
			s.done, s.all, s.left(passed), what)
	})
	s.done++
}

// left guesses how long the rest takes.
func (s *steps) left(passed time.Duration) time.Duration {
	if s.done == 0 {
		return 0
	}
	return (passed * time.Duration(s.all-s.done) / time.Duration(s.done)).Round(time.Second)
}
