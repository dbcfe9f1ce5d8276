package sets

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// errKeyCount is an error of commands that count members, in Redis' words.
const errKeyCount = command.Error("ERR Number of keys can't be greater than number of args")
