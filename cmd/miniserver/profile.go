package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// printProfile prints a script's source. Each line on which a statement begins shows how often the line ran, its
// own microseconds, its calls of the server and of libraries, and the microseconds in those:
//
//	hits      us  calls      us
//	   3    12.7      3    11.9 | redis.call('INCR', KEYS[1])
//
// A line with 0 hits did not run.
func printProfile(out io.Writer, source string, lines []lua.Line) {
	fmt.Fprintf(out, "\n%8s %10s %8s %10s\n", "hits", "us", "calls", "us")
	for i, text := range strings.Split(strings.TrimSuffix(source, "\n"), "\n") {
		figures := strings.Repeat(" ", 39)
		if i+1 < len(lines) && lines[i+1].Executable {
			l := lines[i+1]
			figures = fmt.Sprintf("%8d %10.1f %8d %10.1f", l.Hits, micros(l.Time), l.Calls, micros(l.CallTime))
		}
		fmt.Fprintln(out, strings.TrimRight(figures+" | "+text, " \r"))
	}
}

func micros(nanos int64) float64 { return float64(nanos) / 1000 }
