package engine

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// What an engine with the commands of all releases knows of a single one, for tools that read scripts.

// WordSince returns when a word of the command's syntax came, in the notation of package release. later is false if the
// release has the word, or if the syntax does not know it.
func (cmd *Command) WordSince(r *release.Release, word string) (since string, later bool) {
	if !strings.Contains(cmd.Syntax, "@") {
		return "", false
	}
	all, _ := parseSyntax(cmd.Syntax)
	word = strings.ToUpper(word)
	if slices.Contains(wordsOf(offeredArguments(r, all)), word) {
		return "", false
	}
	return wordSince(all, word, "")
}

// wordSince looks for a word in arguments that came with since.
func wordSince(list []argument, word, since string) (found string, ok bool) {
	for _, a := range list {
		came := since
		if a.since != "" {
			came = a.since
		}
		if a.token == word {
			return came, true
		}
		if found, ok = wordSince(a.parts, word, came); ok {
			return found, true
		}
	}
	return "", false
}

// ArityIn returns the arity that the command has in a release.
func (cmd *Command) ArityIn(r *release.Release) int {
	if r.Open || !strings.Contains(cmd.Syntax, "@") {
		return cmd.Arity
	}
	all, _ := parseSyntax(cmd.Syntax)
	if _, more := leastOf(offeredArguments(r, all)); !more {
		return max(cmd.Arity, -cmd.Arity)
	}
	return cmd.Arity
}

// Usage returns the arguments as HELP shows them.
func (cmd *Command) Usage() string {
	list, _ := parseSyntax(cmd.Syntax)
	return usages(list)
}

// IsRandom reports whether the command replies differently to the same question: by its flag, or by the tip that stands for it.
func (cmd *Command) IsRandom() bool {
	return cmd.Flags&Random != 0 || slices.Contains(strings.Fields(cmd.Tips), "nondeterministic_output")
}
