package latency_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/commands/latency"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/latency", func(e *engine.Engine) {
		e.Join(latency.New(e).Part())
	})
}
