package group

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

func (f *effects) tell(db int, line string) {
	args, _ := resp.Words([]byte(line), nil)
	f.add(db, args)
}

// text returns effects as lines.
func text(effects []byte) (lines []string) {
	for in := resp.NewReader(strings.NewReader(string(effects))); ; {
		v, err := in.Read()
		if err != nil {
			return lines
		}
		lines = append(lines, strings.Join(v.Strings(), " "))
	}
}

// TestEntriesHaveWholeUnits takes effects while a unit is open: the rest makes sense without what
// came before.
func TestEntriesHaveWholeUnits(t *testing.T) {
	var f effects
	f.init()
	require.False(t, f.some())
	f.tell(3, "SET a 1")
	f.tell(engine.AnyDB, "MULTI")
	f.tell(3, "SET b 1")
	require.True(t, f.ready())
	require.Equal(t, []string{"SELECT 3", "SET a 1"}, text(f.take(nil)))
	require.False(t, f.ready())
	require.True(t, f.some())
	f.tell(engine.AnyDB, "EXEC")
	f.tell(0, "SET c 1")
	require.Equal(t, []string{"SELECT 3", "MULTI", "SET b 1", "EXEC", "SELECT 0", "SET c 1"}, text(f.take(nil)))
	require.False(t, f.some())
	f.tell(0, "SET d 1")
	require.Equal(t, []string{"SELECT 0", "SET d 1"}, text(f.take(nil)), "each entry stands for itself")
}
