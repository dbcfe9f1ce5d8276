package assembly

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// TestEveryPartEnds finds a part with a method Close that the list of ways to end does not have.
func TestEveryPartEnds(t *testing.T) {
	for _, o := range []Options{{}, {Group: true}, {Volatile: true}, {TestKit: true}} {
		o.Disk = new(disk.Memory)
		a := New(o)
		closers := 0
		for _, part := range reflect.ValueOf(a.Parts).Fields() {
			if part.CanInterface() && part.Kind() == reflect.Pointer && !part.IsNil() {
				if _, closes := part.Interface().(interface{ Close() }); closes {
					closers++
				}
			}
		}
		require.Len(t, a.ends, closers, "%+v", o)
		a.Close(nil)
	}
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
