package scripting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/lint"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The linter knows the globals of scripts and their fields, in each release.
func TestLinterKnowsTheSandbox(t *testing.T) {
	for _, r := range append(release.Known, release.Default) {
		t.Run(r.Name, func(t *testing.T) {
			e := engine.New(engine.Options{Clock: func() int64 { return 0 }, Release: &r})
			in := New(e).interpreter
			in.ready()
			globals := in.scripts.Globals
			linter := lint.New(e, &r)
			require.ElementsMatch(t, fields(globals), linter.Globals(""))
			for _, name := range linter.Globals("") {
				if library := globals.GetString(name).AsTable(); library != nil && name != "_G" {
					require.ElementsMatch(t, fields(library), linter.Globals(name), name)
				}
			}
		})
	}
}

// fields returns the names of a table's fields.
func fields(t *lua.Table) (names []string) {
	for k, _, more, _ := t.Next(nil, lua.Nil); more; k, _, more, _ = t.Next(nil, k) {
		name, _ := k.AsString()
		names = append(names, name)
	}
	return names
}
