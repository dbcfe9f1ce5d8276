package command

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Error is an error that clients see, in Redis' words. A constant Error becomes an error without an
// allocation.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// Errorf returns the Error that a format of Redis' errors makes with its arguments.
func Errorf(format string, args ...any) error { return Error(fmt.Sprintf(format, args...)) }

// The errors of looking for a command, in Redis' words (8.0; see Wording). A text with a %s in it
// is a plain string and not an Error: Errorf completes it.
const (
	ErrArity          = "ERR wrong number of arguments for '%s' command"
	ErrUnknownCommand = "ERR unknown command '%s', with args beginning with: %s"
	errUnknownAlone   = "ERR unknown command '%s'"
	ErrUnknownArg     = "'%s' " // an argument after it
	ErrUnknownSub     = "ERR unknown subcommand '%s'. Try %s HELP."

	ErrRenameUnknown = Error("No such command in rename-command")
	ErrRenameTaken   = Error("Target command name already exists")
)

// Wording is how an error, or a format of errors, read before a release, in the notation of package
// release, or how it reads since one that has a text of its own. A format takes the same arguments
// in each release, and may use some of them: "%[2]s" is the second.
type Wording struct {
	Before, Since string
	Error, Was    Error
}

// counts reports whether a release has the wording.
func (w Wording) counts(r *release.Release) bool {
	if w.Since != "" {
		return r.Has(release.From(w.Since))
	}
	return !r.Has(release.From(w.Before))
}

// CText returns b up to its first zero byte, where C's printf ends it in Redis' error texts.
func CText(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// Clip cuts an argument for an error text: to at most most bytes, and before a zero byte, where
// Redis' own text ends.
func Clip(b []byte, most int) string { return CText(b[:min(len(b), most)]) }

// IsWord reports whether arg is the given upper-case word in any case.
func IsWord(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		ch := arg[i]
		if 'a' <= ch && ch <= 'z' {
			ch -= 'a' - 'A'
		}
		if ch != word[i] {
			return false
		}
	}
	return true
}
