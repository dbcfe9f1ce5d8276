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
	ErrNotCaughtUp   = errors.New("the member has not caught up in time, and has no vote yet")
	ErrNotConfirmed  = errors.New("most members have not confirmed it yet, so it may happen later or not at all")
	ErrUnderWay      = errors.New("another change is under way")
	ErrUnknownMember = errors.New("the group has no such member")
)

var (
	errChecksum   = errors.New("the checksum of an entry is wrong")
	errHole       = errors.New("this member has lost entries, and has no vote until it has them again")
	errShort      = errors.New("the log of this member has lost entries")
	errNewcomer   = errors.New("this member has just started without data, and does not know yet what it has promised")
	errDiskFails  = errors.New("this member's disk fails")
	errVoid       = errors.New("the entry does not follow the one before it") // what Raft replies to Append
	errRemoved    = errors.New("the group has no such member any more")
	errOtherGroup = errors.New("it is a member of another group")
	errNoFrame    = errors.New("no frame")
	errList       = errors.New("the list of the log's files is damaged")
	errNextFile   = errors.New("the next file of the log could not be made")
	errManyGuests = errors.New("too many connections, or too much that comes on them")
	errUnsound    = errors.New("a request has what no member sends")
	errLongTalk   = errors.New("a request or an answer is too large")
	errRecordSize = errors.New("a record is too long")
	errNoTime     = errors.New("this member took too long to handle a request")
	errNotFound   = errors.New("not found") // Raft recognises it by its text
)
