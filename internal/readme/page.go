// Package readme keeps the pages true: what README.md and its neighbours show is what happens.
//
// Some parts of a page are not written by hand. Terminal sessions are blocks marked console, in
// which a line behind "$ " is a command, one behind "> " its continuation, and the rest is what it
// prints:
//
//	$ redis-cli ping
//	PONG
//
// And two tables, between comments: the commands, and those of redis-server that are missing.
//
// The tests run the sessions against a server of their own and require what the page shows; numbers
// of four digits and more, which are times and bytes, may differ. They build the first table from the server's
// COMMAND DOCS, and the second by asking redis-server for its COMMAND LIST. With -update they rewrite the pages:
//
//	go test ./internal/readme -update
package readme

import (
	"regexp"
	"strings"
)

// page is a text in lines.
type page struct{ lines []string }

func parse(text string) *page { return &page{strings.Split(text, "\n")} }

func (p *page) String() string { return strings.Join(p.lines, "\n") }

// rewrite replaces the output of every command in the sessions by what run prints for it. run gets
// the command without prompts. What is alike stays.
func (p *page) rewrite(run func(command string) string) {
	var out []string
	inside := false
	for i := 0; i < len(p.lines); {
		line := p.lines[i]
		i++
		out = append(out, line)
		if strings.HasPrefix(line, "```") {
			inside = line == "```console"
		}
		command, isCommand := strings.CutPrefix(line, "$ ")
		if !inside || !isCommand {
			continue
		}
		for ; i < len(p.lines) && strings.HasPrefix(p.lines[i], "> "); i++ {
			out = append(out, p.lines[i])
			command += "\n" + p.lines[i][2:]
		}
		shown := p.output(i)
		i += len(shown)
		printed := lines(run(command))
		if masked(shown) == masked(printed) {
			printed = shown
		}
		out = append(out, printed...)
	}
	p.lines = out
}

// output returns the lines from i on that a command printed.
func (p *page) output(i int) []string {
	end := i
	for end < len(p.lines) && !strings.HasPrefix(p.lines[end], "$ ") && !strings.HasPrefix(p.lines[end], "```") {
		end++
	}
	return p.lines[i:end]
}

// lines returns an output in lines.
func lines(output string) []string {
	if output == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(output, "\n"), "\n")
}

var longNumber = regexp.MustCompile(`[0-9]{4,}`)

// masked returns the lines without what differs from run to run.
func masked(lines []string) string {
	return longNumber.ReplaceAllString(strings.Join(lines, "\n"), "#")
}

// Comments around the table.
const (
	tableBegin   = "<!-- commands: go test ./internal/readme -update -->"
	missingBegin = "<!-- missing: go test ./internal/readme -update -->"
	tableEnd     = "<!-- end -->"
)

// replaceTable puts table between the page's comments, if there are any.
func (p *page) replaceTable(begin, table string) {
	before, rest, ok := strings.Cut(p.String(), begin+"\n")
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if ok && ok2 {
		*p = *parse(before + begin + "\n\n" + table + "\n" + tableEnd + after)
	}
}
