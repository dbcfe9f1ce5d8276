// Package tools gives the server of a program that imports it the linter of SCRIPT LINT, and the
// debugger of SCRIPT DEBUG:
//
//	import _ "github.com/miniserver-go/miniserver/scripting/tools"
//
// The command miniserver does. A test that runs a server of its own rarely needs them, and is the
// smaller without.
package tools

import (
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/ldb"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

func init() {
	scripting.Lint = func(e *engine.Engine, source string) (texts []string) {
		for _, f := range lint.New(e, e.Release).Lint(source) {
			texts = append(texts, f.String())
		}
		return texts
	}
	scripting.DebugOnConnections(func(c *scripting.Connection) debugger.FrontEnd { return ldb.New(c) })
}
