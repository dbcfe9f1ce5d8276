package sets

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// errKeyCount is an error of SINTERCARD, in Redis' words.
const errKeyCount = command.Error("ERR Number of keys can't be greater than number of args")
