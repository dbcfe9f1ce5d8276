package slowlog_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/commands/slowlog"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/slowlog server/commandlog", func(e *engine.Engine) {
		e.Join(slowlog.New(e).Part())
	})
}
