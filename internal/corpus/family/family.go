// Package family runs the transcripts of one family of commands in a small engine: the family, and
// the commands that nearly all transcripts use. So the test of a family links neither scripts nor
// replicas nor files nor what starts real servers, and compiles in seconds.
//
// A command that the engine has not, such as EVAL, is left out with the steps up to the next reset,
// and counted. Package corpus runs all transcripts completely, in all worlds, and records them.
// There is no such test for DEBUG and COMMAND, whose transcripts show all that a server has.
package family

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/clients"
	"github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/debug"
	"github.com/miniserver-go/miniserver/internal/commands/introspection"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/commands/server"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

var only = flag.String("transcripts", "", "run only the transcripts whose path contains this")

// ChoosesSome reports whether the flag -transcripts is set.
func ChoosesSome() bool { return *only != "" }

// IsChosen reports whether the flag -transcripts chooses the transcript.
func IsChosen(path string) bool { return strings.Contains(filepath.ToSlash(path), *only) }

// Run runs, with RESP2, the transcripts below internal/commands/testdata that match one of the
// patterns, which name them without ".txt". join adds to an engine what the core has not; nil for
// nothing. It is called in a package of a family, commands/NAME. With -v the test says how many
// steps it left out.
func Run(t *testing.T, patterns string, join func(e *engine.Engine)) {
	t.Helper()
	w := world(t, join)
	ran, leftOut := 0, 0
	for _, path := range matches(t, patterns) {
		f, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			out, err := f.Run(w)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range out.Mismatches {
				t.Error(m)
			}
			ran, leftOut = ran+out.Ran, leftOut+out.LeftOut
		})
	}
	t.Logf("%d steps ran; %d need what this engine has not: internal/corpus runs them", ran, leftOut)
}

// world returns the world whose engines have the core and what join adds.
func world(t *testing.T, join func(e *engine.Engine)) (w *transcript.Memory) {
	traits := transcript.Traits{Name: "an engine with one family",
		Lacks: func(args []string) bool { return lacks(w.Engine(), args) }}
	w = transcript.NewMemory(traits, func(e *engine.Engine) {
		e.Join(core(e)...)
		if join != nil {
			join(e)
		}
		CheckLines(t, e)
	})
	CheckJournal(t, w)
	return w
}

// Load loads a transcript, whose first line must be a comment that says what the file covers.
func Load(path string) (*transcript.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(string(text), "#") {
		return nil, fmt.Errorf("%s:1: the first line must be a comment that says what the file covers", path)
	}
	return transcript.Parse(path, string(text))
}

// matches returns the paths of the transcripts that match one of the patterns.
func matches(t *testing.T, patterns string) (paths []string) {
	for pattern := range strings.FieldsSeq(patterns) {
		found, err := filepath.Glob(filepath.Join("..", "testdata", pattern+".txt"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no transcript is %s: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !IsChosen(p) })
}

// core returns what nearly all transcripts use.
func core(e *engine.Engine) []engine.Part {
	return append(clients.Parts(e), []engine.Part{
		{Types: []engine.Type{stringcmds.Type}, Families: []command.Family{
			stringcmds.Family, keys.Family, keys.Databases, keys.Selection, introspection.Family, debug.Family,
		}, Debug: []engine.DebugLine{stringcmds.Debug()}},
		server.Part(),
		config.Part(e.Release),
		pubsub.Part(),
		transactions.Part(),
	}...)
}

// lacks reports whether an engine does not know the command, or the parameter that it sets.
func lacks(e *engine.Engine, args []string) bool {
	words := make([][]byte, len(args))
	for i, arg := range args {
		words[i] = []byte(arg)
	}
	cmd, _ := e.Commands.Resolve(words)
	if cmd == nil {
		return true
	}
	return cmd.FullName() == "config|set" && len(args) > 2 && e.Params.Named(strings.ToLower(args[2])) == nil
}
