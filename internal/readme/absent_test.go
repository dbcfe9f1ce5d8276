//go:build unix

package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	_ "github.com/miniserver-go/miniserver/search" // FT.*
)

// names are what the documentation of a server publishes, as testdata/published has it: a line for
// each command, with the words of its options, and for each setting.
type names struct {
	commands []string            // "CONFIG|SET"
	options  map[string][]string // by the command
	settings []string
}

func published(t *testing.T, name string) names {
	text, err := os.ReadFile(filepath.Join("testdata", "published", name+".txt"))
	require.NoError(t, err)
	n := names{options: map[string][]string{}}
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); words[0] {
		case "command":
			n.commands = append(n.commands, words[1])
			n.options[words[1]] = words[2:]
		case "setting":
			n.settings = append(n.settings, words[1])
		}
	}
	require.NotEmpty(t, n.commands)
	require.NotEmpty(t, n.settings)
	return n
}

// tableOf returns the commands of a server that behaves as a release.
func tableOf(t *testing.T, name string) *command.Table {
	r, err := release.Find(name)
	require.NoError(t, err)
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }, Release: r})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	return e.Commands
}

// lacks returns the commands that a table lacks. Words after a module's command are arguments.
func lacks(table *command.Table, commands []string) (list []string) {
	for _, name := range commands {
		lower := strings.ToLower(name)
		if container, _, _ := strings.Cut(lower, "|"); strings.Contains(container, ".") {
			lower = container
		}
		if table.Named(lower) == nil {
			list = append(list, name)
		}
	}
	return list
}

// unset returns the settings that a server does not know. Dragonfly writes underscores.
func (d *desk) unset(settings []string) (list []string) {
	known := d.settings()
	for _, name := range settings {
		if !slices.Contains(known, name) && !slices.Contains(known, strings.ReplaceAll(name, "_", "-")) {
			list = append(list, name)
		}
	}
	return list
}

// settings returns the names of the settings of the desk's server, also of those that CONFIG GET
// does not show and options of the command line that are none.
func (d *desk) settings() []string {
	names := []string{"rename-command", "user"}
	pairs := d.ask("CONFIG GET *").Elems
	require.NotEmpty(d.t, pairs)
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, pairs[i].Text)
	}
	for _, hidden := range []string{"io-threads-do-reads", "lua-time-limit", "slaveof"} {
		if d.ask("CONFIG GET "+hidden).Len() > 0 {
			names = append(names, hidden)
		}
	}
	return names
}

// TestPageTellsWhatIsNotHere writes docs/absent.md: what is published and not here.
func TestPageTellsWhatIsNotHere(t *testing.T) {
	d := sitDown(t)
	redis, valkey, dragonfly := published(t, "redis-8.10"), published(t, "valkey-9.1"), published(t, "dragonfly")
	newest, stack := tableOf(t, "default"), tableOf(t, "redis-stack:7.4")
	absences := newest.Absent()
	for _, a := range stack.Absent() {
		if i := slices.IndexFunc(absences, func(b command.Absence) bool { return a.Names == b.Names }); i >= 0 {
			absences[i].Since = a.Since + ", " + absences[i].Since
		} else {
			absences = append(absences, a)
		}
	}
	for _, name := range lacks(newest, redis.commands) {
		require.True(t, slices.ContainsFunc(absences, func(a command.Absence) bool {
			return slices.Contains(strings.Fields(a.Names), strings.ToLower(name))
		}), "%s of Redis is missing, and no family says so", name)
	}
	require.Empty(t, withoutOptions(newest, redis))
	check(t, filepath.Join(d.root, "docs", "absent.md"), func(p *page) {
		for name, text := range map[string]string{
			"commands": absenceTable(absences), "settings": spans(d.unset(redis.settings)),
			"idle":               spans(d.idle()),
			"valkey-commands":    spans(lacks(newest, valkey.commands)),
			"valkey-settings":    spans(d.unset(valkey.settings)),
			"dragonfly-commands": spans(lacks(newest, dragonfly.commands)),
			"dragonfly-flags":    spans(d.unset(dragonfly.settings)),
		} {
			begin := fmt.Sprintf("<!-- %s: go test ./internal/readme -update -->", name)
			require.Contains(t, p.lines, begin)
			p.replaceTable(begin, text)
		}
	})
}

// withoutOptions returns the words of published options that our commands do not have.
func withoutOptions(table *command.Table, n names) (list []string) {
	for name, words := range n.options {
		cmd := table.Named(strings.ToLower(name))
		for _, word := range words {
			if cmd != nil && !strings.Contains(cmd.Syntax, word) {
				list = append(list, name+" "+word)
			}
		}
	}
	return list
}

// spans returns names as code, in the order of the alphabet.
func spans(names []string) string {
	slices.Sort(names)
	return "`" + strings.ReplaceAll(strings.Join(names, "` `"), "|", " ") + "`\n"
}

// absenceTable returns what is absent as a table in Markdown.
func absenceTable(absences []command.Absence) string {
	var b strings.Builder
	b.WriteString("| commands | of | here | |\n|---|---|---|---|\n")
	for _, a := range absences {
		instead := ""
		if a.Instead != "" {
			instead = "`" + a.Instead + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.TrimSpace(spans(strings.Fields(strings.ToUpper(a.Names)))),
			a.Since, instead, a.Why)
	}
	return b.String()
}

// idle returns the settings of the desk's server that docs/configuration.md does not tell of: they
// have no effect.
func (d *desk) idle() (names []string) {
	page, err := os.ReadFile(filepath.Join(d.root, "docs", "configuration.md"))
	require.NoError(d.t, err)
	inert := ""
	for _, path := range []string{"internal/config/ignored.go", "internal/commands/search/config.go",
		"internal/commands/timeseries/settings.go"} {
		text, err := os.ReadFile(filepath.Join(d.root, path))
		require.NoError(d.t, err)
		inert += string(text)
	}
	for _, name := range d.settings() {
		if strings.Contains(string(page), "`"+strings.Replace(name, "ziplist", "listpack", 1)+"`") {
			continue
		}
		require.Contains(d.t, inert, `"`+strings.TrimPrefix(name, "search-")+`"`,
			"%s has an effect, and docs/configuration.md does not tell of it", name)
		names = append(names, name)
	}
	return names
}

// TestPageTellsWhatIsRefused: each command in the table of options is an error.
func TestPageTellsWhatIsRefused(t *testing.T) {
	d := sitDown(t)
	text, err := os.ReadFile(filepath.Join(d.root, "docs", "absent.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| refused | of | it would |\n|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range []string{"FT.CREATE idx SCHEMA t TEXT v VECTOR FLAT 6 TYPE FLOAT32 DIM 2 DISTANCE_METRIC L2",
		"JSON.SET doc $ [1]"} {
		require.Equal(t, "OK", d.ask(line).Text, line)
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	require.NotEmpty(t, rows)
	for _, row := range rows {
		refused := strings.Trim(strings.Split(strings.TrimPrefix(row, "| "), " | ")[0], "`")
		require.True(t, d.ask(refused).IsError(), "%s is not refused any more", refused)
	}
}
