package monitor_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/commands/monitor"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "connection/monitor", func(e *engine.Engine) {
		e.Join(monitor.Part())
	})
}
