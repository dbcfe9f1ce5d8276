package engine

import "slices"

// LeastArguments returns how many arguments a syntax takes at least, and whether it may take more. ok is false if it
// is malformed.
func LeastArguments(syntax string) (n int, more, ok bool) {
	list, ok := parseSyntax(syntax)
	n, more = leastOf(list)
	return n, more, ok
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
