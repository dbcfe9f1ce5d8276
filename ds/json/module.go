package json

import (
	"math"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/value"
)

// module is how RedisJSON saves a document: as its text. Of older versions the second has the text,
// too, and what an index was about, and the first a token for each value.
var module = &value.Module{Name: "ReJSON-RL", Version: version, Save: save, Load: load}

// The versions of the format. No release has written the one between the first and the second.
const (
	version        = 3
	versionIndexed = 2
	versionTokens  = 0
)

// restBytes is how many bytes of text are made without a pause.
const restBytes = 8 << 10

func save(v value.Value, to value.PartWriter) {
	to.Text(Pieces(v.(*Doc).Root(), to.Rest))
}

// Pieces returns the text of a value, and while it makes a long one, calls rest, which may pause,
// with how many bytes were made since the call before. The document must not change meanwhile.
func Pieces(v Value, rest func(bytes int)) []byte {
	s := saving{pause: rest}
	s.value(v)
	return s.text
}

// saving is the text of a document that is being made, with pauses.
type saving struct {
	text   []byte
	rested int // bytes of the text before the last pause
	pause  func(bytes int)
}

// value appends a value.
func (s *saving) value(v Value) {
	if v.Kind() < Array || v.d.tree == nil {
		s.text = AppendText(s.text, v)
		return
	}
	brackets, before := "[]", byte('[')
	if v.Kind() == Object {
		brackets, before = "{}", '{'
	}
	for c := v.Children(); c.Next(); before = ',' {
		if s.text = append(s.text, before); c.object {
			s.text = append(AppendString(s.text, c.Name()), ':')
		}
		s.value(c.Value())
		s.rest()
	}
	if before == brackets[0] {
		s.text = append(s.text, before)
	}
	s.text = append(s.text, brackets[1])
}

func (s *saving) rest() {
	if n := len(s.text) - s.rested; n >= restBytes {
		s.pause(n)
		s.rested = len(s.text)
	}
}

func load(from value.PartReader, written int) value.Value {
	var d *Doc
	switch written {
	case version:
		d = loadText(from)
	case versionIndexed:
		if d = loadText(from); from.Uint() != 0 {
			from.Text()
			from.Text()
		}
	case versionTokens:
		d = loadTokens(from)
	default:
		from.Fail("a JSON document of version %d cannot be read", written)
	}
	if !from.OK() {
		return nil
	}
	return d
}

// loadText reads a document as its text. As in RedisJSON, it may be followed by anything.
func loadText(from value.PartReader) *Doc {
	text := from.Text()
	if !from.OK() {
		return nil
	}
	p := Parser{Levels: MaxLevels}
	d, _, err := p.Parse(text)
	if err != nil {
		from.Fail("a JSON document is damaged: %v", err)
	}
	return d
}

// The tokens of a document of the first version.
const (
	tokenNull    = 1
	tokenString  = 2
	tokenNumber  = 4
	tokenInteger = 8
	tokenBoolean = 16
	tokenObject  = 32
	tokenArray   = 64
	tokenMember  = 128
)

// loadTokens reads a document of the first version.
func loadTokens(from value.PartReader) *Doc {
	t, d := tokens{from: from}, new(Doc)
	d.newTree(nil)
	t.start(d)
	if t.value(1); !from.OK() {
		return nil
	}
	t.finish(d)
	d.shrink()
	return d
}

// tokens reads values of the first version.
type tokens struct {
	builder
	from value.PartReader
}

// value reads a value at a level, from 1 on.
func (t *tokens) value(level int) {
	switch token := t.from.Uint(); token {
	case tokenNull:
		t.scalar(tagNull)
	case tokenString:
		t.text(t.string())
	case tokenNumber:
		t.number(t.from.Double())
	case tokenInteger:
		t.b = appendInt(t.b, int64(t.from.Uint()))
		t.done()
	case tokenBoolean:
		t.boolean(string(t.from.Text()))
	case tokenObject, tokenArray:
		t.container(token == tokenObject, level)
	default:
		t.from.Fail("a JSON document is damaged: it has the token %d", token)
	}
}

// scalar packs a value without content.
func (t *tokens) scalar(tag byte) {
	t.b = append(t.b, tag)
	t.done()
}

func (t *tokens) number(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		t.from.Fail("a JSON document is damaged: it has the number %v", f)
	}
	t.b = appendDouble(t.b, f)
	t.done()
}

// boolean packs the truth, which is the word 1, or anything else.
func (t *tokens) boolean(word string) {
	if word == "1" {
		t.scalar(tagTrue)
	} else {
		t.scalar(tagFalse)
	}
}

// string reads a text.
func (t *tokens) string() []byte {
	text := t.from.Text()
	if !utf8.Valid(text) {
		t.from.Fail("a JSON document is damaged: %v", ErrNotUTF8)
	}
	return text
}

// container reads an object or array.
func (t *tokens) container(object bool, level int) {
	if level >= MaxLevels {
		t.from.Fail("a JSON document has more than %d levels", MaxLevels-1)
	}
	t.begin(object)
	for left := t.from.Uint(); left > 0 && t.from.OK(); left-- {
		if object {
			t.member()
		}
		if t.from.OK() {
			t.value(level + 1)
		}
	}
	if t.from.OK() {
		t.end()
	}
}

// member reads the name of a member.
func (t *tokens) member() {
	if token := t.from.Uint(); token != tokenMember {
		t.from.Fail("a JSON document is damaged: a member has the token %d", token)
	}
	if name := t.string(); t.from.OK() {
		t.name(name)
	}
}
