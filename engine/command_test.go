package engine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
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
)

// Every line is complete, also those of commands that redis-server lacks.
func TestLinesAreComplete(t *testing.T) {
	eachLine(t, func(t *testing.T, cmd *command.Command) {
		require.NotPanics(t, func() { release.From(cmd.Since) }, "Since")
		require.NotEmpty(t, cmd.Since, "Since")
		for line := range strings.Lines(cmd.History + "\n" + cmd.Deprecated) {
			require.Regexp(t, history, line, "History, Deprecated")
		}
		require.NotEmpty(t, cmd.Summary, "Summary")
		require.NotEmpty(t, cmd.Group(), "the family's Group")
		require.Regexp(t, complexity, cmd.Complexity, "Complexity")
		require.True(t, cmd.Run != nil || len(cmd.Subs) > 0, "Run")
		require.True(t, cmd.Run == nil || cmd.Reply.Known(), "Reply %q", cmd.Reply)
		isKey := false
		for _, spec := range cmd.Keys.Specs {
			require.Regexp(t, accesses, spec.Access, "Keys")
			isKey = isKey || spec.Access != "not_key"
		}
		list, _ := command.Parse(cmd.Syntax)
		require.Equal(t, slices.ContainsFunc(list, namesKeys), isKey, "Syntax %q, Keys %v", cmd.Syntax, cmd.Keys.Specs)
	})
}

func namesKeys(a command.Argument) bool {
	return a.Kind == "key" || slices.ContainsFunc(a.Parts, namesKeys)
}

// looser are commands whose arity allows fewer or more arguments than their syntax, as in redis-server.
var looser = strings.Fields("cl.throttle client|kill debug psync quit replconf")

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
			require.Equal(t, cmd.Arity, n, "Syntax %q", cmd.Syntax)
		}
	})
}

var commandStep = regexp.MustCompile(`(?m)^[a-z0-9]*> ["']?([^\s"']+)`)

func TestEveryCommandHasATranscript(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "commands", "testdata", "*", "*.txt"))
	require.NoError(t, err)
	kit, err := filepath.Glob(filepath.Join("..", "internal", "testkit", "testdata", "*.txt"))
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
		require.True(t, cmd.IsSub() || have[cmd.Name], "no transcript runs it")
	})
}
