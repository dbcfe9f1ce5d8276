package scripting

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// flags are those that a program declares.
type flags uint8

const (
	noWrites flags = 1 << iota
	allowOOM
	allowStale
	noCluster
	allowCrossSlotKeys
	declared // it declared its flags; a script without a declaration may do anything
)

var flagNames = []string{"no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"}

// flagOf returns the flag with this name; ok is false if there is none.
func flagOf(name string) (f flags, ok bool) {
	i := slices.Index(flagNames, name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// names returns the names of the flags.
func (f flags) names() (names []string) {
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// vary returns the flags of a command that runs a program with flags f.
func (f flags) vary(of command.Flags) command.Flags {
	if f&declared == 0 {
		return of
	}
	of &^= command.Write | command.DenyOOM | command.MayReplicate
	if f&noWrites == 0 {
		of |= command.Write
		if f&allowOOM == 0 {
			of |= command.DenyOOM
		}
	}
	return of
}

// declares reports whether a script begins with a line that declares its flags. Before 7.0 none does.
func (s *Scripts) declares(source string) bool { return !s.bare && strings.HasPrefix(source, "#!") }

// shebang reads the options of a script that begins with "#!lua" and returns the rest of the source. An empty first line
// replaces the options, so that line numbers stay.
func (s *Scripts) shebang(source string) (f flags, rest string, err error) {
	end := strings.IndexAny(source, "\n\x00")
	if end < 0 || source[end] == 0 {
		return 0, "", errShebangEnd
	}
	words, ok := s.engine.Words([]byte(source[:end]), nil)
	if !ok {
		return 0, "", errShebangWords
	}
	name, later := string(words[0][len("#!"):]), s.engine.Release.Has(namesEngines)
	if name != "lua" && !later {
		return 0, "", s.engine.Errorf(errShebangEngine, name)
	}
	if f, err = shebangFlags(words[1:]); err != nil {
		return 0, "", err
	}
	if later && !strings.EqualFold(name, "lua") {
		return 0, "", s.engine.Errorf(errShebangEngine, name)
	}
	return f | declared, source[end:], nil
}

// namesEngines is when the name of the engine began to be looked up, in any case and after the options were read.
var namesEngines = release.From("valkey:8.1.0")

// shebangFlags reads the options behind the name of the engine.
func shebangFlags(words [][]byte) (f flags, err error) {
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
func parseFlags(list string) (f flags, err error) {
	if list == "" {
		return 0, nil
	}
	for _, name := range strings.Split(list, ",") {
		flag, ok := flagOf(name)
		if !ok {
			return 0, command.Errorf(errShebangFlag, name)
		}
		f |= flag
	}
	return f, nil
}
