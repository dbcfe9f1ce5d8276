package ratelimit_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/commands/ratelimit"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "throttle/* string/increx", func(e *engine.Engine) {
		e.Join(engine.Commands(ratelimit.Throttle, ratelimit.IncrEx))
	})
}
