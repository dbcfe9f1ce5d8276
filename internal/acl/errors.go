package acl

// Error is the error of a rule, in Redis' words.
type Error string

func (e Error) Error() string { return string(e) }

// The errors of [User.Apply].
const (
	ErrSyntax     Error = "Syntax error"
	ErrUnknown    Error = "Unknown command or category name in ACL"
	ErrFirstOfSub Error = "Allowing first-arg of a subcommand is not supported"
	ErrAllKeys    Error = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not " +
		"have any effect. Try 'resetkeys' to start with an empty list of patterns"
	ErrAllChannels Error = "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does " +
		"not have any effect. Try 'resetchannels' to start with an empty list of channels"
	ErrHash Error = "The password hash must be exactly 64 characters and contain only lowercase " +
		"hexadecimal characters"
	ErrDatabase   Error = "The provided database ID is out of range"
	ErrNoPassword Error = "The password you are trying to remove from the user does not exist"
)
