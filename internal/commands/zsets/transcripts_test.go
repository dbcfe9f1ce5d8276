package zsets_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "sorted-set/*", func(e *engine.Engine) {
		e.Join(engine.Part{
			Types:    []engine.Type{zsets.Type, sets.Type},
			Families: []command.Family{zsets.Family, sets.Family},
		})
	})
}
