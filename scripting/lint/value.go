package lint

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// What a run knows of a value is a set of alternatives: the types it may have, and for each type
// what they all have in common. To know less is always allowed. So when two ways meet, join keeps
// what is certain on both, and a rule that needs more stays silent.

// kinds are the types that a value may have. No kind at all means that the place cannot be reached.
type kinds uint8

const (
	isNil kinds = 1 << iota
	isFalse
	isTrue
	isNumber
	isText
	isTable
	isFunction

	isBool    = isFalse | isTrue
	isFalsy   = isNil | isFalse
	isAny     = isFalsy | isTrue | isNumber | isText | isTable | isFunction
	isTextual = isNumber | isText
)

// source is where the bytes of a text come from.
type source uint8

const (
	fromConstant source = iota
	fromKeys            // an element of KEYS
	fromArgv            // an element of ARGV
	fromData            // a reply
	fromUnknown
)

// part is a piece of a text. Its name identifies it: the constant itself, "KEYS[1]", or where an
// unknown value arose. Parts with one name count as the same bytes. Where the name is not exact, as
// in KEYS[?], that makes rules silent, not wrong.
type part struct {
	from source
	name string
}

// value is what is known of a Lua value at one place of a script.
type value struct {
	kinds kinds
	// The text or number, in order. It is what the value is if it is one, even where it may be nil.
	parts []part
	text  string // of a constant, also where conversions have made the value inexact
	exact bool   // the value is the text, or the number that is written so

	// The call whose missing key makes the value nil or false, nil if no key does. A use of the
	// value is a mistake until the script has asked about one of the keys of that call.
	absent *invocation
	// The keys whose content decided about the value, directly or by a comparison. A condition on
	// the value is a question about these keys: see scope.check.
	about  []string
	table  *table // nil if nothing is known of the elements
	status bool   // if it is a table, it is a status: {ok = text}

	body    *syntax.Function // of a function written in the script
	builtin string           // of any other function, its full name: "redis.call"

	// Facts that a number or a reply keeps on its way to the place where it is wrong.
	fraction bool        // a number with digits behind the point
	divided  bool        // it has them of divisions alone
	length   bool        // how many elements a table has, perhaps a whole constant more or less
	seconds  bool        // seconds since 1970 as TIME gives them
	micros   bool        // so many digits that .. and tostring lose some
	counts   *invocation // the number of events that a limiter allows or refuses
	raw      *invocation // it is the reply of this command, as it came: nothing was computed of it
	member   bool        // it is an element of a list that a command replied
	cased    bool        // it went through string.lower or upper, so it is words
	pending  *invocation // the reply of redis.pcall, not looked at yet
}

// table is what is known of a table's elements. Several values may hold the same table, as in Lua.
type table struct {
	input *input // it is KEYS or ARGV
	// Elements by constant keys: "1", "name". Each is joined over all assignments, since the order
	// of assignments in a loop is unknown.
	items  map[string]*value
	rest   *value      // any other element; nil if there is none
	length int         // of what the constructor listed; later elements do not count
	reply  *invocation // it is the reply of a command
}

// input is KEYS or ARGV, with the elements that a program uses.
type input struct {
	name    string
	from    source
	used    map[int]int32 // by number; the offset of the first use
	all     bool          // some use does not say which element
	changed bool          // the program has put elements into it: their number says nothing any more
}

func unknownAt(name string) *value {
	return &value{kinds: isAny, parts: []part{{fromUnknown, name}}}
}

func constant(text string) *value {
	return &value{kinds: isText, parts: []part{{fromConstant, text}}, text: text, exact: true}
}

// numberOf returns a number that was computed of other values, and depends on the keys that they
// depend on.
func numberOf(about ...*value) *value {
	v := &value{kinds: isNumber, parts: []part{{fromUnknown, "number"}}}
	for _, a := range about {
		v.tells(a)
	}
	return v
}

func boolean(about ...*value) *value {
	v := numberOf(about...)
	v.kinds = isBool
	return v
}

// tells notes that other took part in the making of v: who asks about v asks about the keys of
// other too. The list is copied before it grows, because values share it.
func (v *value) tells(other *value) {
	for _, key := range other.about {
		if len(v.about) < maxParts && !slices.Contains(v.about, key) {
			v.about = append(v.about[:len(v.about):len(v.about)], key)
		}
	}
}

// name identifies the text that the value is.
func (v *value) name() string {
	var b strings.Builder
	for i, p := range v.parts {
		if i > 0 {
			b.WriteString("..")
		}
		b.WriteString(p.name)
	}
	return b.String()
}

// may reports whether the value may have one of the types.
func (v *value) may(k kinds) bool { return v.kinds&k != 0 }

// only reports whether the value has one of the types and certainly no other.
func (v *value) only(k kinds) bool { return v.kinds != 0 && v.kinds&^k == 0 }

// onlyDivided reports whether the fractions of values, of which one has some, come of divisions.
func onlyDivided(a, b *value) bool {
	return (a.fraction || b.fraction) && a.fraction == a.divided && b.fraction == b.divided
}

// isWhole reports whether the value is a constant whole number.
func (v *value) isWhole() bool { return v.exact && v.kinds == isNumber && !v.fraction }

// with returns the value when it is known to be of these types.
func (v *value) with(k kinds) *value {
	c := *v
	if c.kinds &= k; !c.may(isFalsy) {
		c.absent = nil
	}
	return &c
}

// join returns what is known of a value that is one of two. What makes a rule speak only if it is
// certain (exact, seconds, status), or silent (length, divided, cased), must hold for both. What
// makes a value suspect (fraction, micros, absent, counts) is kept if it holds for one: the script
// fails for the data that lead there.
func join(a, b *value) *value {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	v := &value{kinds: a.kinds | b.kinds, absent: a.absent, about: a.about, fraction: a.fraction || b.fraction,
		seconds: a.seconds && b.seconds, micros: a.micros || b.micros, counts: a.counts, status: a.status && b.status,
		member: a.member || b.member, length: a.length && b.length,
		divided: onlyDivided(a, b), cased: a.cased && b.cased}
	if v.absent == nil {
		v.absent = b.absent
	}
	if v.counts == nil {
		v.counts = b.counts
	}
	v.tells(b)
	switch {
	case a.only(isFalsy):
		v.inherit(b)
	case b.only(isFalsy):
		v.inherit(a)
	default:
		v.parts = joinParts(a.parts, b.parts)
		v.exact = a.exact && b.exact && a.text == b.text
		if v.exact {
			v.text = a.text
		}
		if a.table == b.table {
			v.table = a.table
		}
		if a.body == b.body && a.builtin == b.builtin {
			v.body, v.builtin = a.body, a.builtin
		}
	}
	return v
}

// inherit takes over what is known of the only alternative that is not nil or false.
func (v *value) inherit(b *value) {
	v.parts, v.table, v.status, v.body, v.builtin = b.parts, b.table, b.status, b.body, b.builtin
	v.fraction, v.divided, v.length, v.cased = b.fraction, b.divided, b.length, b.cased
	v.seconds, v.micros, v.pending = b.seconds, b.micros, b.pending
}

// joinParts returns the parts of a text that is one of two. An element of KEYS, or what is unknown,
// wins: the rules about keys speak only when they are sure. Otherwise a text that was built wins
// over a constant, which is often the initial value of a variable.
func joinParts(a, b []part) []part {
	switch {
	case slices.Equal(a, b), len(b) == 0:
		return a
	case harmless(a):
		return a
	case harmless(b):
		return b
	case len(b) > 1 || len(a) == 0 || len(a) == 1 && a[0].from == fromConstant: // a constant often stands for nothing
		return b
	}
	return a
}

func harmless(parts []part) bool {
	return len(parts) == 1 && (parts[0].from == fromKeys || parts[0].from == fromUnknown)
}

// joined returns what is known of two texts joined by "..".
func joined(a, b *value) *value {
	v := &value{kinds: isText, parts: bounded(append(piece(a), piece(b)...))}
	v.tells(a)
	v.tells(b)
	if a.exact && b.exact && len(a.text)+len(b.text) <= maxText {
		return constant(a.text + b.text)
	}
	return v
}

// What is known of a text is bounded: the bytes of a constant, and the parts of what is joined. A
// loop that doubles a text would fill the memory of the linter otherwise.
const (
	maxText  = 1 << 12
	maxParts = 16
)

// bounded returns the first of many parts.
func bounded(parts []part) []part {
	if len(parts) > maxParts {
		return append(parts[:maxParts:maxParts], part{fromUnknown, "..."})
	}
	return parts
}

// piece returns a copy of the parts of a value, of what has none an unknown one.
func piece(v *value) []part {
	if len(v.parts) == 0 {
		return []part{{fromUnknown, "nothing"}}
	}
	return slices.Clone(v.parts)
}

// element returns what is known of the element with a constant key.
func (t *table) element(key string) *value {
	if t == nil {
		return nil
	}
	if v := t.items[key]; v != nil {
		return v
	}
	return t.rest
}

// any returns what is known of an element with an unknown key, nil if nothing is known of any.
func (t *table) any() *value {
	if t == nil {
		return nil
	}
	v := t.rest
	for _, item := range t.items {
		v = join(v, item)
	}
	return v
}

// set notes an assignment to an element; key is "" if it is not constant. Elements of KEYS, ARGV
// and replies keep what is known of them: that is right for all that were not assigned, and for an
// input the rules that count elements stop.
func (t *table) set(key string, v *value) {
	if t.input != nil {
		t.input.changed = true
	}
	switch {
	case t.input != nil || t.reply != nil:
	case key == "":
		t.rest = join(t.rest, v)
	case t.items == nil:
		t.items = map[string]*value{key: v}
	default:
		t.items[key] = join(t.items[key], v)
	}
}
