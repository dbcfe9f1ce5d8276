package scripting

import (
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// shebang reads the options of a script that begins with "#!lua" and returns the source without them,
// its lines numbered as before.
func (sc *script) shebang(source string) (rest, refusal string) {
	line, rest, ok := strings.Cut(source, "\n")
	if !ok {
		return "", errShebangEnd
	}
	words, ok := resp.Words([]byte(line), nil)
	if !ok {
		return "", errShebangWords
	}
	if string(words[0]) != "#!lua" {
		return "", errShebangEngine + string(words[0])
	}
	for _, w := range words[1:] {
		flags, ok := strings.CutPrefix(string(w), "flags=")
		if !ok {
			return "", errShebangOption + string(w)
		}
		if refusal := sc.setFlags(flags); refusal != "" {
			return "", refusal
		}
	}
	sc.declared = true
	return "\n" + rest, ""
}

// setFlags notes the flags, separated by commas, that mean something here.
func (sc *script) setFlags(flags string) (refusal string) {
	if flags == "" {
		return ""
	}
	for _, f := range strings.Split(flags, ",") {
		switch f {
		case "no-writes":
			sc.readOnly = true
		case "allow-oom":
			sc.allowOOM = true
		case "allow-stale", "no-cluster", "allow-cross-slot-keys":
		default:
			return errShebangFlag + f
		}
	}
	return ""
}

// refusal returns the error that keeps a script from being run at all: one that declared its flags
// must have those that the circumstances ask for.
func (sc *script) refusal(c *engine.Call, readOnly, short bool) string {
	switch {
	case !sc.declared || sc.readOnly:
		return ""
	case readOnly:
		return errWriteFlag
	case short && c.Nested():
		return errOOMFlag
	case short:
		return engine.ErrOOM
	}
	return ""
}
