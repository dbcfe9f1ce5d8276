package scripting

import (
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// texts copies bytes into strings for scripts. Small strings share a chunk, of which each byte is used once: so many
// small arguments and replies cost one allocation, and a string never changes while a script has it.
//
// A script that keeps one small string of each chunk holds chunkSize bytes for it. So chunkSize bounds the difference
// between the memory that a run holds and the memory that is counted.
type texts struct{ chunk []byte }

const (
	chunkSize = 256
	smallText = 64
)

// value returns a string with the contents of b.
func (t *texts) value(b []byte) lua.Value {
	if len(b) > smallText {
		return lua.Bytes(append([]byte(nil), b...))
	}
	if cap(t.chunk)-len(t.chunk) < len(b) {
		t.chunk = make([]byte, 0, chunkSize)
	}
	at := len(t.chunk)
	t.chunk = append(t.chunk, b...)
	return lua.Bytes(t.chunk[at:len(t.chunk):len(t.chunk)])
}

// text returns a string with the contents of b, counted against the run's memory.
func (s *Scripts) text(b []byte) lua.Value {
	if len(b) > smallText {
		return s.lua.CopyString(b)
	}
	s.lua.Alloc(len(b))
	return s.texts.value(b)
}
