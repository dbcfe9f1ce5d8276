package consensus

import "errors"

// The errors of a group's log.
var (
	// ErrNotAppended: the entry is not in the log, and never will be.
	ErrNotAppended = errors.New("the entry was not appended")
	// ErrUnknown: the entry may be in the log or get there, because this member lost the seat before it knew.
	ErrUnknown = errors.New("the leader's seat was lost before the entry was confirmed")

	ErrNotLeader     = errors.New("this member is not the leader")
	ErrClosed        = errors.New("the group's log is closed")
	ErrNotListed     = errors.New("the list of members does not contain this member")
	ErrUnknownMember = errors.New("the group has no such member")
)
