package latency

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// LATENCY GRAPH draws the samples of an event as columns, the oldest on the left, with their age
// written under them from top to bottom:
//
//	   #
//	 o |_        four rows of three steps each, _ o #, and | below the top of a column
//	 | ||
//	#|_||
//
//	65431
//	sssss
const (
	graphWidth = 80
	graphRows  = 4
	graphSteps = "_o#" // from the bottom to the top of a row
)

// LATENCY GRAPH event
func (m *Monitor) cmdGraph(c *engine.Call) {
	name := string(c.Arg())
	s := m.events[name]
	if s == nil {
		c.Fail(command.Errorf(errNoSamples, name))
		return
	}
	low, high := s.bounds()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n", name, high, low, s.longest,
		strings.Repeat("-", graphWidth))
	for rest := s.samples; len(rest) > 0; {
		part := rest[:min(graphWidth, len(rest))]
		if len(rest) < len(s.samples) {
			b.WriteByte('\n')
		}
		drawSamples(&b, part, low, high, c.Now()/1000)
		rest = rest[len(part):]
	}
	c.Reply.Verbatim("txt", b.Bytes())
}

// bounds returns the least and the greatest of the samples.
func (s *series) bounds() (low, high int64) {
	low, high = s.samples[0].millis, s.samples[0].millis
	for _, p := range s.samples {
		low, high = min(low, p.millis), max(high, p.millis)
	}
	return low, high
}

// drawSamples draws a column for each sample, from low to high, and its age at a time in seconds.
func drawSamples(b *bytes.Buffer, samples []sample, low, high, now int64) {
	labels := make([]string, len(samples))
	depth := 0
	for i, p := range samples {
		labels[i] = age(now - p.unix)
		depth = max(depth, len(labels[i]))
	}
	for row := graphRows - 1; row >= 0; row-- {
		for _, p := range samples {
			b.WriteByte(graphCell(p.millis-low, max(high-low, 1), row))
		}
		b.WriteByte('\n')
	}
	b.WriteString(strings.Repeat(" ", len(samples)) + "\n")
	for i := range depth {
		for _, label := range labels {
			if i < len(label) {
				b.WriteByte(label[i])
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
}

// graphCell is what a column of a height between 0 and the scale shows in a row, counted from
// below.
func graphCell(height, scale int64, row int) byte {
	steps := len(graphSteps) * graphRows
	step := min(int(height*int64(steps)/scale), steps-1) - row*len(graphSteps)
	switch {
	case step < 0:
		return ' '
	case step < len(graphSteps):
		return graphSteps[step]
	}
	return '|'
}

// age is a number of seconds in the largest unit that it fills: 59s, 3m, 2h, 1d.
func age(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 86400:
		return fmt.Sprintf("%dh", seconds/3600)
	}
	return fmt.Sprintf("%dd", seconds/86400)
}
