package acl_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/commands/acl"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "acl/auth acl/permissions acl/revoked acl/s*", func(e *engine.Engine) {
		e.Join(acl.Part(e))
	})
}
