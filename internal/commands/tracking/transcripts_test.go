package tracking_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "connection/client_tracking", nil)
}
