package transcript

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// load is a block of random commands: which, with which arguments, how many, over which time, and
// what must always hold.
//
//	@ random
//	commands: 300
//	over: 10m
//	user: alice | bob
//	> EVAL @limiter.lua 1 visits:{user} 3 60000
//	pass: 1
//	invariant: at most 3 pass in any 60s per user
//	@ end
type load struct {
	commands   []loadCommand
	count      int
	over       time.Duration
	seed       uint64
	variables  []variable
	pass       []string // first elements of the replies that mean: passed
	invariants []invariant
}

// loadCommand is a command of a load, with the variables not yet replaced.
type loadCommand struct {
	conn string
	args []string
	line int
}

// variable is a random argument.
type variable struct {
	name     string
	values   []string // to choose from; nil for a number
	from, to int
	counter  bool // 1, 2, 3 ...
}

// request is a command of a load at its time.
type request struct {
	at      time.Duration // since the load began, in whole milliseconds
	command int
	values  map[string]string // of the variables
}

const (
	maxRequests = 20_000
	maxOver     = 366 * 24 * time.Hour
)

// draw returns the requests of a load in the order of their times. Errors of limiters show where
// requests of one client are close together, and where they are exactly a window apart. So few
// requests are drawn evenly: most come soon, or a window, after one that is there already, and most
// of these have its values.
func (l *load) draw(seed uint64) []request {
	dice := rand.New(rand.NewPCG(seed, 0))
	windows, spans := l.spans()
	requests := make([]request, l.count)
	for i := range requests {
		q := request{at: -1, command: dice.IntN(len(l.commands)), values: map[string]string{}}
		for _, v := range l.variables {
			q.values[v.name] = v.draw(dice)
		}
		if i > 0 && dice.IntN(6) > 0 {
			earlier := requests[dice.IntN(i)]
			q.at = earlier.at + after(dice, windows, spans)
			if dice.IntN(4) > 0 {
				q.values = maps.Clone(earlier.values)
			}
		}
		if q.at < 0 || q.at > l.over {
			q.at = milliseconds(dice.IntN(int(l.over/time.Millisecond) + 1))
		}
		requests[i] = q
	}
	slices.SortStableFunc(requests, func(a, b request) int { return cmp.Compare(a.at, b.at) })
	for i, q := range requests {
		for _, v := range l.variables {
			if v.counter {
				q.values[v.name] = strconv.Itoa(i + 1)
			}
		}
	}
	return requests
}

// after returns the time from one request to another.
func after(dice *rand.Rand, windows, spans []time.Duration) time.Duration {
	switch dice.IntN(5) {
	case 0:
		return milliseconds(dice.IntN(4))
	case 1:
		return milliseconds(dice.IntN(2000))
	case 2:
		return spans[dice.IntN(len(spans))] + milliseconds(dice.IntN(3)-1)
	}
	return windows[dice.IntN(len(windows))] + milliseconds(dice.IntN(3)-1)
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// spans returns the times after a request at which another one is interesting: the windows of the
// invariants, and the numbers among the arguments, which may be milliseconds or seconds. Neither is
// empty.
func (l *load) spans() (windows, spans []time.Duration) {
	add := func(list *[]time.Duration, d time.Duration) {
		if d > 0 && d <= l.over && !slices.Contains(*list, d) {
			*list = append(*list, d)
		}
	}
	for _, inv := range l.invariants {
		add(&windows, inv.window)
	}
	for _, c := range l.commands {
		for _, arg := range c.args {
			if n, err := strconv.Atoi(arg); err == nil && n < int(maxOver/time.Millisecond) {
				add(&spans, milliseconds(n))
				add(&spans, milliseconds(n)*1000)
			}
		}
	}
	if len(spans) == 0 {
		spans = append(windows, l.over/10)
	}
	if len(windows) == 0 {
		windows = spans
	}
	return windows, spans
}

// draw returns a value.
func (v variable) draw(dice *rand.Rand) string {
	if v.values != nil {
		return v.values[dice.IntN(len(v.values))]
	}
	return strconv.Itoa(v.from + dice.IntN(v.to-v.from+1))
}

// simplest returns the value with which an example is easiest to read.
func (v variable) simplest(number int) string {
	switch {
	case v.counter:
		return strconv.Itoa(number + 1)
	case v.values != nil:
		return v.values[0]
	}
	return strconv.Itoa(v.from)
}

// args returns the command of a request with the variables replaced. {now} is the time of the clock
// in milliseconds.
func (l *load) args(q request, now time.Time) []string {
	args := slices.Clone(l.commands[q.command].args)
	for i, arg := range args {
		args[i] = q.fill(arg, now)
	}
	return args
}

func (q request) fill(text string, now time.Time) string {
	if !now.IsZero() {
		text = strings.ReplaceAll(text, "{now}", strconv.FormatInt(now.UnixMilli(), 10))
	}
	return fill(text, q.values)
}

var (
	settingLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):\s*(.*)$`)
	numberRange = regexp.MustCompile(`^(-?\d{1,15})\.\.(-?\d{1,15})$`)
)

// random parses a load.
func (p *parser) random() error {
	start := p.at
	if p.row.values != nil {
		return p.fail("a table cannot contain a random load")
	}
	l := &load{count: 200, over: 10 * time.Minute, seed: 1}
	var invariants []int // their lines
	for p.at++; p.at < len(p.file.lines) && !p.endLine(); p.at++ {
		line := strings.TrimSpace(p.file.lines[p.at])
		m := settingLine.FindStringSubmatch(line)
		switch {
		case line == "" || line[0] == '#':
		case commandLine.MatchString(line):
			if err := p.loadCommand(l, line); err != nil {
				return err
			}
		case m != nil && m[1] == "invariant":
			invariants = append(invariants, p.at)
		case m == nil || !l.set(m[1], m[2]):
			return p.fail("bad line in a random load: %s (expected: commands, over, seed, pass, invariant, "+
				"> COMMAND, or a variable such as user: alice | bob, cost: 1..3, id: counter)", line)
		}
	}
	end := p.at
	for _, p.at = range invariants {
		if err := p.invariant(l); err != nil {
			return err
		}
	}
	switch p.at = start; {
	case end >= len(p.file.lines):
		return p.fail("the random load has no @ end")
	case len(l.commands) == 0:
		return p.fail("the random load has no command, such as > EVAL @limiter.lua ...")
	case len(l.invariants) == 0:
		return p.fail("the random load has no invariant, such as invariant: at most 3 pass in any 60s")
	}
	p.add(step{kind: stepRandom, line: start, replyAt: end, replyEnd: end, load: l})
	p.at = end + 1
	return nil
}

func (p *parser) loadCommand(l *load, line string) error {
	m := commandLine.FindStringSubmatch(line)
	args, err := p.commandWords(m[2])
	l.commands = append(l.commands, loadCommand{m[1], args, p.at})
	return err
}

// set sets a property, or makes a variable.
func (l *load) set(name, value string) bool {
	ok := true
	var err error
	switch name {
	case "commands":
		l.count, err = strconv.Atoi(value)
		ok = l.count > 0 && l.count <= maxRequests
	case "over":
		l.over, ok = parseDelay(value)
		ok = ok && l.over >= time.Millisecond && l.over <= maxOver
	case "seed":
		l.seed, err = strconv.ParseUint(value, 10, 64)
	case "pass":
		l.pass, ok = alternatives(value), value != ""
	default:
		ok = l.variable(name, value)
	}
	return ok && err == nil
}

func (l *load) variable(name, value string) bool {
	v := variable{name: name}
	m := numberRange.FindStringSubmatch(value)
	switch {
	case value == "" || name == "now" ||
		slices.ContainsFunc(l.variables, func(v variable) bool { return v.name == name }):
		return false
	case value == "counter":
		v.counter = true
	case m != nil:
		v.from, _ = strconv.Atoi(m[1])
		v.to, _ = strconv.Atoi(m[2])
	default:
		v.values = alternatives(value)
	}
	l.variables = append(l.variables, v)
	return v.from <= v.to
}

// find returns the variable of that name.
func (l *load) find(name string) (variable, bool) {
	i := slices.IndexFunc(l.variables, func(v variable) bool { return v.name == name })
	if i < 0 {
		return variable{}, false
	}
	return l.variables[i], true
}
