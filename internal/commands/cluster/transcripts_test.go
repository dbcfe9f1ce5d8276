package cluster_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/cluster"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "cluster/*", func(e *engine.Engine) {
		e.Join(cluster.Part(e))
	})
}
