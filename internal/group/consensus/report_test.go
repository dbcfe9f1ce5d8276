package consensus

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestAMemberAloneSaysItOnce: a member that cannot reach the others logs it once, and logs when
// that changes. Raft's own lines stay out.
func TestAMemberAloneSaysItOnce(t *testing.T) {
	quick.Skip(t, "waits for elections")
	var mu sync.Mutex
	said, elections := map[uint64][]string{}, map[uint64]int{}
	g := newGroup(t, 3, func(o *Options) {
		o.Log = func(level, message string) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(message, "is starting a new election") {
				elections[o.ID]++
			}
			if level == "warning" || level == "notice" {
				said[o.ID] = append(said[o.ID], message)
			}
		}
	}).founded()
	require.NoError(t, g.leader().append("a"))
	g.agree("a")
	alone := g.another()
	id := alone.options.ID
	lines := func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(said[id], "\n")
	}
	var others []*running
	for _, m := range g.nodes {
		if m != alone {
			others = append(others, m)
			g.stop(m)
		}
	}
	eventually(t, "some elections", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return elections[id] > 5
	})
	for _, m := range others {
		line := "The member at " + g.address(m.options.ID) + " cannot be reached: connect: connection refused"
		require.Equal(t, 1, strings.Count(lines(), line), lines())
	}
	require.NotContains(t, lines(), "Raft")
	calls := strings.Count(lines(), "No member leads the group")

	for _, m := range others {
		g.start(m)
	}
	g.agree("a")
	eventually(t, "that it leads, and so has to reach the others", func() bool {
		if leader := g.leader(); leader != alone {
			_ = leader.Transfer(id) // refused while the members still find each other
		}
		return alone.held().Leader
	})
	for _, m := range others {
		eventually(t, "that it is back", func() bool {
			return strings.Contains(lines(), "The member at "+g.address(m.options.ID)+" is reached again")
		})
	}
	require.LessOrEqual(t, calls, 2, "at the start, and now")
}
