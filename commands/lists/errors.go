package lists

import "github.com/miniserver-go/miniserver/engine"

// Errors of LPOS, in Redis' words.
const (
	errRankZero       = engine.Error("ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list")
	errNegativeCount  = engine.Error("ERR COUNT can't be negative")
	errNegativeMaxLen = engine.Error("ERR MAXLEN can't be negative")
)
