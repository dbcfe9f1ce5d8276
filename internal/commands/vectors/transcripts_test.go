package vectors_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/vectors"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "vectorset/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{vectors.Type}})
		e.Join(vectors.Part())
	})
}
