package clients_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/monitor"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "connection/*", func(e *engine.Engine) {
		e.Join(engine.Part{
			Types:    []engine.Type{lists.Type, zsets.Type},
			Families: []command.Family{lists.Family, zsets.Family},
		})
		e.Join(monitor.Part())
	})
}
