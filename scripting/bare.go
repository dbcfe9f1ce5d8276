package scripting

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Before Redis 7.0 what a script throws is a bare text: the functions of the table redis leave out the code ERR, and redis.call
// throws the text of the table that redis.pcall returns. A function written in Lua then describes the error; it fails if that is no text.

// tableErrors is when the errors of scripts became tables, and functions came.
var tableErrors = release.From("7.0.0")

const (
	errRunning = "ERR Error running script (call to f_%s): %s"
	errNoText  = "@err_handler_def:9: err_handler_def:9: attempt to concatenate local 'err' (a %s value)"
)

// describeBare is describe before 7.0.
func (s *Scripts) describeBare(failed *lua.Error, p *program) error {
	text, ok := failed.Value.ToString()
	if failed.Cause != nil {
		text, ok = bareText(failed.Cause), true
	}
	switch {
	case !ok:
		text = fmt.Sprintf(errNoText, failed.Value.TypeName())
	case failed.Line > 0:
		text = fmt.Sprintf("%s:%d: %s", failed.Chunk, failed.Line, text)
	default:
		text = "=[C]:-1: " + text
	}
	return command.Errorf(errRunning, p.name, strings.Trim(cText(text), "\r\n"))
}

// bareText returns the text of an error without the code ERR. Another code stays, with the sign that errors have in the protocol.
func bareText(err error) string {
	text, general := strings.CutPrefix(err.Error(), "ERR ")
	if !general {
		return "-" + text
	}
	return text
}

// placed returns the text of an error with the place of the call that caused it.
func (s *Scripts) placed(err error) lua.Value {
	chunk, line := s.lua.Caller()
	return s.lua.NewString(fmt.Sprintf("%s: %d: %s", chunk, line, bareText(err)))
}
