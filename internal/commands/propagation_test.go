package commands_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/streams"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// propagatedSteps reach the journal as other commands than the client sent.
var propagatedSteps = []step{
	{"XADD", []string{"XADD s 1-1 f v"}, "XADD s * f v", 1},
	{"XADD with a trim", []string{"XADD s 1-1 f v"}, "XADD s MAXLEN ~ 100 * f v", 3},
	{"SPOP", large("SADD s m{n}"), "SPOP s", 3},
}

func TestPropagationAllocatesLittle(t *testing.T) {
	requireAllocsWith(t, propagatedSteps, 1, engine.Part{
		Families: []command.Family{streams.Family, sets.Family}, Propagate: func(int, [][]byte) {},
	})
}
