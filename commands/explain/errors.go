package explain

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package. The untyped ones are formats. Only errNotPacked is in Redis' words.
const (
	errNoEncoding  = "ERR these data of a %s cannot be a %s"
	errOneEncoding = "ERR a %s has one encoding only"
	errNoThreshold = "ERR '%s' does not decide on the encoding of a %s"
	errNotPacked   = engine.Error("ERR Not a ziplist encoded object.")
)
