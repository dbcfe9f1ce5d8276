package difftest

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

//go:embed families
var familyFiles embed.FS

const (
	brokenPercent = 4 // of the commands
	switchPercent = 2 // chance that the next command goes to the other connection
	rarity        = 25
)

// Command is one generated command.
type Command struct {
	Args []string
	Conn int // 0 or 1
	Mode Mode
}

// String returns the command as input for redis-cli.
func (c Command) String() string {
	var b []byte
	for i, arg := range c.Args {
		if i > 0 {
			b = append(b, ' ')
		}
		if arg != "" && !strings.ContainsFunc(arg,
			func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'\`, r) }) {
			b = append(b, arg...)
		} else {
			b = resp.Quote(b, arg)
		}
	}
	return string(b)
}

// family is a named list of shapes. since is the releases whose real server has its commands, in
// the notation of package release.
type family struct {
	name   string
	since  string
	first  []Command
	shapes []shape
}

// FamiliesOf returns the names of the families whose commands the real server of a release has.
func FamiliesOf(r *release.Release) []string {
	return slices.DeleteFunc(Families(), func(name string) bool {
		f, err := loadFamily(name)
		if err != nil {
			panic(err) // embedded
		}
		return !r.Has(release.From(f.since))
	})
}

// Families returns the names of all families.
func Families() []string {
	entries, err := familyFiles.ReadDir("families")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// loadFamily parses an embedded family.
func loadFamily(name string) (family, error) {
	text, err := familyFiles.ReadFile("families/" + name + ".txt")
	if err != nil {
		return family{}, fmt.Errorf("no family %s; there are %s", name, strings.Join(Families(), ", "))
	}
	f := family{name: name}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if since, is := strings.CutPrefix(line, "since "); is {
			f.since = since
			continue
		}
		if command, is := strings.CutPrefix(line, "first "); is {
			f.first = append(f.first, Command{Args: strings.Fields(command)})
			continue
		}
		s, err := parseShape(line)
		if err != nil {
			return f, fmt.Errorf("family %s: %w", name, err)
		}
		f.shapes = append(f.shapes, s)
	}
	return f, nil
}

// Generator produces commands from a seed. The same seed and families give the same commands.
type Generator struct {
	rng      *rand.Rand
	families []family
	conn     int
}

// NewGenerator returns a generator for the families of these names.
func NewGenerator(seed uint64, names []string) (*Generator, error) {
	g := &Generator{rng: rand.New(rand.NewPCG(seed, 0))}
	for _, name := range names {
		f, err := loadFamily(name)
		if err != nil {
			return nil, err
		}
		g.families = append(g.families, f)
	}
	return g, nil
}

// Take returns the next n commands.
func (g *Generator) Take(n int) []Command {
	commands := make([]Command, n)
	for i := range commands {
		commands[i] = g.next()
	}
	return commands
}

func (g *Generator) next() Command {
	if g.rng.IntN(100) < switchPercent {
		g.conn = 1 - g.conn
	}
	f := g.families[g.rng.IntN(len(g.families))]
	s := g.pick(f.shapes)
	args := s.node.expand(nil, g.rng, &pools{family: f.name})
	if g.rng.IntN(10) == 0 {
		args[0] = strings.ToLower(args[0])
	}
	if g.rng.IntN(100) < brokenPercent && !s.safe {
		args = g.breakUp(args, strings.HasPrefix(f.since, "redis-stack"))
	}
	return Command{Args: args, Conn: g.conn, Mode: s.mode}
}

// pick chooses a shape; rare ones 25 times less often.
func (g *Generator) pick(shapes []shape) shape {
	for {
		s := shapes[g.rng.IntN(len(shapes))]
		if !s.rare || g.rng.IntN(rarity) == 0 {
			return s
		}
	}
}

// breakUp removes, doubles, replaces or adds an argument after the command's name. Those of a
// module stay as many: it checks their number itself, and so MULTI queues what ours refuses.
func (g *Generator) breakUp(args []string, ofModule bool) []string {
	junk := fixedPools["junk"][g.rng.IntN(len(fixedPools["junk"]))]
	if len(args) == 1 {
		return append(args, junk)
	}
	at, how := 1+g.rng.IntN(len(args)-1), g.rng.IntN(4)
	if ofModule {
		how = 2
	}
	switch how {
	case 0:
		return slices.Delete(args, at, at+1)
	case 1:
		return slices.Insert(args, at, args[at])
	case 2:
		args[at] = junk
		return args
	}
	return append(args, junk)
}
