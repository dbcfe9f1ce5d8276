package explain

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// The errors of this package. The untyped ones are formats. Those of DEBUG are in Redis' words.
const (
	errNoEncoding  = "ERR these data of a %s cannot be a %s"
	errOneEncoding = "ERR a %s has one encoding only"
	errNoThreshold = "ERR '%s' does not decide on the encoding of a %s"
	errNotEncoded  = "ERR Not a %s encoded object."
	errNoText      = command.Error("ERR Not an sds encoded string.")
	errNoTable     = command.Error("ERR The value stored at the specified key is not represented using an hash table")
	errNoDatabase  = command.Error("ERR Out of range database")
)
