package explain_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/explain"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/streams"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/memory server/memory-* server/encodings", func(e *engine.Engine) {
		e.Join(engine.Part{
			Types:    []engine.Type{hashes.Type, lists.Type, sets.Type, zsets.Type, streams.Type},
			Families: []command.Family{hashes.Family, lists.Family, sets.Family, zsets.Family, streams.Family},
		})
		e.Join(explain.Part())
	})
}
