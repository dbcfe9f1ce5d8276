package likeness

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	_ "github.com/miniserver-go/miniserver/search" // FT.*
)

// A server of the newest release knows all commands that its documentation publishes, and one like
// Redis Stack those that its modules had then. Those of the core take as many arguments: modules
// count theirs, and the documentation tells other numbers.
func TestKnowsPublishedCommands(t *testing.T) {
	published := publishedCommands(t)
	for _, of := range []string{"default", "redis:8.10", "redis-stack:7.4"} {
		r, err := release.Find(of)
		require.NoError(t, err)
		table := tableOf(r)
		for _, p := range published {
			if r.Stack && !p.inStack() {
				continue
			}
			name, _, _ := strings.Cut(p.name, "|")
			cmd := table.Named(p.name)
			if p.ofModule() { // whose subcommands are arguments
				cmd = table.Named(name)
			}
			switch {
			case cmd == nil:
				t.Errorf("%s lacks %s", of, p.name)
			case cmd.Arity != p.arity && !p.ofModule():
				t.Errorf("%s: %s has arity %d, published %d", of, p.name, cmd.Arity, p.arity)
			}
		}
	}
}

// published is a command as the tables of its documentation have it.
type published struct {
	name  string // "config|set"
	arity int
	since string // a release of Redis, or of the module
}

// inStack reports whether the modules of Redis Stack 7.4 have the command.
func (p published) inStack() bool { return p.ofModule() && !strings.HasPrefix(p.since, "8.") }

// ofModule reports whether a module has the command.
func (p published) ofModule() bool { return strings.Contains(p.name, ".") }

// publishedCommands reads the tables where they may lie, beside the repository.
func publishedCommands(t *testing.T) (list []published) {
	root, err := launch.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "..", "shared", "facts", "missing-commands.md"))
	if err != nil {
		t.Skip("NOT COMPARED: the tables of published commands are not beside the repository")
	}
	row := regexp.MustCompile("(?m)^\\| `([A-Z._]+(?: [A-Z]+)?)` \\| (-?[0-9]+) \\| ([0-9.]+) \\|")
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		arity, err := strconv.Atoi(cells[2])
		require.NoError(t, err)
		name := strings.ToLower(strings.ReplaceAll(cells[1], " ", "|"))
		list = append(list, published{name, arity, cells[3]})
	}
	require.NotEmpty(t, list)
	return list
}

// tableOf returns the commands of a server of the release.
func tableOf(r *release.Release) *command.Table {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }, Release: r})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	return e.Commands
}

// Redis 8.10 marks the commands that run scripts and functions.
func TestScriptRunnersAreMarked(t *testing.T) {
	for name, want := range map[string][]string{"redis:8.8": nil,
		"redis:8.10": {"eval", "eval_ro", "evalsha", "evalsha_ro", "fcall", "fcall_ro"}} {
		r, err := release.Find(name)
		require.NoError(t, err)
		var marked []string
		table := tableOf(r)
		table.Each(func(c *command.Command) {
			if slices.Contains(table.FlagWords(c.Flags), "script_runner") {
				marked = append(marked, c.FullName())
			}
		})
		slices.Sort(marked)
		require.Equal(t, want, marked, name)
	}
}
