package text

import "strings"

// The first byte of what an index keeps for a word beside the word: no word begins with them.
const (
	StemMark    = '+'
	SoundMark   = '<'
	SynonymMark = '~'
)

// Marked reports whether an index keeps a word beside another one.
func Marked(word string) bool {
	return word != "" && (word[0] == StemMark || word[0] == SoundMark || word[0] == SynonymMark)
}

// maxWord is the bytes of a word that are looked at. The rest is not indexed.
const maxWord = 128

// Token is a word of a text.
type Token struct {
	Text     string // in lower case, without escapes
	Stem     string // with StemMark; empty if it is the word
	Sound    string // with SoundMark; empty unless the tokenizer has Sounds
	Position int    // the number of the word, from 1 on
	Offset   int    // where the word begins in the text, in bytes
	Length   int    // the bytes of the word in the text
}

// Tokenizer says how texts are taken apart. Words of at least 4 bytes have a stem, those of at
// least 3 a sound.
type Tokenizer struct {
	Language  Language
	StopWords *StopWords
	Stems     bool
	Sounds    bool
}

// Tokens calls yield for each word of a text, until it returns false. The text ends at a NUL byte.
func (t *Tokenizer) Tokens(text string, yield func(Token) bool) {
	position := 0
	for start := 0; start <= len(text); {
		end := wordEnd(text, start)
		word := normalize(text[start:min(end, start+maxWord)])
		if (word != "" || text == "") && (text == "" || !t.StopWords.Contains(word)) {
			position++
			if !yield(t.token(text[start:end], word, start, position)) {
				return
			}
		}
		if end >= len(text) || text[end] == 0 {
			return
		}
		start = end + 1
	}
}

func (t *Tokenizer) token(raw, word string, start, position int) Token {
	k := Token{Text: word, Position: position, Offset: start, Length: len(raw)}
	if t.Stems && len(word) >= 4 && stemmers[t.Language] != nil {
		if stem := t.Language.markedStem(word); stem[1:] != word {
			k.Stem = stem
		}
	}
	if t.Sounds && len(word) >= 3 {
		k.Sound = Sound(word)
	}
	return k
}

// wordEnd returns where the word ends that begins at start: before a separator that no backslash
// precedes.
func wordEnd(text string, start int) int {
	escaped := false
	for i := start; i < len(text); i++ {
		if text[i] == 0 || IsSeparator(text[i]) && !escaped {
			return i
		}
		escaped = !escaped && text[i] == '\\'
	}
	return len(text)
}

var separators = set(" \t,./(){}[]:;~!@#$%^&*-=+|'`\"<>?")

// IsSeparator tells whether a byte ends a word. A line feed does not: it vanishes.
func IsSeparator(c byte) bool { return separators[c] }

func set(bytes string) (set [256]bool) {
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return set
}

// normalize returns a word in lower case, without control bytes, and without the backslashes that
// escape.
func normalize(raw string) string {
	if !strings.ContainsFunc(raw, changes) {
		return raw
	}
	word := make([]byte, 0, len(raw))
	escaped := false
	for i := range len(raw) {
		c := raw[i]
		if c == '\\' && !escaped {
			escaped = true
			continue
		}
		if isPrintable(c) && (c != ' ' || escaped) {
			word = append(word, lowerByte(c))
		}
		escaped = false
	}
	return string(word)
}

func changes(r rune) bool { return r >= 'A' && r <= 'Z' || r <= ' ' || r == '\\' || r == 0x7f }

func isPrintable(c byte) bool { return c >= ' ' && c != 0x7f }

// lower returns a word in lower case: only letters of ASCII change.
func lower(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		return word
	}
	b := []byte(word)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return string(b)
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
