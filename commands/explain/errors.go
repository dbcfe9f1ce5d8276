package explain

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package's commands, in Redis' words; those with a verb are formats.
const (
	errNoEncoding  = "ERR these data of a %s cannot be a %s"
	errOneEncoding = "ERR a %s has one encoding only"
	errNoThreshold = "ERR '%s' does not decide on the encoding of a %s"
	errNotPacked   = engine.Error("ERR Not a ziplist encoded object.")
)
