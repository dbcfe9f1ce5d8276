package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
)

// Type is the data type of streams. It is rewritten as a payload, which also holds the groups and their pending entries.
var Type = engine.Type{Type: stream.Type}
