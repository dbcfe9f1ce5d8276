package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// A syntax says what arguments follow a command's name. COMMAND DOCS sends it to clients: redis-cli shows
// it while one types. It is written as people write it,
//
//	key [NX|XX] [EX seconds|PX milliseconds] <score member>... [LIMIT offset count]
//
// where capitals and signs are typed as they stand, [x] may be left out, <x|y> is one of several,
// <x y> belongs together, and x... may come several times: with its word each time if that is inside,
// <GET pattern>... COMMAND DOCS tells more than that. What does not follow from the above stands beside it:
//
//	condition=[NX|XX]    a name: that of a group is else the name of its first argument, that of a word the word itself
//	timeout:integer      a type: a name implies the usual one
//	addr(ip:port)        what people see instead of the name
//	data(/field_value)=  what COMMAND DOCS called a group or a value before 7.2, if that was neither the name nor the text
//	by-pattern#1         the keyspec that finds it: the first key has else the first, the next key the next
//	[KEEPTTL]@6.0.0      since when it is there if it came later than the command, in the notation of package release
//	                     with commas for blanks: @valkey:9.0.0, @8.2.0,valkey:8.0.0; @(7.4.0) if COMMAND DOCS does not say it
//	[member]@keydb:6.0.0 what another server added to a command of Redis: only an open release has it
//	password!6.2.0       since when it is deprecated
//
// In this order, name(text/older):type#1...@6.0.0!7.0.0, any of them may follow a name.

// argument is one argument, or a group of them.
type argument struct {
	name, kind, token string
	display           string // what people see; "" for the name
	older             string // the name before 7.2; "" for what people see
	keyspec           int    // which keyspec finds it, from 1; 0 for the usual one
	optional          bool
	multiple          bool
	repeatsToken      bool   // multiple, and the token is said each time
	since             string // "" for what came with the command
	unsaid            bool   // COMMAND DOCS does not show since
	deprecated        string // the release that deprecated it; "" for none
	parts             []argument
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
	"integer": "bit bits client-id cluster-bus-port config-epoch count cursor db decrement destination-db end-slot entries-added " +
		"frequency increment index index1 index2 len limit maxage milliseconds min-match-len ms num-matches numelements numfields " +
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

// parseSyntax reads a syntax. ok is false if it is malformed.
func parseSyntax(text string) (args []argument, ok bool) {
	p := syntaxParser{rest: text, ok: true}
	args = p.sequence()
	return args, p.ok && p.rest == ""
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
func (p *syntaxParser) sequence() (list []argument) {
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		if p.rest == "" || strings.ContainsRune("|]>", rune(p.rest[0])) || !p.ok {
			return list
		}
		a := p.item()
		if p.skip("...") {
			a.multiple = true
			a.repeatsToken = a.token != "" && a.kind != kindToken
		}
		p.releases("@", &a.since)
		a.since, a.unsaid = strings.CutPrefix(a.since, "(")
		a.since = strings.TrimSuffix(a.since, ")")
		p.releases("!", &a.deprecated)
		list = append(list, a)
	}
}

// releases reads the releases behind a sign, in the notation of package release. It leaves them alone if the sign is not there.
func (p *syntaxParser) releases(sign string, releases *string) {
	if p.skip(sign) {
		*releases = strings.ReplaceAll(p.upTo(" |[]<>!"), ",", " ")
	}
}

// item reads one argument, in brackets or without.
func (p *syntaxParser) item() (a argument) {
	switch name := p.label(); {
	case name != "":
		a = p.item()
		a.name = p.names(name, &a)
	case p.skip("["):
		a = p.choice("]")
		a.optional = true
	case p.skip("<"):
		a = p.choice(">")
	default:
		a = p.word()
	}
	return a
}

// label reads the names before a group or a word, name(/older)=[NX|XX]. It returns "" if there are none.
func (p *syntaxParser) label() string {
	name, _, found := strings.Cut(p.rest, "=")
	if !found || name == "" || name != strings.ToLower(name) || strings.ContainsAny(name, " |[]<>@!") {
		return ""
	}
	p.rest = p.rest[len(name)+1:]
	return name
}

// choice reads a group up to its closing sign: one of several, or what belongs together.
func (p *syntaxParser) choice(closing string) argument {
	alternatives := []argument{joined(p.sequence())}
	for p.skip("|") {
		alternatives = append(alternatives, joined(p.sequence()))
	}
	p.ok = p.ok && p.skip(closing) && !slices.ContainsFunc(alternatives, func(a argument) bool { return a.kind == "" })
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return argument{name: alternatives[0].name, kind: kindOneOf, parts: alternatives}
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

func (p *syntaxParser) word() argument {
	word := p.upTo(" |[]<>@!")
	if dots := strings.Index(word, "..."); dots >= 0 {
		p.rest = word[dots:] + p.rest
		word = word[:dots]
	}
	p.ok = p.ok && word != ""
	if word == `""` {
		return argument{name: "empty-string", kind: kindToken}
	}
	if word == strings.ToUpper(word) {
		return argument{name: strings.ToLower(word), kind: kindToken, token: word}
	}
	return p.value(word)
}

// value reads name(text/older):type#1, of which all but the name may be missing.
func (p *syntaxParser) value(word string) (a argument) {
	if text, number, told := strings.Cut(word, "#"); told {
		n, err := strconv.Atoi(number)
		p.ok = p.ok && err == nil
		word, a.keyspec = text, n+1
	}
	var told bool
	if a.name, a.kind, told = strings.Cut(p.names(word, &a), ":"); !told {
		a.kind = argumentKind(a.name)
	}
	return a
}

// names takes (text/older) out of a word, of which either may be missing, and returns the rest.
func (p *syntaxParser) names(word string, a *argument) (rest string) {
	before, inside, told := strings.Cut(word, "(")
	if !told {
		return word
	}
	text, after, closed := strings.Cut(inside, ")")
	p.ok = p.ok && closed
	a.display, a.older, _ = strings.Cut(text, "/")
	return before + after
}

// hasOwnName reports whether a token has another name than its text.
func (a *argument) hasOwnName() bool { return a.name != strings.ToLower(a.token) }

// joined makes one argument of those that belong together. A token before a value is the value's; before
// several it is the group's; with a name of its own it is one of the group. The absent case is the zero argument.
func joined(list []argument) argument {
	switch {
	case len(list) == 0:
		return argument{}
	case len(list) == 1:
		return list[0]
	case list[0].kind != kindToken || list[0].hasOwnName() || list[1].kind == kindToken || list[1].optional:
		return argument{name: list[0].name, kind: kindBlock, parts: list}
	}
	token := list[0].token
	if slices.ContainsFunc(list[2:], func(a argument) bool { return !a.optional }) {
		return argument{name: list[0].name, kind: kindBlock, token: token, parts: list[1:]}
	}
	list[1].token = token
	return joined(list[1:])
}

// arguments returns the arguments of a syntax that the engine's release has.
func (e *Engine) arguments(syntax string) []argument {
	list, _ := parseSyntax(syntax)
	return offeredArguments(e.Release, list)
}

// offeredArguments returns those of the arguments that a release has. What was one of several is itself if it alone is left.
func offeredArguments(r *release.Release, list []argument) (offered []argument) {
	for _, a := range list {
		if a.since != "" && !r.Extends(release.From(a.since)) {
			continue
		}
		a.parts = offeredArguments(r, a.parts)
		if a.kind == kindOneOf && len(a.parts) == 1 {
			only := a.parts[0]
			only.optional, only.multiple, only.repeatsToken = a.optional, a.multiple, a.repeatsToken
			a = only
		}
		offered = append(offered, a)
	}
	return offered
}

// withoutLater takes from a line the words and arguments that its syntax has and the engine's release does not.
func (e *Engine) withoutLater(cmd *Command) {
	if e.Release.Open || !strings.Contains(cmd.Syntax, "@") {
		return
	}
	all, _ := parseSyntax(cmd.Syntax)
	known := offeredArguments(e.Release, all)
	cmd.absent = except(wordsOf(all), wordsOf(known))
	cmd.Arity = cmd.ArityIn(e.Release)
}

// withEdited gives a line back the words that its syntax has in the engine's release after the edits.
func (e *Engine) withEdited(cmd *Command) {
	if len(cmd.absent) > 0 {
		cmd.absent = except(cmd.absent, wordsOf(e.arguments(cmd.Syntax)))
	}
}

// except returns words without others.
func except(words, others []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return slices.Contains(others, word) })
}

// leastOf returns how many words arguments are at least, and whether they may be more.
func leastOf(list []argument) (n int, more bool) {
	for i := range list {
		least, open := list[i].least()
		n, more = n+least, more || open
	}
	return n, more
}

// least is leastOf for one argument.
func (a *argument) least() (n int, more bool) {
	switch {
	case a.optional:
		return 0, true
	case a.kind == kindBlock:
		n, more = leastOf(a.parts)
	case a.kind == kindOneOf:
		n, more = leastOfOne(a.parts)
	default:
		n = 1
	}
	if a.token != "" && a.kind != kindToken {
		n++
	}
	return n, more || a.multiple
}

// leastOfOne is leastOf for what is one of several.
func leastOfOne(parts []argument) (n int, more bool) {
	n, more = parts[0].least()
	for i := range parts[1:] {
		least, open := parts[i+1].least()
		more = more || open || least != n
		n = min(n, least)
	}
	return n, more
}

// wordsOf returns the words that are typed as they stand.
func wordsOf(list []argument) (words []string) {
	for _, a := range list {
		if a.token != "" {
			words = append(words, a.token)
		}
		words = append(words, wordsOf(a.parts)...)
	}
	return words
}

// usages returns arguments as HELP shows them. key [COUNT count] member... is shown as
//
//	<key> [COUNT <count>] <member> [<member> ...]
func usages(list []argument) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].usage()
	}
	return strings.Join(texts, " ")
}

func (a *argument) usage() string {
	text := a.usageOnce()
	switch {
	case a.optional && a.multiple:
		return "[" + text + " ...]"
	case a.optional:
		return "[" + text + "]"
	case a.multiple:
		return text + " [" + text + " ...]"
	}
	return text
}

// usageOnce is usage of an argument that must be there once.
func (a *argument) usageOnce() (text string) {
	switch a.kind {
	case kindToken:
		return a.token
	case kindOneOf:
		if text = a.alternatives(); !a.optional || a.token != "" {
			text = "(" + text + ")"
		}
	case kindBlock:
		text = usages(a.parts)
	default:
		text = "<" + a.shown() + ">"
	}
	return strings.TrimSpace(a.token + " " + text)
}

// alternatives returns the choices as HELP shows them, with blanks around the bars if one of them is a
// value.
func (a *argument) alternatives() string {
	texts, sign := make([]string, len(a.parts)), "|"
	for i := range a.parts {
		texts[i] = a.parts[i].usage()
		if texts[i][0] == '<' {
			sign = " | "
		}
	}
	return strings.Join(texts, sign)
}

// shown returns what people see of a value.
func (a *argument) shown() string {
	if a.display != "" {
		return a.display
	}
	return a.name
}

// hasToken reports whether a word must be typed, which may be an empty one.
func (a argument) hasToken() bool { return a.token != "" || a.kind == kindToken }

func (a argument) flags() (names []string) {
	if a.optional {
		names = append(names, "optional")
	}
	if a.multiple {
		names = append(names, "multiple")
	}
	if a.repeatsToken {
		names = append(names, "multiple_token")
	}
	return names
}
