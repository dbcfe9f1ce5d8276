package lint

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// signs applies the rules about punctuation.
func (r *run) signs() {
	for _, c := range r.asked {
		if c.Kind == query.OnTags {
			r.tags(c)
		}
	}
	r.words()
}

// tags reports signs that end a tag or a word of one, where they are not escaped.
func (r *run) tags(c query.Condition) {
	at := c.From
	for _, tag := range r.split(r.text[c.From:c.To]) {
		if bad := r.unescaped(tag); bad != 0 {
			advice := "write {" + escaped(strings.TrimSpace(tag)) + "}"
			if bad == ',' {
				advice = "for any of several tags write {" + strings.ReplaceAll(strings.TrimSpace(tag), ",", "|") + "}"
			}
			r.report("unescaped-sign", at, "%c is no part of a tag here, unless a backslash is before it: "+
				"%s.", bad, advice)
		}
		at += len(tag) + 1
	}
}

// split returns the tags between braces.
func (r *run) split(text string) (tags []string) {
	start := 0
	r.scan(text, func(i int) {
		if text[i] == '|' {
			tags = append(tags, text[start:i])
			start = i + 1
		}
	})
	return append(tags, text[start:])
}

// unescaped returns the first sign in a tag that does not belong to it; 0 if there is none.
func (r *run) unescaped(tag string) (sign byte) {
	tag = strings.TrimSpace(tag)
	_, notNumber := strconv.ParseFloat(tag, 64)
	pattern := r.Request.Dialect > 1 && strings.HasPrefix(tag, "w'")
	if notNumber == nil || pattern || strings.HasPrefix(tag, "$") {
		return 0
	}
	r.scan(tag, func(i int) {
		if star := tag[i] == '*' && (i == 0 || i == len(tag)-1); isSign(tag[i]) && !star && sign == 0 {
			sign = tag[i]
		}
	})
	return sign
}

// escaped returns a tag with a backslash before each sign.
func escaped(tag string) string {
	var b strings.Builder
	for i := 0; i < len(tag); i++ {
		switch {
		case tag[i] == '\\' && i+1 < len(tag):
			b.WriteByte(tag[i])
			i++
		case isSign(tag[i]):
			b.WriteByte('\\')
		}
		b.WriteByte(tag[i])
	}
	return b.String()
}

// scan calls fn for the bytes of a text that are neither escaped nor between quotes.
func (r *run) scan(text string, fn func(i int)) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
		case text[i] == '"' && strings.IndexByte(text[i+1:], '"') >= 0:
			i += 1 + strings.IndexByte(text[i+1:], '"')
		default:
			fn(i)
		}
	}
}

// words reports signs between the letters of a word, where they begin something new.
func (r *run) words() {
	depth := 0 // of braces and brackets
	r.scan(r.text, func(i int) {
		switch c := r.text[i]; {
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case depth > 0 || c != '-' && c != '@' || i == 0 || i+1 == len(r.text):
		case isWord(r.text[i-1]) && isWord(r.text[i+1]):
			r.sign(i)
		}
	})
}

// sign reports a sign in a word.
func (r *run) sign(at int) {
	from, to := at, at+1
	for from > 0 && (isWord(r.text[from-1]) || r.text[from-1] == '-') {
		from--
	}
	for to < len(r.text) && (isWord(r.text[to]) || strings.IndexByte("-@.", r.text[to]) >= 0) {
		to++
	}
	word := strings.TrimRight(r.text[from:to], "-@.")
	apart := strings.NewReplacer("-", " ", "@", " ", ".", " ").Replace(word)
	switch {
	case from > 0 && r.text[from-1] == '@':
		r.report("sign-in-word", from-1, "A field's name ends before %c, unless a backslash is before it: write @%s.",
			r.text[at], escaped(word))
	case r.text[at] == '@':
		r.report("sign-in-word", at, "@ begins the name of a field: write %q, which finds the words as texts have "+
			"them.", apart)
	case r.hasTexts():
		r.report("sign-in-word", at, "%s asks for documents without what is behind the minus: write %q, which "+
			"finds the words "+
			"as texts have them.", word, apart)
	}
}

func (r *run) hasTexts() bool {
	for _, f := range r.Index.Fields {
		if f.Kind == index.Text {
			return true
		}
	}
	return false
}

// isWord tells whether a byte can be part of a word.
func isWord(c byte) bool { return c == '_' || c > ' ' && c != 0x7f && !isSign(c) }

// isSign tells whether a byte is punctuation, which ends words.
func isSign(c byte) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z'
	return c > ' ' && c < 0x7f && c != '_' && !letter && (c < '0' || c > '9')
}
