// Package readme checks that the sessions and tables of the pages, README.md and those in docs, are
// true.
//
// Some parts of a page are generated. Terminal sessions are blocks marked console. In them a line
// after "$ " is a command, a line after "> " continues it, and the other lines are its output:
//
//	$ redis-cli ping
//	PONG
//
// Lines marked sh are run, too, but show no output. Code in other languages is part of tests, word
// for word, or at least a parser of its language reads it.
//
// Tables stand between comments: the commands in docs/commands.md, and in docs/absent.md what other
// servers have and this one lacks.
//
// The tests run the sessions against a server of their own and compare the output with the page.
// Times, and the bytes of skiplists, may differ. Servers that a page starts have the ports 6390 to
// 6399 there, and others in the test. The commands come from the server's COMMAND DOCS; what is
// missing is what testdata/published names and the server does not know. With -update the tests
// rewrite the pages:
//
//	go test ./internal/readme -update
//
// Measured figures in the text have sources, which testdata/figures.txt names.
package readme

import (
	"regexp"
	"strings"
)

// page is a text in lines.
type page struct{ lines []string }

func parse(text string) *page { return &page{strings.Split(text, "\n")} }

func (p *page) String() string { return strings.Join(p.lines, "\n") }

// rewrite replaces the output of every command in the sessions by the result of run, which gets the
// command without prompts. Output that differs only in what is masked stays.
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

// output returns the lines of output from i on.
func (p *page) output(i int) []string {
	end := i
	for end < len(p.lines) && !strings.HasPrefix(p.lines[end], "$ ") && !strings.HasPrefix(p.lines[end], "```") {
		end++
	}
	return p.lines[i:end]
}

// lines splits an output into lines.
func lines(output string) []string {
	if output == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(output, "\n"), "\n")
}

// block is a piece of code between fences.
type block struct {
	language string
	title    string // the name of a file; "" if it has none
	code     string
	line     int // of the page, on which the code begins
}

var fence = regexp.MustCompile("^ *```(\\w*)(?: title=\"([^\"]+)\")?$")

// blocks returns the blocks of the page.
func (p *page) blocks() (all []block) {
	for i := 0; i < len(p.lines); i++ {
		head := fence.FindStringSubmatch(p.lines[i])
		if head == nil {
			continue
		}
		b := block{language: head[1], title: head[2], line: i + 2}
		for i++; i < len(p.lines) && strings.TrimLeft(p.lines[i], " ") != "```"; i++ {
			b.code += p.lines[i] + "\n"
		}
		all = append(all, b)
	}
	return all
}

// code returns the code of the blocks in a language that are not files.
func (p *page) code(language string) (texts []string) {
	for _, b := range p.blocks() {
		if b.language == language && b.title == "" {
			texts = append(texts, b.code)
		}
	}
	return texts
}

// files returns the contents of the blocks that have the name of a file as their title.
func (p *page) files() map[string]string {
	files := map[string]string{}
	for _, b := range p.blocks() {
		if b.title != "" {
			files[b.title] = b.code
		}
	}
	return files
}

// headings returns the texts of the headings.
func (p *page) headings() (texts []string) {
	inside := false
	for _, line := range p.lines {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		}
		if level, text, ok := strings.Cut(line, " "); ok && !inside && level != "" && strings.Trim(level, "#") == "" {
			texts = append(texts, text)
		}
	}
	return texts
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor returns the anchor that GitHub gives a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

var indent = regexp.MustCompile(`(?m)^[ \t]+`)

// flush returns code with all lines at the margin, so that a method can be compared with its text
// in a class.
func flush(code string) string { return indent.ReplaceAllString(code, "") }

var (
	// timeStamp is a time of this decade in seconds, milliseconds or microseconds since the epoch.
	timeStamp = regexp.MustCompile(`\b1[6-9]\d{8}(\d{3}){0,2}\b`)
	// longNumber is a number of bytes that depends on chance.
	longNumber = regexp.MustCompile(`\d{4,}`)
	// took is how long a command took, where its reply says so.
	took = regexp.MustCompile(`(execution_time\n\d+\)) "[^"]*"`)
)

// masked returns the lines without what differs from run to run: times, and the bytes of skiplists,
// whose nodes have random heights.
func masked(lines []string) string {
	text := timeStamp.ReplaceAllString(strings.Join(lines, "\n"), "TIME")
	text = took.ReplaceAllString(text, "$1 TIME")
	if strings.Contains(text, "skiplist") {
		text = longNumber.ReplaceAllString(text, "BYTES")
	}
	return text
}

// Comments around the table.
const (
	tableBegin = "<!-- commands: go test ./internal/readme -update -->"
	tableEnd   = "<!-- end -->"
)

// replaceTable puts table between the page's comments, if there are any.
func (p *page) replaceTable(begin, table string) {
	before, rest, ok := strings.Cut(p.String(), begin+"\n")
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if ok && ok2 {
		*p = *parse(before + begin + "\n\n" + table + "\n" + tableEnd + after)
	}
}
