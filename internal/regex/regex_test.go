package regex

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, matches, others string // texts separated by blanks; _ is an empty one
	}{
		{"foo|bar", "foo xbarx", "fo _"},
		{"^(foo|bar)$", "foo bar", "xfoo foox"},
		{"^.*[0-9]{3}$", "a123 123", "a12 123x"},
		{"a{2}", "aa aaa", "a"},
		{"^a{,2}$", "_ a aa", "aaa"},
		{"^a{2,}$", "aa aaaa", "a"},
		{"^a{,}$", "a", "_ aa"},
		{"^a{0}b$", "b", "ab"},
		{"^(ab)+?$", "ab abab", "aba"},
		{"^a|$", "a b _", ""},
		{"^()$", "_", "a"},
		{"*a", "a ba", "b"},
		{"a)", "a)", "a"},
		{"]", "]", "a"},
		{"}", "}", "a"},
		{"[]a]", "] a", "b"},
		{"^[^]a]$", "b -", "] a"},
		{"^[a-c-]$", "a b c -", "d"},
		{"^[-a]$", "- a", "b"},
		{`^[\d]$`, `\ d`, "1"},
		{"^[[:alpha:][:digit:]]$", "a Z 1", "_ -"},
		{`^\w+\W\d$`, "ab_1-2", "ab"},
		{`\<foo\>`, "foo a-foo-b", "foox xfoo"},
		{`a\b`, "a a-", "ab"},
		{`^\x41\x{42}$`, "AB", "ab"},
		{`\x{100}`, "", "a _"},
		{`^\Qa.b*\E$`, "a.b*", "aXbb"},
		{`^\.$`, ".", "a"},
		{"(?i)foo", "FOO foo", "bar"},
		{"^a(?i:b)c$", "abc aBc", "ABC abC"},
		{"^(a(?i)b)c$", "abc aBc", "abC"},
		{"^(?i:a(?-i)b)$", "ab Ab", "AB aB"},
		{"^a(?#comment)b$", "ab", "a"},
		{"^.$", "a \n \xff", "_ é"},
		{"^[\x80-\xff]+$", "é \xff", "a"},
		{"^[a-\xff]$", "a z \xe9", "A"},
		{"^(?n:.)$", "a", "\n"},
		{"(?n)^b$", "a\nb\nc b", "ab"},
		{"^a$", "a", "a\nb"},
	} {
		x, err := Compile([]byte(c.pattern), false)
		require.NoError(t, err, c.pattern)
		for _, list := range []string{c.matches, c.others} {
			for text := range strings.SplitSeq(list, " ") {
				if text == "" {
					continue
				}
				require.Equal(t, slices.Contains(strings.Split(c.matches, " "), text),
					x.Match([]byte(strings.TrimPrefix(text, "_"))), "%q %q", c.pattern, text)
			}
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"FOO", "xfoox", true}, {"[a-c]", "B", true}, {"[[:upper:]]", "a", true}, {"[^a]", "A", false},
		{"\xe9", "\xc9", false}, {"k", "\u212a", false}, {"(?-i:a)", "A", false},
	} {
		x, err := Compile([]byte(c.pattern), true)
		require.NoError(t, err, c.pattern)
		require.Equal(t, c.want, x.Match([]byte(c.text)), "%q %q", c.pattern, c.text)
	}
}

func TestErrors(t *testing.T) {
	for pattern, want := range map[string]error{
		"(": ErrParenthesis, "(a": ErrParenthesis, "(?i": ErrParenthesis, "(?x)": ErrPattern, "(?#": ErrPattern,
		"[": ErrBracket, "[a": ErrBracket, "[]": ErrBracket, "[^]": ErrBracket, "[b-a]": ErrRange, "[a-c-e]": ErrRange,
		"[[:foo:]]": ErrClass, "[[:alpha": ErrClass, "[[.a.]]": ErrCollation, "[[=a=]]": ErrCollation,
		`\`: ErrBackslash, `a\`: ErrBackslash, `\1`: ErrReference, `(a)\1`: ErrBackReference, `(a)\2`: ErrReference,
		`\x{1`: ErrBrace, `\x{1g}`: ErrBrace, "a{": ErrBrace, "a{1": ErrBrace, "a{}": ErrBound, "a{x}": ErrBound,
		"a{2,1}": ErrBound, "a{256}": ErrBound, "a{1,256}": ErrBound, "a{~1}": ErrBound, "a{1001,}": ErrTooLarge,
		"a**": ErrRepetition, "a*+": ErrRepetition, "a{1}*": ErrRepetition,
		"((a{100}){100}){100}": ErrTooLarge, strings.Repeat("(", 1000): ErrTooLarge,
	} {
		_, err := Compile([]byte(pattern), false)
		require.Equal(t, want, err, "%.50q", pattern)
	}
}

// FuzzCompile looks for patterns that are translated into what package regexp does not take, and
// not because of its size.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"a|b", "(?i-n:x{1,2})*?", `[^]a-z[:alpha:]-]\<\x{41}`, `\Q.\E(?#c)`, "\xff{2}"} {
		f.Add(pattern, "text \xff")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		x, err := Compile([]byte(pattern), false)
		if err == ErrTooLarge && len(pattern) < 100 && !strings.ContainsAny(pattern, "{(") {
			t.Fatalf("%q is refused", pattern)
		}
		if err == nil {
			x.Match([]byte(text))
		}
	})
}
