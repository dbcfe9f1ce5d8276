package keys_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/commands/hashes"
	"github.com/miniserver-go/miniserver/commands/lists"
	"github.com/miniserver-go/miniserver/commands/sets"
	"github.com/miniserver-go/miniserver/commands/streams"
	"github.com/miniserver-go/miniserver/commands/zsets"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "generic/*", func(e *engine.Engine) {
		e.Join(engine.Part{
			Types:    []engine.Type{hashes.Type, lists.Type, sets.Type, zsets.Type, streams.Type},
			Families: []command.Family{hashes.Family, lists.Family, sets.Family, zsets.Family, streams.Family},
		})
	})
}
