package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	loopLine     = regexp.MustCompile(`^([a-z]+) = (-?\d+)\.\.(-?\d+)$`)
	letLine      = regexp.MustCompile(`^([a-z]+) =(?: (.*))?$`)
	versionsLine = regexp.MustCompile(`^(((valkey|redis-stack|keydb):)?\d{1,2}(\.\d{1,2}){0,2}( |$))+$`)
	repeatText   = regexp.MustCompile(`^(\d+) \* (\S+)$`)
)

const (
	maxLoop   = 1_000_000 // rounds of for
	maxRepeat = 16 << 20  // bytes of a text that let repeats
	maxDelay  = 100 * 365 // days
)

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
	case word == "advance":
		s.kind = stepAdvance
		s.delay, ok = parseDelay(strings.TrimPrefix(rest, "+"))
	case word == "freeze":
		s.kind = stepFreeze
		s.at, ok = parseTime(strings.TrimSpace(strings.TrimPrefix(rest, "at ")))
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
		return p.block(word, rest)
	}
	if !ok {
		return p.badDirective(word, rest)
	}
	p.add(s)
	p.at++
	return nil
}

// usages are the forms of directives whose arguments can be wrong.
var usages = map[string]string{
	"advance": "@ advance 1m30s; units are d h m s ms",
	"freeze":  "@ freeze at 2024-01-01T00:00:00Z",
	"for":     "@ for i = 1..200; up to a million rounds",
	"let":     "@ let name = text",
	"end":     "there is no block to end",
	"resp":    "@ resp 2 or @ resp 3",
	"config":  "@ config NAME VALUE",
}

func (p *parser) badDirective(word, rest string) error {
	err := "bad directive: @ " + strings.TrimSpace(word+" "+rest)
	if usage := usages[word]; usage != "" {
		err += " (" + usage + ")"
	}
	return p.fail("%s", err)
}

// block parses a directive that begins a part of the file.
func (p *parser) block(word, rest string) error {
	switch word {
	case "test":
		return p.test(rest)
	case "table":
		return p.table()
	case "random":
		return p.random()
	}
	return p.setting(word, rest)
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
	case "only", "not", "since", "before", "like", "unlike":
		ok = rest != "" && (word == "only" || word == "not" || versionsLine.MatchString(rest))
		p.guards = append(p.guards, guard{word, strings.Fields(rest)})
	case "end":
		ok = len(p.guards) > p.row.guards
		p.guards = p.guards[:max(len(p.guards)-1, 0)]
	default:
		return p.fail("bad directive: @ %s (the directives are test, advance, "+
			"freeze, table, random, for, let, sorted, pairs, close, reset, "+
			"resp, config, only, not, since, before, like, unlike, end)", strings.TrimSpace(word+" "+rest))
	}
	if !ok {
		return p.badDirective(word, rest)
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
		if err != nil || n > maxRepeat/len(r[2]) {
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
	rounds := to - from // wraps around for numbers that are too far apart
	return loop{m[1], from, to}, err1 == nil && err2 == nil && from <= to && 0 <= rounds && rounds < maxLoop
}

// parseDelay reads a duration in Go's units and d for days.
func parseDelay(text string) (time.Duration, bool) {
	var total time.Duration
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > maxDelay {
			return 0, false
		}
		total, text = time.Duration(n)*24*time.Hour, rest
		if text == "" {
			return total, total > 0
		}
	}
	d, err := time.ParseDuration(text)
	return total + d, err == nil && total+d > 0
}

// parseTime reads a date, or a date and a time with its zone.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, at.Year() >= 1970
		}
	}
	return time.Time{}, false
}
