package sets

import "github.com/miniserver-go/miniserver/engine"

// The errors of this package's commands, in Redis' words; those with a verb are formats.
const (
	errKeyCount = engine.Error("ERR Number of keys can't be greater than number of args")
)
