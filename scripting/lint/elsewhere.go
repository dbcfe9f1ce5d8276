package lint

import (
	"slices"
	"strings"
)

// elsewhere are commands that the engine does not have, and options that the syntax in its table
// does not show, written command|option: by when they came, in the notation of package release.
// Scripts may be for servers that have them.
var elsewhere = map[string]string{
	"8.4.0": "set|ifne set|ifdeq set|ifdne",
}

// cameElsewhere returns since when other servers have a command or an option, "" if none has.
func cameElsewhere(name string) (since string) {
	name = strings.ToLower(name)
	for since, names := range elsewhere {
		if slices.Contains(strings.Fields(names), name) {
			return since
		}
	}
	return ""
}
