package testkit

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// seedOf returns a seed for what has a name, from the seed of the whole. So naming something new
// changes no other sequence.
func seedOf(seed uint64, name string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s", seed, name)
	return h.Sum64() & math.MaxInt64
}

// isName reports whether a world may have this name: letters, digits and punctuation.
func isName(name string) bool {
	return name != "" && len(name) <= maxName &&
		!strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// maxName is the length of the longest name of a world, in bytes.
const maxName = 128

func quoted(text []byte) string { return string(resp.Quote(nil, string(text))) }

// quotedWord returns a word, in quotes if it would not be one without them.
func quotedWord(word string) string {
	odd := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\'' }
	if word == "" || strings.ContainsFunc(word, odd) {
		return quoted([]byte(word))
	}
	return word
}
