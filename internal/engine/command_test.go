package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// eachLine calls check for every command and subcommand of the server.
func eachLine(t *testing.T, check func(t *testing.T, cmd *command.Command)) {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory), TestKit: true})
	eachLineOf(t, e, check)
}

// eachLineOf is eachLine for an engine.
func eachLineOf(t *testing.T, e *engine.Engine, check func(t *testing.T, cmd *command.Command)) {
	for _, cmd := range e.Commands.All() {
		t.Run(cmd.FullName(), func(t *testing.T) { check(t, cmd) })
		for _, sub := range cmd.Subs {
			t.Run(sub.FullName(), func(t *testing.T) { check(t, sub) })
		}
	}
}

var (
	accesses   = regexp.MustCompile(`^(not_key|(RO|RW|OW|RM)( access)?( insert| delete| update| delete update)?( variable_flags| incomplete)?)$`)
	history    = regexp.MustCompile(`^([a-z0-9.:,@]+ .*[^ ])?\n?$`)
	complexity = regexp.MustCompile(`^(O\(.+|Depends on .+)[^.]$`)
	since      = regexp.MustCompile(`^(([a-z-]+:)?[0-9]+\.[0-9]+\.[0-9]+ ?)+$`)
)

// Every line is complete, also those of commands that redis-server lacks.
func TestLinesAreComplete(t *testing.T) {
	eachLine(t, func(t *testing.T, cmd *command.Command) {
		fail := failures(t, cmd)
		fail(!since.MatchString(cmd.Since), "Since must be what introduced it, such as 6.2.0, valkey:9.0.0, or "+
			"miniserver:0.1.0 for a command of our own", cmd.Since)
		require.NotPanics(t, func() { release.From(cmd.Since) }, "Since")
		for line := range strings.Lines(cmd.History + "\n" + cmd.Deprecated) {
			fail(!history.MatchString(line), "History and Deprecated must be lines of a release and a sentence", line)
		}
		fail(cmd.Summary == "", "Summary must be a sentence", "")
		fail(cmd.Group() == "", "the Family must have a Group", "")
		fail(!complexity.MatchString(cmd.Complexity),
			"Complexity must be such as O(1) or Depends on ..., without a stop", cmd.Complexity)
		fail(cmd.Run != nil && !cmd.Reply.Known(),
			"Reply must be such as integer, text? or list: see type command.Reply", string(cmd.Reply))
		const data = command.Write | command.ReadOnly
		hasKeys := slices.ContainsFunc(cmd.Keys.Specs, isKey)
		fail(hasKeys && cmd.Flags&data == 0 && !slices.Contains(noAccess, cmd.FullName()),
			"Flags must have Write or ReadOnly, since the command has keys", "")
		for _, spec := range cmd.Keys.Specs {
			fail(!accesses.MatchString(spec.Access),
				`Keys must say what happens to them, such as "RO access" or "RW update"`, spec.Access)
		}
		list, _ := command.Parse(cmd.Syntax)
		fail(slices.ContainsFunc(list, namesKeys) != hasKeys,
			"Syntax must name a key just if Keys find one, such as command.Key(1, \"RW update\")", cmd.Syntax)
	})
}

// failures returns a function that fails the test of a line with what must be, and what is instead.
func failures(t *testing.T, cmd *command.Command) func(failed bool, must, is string) {
	return func(failed bool, must, is string) {
		t.Helper()
		if failed {
			t.Errorf("the line of %s: %s; it has %q", cmd.FullName(), must, is)
		}
	}
}

func isKey(spec command.Keyspec) bool { return spec.Access != "not_key" }

func namesKeys(a command.Argument) bool {
	return a.Kind == "key" || slices.ContainsFunc(a.Parts, namesKeys)
}

// looser are commands whose arity allows fewer or more arguments than their syntax, as in
// redis-server.
var looser = strings.Fields(`cl.throttle client|kill cluster|migrateslots cluster|migration debug hotkeys|start psync
	quit replconf ts.mrange ts.mrevrange`)

// Syntaxes are well-formed, and take as many arguments as the arity says.
func TestSyntaxesFitTheArity(t *testing.T) {
	eachLine(t, func(t *testing.T, cmd *command.Command) {
		list, ok := command.Parse(cmd.Syntax)
		require.True(t, ok, "Syntax %q is malformed", cmd.Syntax)
		n, more := command.LeastOf(list)
		n += len(strings.Split(cmd.FullName(), "|"))
		if more {
			n = -n
		}
		switch {
		case len(cmd.Subs) > 0:
		case slices.Contains(looser, cmd.FullName()):
			require.NotEqual(t, cmd.Arity, n, "no exception")
		default:
			failures(t, cmd)(cmd.Arity != n,
				fmt.Sprintf("Arity is %d, but the Syntax takes %d arguments with the name", cmd.Arity, n), cmd.Syntax)
		}
	})
}

// noAccess are commands with keys that neither read nor write data by themselves: what scripts call
// says that, and others only look.
var noAccess = strings.Fields("eval evalsha fcall watch mini.waitfor|key mini.waitfor|length")

var commandStep = regexp.MustCompile(`(?m)^[a-z0-9]*> ["']?([^\s"']+)`)

func TestEveryCommandHasATranscript(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "commands", "testdata", "*", "*.txt"))
	require.NoError(t, err)
	kit, err := filepath.Glob(filepath.Join("..", "testkit", "testdata", "*.txt"))
	require.NoError(t, err)
	have := map[string]bool{}
	for _, path := range append(files, kit...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, step := range commandStep.FindAllStringSubmatch(string(text), -1) {
			have[strings.ToLower(step[1])] = true
		}
	}
	eachLine(t, func(t *testing.T, cmd *command.Command) {
		if !cmd.IsSub() && !have[cmd.Name] {
			t.Errorf("no transcript runs %s: write internal/commands/testdata/<group>/%[1]s.txt, see CONTRIBUTING.md",
				cmd.Name)
		}
	})
}
