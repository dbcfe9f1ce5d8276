package transcript

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// File is a parsed transcript.
type File struct {
	Name  string
	lines []string
	steps []step
}

// stepKind is the action of a step.
type stepKind int

const (
	stepCommand stepKind = iota // sends args, expects a reply
	stepArrival                 // expects what arrives next
	stepAdvance
	stepProto
	stepConfig
	stepClose
	stepReset
)

// step is one action and its expected reply.
type step struct {
	kind   stepKind
	line   int    // of the step itself, from 0
	conn   string // "" is the default connection
	args   []string
	delay  time.Duration
	proto  int
	order  Order
	loop   loop
	guards []guard

	replyAt, replyEnd int // lines of the expected reply
}

// Order says how a reply is sorted before it is compared.
type Order int

const (
	AsSent Order = iota
	Sorted
	Pairs
)

// expects reports whether a reply is expected, be it empty.
func (s step) expects() bool { return s.replyEnd > s.replyAt }

// loop repeats a command for each value of a variable.
type loop struct {
	name     string
	from, to int
}

// guard is a condition of a step: only worlds that meet it run the step.
type guard struct {
	word string // only, not, since, before
	args []string
}

var (
	commandLine  = regexp.MustCompile(`^([a-z0-9]*)> ?(.*)$`)
	arrivalLine  = regexp.MustCompile(`^([a-z0-9]*)<$`)
	loopLine     = regexp.MustCompile(`^([a-z]+) = (-?\d+)\.\.(-?\d+)$`)
	letLine      = regexp.MustCompile(`^([a-z]+) =(?: (.*))?$`)
	versionsLine = regexp.MustCompile(`^(((valkey|keydb):)?\d{1,2}(\.\d{1,2}){0,2}( |$))+$`)
	repeatText   = regexp.MustCompile(`^(\d+) \* (\S+)$`)
)

// Load reads and parses the file at path.
func Load(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse reads a transcript. Errors name the file and the line.
func Parse(name, text string) (*File, error) {
	p := parser{file: &File{Name: name, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}}
	p.lets = map[string]string{}
	for p.at < len(p.file.lines) {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	return p.file, nil
}

// Commands returns the distinct commands that the file sends, in lower case and sorted: the name, and
// "name sub" for commands with a second word.
func (f *File) Commands() []string {
	var names []string
	for _, s := range f.steps {
		if s.kind != stepCommand {
			continue
		}
		name := strings.ToLower(s.args[0])
		names = append(names, name)
		if len(s.args) > 1 {
			names = append(names, name+" "+strings.ToLower(s.args[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reply returns the text of the reply s expects.
func (f *File) reply(s step) string {
	lines := slices.Clone(f.lines[s.replyAt:s.replyEnd])
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, `\`)
	}
	return strings.Join(lines, "\n")
}

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
	at     int // the line being read
	lets   map[string]string
	guards []guard
	order  Order // of the next command
	loop   loop  // of the next command
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
		return p.directive(strings.TrimSpace(line[1:]))
	}
	if m := commandLine.FindStringSubmatch(line); m != nil {
		return p.command(m[1], m[2])
	}
	if m := arrivalLine.FindStringSubmatch(line); m != nil {
		p.expecting(step{kind: stepArrival, conn: m[1]})
		return nil
	}
	return p.fail("a reply without a command: %s", line)
}

func (p *parser) command(conn, text string) error {
	args, err := words(text)
	if err != nil {
		return p.fail("%v", err)
	}
	if len(args) == 0 {
		return p.fail("no command")
	}
	for i, arg := range args {
		for name, value := range p.lets {
			arg = strings.ReplaceAll(arg, "{"+name+"}", value)
		}
		args[i] = arg
	}
	p.expecting(step{kind: stepCommand, conn: conn, args: args})
	return nil
}

// expecting adds a step with the reply lines below it.
func (p *parser) expecting(s step) {
	s.line, s.order, s.loop = p.at, p.order, p.loop
	p.order, p.loop = AsSent, loop{}
	p.at++
	s.replyAt = p.at
	for p.at < len(p.file.lines) && isReplyLine(p.file.lines[p.at]) {
		p.at++
	}
	s.replyEnd = p.at
	p.add(s)
}

func (p *parser) add(s step) {
	s.guards = slices.Clone(p.guards)
	p.file.steps = append(p.file.steps, s)
}

// directive reads a line that began with @.
func (p *parser) directive(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	s := step{line: p.at, replyAt: p.at + 1, replyEnd: p.at + 1}
	ok := true
	switch {
	case strings.HasPrefix(word, "+"):
		s.kind = stepAdvance
		s.delay, ok = parseDelay(word[1:])
	case word == "resp":
		s.kind = stepProto
		s.proto, ok = map[string]int{"2": 2, "3": 3}[rest], rest == "2" || rest == "3"
	case word == "config":
		s.kind = stepConfig
		args, err := words(rest)
		s.args, ok = args, err == nil && len(args) == 2
	case word == "close":
		s.kind, s.conn = stepClose, rest
	case word == "reset":
		s.kind = stepReset
	default:
		return p.setting(word, rest)
	}
	if !ok {
		return p.fail("bad directive: @ %s", text)
	}
	p.add(s)
	p.at++
	return nil
}

// setting parses a directive that is not a step but changes later ones.
func (p *parser) setting(word, rest string) error {
	ok := true
	switch word {
	case "sorted":
		p.order = Sorted
	case "pairs":
		p.order = Pairs
	case "for":
		p.loop, ok = parseLoop(rest)
	case "let":
		ok = p.let(rest)
	case "only", "not", "since", "before":
		ok = rest != "" && (word == "only" || word == "not" || versionsLine.MatchString(rest))
		p.guards = append(p.guards, guard{word, strings.Fields(rest)})
	case "end":
		ok = len(p.guards) > 0
		p.guards = p.guards[:max(len(p.guards)-1, 0)]
	default:
		ok = false
	}
	if !ok {
		return p.fail("bad directive: @ %s %s", word, rest)
	}
	p.at++
	return nil
}

// let defines a text. An empty one is followed by its lines, which begin with "|".
func (p *parser) let(rest string) bool {
	m := letLine.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	text := m[2]
	if r := repeatText.FindStringSubmatch(text); r != nil {
		n, err := strconv.Atoi(r[1])
		if err != nil {
			return false
		}
		text = strings.Repeat(r[2], n)
	}
	if text == "" {
		var lines []string
		for p.at+1 < len(p.file.lines) && strings.HasPrefix(p.file.lines[p.at+1], "|") {
			p.at++
			lines = append(lines, strings.TrimPrefix(p.file.lines[p.at][1:], " "))
		}
		text = strings.Join(lines, "\n")
	}
	p.lets[m[1]] = text
	return true
}

func parseLoop(text string) (loop, bool) {
	m := loopLine.FindStringSubmatch(text)
	if m == nil {
		return loop{}, false
	}
	from, err1 := strconv.Atoi(m[2])
	to, err2 := strconv.Atoi(m[3])
	return loop{m[1], from, to}, err1 == nil && err2 == nil && from <= to
}

// parseDelay reads a duration in Go's units and d for days.
func parseDelay(text string) (time.Duration, bool) {
	var total time.Duration
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil {
			return 0, false
		}
		total, text = time.Duration(n)*24*time.Hour, rest
		if text == "" {
			return total, true
		}
	}
	d, err := time.ParseDuration(text)
	return total + d, err == nil && total+d > 0
}
