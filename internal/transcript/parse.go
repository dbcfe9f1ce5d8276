package transcript

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	commandLine = regexp.MustCompile(`^(?:[0-9.]+:[0-9]+|([a-z0-9]*))> ?(.*)$`) // also after the prompt of redis-cli
	arrivalLine = regexp.MustCompile(`^([a-z0-9]*)<$`)
)

const (
	maxText  = 256 << 20 // bytes of all values that replace variables
	maxSteps = 200_000   // of a file, with the rows of its tables
)

// isReplyLine reports whether a line belongs to the reply above it.
func isReplyLine(line string) bool {
	switch {
	case line == "", line[0] == '#', line[0] == '@', line[0] == '|':
		return false
	}
	return !commandLine.MatchString(line) && !arrivalLine.MatchString(line)
}

// parser parses the lines of a file.
type parser struct {
	file   *File
	read   func(path string) (string, error) // a script
	at     int                               // the line being read
	lets   map[string]string
	row    row // of the table around the line
	guards []guard
	order  Order // of the next command
	loop   loop  // of the next command

	setupGuards int // that hold for all tests
	text        int // bytes of the values that variables were replaced by
}

// parseWith parses a text. read returns the text of a script that it names.
func parseWith(name, text string, read func(path string) (string, error)) (*File, error) {
	p := parser{file: &File{Name: name, scripts: map[string]string{}}, read: read, lets: map[string]string{}}
	p.file.crlf = strings.Contains(text, "\r\n")
	p.file.lines = strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	for i, line := range p.file.lines {
		if strings.ContainsRune(line, 0) || !utf8.ValidString(line) {
			p.at = i
			return nil, p.fail("not a text file: this line has a null byte or is not UTF-8")
		}
	}
	for p.at < len(p.file.lines) {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	p.endTest()
	return p.file, nil
}

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file.Name, p.at+1, fmt.Sprintf(format, args...))
}

// next parses one line and its reply.
func (p *parser) next() error {
	line := p.file.lines[p.at]
	switch {
	case strings.TrimSpace(line) == "", line[0] == '#':
		p.at++
		return nil
	case line[0] == '@':
		return p.directive(p.row.fill(strings.TrimSpace(line[1:])))
	case line[0] == '|':
		return p.fail("a row without a table: the line above the first row must be @ table")
	}
	if m := commandLine.FindStringSubmatch(line); m != nil {
		return p.command(m[1], m[2])
	}
	if m := arrivalLine.FindStringSubmatch(line); m != nil {
		return p.expecting(step{kind: stepArrival, conn: m[1]})
	}
	return p.fail(`a reply without a command: %s (a command begins with "> ", a directive with "@ ")`, line)
}

func (p *parser) command(conn, text string) error {
	args, err := p.commandWords(text)
	if err != nil {
		return err
	}
	return p.expecting(step{kind: stepCommand, conn: conn, args: args})
}

// commandWords splits a command, replaces the variables that are known, and reads the scripts that
// it names.
func (p *parser) commandWords(text string) ([]string, error) {
	args, err := words(text)
	if err != nil {
		return nil, p.fail("%v", err)
	}
	if len(args) == 0 {
		return nil, p.fail("no command")
	}
	for i, arg := range args {
		args[i] = p.row.fill(fill(arg, p.lets))
		if p.text += len(args[i]) - len(arg); p.text > maxText {
			return nil, p.fail("the variables of the file expand to more than %d MB", maxText>>20)
		}
	}
	return args, p.readScripts(args)
}

// fill replaces {name} by the values of names, but leaves what would make the text longer than a
// file may be.
func fill(text string, values map[string]string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		variable := "{" + name + "}"
		if strings.Count(text, variable)*len(values[name]) <= maxFile {
			text = strings.ReplaceAll(text, variable, values[name])
		}
	}
	return text
}

// expecting adds a step with the reply lines below it.
func (p *parser) expecting(s step) error {
	s.line, s.order, s.loop = p.at, p.order, p.loop
	p.order, p.loop = AsSent, loop{}
	p.at++
	s.replyAt = p.at
	for p.at < len(p.file.lines) && isReplyLine(p.file.lines[p.at]) {
		if err := checkPattern(p.file.lines[p.at]); err != nil {
			return p.fail("%v", err)
		}
		p.at++
	}
	s.replyEnd = p.at
	p.add(s)
	return nil
}

func (p *parser) add(s step) {
	s.id, s.row, s.guards = len(p.file.steps), p.row, slices.Clone(p.guards)
	p.file.steps = append(p.file.steps, s)
}

// test begins a test. The steps before the first one are its setup, and that of the others. It ends
// what only, not, since or before began in the test above it.
func (p *parser) test(name string) error {
	switch {
	case name == "":
		return p.fail("the test has no name")
	case p.row.values != nil:
		return p.fail("a table cannot contain a test")
	}
	for _, t := range p.file.tests {
		if t.Name == name {
			return p.fail("the test %q already exists in line %d", name, t.Line)
		}
	}
	p.endTest()
	if len(p.file.tests) == 0 {
		p.file.setup, p.setupGuards = len(p.file.steps), len(p.guards)
	}
	p.guards = p.guards[:min(p.setupGuards, len(p.guards))]
	p.file.tests = append(p.file.tests, Test{Name: name, Line: p.at + 1, file: p.file, from: len(p.file.steps)})
	p.at++
	return nil
}

// endTest ends the test that goes on, if any.
func (p *parser) endTest() {
	if n := len(p.file.tests); n > 0 {
		p.file.tests[n-1].to = len(p.file.steps)
	}
}
