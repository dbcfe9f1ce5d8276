package timeseries_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/timeseries"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "timeseries/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{timeseries.Type}})
		e.Join(timeseries.Part())
	})
}
