package assembly

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/server"
)

// TestEveryPartEnds finds a part with a method Close that the list of ways to end does not have.
func TestEveryPartEnds(t *testing.T) {
	for _, o := range []Options{{}, {Group: newMember}, {Volatile: true}, {TestKit: true}} {
		o.Disk = new(disk.Memory)
		a := New(o)
		closers := 0
		for _, part := range reflect.ValueOf(a.Parts).Fields() {
			isPart := part.Kind() == reflect.Pointer || part.Kind() == reflect.Interface
			if part.CanInterface() && isPart && !part.IsNil() {
				if _, closes := part.Interface().(interface{ Close() }); closes {
					closers++
				}
			}
		}
		require.Len(t, a.ends, closers, "%+v", o)
		a.Close(nil)
	}
}

func newMember(e *engine.Engine, log func(level byte, format string, args ...any)) Member {
	return group.New(e, group.Options{Log: log, Wall: server.Clock(), Nanos: server.Nanos()})
}

// guest is a part that another package adds.
type guest struct{ closed *[]string }

func (guest) Part() engine.Part { return engine.Part{Name: "guest"} }
func (g guest) Close()          { *g.closed = append(*g.closed, "guest") }

// TestPartsEndInReverse: what was added last ends first.
func TestPartsEndInReverse(t *testing.T) {
	var closed []string
	a := New(Options{Disk: new(disk.Memory)})
	a.ends = append(a.ends, func(error) { closed = append(closed, "before") })
	a.Add(guest{&closed})
	a.Close(nil)
	require.Equal(t, []string{"guest", "before"}, closed)
}
