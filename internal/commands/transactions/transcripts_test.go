package transactions_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "transactions/*", func(e *engine.Engine) {
		e.Join(engine.Part{
			Types:    []engine.Type{lists.Type, zsets.Type, hashes.Type},
			Families: []command.Family{lists.Family, zsets.Family, hashes.Family},
		})
	})
}
