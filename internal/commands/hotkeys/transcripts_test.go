package hotkeys_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/hotkeys"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "server/hotkeys", func(e *engine.Engine) { e.Join(hotkeys.New(e).Part()) })
}
