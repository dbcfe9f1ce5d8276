package group

import (
	"bytes"

	"github.com/miniserver-go/miniserver/resp"
)

// scanner parses effects. It is one for all entries, because it has a buffer.
type scanner struct {
	source   bytes.Buffer
	commands *resp.Scanner
	end      int64 // of the last command, since the scanner was made
}

func newScanner() *scanner {
	s := &scanner{}
	s.commands = resp.NewScanner(&s.source, 0)
	return s
}
