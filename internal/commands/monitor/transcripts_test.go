package monitor_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/monitor"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "connection/monitor", func(e *engine.Engine) {
		e.Join(monitor.Part())
	})
}
