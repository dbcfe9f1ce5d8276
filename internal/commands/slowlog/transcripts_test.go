package slowlog_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/slowlog"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/slowlog server/commandlog", func(e *engine.Engine) {
		e.Join(slowlog.New(e).Part())
	})
}
