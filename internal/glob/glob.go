// Package glob matches texts against patterns exactly as Redis does, for KEYS, SCAN, PSUBSCRIBE,
// CONFIG GET and ACL rules.
//
//	?       any one byte              [abc]   one of these bytes
//	*       any run of bytes          [a-z]   one byte of a range, also given as [z-a]
//	\x      the byte x                [^ab]   any byte but these
//
// A match walks through pattern and text together. At a mismatch it returns to the last star, which
// then takes one byte more. Earlier stars need not be tried again: the last star can take every
// byte that they could take in addition:
//
//	pattern  a * b c * d
//	                 ^ from here
//	text     a x b c y y d
//	                 ^-^ one byte more each time
//
// So every match costs at most O(len(pattern) * len(text)), where a recursion for each star is
// exponential. Redis' limit on nested stars is not necessary.
//
// Redis' quirks stay, since patterns rely on them: an unclosed class ends with the pattern; in [a-]
// the bracket is the end of the range, not of the class; an escaped byte in a class is compared
// case-sensitively even by MatchFold; an empty text matches only the empty pattern, not even "*".
package glob

// Match reports whether the whole text matches the pattern. It allocates nothing.
func Match[T ~string | ~[]byte](pattern string, text T) bool { return match(pattern, text, false) }

// MatchFold is Match, ignoring the case of ASCII letters.
func MatchFold[T ~string | ~[]byte](pattern string, text T) bool { return match(pattern, text, true) }

func match[T ~string | ~[]byte](pattern string, text T, fold bool) bool {
	if len(text) == 0 {
		return pattern == ""
	}
	p, t := 0, 0
	retry, from := -1, 0 // position after the last star, and the text position up to which the star takes bytes
	for t < len(text) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				if p = pastStars(pattern, p); p == len(pattern) {
					return true
				}
				retry, from = p, t
				continue
			}
			if next, ok := one(pattern, p, text[t], fold); ok {
				p, t = next, t+1
				continue
			}
		}
		if retry < 0 {
			return false
		}
		from++
		p, t = retry, from
	}
	return pastStars(pattern, p) == len(pattern)
}

// pastStars returns the position of the first byte from p on that is not a star.
func pastStars(pattern string, p int) int {
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p
}

// one matches the element at p, which is not a star, with one byte, and returns the position of the
// next element.
func one(pattern string, p int, ch byte, fold bool) (next int, ok bool) {
	switch {
	case pattern[p] == '?':
		return p + 1, true
	case pattern[p] == '[':
		return class(pattern, p+1, ch, fold)
	case pattern[p] == '\\' && p+1 < len(pattern):
		p++
	}
	return p + 1, same(pattern[p], ch, fold)
}

// class matches the class whose content begins at p with one byte.
func class(pattern string, p int, ch byte, fold bool) (next int, ok bool) {
	inverted := p < len(pattern) && pattern[p] == '^'
	if inverted {
		p++
	}
	for p < len(pattern) {
		left := len(pattern) - p
		switch {
		case left >= 2 && pattern[p] == '\\':
			ok = ok || pattern[p+1] == ch
			p += 2
		case pattern[p] == ']':
			return p + 1, ok != inverted
		case left >= 3 && pattern[p+1] == '-':
			ok = ok || within(pattern[p], pattern[p+2], ch, fold)
			p += 3
		default:
			ok = ok || same(pattern[p], ch, fold)
			p++
		}
	}
	return p, ok != inverted
}

// within reports whether ch lies between a and b, in either order.
func within(a, b, ch byte, fold bool) bool {
	if a > b {
		a, b = b, a
	}
	if fold {
		a, b, ch = lower(a), lower(b), lower(ch)
	}
	return a <= ch && ch <= b
}

func same(a, b byte, fold bool) bool { return a == b || fold && lower(a) == lower(b) }

func lower(ch byte) byte {
	if 'A' <= ch && ch <= 'Z' {
		return ch + 'a' - 'A'
	}
	return ch
}
