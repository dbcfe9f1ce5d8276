package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File is a parsed transcript.
type File struct {
	Name    string
	lines   []string
	crlf    bool // the lines end as on Windows
	steps   []step
	setup   int // the first steps, which run at the start of every test
	tests   []Test
	scripts map[string]string // text by path, see Scripts
}

// Test is a part of a file that begins with an empty server.
type Test struct {
	Name     string // "" for a file without the directive test
	Line     int    // from 1
	file     *File
	from, to int // of the file's steps
}

// stepKind is the action of a step.
type stepKind int

const (
	stepCommand stepKind = iota // sends args, expects a reply
	stepArrival                 // expects what arrives next
	stepAdvance
	stepFreeze
	stepProto
	stepConfig
	stepClose
	stepReset
	stepRandom
)

// step is one action and its expected reply.
type step struct {
	id     int // its place in the file's steps
	kind   stepKind
	line   int    // of the step itself, from 0
	conn   string // "" is the default connection
	args   []string
	delay  time.Duration
	at     time.Time
	proto  int
	order  Order
	loop   loop
	load   *load
	row    row
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
	word string // only, not, since, before, like, unlike
	args []string
}

// Load reads and parses the file at path.
func Load(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s: not a text file of up to %d MB", path, maxFile>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse reads a transcript. Errors name the file and the line. The paths of scripts are relative to
// that of the file.
func Parse(name, text string) (*File, error) {
	return parseWith(name, text,
		func(path string) (string, error) { return readScript(filepath.Join(filepath.Dir(name), path)) })
}

// Tests returns the parts of the file that the directive test begins; the whole file if there are
// none.
func (f *File) Tests() []Test {
	if len(f.tests) == 0 {
		return []Test{{Line: 1, file: f, to: len(f.steps)}}
	}
	return f.tests
}

// steps returns the steps of the test after those that every test begins with.
func (t Test) steps() []step {
	if len(t.file.tests) == 0 {
		return t.file.steps
	}
	return slices.Concat(t.file.steps[:t.file.setup], t.file.steps[t.from:t.to])
}

// Commands returns the distinct commands that the file sends, in lower case and sorted: the name,
// and "name sub" for commands with a second word.
func (f *File) Commands() []string {
	var names []string
	for _, s := range f.steps {
		for _, args := range s.commands() {
			name := strings.ToLower(args[0])
			names = append(names, name)
			if len(args) > 1 {
				names = append(names, name+" "+strings.ToLower(args[1]))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// commands returns the commands that a step sends.
func (s step) commands() (list [][]string) {
	switch s.kind {
	case stepCommand:
		list = append(list, s.args)
	case stepRandom:
		for _, c := range s.load.commands {
			list = append(list, c.args)
		}
		for _, inv := range s.load.invariants {
			if len(inv.command) > 0 {
				list = append(list, inv.command)
			}
		}
	}
	return list
}

// Position is a command at its line of a file.
type Position struct {
	Line int // from 1
	Args []string
}

// Sent returns all commands that the test sends, in order. The variables of loops and loads are not
// replaced.
func (t Test) Sent() (list []Position) {
	for _, s := range t.steps() {
		for _, args := range s.commands() {
			list = append(list, Position{s.line + 1, t.file.resolve(args)})
		}
	}
	return list
}

// SentTo returns the commands that a world with these traits gets, but for those that it is not
// expected to know.
func (f *File) SentTo(traits Traits) (list []Position) {
	runs := f.plan(f.steps, traits)
	for i, s := range f.steps {
		if runs[i] && !strings.HasPrefix(f.reply(s), unknown) {
			for _, args := range s.commands() {
				list = append(list, Position{s.line + 1, f.resolve(args)})
			}
		}
	}
	return list
}

// unknown begins the reply to a command that a server does not know.
const unknown = "(error) ERR unknown "

// reply returns the text of the reply s expects.
func (f *File) reply(s step) string {
	lines := slices.Clone(f.lines[s.replyAt:s.replyEnd])
	for i, line := range lines {
		lines[i] = s.row.fill(strings.TrimPrefix(line, `\`))
	}
	return strings.Join(lines, "\n")
}
