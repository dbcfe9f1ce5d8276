package psync

import "errors"

// Errors of a link that are not a reply of the master. Those of the connection pass through as they
// are.
var (
	ErrProtocol = errors.New("bad protocol from the master")
	ErrUnread   = errors.New("the snapshot is not read to its end")
)

// The texts of refusals, as replicas of Redis log them.
const (
	errPing    = "Error reply to PING from master: '%s'"
	errAuth    = "Unable to AUTH to MASTER: %s"
	errPSync   = "Unexpected reply to PSYNC from master: %s"
	errAborted = "MASTER aborted replication with an error: %s"
	errStream  = "the replication stream is damaged: %w"
)
