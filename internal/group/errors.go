package group

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/command"
)

// Why a snapshot fails. The log tries again later.
var (
	errBusy  = errors.New("a script or another snapshot is under way")
	errAhead = errors.New("the data have changes that are not in the group's log")
)

// What is replied to clients, and said of parameters.
const (
	errNotLeader      = command.Error("ERR This member does not lead the group")
	errUnknown        = command.Error("ERR The group has no such member")
	errOnlyMember     = command.Error("ERR The group has no other member that could lead")
	errID             = command.Error("ERR A member's id is a number from 1 on")
	errAddress        = command.Error("ERR A member is given as id=host:port")
	errFailed         = "ERR The group refuses: %v"
	errOnceNested     = command.Error("ERR GROUP ONCE cannot run this command")
	errOnceOld        = "ERR The sequence %d of this client is older than those that are remembered"
	errOnceName       = command.Error("ERR The name of a client has 1 to 128 bytes")
	errShare          = command.Error("ERR This is no share of a cluster")
	errBusySlots      = command.Error("ERR These hash slots are moving, or their keys are being removed")
	errTakenSlots     = command.Error("ERR A group owns some of these hash slots already")
	errForeignSlots   = command.Error("ERR The group does not own these hash slots")
	errOwnSlots       = command.Error("ERR The group owns some of these hash slots already")
	errSeveralSources = command.Error("ERR The hash slots must belong to one other group")
	errUnknownGroup   = command.Error("ERR This group is not known")
	errOtherGroup     = command.Error("ERR This is another group")
	errMoveID         = command.Error("ERR The ID of a move has 40 digits")
	errMoveSlots      = command.Error("ERR These are no hash slots of a group")
	errMoveOver       = command.Error("ERR The move is over")
	errMoveStale      = command.Error("TRYAGAIN The move is not at this step")
	errMoveUnknown    = command.Error("ERR The move is not known")
	errMoveText       = command.Error("ERR These are no commands that build the keys of a move")
	errMoveFailed     = "ERR A command of a move failed: %v"
	errTrimming       = command.Error("TRYAGAIN Keys of these hash slots are being removed")
	errMap            = command.Error("ERR This is no map of groups")
	errSlots          = command.Error("group-slots are numbers from 0 to 16383, and ranges such as 0-5460")
	errPeers          = command.Error("group-peers are given as host:port")
	errLogOnly        = command.Error("ERR Only the group's log may contain this command")
	errNoMembers      = command.Error("group-members must list this member and the others, " +
		"as in 1=host:port,2=host:port,3=host:port")
	errNoID          = command.Error("group-members needs group-id")
	errNotOdd        = command.Error("a group has 1, 3 or 5 members")
	errSegment       = command.Error("group-segment-size is at most 1gb")
	errTwice         = command.Error("a member is listed twice")
	errAppendOnly    = command.Error("appendonly must be no in a group, whose log keeps the data")
	errReplicaOfHere = command.Error("replicaof directive not allowed in cluster mode")
)
