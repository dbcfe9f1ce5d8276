package reply

import (
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// texts copies bytes into strings for scripts. Small strings share a chunk, of which each byte is
// used once: so many small arguments and replies cost one allocation, and a string never changes
// while a script has it.
//
// A script that keeps one small string of each chunk holds chunkSize bytes for it. So chunkSize
// bounds the difference between the memory that a run holds and the memory that is counted.
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
func (d *Decoder) text(b []byte) lua.Value {
	if len(b) > smallText {
		return d.lua.CopyString(b)
	}
	d.lua.Alloc(len(b))
	return d.texts.value(b)
}

// Array returns a new table of texts, not counted.
func (d *Decoder) Array(list [][]byte) lua.Value {
	t := lua.NewTable(len(list), 0)
	d.fill(t, list)
	return t.Value()
}

// Refill makes t an array of texts, not counted.
func (d *Decoder) Refill(t *lua.Table, list [][]byte) {
	t.Refill(len(list))
	d.fill(t, list)
}

func (d *Decoder) fill(t *lua.Table, list [][]byte) {
	for i, b := range list {
		t.SetInt(nil, i+1, d.texts.value(b))
	}
}

// CText returns a text up to its first zero byte, where a C string ends.
func CText(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}
