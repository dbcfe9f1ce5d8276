package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
)

// A syntax says what arguments follow a command's name. COMMAND DOCS sends it to clients: redis-cli
// shows it while one types. It is written as people write it,
//
//	key [NX|XX] [EX seconds|PX milliseconds] <score member>... [LIMIT offset count]
//
// where capitals and signs are typed as they stand, [x] may be left out, <x|y> is one of several,
// <x y> belongs together, and x... may come several times: with its word each time if that is
// inside, <GET pattern>... COMMAND DOCS tells more than that. What does not follow from the above
// stands beside it:
//
//	condition=[NX|XX]    a Name: that of a group is else the name of its first argument, that of a
//	                     word the word itself
//	timeout:integer      a type: a name implies the usual one
//	addr(ip:port)        what people see instead of the name
//	data(/field_value)=  what COMMAND DOCS called a group or a value before 7.2, if that was
//	                     neither the name nor the text
//	by-pattern#1         the keyspec that finds it: the first key has else the first, the next key
//	                     the next
//	[KEEPTTL]@6.0.0      since when it is there if it came later than the command, in the notation
//	                     of package release with commas for blanks: @valkey:9.0.0,
//	                     @8.2.0,valkey:8.0.0; @(7.4.0) if COMMAND DOCS does not say it
//	[member]@keydb:6.0.0
//	                     what another server added to a command of Redis: only an open release
//	                     has it
//	password!6.2.0       since when it is deprecated
//
// In this order, name(text/older):type#1...@6.0.0!7.0.0, any of them may follow a name.

// Argument is one argument, or a group of them.
type Argument struct {
	Name, Token  string
	Kind         string // the type, in the words of COMMAND DOCS
	Display      string // what people see; "" for the name
	Older        string // the name before 7.2; "" for what people see
	Keyspec      int    // which keyspec finds it, from 1; 0 for the usual one
	Optional     bool
	Multiple     bool
	RepeatsToken bool   // multiple, and the token is said each time
	Since        string // "" for what came with the command
	Unsaid       bool   // COMMAND DOCS does not show Since
	Deprecated   string // the release that deprecated it; "" for none
	Parts        []Argument
}

const (
	kindToken = "pure-token"
	kindOneOf = "oneof"
	kindBlock = "block"
)

// argumentKinds are the types of names that are not strings.
var argumentKinds = map[string]string{
	"key":       "key destination destkey dst key1 key2 newkey source sourcekey src storedistkey storekey",
	"double":    "height latitude longitude radius score timeout width",
	"pattern":   "pattern",
	"unix-time": "unix-time-milliseconds unix-time-seconds",
	"integer": "bit bits client-id cluster-bus-port config-epoch count cursor db decrement destination-db end-slot " +
		"entries-added " +
		"frequency increment index index1 index2 len limit maxage milliseconds min-match-len ms num-matches " +
		"numelements numfields " +
		"numkeys numlocal nummembers numreplicas offset port protover rank seconds slot start-slot ttl version weight",
}

func argumentKind(name string) string {
	for kind, names := range argumentKinds {
		if slices.Contains(strings.Fields(names), name) {
			return kind
		}
	}
	return "string"
}

// Parse reads a syntax. ok is false if it is malformed.
func Parse(text string) (args []Argument, ok bool) {
	p := syntaxParser{rest: text, ok: true}
	args = p.sequence()
	return args, p.ok && p.rest == ""
}

// parse reads the syntax of a line, which is well-formed.
func parse(syntax string) []Argument {
	list, _ := Parse(syntax)
	return list
}

type syntaxParser struct {
	rest string
	ok   bool
}

// skip passes over a sign, and reports whether it was there.
func (p *syntaxParser) skip(sign string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(p.rest, " "), sign)
	if found {
		p.rest = rest
	}
	return found
}

// sequence reads arguments up to the end of the group that they are in.
func (p *syntaxParser) sequence() (list []Argument) {
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		if p.rest == "" || strings.ContainsRune("|]>", rune(p.rest[0])) || !p.ok {
			return list
		}
		a := p.item()
		if p.skip("...") {
			a.Multiple = true
			a.RepeatsToken = a.Token != "" && a.Kind != kindToken
		}
		p.releases("@", &a.Since)
		a.Since, a.Unsaid = strings.CutPrefix(a.Since, "(")
		a.Since = strings.TrimSuffix(a.Since, ")")
		p.releases("!", &a.Deprecated)
		list = append(list, a)
	}
}

// releases reads the releases behind a sign, in the notation of package release. It leaves them
// alone if the sign is not there.
func (p *syntaxParser) releases(sign string, releases *string) {
	if p.skip(sign) {
		*releases = strings.ReplaceAll(p.upTo(" |[]<>!"), ",", " ")
	}
}

// item reads one argument, in brackets or without.
func (p *syntaxParser) item() (a Argument) {
	switch name := p.label(); {
	case name != "":
		a = p.item()
		a.Name = p.names(name, &a)
	case p.skip("["):
		a = p.choice("]")
		a.Optional = true
	case p.skip("<"):
		a = p.choice(">")
	default:
		a = p.word()
	}
	return a
}

// label reads the names before a group or a word, name(/older)=[NX|XX]. It returns "" if there are
// none.
func (p *syntaxParser) label() string {
	name, _, found := strings.Cut(p.rest, "=")
	if !found || name == "" || name != strings.ToLower(name) || strings.ContainsAny(name, " |[]<>@!") {
		return ""
	}
	p.rest = p.rest[len(name)+1:]
	return name
}

// choice reads a group up to its closing sign: one of several, or what belongs together.
func (p *syntaxParser) choice(closing string) Argument {
	alternatives := []Argument{joined(p.sequence())}
	for p.skip("|") {
		alternatives = append(alternatives, joined(p.sequence()))
	}
	p.ok = p.ok && p.skip(closing) && !slices.ContainsFunc(alternatives, func(a Argument) bool { return a.Kind == "" })
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return Argument{Name: alternatives[0].Name, Kind: kindOneOf, Parts: alternatives}
}

// upTo returns the text up to one of the signs, and moves past it.
func (p *syntaxParser) upTo(signs string) string {
	end := strings.IndexAny(p.rest, signs)
	if end < 0 {
		end = len(p.rest)
	}
	text := p.rest[:end]
	p.rest = p.rest[end:]
	return text
}

func (p *syntaxParser) word() Argument {
	word := p.upTo(" |[]<>@!")
	if dots := strings.Index(word, "..."); dots >= 0 {
		p.rest = word[dots:] + p.rest
		word = word[:dots]
	}
	p.ok = p.ok && word != ""
	if word == `""` {
		return Argument{Name: "empty-string", Kind: kindToken}
	}
	if word == strings.ToUpper(word) {
		return Argument{Name: strings.ToLower(word), Kind: kindToken, Token: word}
	}
	return p.value(word)
}

// value reads name(text/older):type#1, of which all but the name may be missing.
func (p *syntaxParser) value(word string) (a Argument) {
	if text, number, told := strings.Cut(word, "#"); told {
		n, err := strconv.Atoi(number)
		p.ok = p.ok && err == nil
		word, a.Keyspec = text, n+1
	}
	var told bool
	if a.Name, a.Kind, told = strings.Cut(p.names(word, &a), ":"); !told {
		a.Kind = argumentKind(a.Name)
	}
	return a
}

// names takes (text/older) out of a word, of which either may be missing, and returns the rest.
func (p *syntaxParser) names(word string, a *Argument) (rest string) {
	before, inside, told := strings.Cut(word, "(")
	if !told {
		return word
	}
	text, after, closed := strings.Cut(inside, ")")
	p.ok = p.ok && closed
	a.Display, a.Older, _ = strings.Cut(text, "/")
	return before + after
}

// hasOwnName reports whether a token has another name than its text.
func (a *Argument) hasOwnName() bool { return a.Name != strings.ToLower(a.Token) }

// joined makes one argument of those that belong together. A token before a value is the value's;
// before several it is the group's; with a name of its own it is one of the group. The absent case
// is the zero argument.
func joined(list []Argument) Argument {
	switch {
	case len(list) == 0:
		return Argument{}
	case len(list) == 1:
		return list[0]
	case list[0].Kind != kindToken || list[0].hasOwnName() || list[1].Kind == kindToken || list[1].Optional:
		return Argument{Name: list[0].Name, Kind: kindBlock, Parts: list}
	}
	token := list[0].Token
	if slices.ContainsFunc(list[2:], func(a Argument) bool { return !a.Optional }) {
		return Argument{Name: list[0].Name, Kind: kindBlock, Token: token, Parts: list[1:]}
	}
	list[1].Token = token
	return joined(list[1:])
}

// offered returns those of the arguments that a release has. What was one of several is itself if
// it alone is left.
func offered(r *release.Release, list []Argument) (known []Argument) {
	for _, a := range list {
		if a.Since != "" && !r.Extends(release.From(a.Since)) {
			continue
		}
		a.Parts = offered(r, a.Parts)
		if a.Kind == kindOneOf && len(a.Parts) == 1 {
			only := a.Parts[0]
			only.Optional, only.Multiple, only.RepeatsToken = a.Optional, a.Multiple, a.RepeatsToken
			a = only
		}
		known = append(known, a)
	}
	return known
}

// LeastOf returns how many words arguments are at least, and whether they may be more.
func LeastOf(list []Argument) (n int, more bool) {
	for i := range list {
		least, open := list[i].least()
		n, more = n+least, more || open
	}
	return n, more
}

// least is LeastOf for one argument.
func (a *Argument) least() (n int, more bool) {
	switch {
	case a.Optional:
		return 0, true
	case a.Kind == kindBlock:
		n, more = LeastOf(a.Parts)
	case a.Kind == kindOneOf:
		n, more = LeastOfOne(a.Parts)
	default:
		n = 1
	}
	if a.Token != "" && a.Kind != kindToken {
		n++
	}
	return n, more || a.Multiple
}

// LeastOfOne is LeastOf for what is one of several.
func LeastOfOne(parts []Argument) (n int, more bool) {
	n, more = parts[0].least()
	for i := range parts[1:] {
		least, open := parts[i+1].least()
		more = more || open || least != n
		n = min(n, least)
	}
	return n, more
}

// wordsOf returns the words that are typed as they stand.
func wordsOf(list []Argument) (words []string) {
	for _, a := range list {
		if a.Token != "" {
			words = append(words, a.Token)
		}
		words = append(words, wordsOf(a.Parts)...)
	}
	return words
}

// Usages returns arguments as HELP shows them. key [COUNT count] member... is shown as
//
//	<key> [COUNT <count>] <member> [<member> ...]
func Usages(list []Argument) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].usage()
	}
	return strings.Join(texts, " ")
}

func (a *Argument) usage() string {
	text := a.usageOnce()
	switch {
	case a.Optional && a.Multiple:
		return "[" + text + " ...]"
	case a.Optional:
		return "[" + text + "]"
	case a.Multiple:
		return text + " [" + text + " ...]"
	}
	return text
}

// usageOnce is usage of an argument that must be there once.
func (a *Argument) usageOnce() (text string) {
	switch a.Kind {
	case kindToken:
		return a.Token
	case kindOneOf:
		if text = a.alternatives(); !a.Optional || a.Token != "" {
			text = "(" + text + ")"
		}
	case kindBlock:
		text = Usages(a.Parts)
	default:
		text = "<" + a.Shown() + ">"
	}
	return strings.TrimSpace(a.Token + " " + text)
}

// alternatives returns the choices as HELP shows them, with blanks around the bars if one of them
// is a value.
func (a *Argument) alternatives() string {
	texts, sign := make([]string, len(a.Parts)), "|"
	for i := range a.Parts {
		texts[i] = a.Parts[i].usage()
		if texts[i][0] == '<' {
			sign = " | "
		}
	}
	return strings.Join(texts, sign)
}

// Shown returns what people see of a value.
func (a *Argument) Shown() string {
	if a.Display != "" {
		return a.Display
	}
	return a.Name
}

// HasToken reports whether a word must be typed, which may be an empty one.
func (a Argument) HasToken() bool { return a.Token != "" || a.Kind == kindToken }

// Words returns the flags of COMMAND DOCS.
func (a Argument) Words() (names []string) {
	if a.Optional {
		names = append(names, "optional")
	}
	if a.Multiple {
		names = append(names, "multiple")
	}
	if a.RepeatsToken {
		names = append(names, "multiple_token")
	}
	return names
}

// Meanings returns the arguments of a syntax that the words behind a command's name are; nil for
// those of which that cannot be told without running the command. It knows the first arguments, up
// to one that may be left out, and the values behind words.
func Meanings(list []Argument, words []string) []*Argument {
	meanings := make([]*Argument, len(words))
	at := 0
	for at < len(list) && at < len(words) && list[at].isSingle() {
		meanings[at] = &list[at]
		at++
	}
	values := make(map[string]*Argument)
	addValues(values, list[min(at, len(list)):])
	for ; at+1 < len(words); at++ {
		meanings[at+1] = values[strings.ToUpper(words[at])]
	}
	return meanings
}

// isSingle reports whether an argument must be there, once, and is one word.
func (a *Argument) isSingle() bool {
	return !a.Optional && !a.Multiple && a.Token == "" && a.Parts == nil
}

// addValues adds the values behind words, by their words.
func addValues(values map[string]*Argument, list []Argument) {
	for i := range list {
		if a := &list[i]; a.Token != "" && a.Kind != kindToken && a.Parts == nil {
			values[a.Token] = a
		} else {
			addValues(values, a.Parts)
		}
	}
}

// IsInteger reports whether an argument must be an integer.
func (a *Argument) IsInteger() bool { return a.Kind == "integer" || a.Kind == "unix-time" }

// IsDeadline reports whether an argument is a time at which, or after which, something expires.
func (a *Argument) IsDeadline() bool {
	return slices.Contains([]string{"seconds", "milliseconds", "unix-time-seconds", "unix-time-milliseconds", "ttl",
		"delay"}, a.Name)
}
