package consensus

import "errors"

// The errors of a group's log.
var (
	// ErrNotAppended: the entry is not in the log, and never will be.
	ErrNotAppended = errors.New("the entry was not appended")
	// ErrUnknown: the entry may be in the log or get there, because this member lost the seat
	// before it knew.
	ErrUnknown = errors.New("the leader's seat was lost before the entry was confirmed")

	ErrNotLeader     = errors.New("this member is not the leader")
	ErrClosed        = errors.New("the group's log is closed")
	ErrNotListed     = errors.New("the list of members does not contain this member")
	ErrDiskSlow      = errors.New("the disk takes too long")
	ErrDamaged       = errors.New("the log of entries is damaged, and there is no other member that has it")
	ErrFormat        = errors.New("the directory has a log in the format of an earlier release, which is not read")
	ErrNotCaughtUp   = errors.New("the member has not caught up in time, and has no vote yet")
	ErrNotConfirmed  = errors.New("most members have not confirmed it yet, so it may happen later or not at all")
	ErrUnderWay      = errors.New("another change is under way")
	ErrUnknownMember = errors.New("the group has no such member")
)

var (
	errDamage     = errors.New("damage")
	errChecksum   = errors.New("a checksum is wrong")
	errGone       = errors.New("the entry is not in the log any more")
	errNoSnapshot = errors.New("there is no snapshot to begin with")
	errNotTaken   = errors.New("the other member has not taken the leader's seat")
	errOtherGroup = errors.New("it is a member of another group")
	errManyGuests = errors.New("too many connections, or too much that comes on them")
	errUnsound    = errors.New("it sends what no member does")
	errLongTalk   = errors.New("a message or an answer is too large")
	errRecordSize = errors.New("a record is too long")
	errLastVote   = errors.New("the group would have no member with a vote")
)
