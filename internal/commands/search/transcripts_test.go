package search_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/json"
	"github.com/miniserver-go/miniserver/internal/commands/search"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "search/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: append([]engine.Type{hashes.Type, json.Type}, search.Types...)})
		e.Join(engine.Commands(hashes.Family), json.Part(), search.Part())
	})
}
