package lists

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// Errors of LPOS, in Redis' words.
const (
	errRankZero = command.Error("ERR RANK can't be zero: use 1 to start from the first match, " +
		"2 from the second ... or use negative to start from the end of the list")
	errNegativeCount  = command.Error("ERR COUNT can't be negative")
	errNegativeMaxLen = command.Error("ERR MAXLEN can't be negative")
)
