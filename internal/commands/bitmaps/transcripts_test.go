package bitmaps_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/bitmaps"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "bitmap/*", func(e *engine.Engine) {
		e.Join(engine.Commands(bitmaps.Family))
	})
}
