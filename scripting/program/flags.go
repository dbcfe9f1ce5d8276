package program

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Flags are those that a program declares.
type Flags uint8

const (
	NoWrites Flags = 1 << iota
	AllowOOM
	AllowStale
	NoCluster
	AllowCrossSlotKeys
	Declared // it declared its flags; a script without a declaration may do anything
)

var flagNames = []string{"no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"}

// FlagOf returns the flag with this name; ok is false if there is none.
func FlagOf(name string) (f Flags, ok bool) {
	i := slices.Index(flagNames, name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// Names returns the names of the flags.
func (f Flags) Names() (names []string) {
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Vary returns the flags of a command that runs a program with flags f.
func (f Flags) Vary(of command.Flags) command.Flags {
	if f&Declared == 0 {
		return of
	}
	of &^= command.Write | command.DenyOOM | command.MayReplicate
	if f&NoWrites == 0 {
		of |= command.Write
		if f&AllowOOM == 0 {
			of |= command.DenyOOM
		}
	}
	return of
}

// Shebang reads the options of a script that begins with "#!lua", as the release of e does, and
// returns the rest of the source. An empty first line replaces the options, so that line numbers
// stay.
func Shebang(e *engine.Engine, source string) (f Flags, rest string, err error) {
	end := strings.IndexAny(source, "\n\x00")
	if end < 0 || source[end] == 0 {
		return 0, "", errShebangEnd
	}
	words, ok := e.Commands.Words([]byte(source[:end]), nil)
	if !ok {
		return 0, "", errShebangWords
	}
	name, later := string(words[0][len("#!"):]), e.Release.Has(namesEngines)
	if name != "lua" && !later {
		return 0, "", e.Commands.Errorf(ErrShebangEngine, name)
	}
	if f, err = shebangFlags(words[1:]); err != nil {
		return 0, "", err
	}
	if later && !strings.EqualFold(name, "lua") {
		return 0, "", e.Commands.Errorf(ErrShebangEngine, name)
	}
	return f | Declared, source[end:], nil
}

// namesEngines is when the name of the engine began to be looked up, in any case and after the
// options were read.
var namesEngines = release.From("valkey:8.1.0")

// shebangFlags reads the options behind the name of the engine.
func shebangFlags(words [][]byte) (f Flags, err error) {
	for _, w := range words {
		list, ok := strings.CutPrefix(string(w), "flags=")
		if !ok {
			return 0, command.Errorf(errShebangOption, w)
		}
		more, err := parseFlags(list)
		if err != nil {
			return 0, err
		}
		f |= more
	}
	return f, nil
}

// parseFlags reads flags separated by commas.
func parseFlags(list string) (f Flags, err error) {
	if list == "" {
		return 0, nil
	}
	for _, name := range strings.Split(list, ",") {
		flag, ok := FlagOf(name)
		if !ok {
			return 0, command.Errorf(errShebangFlag, name)
		}
		f |= flag
	}
	return f, nil
}
