package difftest

import (
	"slices"
	"strings"
)

// Crashes reports whether a command ends the real server of a release. Such commands are not sent.
//
//   - Redis 8.6.3 fails an assertion when HSETEX sets a field twice, with a deadline, in a hash
//     with a table.
//   - Valkey 9.1.2 reads through a nil pointer when a library calls redis.log while it is loaded.
func Crashes(c Command, release string) bool {
	switch release {
	case "redis:8.6":
		return isOneOf(c, "HSETEX") && repeats(c.Args)
	case "valkey:9.1":
		return isOneOf(c, "FUNCTION") &&
			slices.ContainsFunc(c.Args, func(arg string) bool { return strings.Contains(arg, logs) })
	}
	return false
}

// repeats reports whether an argument is there twice.
func repeats(args []string) bool {
	for i, arg := range args {
		if slices.Contains(args[:i], arg) {
			return true
		}
	}
	return false
}
