package migrate

import "errors"

// Errors that end a migration before the switch.
var (
	ErrStopped = errors.New("stopped before the switch: the target does not have everything")
	ErrSame    = errors.New("--from and --to are the same server")
	ErrReplica = errors.New("the target is a replica, which takes no writes")
	ErrCluster = errors.New("the target is a node of a cluster, for which keys would have to be sorted by their slots")
)

// Texts of errors.
const (
	errURL      = "%q is no URL of a server: write redis://[user:password@]host[:port][/database], or rediss:// for TLS"
	errDatabase = "%q in the URL %s is no database: it is a number"
	errOneToAll = "the URL of the target names database %d, " +
		"that of the source none: name both or only that of the source"
	errNotEmpty = "the target has %d keys in database %d; with --replace they stay, " +
		"unless the source has keys of these names"
	errRestart = "%s is not the one that the migration began with: it was restarted, " +
		"and may have lost data; start again"
	errTooLong = "it has %d bytes when it is written, and proto-max-bulk-len of the target is %d"
	errEvicts  = "the target has evicted %d keys since the migration began: its maxmemory is too small for the data"
	errWhole   = "the source has executed %s, " +
		"and with --replace the target's own keys cannot be told from those that were copied: start again"
	errSide    = "the %s: %w"
	errRefuses = "%s refuses %s: %s"
)
