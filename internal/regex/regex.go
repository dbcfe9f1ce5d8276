// Package regex is the regular expressions of ARGREP: extended ones of POSIX with what the library
// TRE adds to them, which Redis uses. They are translated to those of package regexp, whose time is
// bounded: each byte of a text runs each instruction of a pattern once at most.
//
//   - + ? {m,n}        repetitions; *? and the like
//     ( ) | . [ ] ^ $    groups, which may be empty, alternatives, any byte, classes, both ends
//     (?i-n:x) (?i)      flags: i no case, n lines, r and U of no effect here; (?# ) a comment
//     \w \W \s \S \d \D  words, white space, digits, and what is not
//     \b \B \< \>        bounds of words
//     \t \n \r \f \a \e  controls; \xHH and \x{HH} any byte; \Q...\E a text as it is
//
// A text is bytes. So that package regexp, which reads runes, sees them so, a byte above 127
// becomes a rune of its own that is no letter: see highBytes. Case is that of ASCII.
//
// What a match is does not depend on which of several is found, as only that there is one is asked.
// It differs from TRE in these: \< and \> are any bound of a word, repetitions of more than 1000
// are refused, and so is approximate matching, {~1}, and what has too many instructions.
package regex

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Error is the error of a pattern.
type Error string

func (e Error) Error() string { return string(e) }

// The errors of a pattern, in the words of TRE, and of Redis for what it does not take.
const (
	ErrPattern       = Error("Invalid regexp")
	ErrCollation     = Error("Unknown collating element")
	ErrClass         = Error("Unknown character class name")
	ErrBackslash     = Error("Trailing backslash")
	ErrReference     = Error("Invalid back reference")
	ErrBracket       = Error("Missing ']'")
	ErrParenthesis   = Error("Missing ')'")
	ErrBrace         = Error("Missing '}'")
	ErrBound         = Error("Invalid contents of {}")
	ErrRange         = Error("Invalid character range")
	ErrTooLarge      = Error("Out of memory")
	ErrRepetition    = Error("Invalid use of repetition operators")
	ErrBackReference = Error("regular expression backreferences are not supported")
)

// Regexp is a regular expression. It must not be used by several goroutines at a time.
type Regexp struct {
	compiled *regexp.Regexp
	size     int
	runes    []byte // scratch: a text as runes
}

// Compile returns the regular expression of a pattern. With fold the case of letters does not
// count. The error is one of those above.
func Compile(pattern []byte, fold bool) (*Regexp, error) {
	t := &translator{rest: pattern, flags: flags{fold: fold}}
	err := t.alternatives(0)
	switch {
	case err != nil:
		return nil, err
	case t.reference > t.groups:
		return nil, ErrReference
	case t.references:
		return nil, ErrBackReference
	}
	parsed, err := syntax.Parse(string(t.out), syntax.Perl)
	if err != nil {
		return nil, ErrTooLarge
	}
	size := instructions(parsed)
	if size > maxSize {
		return nil, ErrTooLarge
	}
	compiled, err := regexp.Compile(string(t.out))
	if err != nil {
		return nil, ErrTooLarge
	}
	return &Regexp{compiled: compiled, size: size}, nil
}

// maxSize is how many instructions a regular expression may have. To compile them takes some
// hundredths of a second.
const maxSize = 1 << 14

// instructions returns about how many instructions a parsed pattern has when it is compiled.
func instructions(p *syntax.Regexp) (n int) {
	n = 1
	if p.Op == syntax.OpLiteral {
		n = len(p.Rune)
	}
	for _, sub := range p.Sub {
		n += instructions(sub)
	}
	if p.Op == syntax.OpRepeat {
		n *= max(1, p.Min, p.Max)
	}
	return n
}

// Size returns about how many instructions the expression has, 16384 at most.
func (x *Regexp) Size() int { return x.size }

// Match reports whether a part of the text matches.
func (x *Regexp) Match(text []byte) bool {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			x.runes = append(x.runes[:0], text[:i]...)
			for _, c := range text[i:] {
				x.runes = utf8.AppendRune(x.runes, runeOf(c))
			}
			return x.compiled.Match(x.runes)
		}
	}
	return x.compiled.Match(text)
}

// highBytes is the rune for the byte 0, if that were above 127. It is in the area for private use,
// which has no letters.
const highBytes = 0xE000

// runeOf returns the rune for a byte.
func runeOf(c byte) rune {
	if c < utf8.RuneSelf {
		return rune(c)
	}
	return highBytes + rune(c)
}
