package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// TestTypesInAGroup: all members have the same values of all types, from the commands of the
// leader, which has the clock and the dice, and from its snapshot. The next leader goes on with
// them.
func TestTypesInAGroup(t *testing.T) {
	g := startGroup(t, 3, "--group-snapshot-entries", "100")
	leader, random := g.leader(), dataset.New(5)
	keyOf := func(of dataset.Type, i int) string { return fmt.Sprint(of.Name, i) }
	fill := func(i int) {
		for _, of := range dataset.Types {
			for _, c := range of.Make(random, keyOf(of, i)) {
				_, err := g.ask(leader, c...)
				require.NoError(t, err)
			}
		}
		for _, c := range []dataset.Command{{"TS.ADD", "now", "*", "1"},
			{"TOPK.RESERVE", "chance", "2", "1", "1", "0.9"},
			{"TOPK.ADD", "chance", "a", "b", "a", "b", "c", "d", "e", "f", "g", "h"}} {
			_, err := g.ask(leader, c...)
			require.NoError(t, err)
		}
	}
	fill(0)
	g.agree()
	behind := leader%3 + 1
	g.kill(behind)
	for i := 1; i < 6; i++ {
		fill(i)
	}
	g.start(behind)
	g.agree()

	told := func(id int) (replies []string) {
		for _, of := range dataset.Types {
			for _, question := range of.Ask(keyOf(of, 3)) {
				reply, err := g.ask(id, question...)
				require.NoError(t, err)
				replies = append(replies, reply)
			}
		}
		return replies
	}
	want := told(leader)
	g.kill(leader)
	leader = g.leader()
	require.Equal(t, want, told(leader))
	fill(6)
	g.agree()
}
