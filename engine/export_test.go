package engine

import "slices"

// LeastArguments returns how many arguments a syntax takes at least, and whether it may take more. ok is false if it
// is malformed.
func LeastArguments(syntax string) (n int, more, ok bool) {
	list, ok := parseSyntax(syntax)
	n, more = leastOf(list)
	return n, more, ok
}

func leastOf(list []argument) (n int, more bool) {
	for i := range list {
		least, open := list[i].least()
		n, more = n+least, more || open
	}
	return n, more
}

func (a *argument) least() (n int, more bool) {
	switch {
	case a.optional:
		return 0, true
	case a.kind == kindBlock:
		n, more = leastOf(a.parts)
	case a.kind == kindOneOf:
		n, more = leastOfOne(a.parts)
	default:
		n = 1
	}
	if a.token != "" && a.kind != kindToken {
		n++
	}
	return n, more || a.multiple
}

func leastOfOne(parts []argument) (n int, more bool) {
	n, more = parts[0].least()
	for i := range parts[1:] {
		least, open := parts[i+1].least()
		more = more || open || least != n
		n = min(n, least)
	}
	return n, more
}

// NamesKeys reports whether a syntax has arguments that are keys.
func NamesKeys(syntax string) bool {
	list, _ := parseSyntax(syntax)
	return slices.ContainsFunc(list, argument.namesKeys)
}

func (a argument) namesKeys() bool {
	return a.kind == "key" || slices.ContainsFunc(a.parts, argument.namesKeys)
}

// Accesses returns the access of each keyspec.
func (k Keys) Accesses() (words []string) {
	for _, s := range k.specs {
		words = append(words, s.access)
	}
	return words
}
