package lint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// TestElsewhere: what the engine has is told by its table alone.
func TestElsewhere(t *testing.T) {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	for _, names := range elsewhere {
		for name := range strings.FieldsSeq(names) {
			require.Equal(t, strings.Contains(name, "|"), e.Commands.Named(strings.Split(name, "|")[0]) != nil, name)
		}
	}
}
