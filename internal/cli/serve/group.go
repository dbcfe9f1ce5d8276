package serve

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/goruntime"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group"
	"github.com/miniserver-go/miniserver/internal/sentinel"
	"github.com/miniserver-go/miniserver/server"
)

// What the member of a group cannot be or have.
var (
	errGroupKit     = errors.New("group-id and test-kit exclude each other: the time of a group is in its log")
	errGroupFixture = errors.New("group-id and load exclude each other: the data of a group are in its log")
)

// checkGroup completes the settings of the member of a group, and refuses those that a member
// cannot have.
func (p *program) checkGroup() error {
	switch {
	case p.groupID == 0:
		return nil
	case len(p.startup.Fixtures) > 0:
		return errGroupFixture
	}
	return p.Group.Configure(p.groupID)
}

// newMember is an assembly.NewMember.
func newMember(e *engine.Engine, log func(level byte, format string, args ...any)) assembly.Member {
	e.Join(sentinel.New(e).Part())
	return group.New(e, group.Options{Log: log, Wall: server.Clock(), Nanos: server.Nanos(), Spawn: goruntime.Spawn,
		Dial: assembly.Dial(e)})
}
