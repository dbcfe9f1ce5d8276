package acl

import (
	"maps"
	"slices"
	"strings"
)

// selector is a set of commands, keys and channels that go together.
type selector struct {
	every    bool             // +@all, and nothing taken away since
	bits     []uint64         // the commands by number, if not every
	firsts   map[int][]string // by number of a command that is not in bits: first arguments allowed
	words    []string         // the rules of commands since the last of all or none, made void by none
	base     string           // "+@all" or "-@all"
	allKeys  bool
	keys     []keyPattern
	channels []string

	allChannels bool
}

type keyPattern struct {
	text   string
	access Access
}

func newSelector() *selector { return &selector{base: "-@all"} }

func (s *selector) clone() *selector {
	c := *s
	c.bits, c.words = slices.Clone(s.bits), slices.Clone(s.words)
	c.keys, c.channels = slices.Clone(s.keys), slices.Clone(s.channels)
	c.firsts = maps.Clone(s.firsts)
	return &c
}

func (s *selector) has(n int) bool { return n/64 < len(s.bits) && s.bits[n/64]&(1<<(n%64)) != 0 }

// set gives or takes commands.
func (s *selector) set(numbers []int, allow bool, catalogue Catalogue) {
	if s.every && !allow {
		s.every = false
		all, _ := catalogue.Category("all")
		s.set(all, true, catalogue)
	}
	for _, n := range numbers {
		for n/64 >= len(s.bits) {
			s.bits = append(s.bits, 0)
		}
		delete(s.firsts, n)
		if allow {
			s.bits[n/64] |= 1 << (n % 64)
		} else {
			s.bits[n/64] &^= 1 << (n % 64)
		}
	}
}

// setAll gives or takes all commands there are.
func (s *selector) setAll(allow bool) {
	s.every, s.bits, s.words, s.firsts = allow, nil, nil, nil
	s.base = sign(allow) + "@all"
}

func sign(allow bool) string {
	if allow {
		return "+"
	}
	return "-"
}

// apply applies one word.
func (s *selector) apply(word string, catalogue Catalogue) error {
	switch strings.ToLower(word) {
	case "allkeys", "~*":
		s.allKeys, s.keys = true, nil
	case "resetkeys":
		s.allKeys, s.keys = false, nil
	case "allchannels", "&*":
		s.allChannels, s.channels = true, nil
	case "resetchannels":
		s.allChannels, s.channels = false, nil
	case "allcommands", "+@all":
		s.setAll(true)
	case "nocommands", "-@all":
		s.setAll(false)
	default:
		return s.applyPattern(word, catalogue)
	}
	return nil
}

// applyPattern applies a word that begins with a sign.
func (s *selector) applyPattern(word string, catalogue Catalogue) error {
	if word == "" {
		return nil
	}
	switch word[0] {
	case '~':
		return s.addKeys(word[1:], Read|Write)
	case '%':
		access, pattern, ok := cutAccess(word[1:])
		if !ok {
			return ErrSyntax
		}
		return s.addKeys(pattern, access)
	case '&':
		return s.addChannels(word[1:])
	case '+', '-':
		allow := word[0] == '+'
		if len(word) > 1 && word[1] == '@' {
			return s.setCategory(strings.ToLower(word[2:]), allow, catalogue)
		}
		return s.setCommand(strings.ToLower(word[1:]), allow, catalogue)
	}
	return ErrSyntax
}

// cutAccess splits what follows the sign of a word like %RW~pattern.
func cutAccess(word string) (a Access, pattern string, ok bool) {
	for i := range len(word) {
		letter := word[i] &^ ('a' - 'A')
		switch {
		case letter == 'R' && a&Read == 0:
			a |= Read
		case letter == 'W' && a&Write == 0:
			a |= Write
		case word[i] == '~':
			return a, word[i+1:], a != 0
		default:
			return 0, "", false
		}
	}
	return a, "", a != 0
}

func (s *selector) addKeys(pattern string, a Access) error {
	if s.allKeys {
		return ErrAllKeys
	}
	if hasBlank(pattern) {
		return ErrSyntax
	}
	i := slices.IndexFunc(s.keys, func(p keyPattern) bool { return p.text == pattern })
	if i >= 0 {
		s.keys[i].access |= a
	} else {
		s.keys = append(s.keys, keyPattern{pattern, a})
	}
	return nil
}

func (s *selector) addChannels(pattern string) error {
	if s.allChannels {
		return ErrAllChannels
	}
	if hasBlank(pattern) {
		return ErrSyntax
	}
	if !slices.Contains(s.channels, pattern) {
		s.channels = append(s.channels, pattern)
	}
	return nil
}

// hasBlank reports whether a pattern contains what would end it in a file.
func hasBlank(pattern string) bool { return strings.ContainsAny(pattern, " \t\n\v\f\r\x00") }

func (s *selector) setCategory(name string, allow bool, catalogue Catalogue) error {
	numbers, ok := catalogue.Category(name)
	if !ok {
		return ErrUnknown
	}
	s.set(numbers, allow, catalogue)
	s.note("@"+name, allow)
	return nil
}

// setCommand gives or takes "command", "command|subcommand" or "command|argument".
func (s *selector) setCommand(name string, allow bool, catalogue Catalogue) error {
	if numbers := catalogue.Commands(name); numbers != nil {
		s.set(numbers, allow, catalogue)
		s.note(name, allow)
		return nil
	}
	command, argument, cut := cutLast(name)
	numbers := catalogue.Commands(command)
	switch {
	case !cut || numbers == nil || !allow:
		return ErrUnknown
	case strings.Contains(command, "|"):
		return ErrFirstOfSub
	case argument == "":
		return ErrSyntax
	case len(numbers) > 1:
		return ErrUnknown
	}
	s.allowFirst(numbers[0], argument)
	s.note(name, allow)
	return nil
}

// allowFirst gives a command with that first argument, unless the command is there anyway.
func (s *selector) allowFirst(n int, argument string) {
	if s.every || s.has(n) || slices.Contains(s.firsts[n], argument) {
		return
	}
	if s.firsts == nil {
		s.firsts = map[int][]string{}
	}
	s.firsts[n] = append(slices.Clone(s.firsts[n]), argument)
}

func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '|')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// note keeps a rule of commands and drops those that it makes void: the same rule, and rules of the
// same command's parts.
func (s *selector) note(name string, allow bool) {
	s.words = slices.DeleteFunc(s.words, func(word string) bool {
		return word[1:] == name || strings.HasPrefix(word[1:], name+"|")
	})
	s.words = append(s.words, sign(allow)+name)
}

// commandWords returns the rules of commands as words.
func (s *selector) commandWords() string {
	return strings.Join(append([]string{s.base}, s.words...), " ")
}

// keyWords returns the rules of keys as words.
func (s *selector) keyWords() string {
	if s.allKeys {
		return "~*"
	}
	var words []string
	for _, p := range s.keys {
		words = append(words, [...]string{Read: "%R~", Write: "%W~", Read | Write: "~"}[p.access]+p.text)
	}
	return strings.Join(words, " ")
}

// channelWords returns the rules of channels as words.
func (s *selector) channelWords() string {
	if s.allChannels {
		return "&*"
	}
	var words []string
	for _, p := range s.channels {
		words = append(words, "&"+p)
	}
	return strings.Join(words, " ")
}

// line returns the selector's words as a file has them.
func (s *selector) line() string {
	var parts []string
	if keys := s.keyWords(); keys != "" {
		parts = append(parts, keys)
	}
	if !s.allChannels {
		parts = append(parts, "resetchannels")
	}
	if channels := s.channelWords(); channels != "" {
		parts = append(parts, channels)
	}
	return strings.Join(append(parts, s.commandWords()), " ")
}

// equalFold compares an argument with a word in small letters.
func equalFold(word string, arg []byte) bool {
	return len(word) == len(arg) && strings.EqualFold(word, string(arg))
}
