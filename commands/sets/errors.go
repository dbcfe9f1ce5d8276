package sets

import "github.com/miniserver-go/miniserver/engine"

// errKeyCount is an error of SINTERCARD, in Redis' words.
const errKeyCount = engine.Error("ERR Number of keys can't be greater than number of args")
