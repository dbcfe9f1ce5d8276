package ratelimit_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/ratelimit"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "throttle/* string/increx", func(e *engine.Engine) {
		e.Join(engine.Commands(ratelimit.Throttle, ratelimit.IncrEx))
	})
}
