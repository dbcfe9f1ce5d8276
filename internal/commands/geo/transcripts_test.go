package geo_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/geo"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "geo/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{zsets.Type}, Families: []command.Family{zsets.Family, geo.Family}})
	})
}
