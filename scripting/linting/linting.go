// Package linting gives SCRIPT LINT its linter, in a program that imports it:
//
//	import _ "github.com/miniserver-go/miniserver/scripting/linting"
//
// The command miniserver does. A test that runs a server of its own rarely lints scripts, and is
// the smaller without.
package linting

import (
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

func init() {
	scripting.Lint = func(e *engine.Engine, source string) (texts []string) {
		for _, f := range lint.New(e, e.Release).Lint(source) {
			texts = append(texts, f.String())
		}
		return texts
	}
}
