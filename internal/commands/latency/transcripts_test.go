package latency_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/latency"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/latency", func(e *engine.Engine) {
		e.Join(latency.New(e).Part())
	})
}
