package json_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/json"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "json/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{json.Type}})
		e.Join(json.Part())
	})
}
