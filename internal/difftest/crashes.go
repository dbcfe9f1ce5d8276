package difftest

import "slices"

// crashes reports whether a command ends the real server of a release. Such commands are not sent.
//
// Redis 8.6.3 fails an assertion when HSETEX sets a field twice, with a deadline, in a hash with a table.
func crashes(c Command, release string) bool {
	if release != "redis:8.6" || !isOneOf(c, "HSETEX") {
		return false
	}
	for i, arg := range c.Args {
		if slices.Contains(c.Args[:i], arg) {
			return true
		}
	}
	return false
}
