package acl

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// selector is a set of commands with the keys and channels that they may use.
type selector struct {
	allCommands bool             // +@all, and no command removed since
	bitmap      []uint64         // the allowed commands by number, unless allCommands is set
	firstArgs   map[int][]string // the allowed first arguments of commands that are not in bitmap, by number
	baseWord    string           // "+@all" or "-@all", whichever was applied last
	words       []string         // the rules of commands applied since, without overridden ones
	allKeys     bool
	keys        []keyPattern
	allChannels bool
	channels    []string
	noDatabases bool  // none but those in databases
	databases   []int // in order
}

// keyPattern is a pattern of keys and the access that it allows.
type keyPattern struct {
	text   string
	access Access
}

func newSelector() *selector { return &selector{baseWord: "-@all"} }

func (s *selector) clone() *selector {
	c := *s
	c.bitmap, c.words = slices.Clone(s.bitmap), slices.Clone(s.words)
	c.keys, c.channels, c.databases = slices.Clone(s.keys), slices.Clone(s.channels), slices.Clone(s.databases)
	c.firstArgs = maps.Clone(s.firstArgs)
	return &c
}

// has reports whether bitmap contains a command.
func (s *selector) has(n int) bool { return n/64 < len(s.bitmap) && s.bitmap[n/64]&(1<<(n%64)) != 0 }

// setCommands allows or disallows commands.
func (s *selector) setCommands(numbers []int, allow bool, catalogue Catalogue) {
	if s.allCommands && !allow {
		s.allCommands = false
		all, _ := catalogue.Category("all")
		s.setCommands(all, true, catalogue)
	}
	for _, n := range numbers {
		for n/64 >= len(s.bitmap) {
			s.bitmap = append(s.bitmap, 0)
		}
		delete(s.firstArgs, n)
		if allow {
			s.bitmap[n/64] |= 1 << (n % 64)
		} else {
			s.bitmap[n/64] &^= 1 << (n % 64)
		}
	}
}

// setAllCommands allows or disallows all commands, future ones included.
func (s *selector) setAllCommands(allow bool) {
	s.allCommands, s.bitmap, s.words, s.firstArgs = allow, nil, nil, nil
	s.baseWord = sign(allow) + "@all"
}

// sign returns the sign of a rule of commands.
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
	case "alldbs":
		s.noDatabases, s.databases = false, nil
	case "resetdbs":
		s.noDatabases, s.databases = true, nil
	case "allcommands", "+@all":
		s.setAllCommands(true)
	case "nocommands", "-@all":
		s.setAllCommands(false)
	default:
		return s.applySigned(word, catalogue)
	}
	return nil
}

// applySigned applies a word that begins with ~, %, &, +, - or db=.
func (s *selector) applySigned(word string, catalogue Catalogue) error {
	if word == "" {
		return nil
	}
	if list, is := cutDatabases(word); is {
		return s.allowDatabases(list)
	}
	switch word[0] {
	case '~':
		return s.addKeyPattern(word[1:], Read|Write)
	case '%':
		access, pattern, ok := cutAccess(word[1:])
		if !ok {
			return ErrSyntax
		}
		return s.addKeyPattern(pattern, access)
	case '&':
		return s.addChannelPattern(word[1:])
	case '+', '-':
		allow := word[0] == '+'
		if len(word) > 1 && word[1] == '@' {
			return s.applyCategory(strings.ToLower(word[2:]), allow, catalogue)
		}
		return s.applyCommand(strings.ToLower(word[1:]), allow, catalogue)
	}
	return ErrSyntax
}

// cutAccess splits a word like %RW~pattern, without its first character, into access and pattern.
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

// addKeyPattern allows an access to the keys that match a pattern.
func (s *selector) addKeyPattern(pattern string, a Access) error {
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

// addChannelPattern allows the channels that match a pattern.
func (s *selector) addChannelPattern(pattern string) error {
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

// hasBlank reports whether a pattern contains a character that would end it in a file of users.
func hasBlank(pattern string) bool { return strings.ContainsAny(pattern, " \t\n\v\f\r\x00") }

// applyCategory allows or disallows the commands of a category.
func (s *selector) applyCategory(name string, allow bool, catalogue Catalogue) error {
	numbers, ok := catalogue.Category(name)
	if !ok {
		return ErrUnknown
	}
	s.setCommands(numbers, allow, catalogue)
	s.addWord("@"+name, allow)
	return nil
}

// applyCommand allows or disallows "command" or "command|subcommand", or allows "command|argument".
func (s *selector) applyCommand(name string, allow bool, catalogue Catalogue) error {
	if numbers := catalogue.Commands(name); numbers != nil {
		s.setCommands(numbers, allow, catalogue)
		s.addWord(name, allow)
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
	s.allowFirstArg(numbers[0], argument)
	s.addWord(name, allow)
	return nil
}

// allowFirstArg allows a command with a first argument, unless the whole command is allowed.
func (s *selector) allowFirstArg(n int, argument string) {
	if s.allCommands || s.has(n) || slices.Contains(s.firstArgs[n], argument) {
		return
	}
	if s.firstArgs == nil {
		s.firstArgs = map[int][]string{}
	}
	s.firstArgs[n] = append(slices.Clone(s.firstArgs[n]), argument)
}

// cutLast splits a name at its last |.
func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '|')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// addWord records a rule of commands. It removes the rules that this one overrides: those of the
// same name, and of subcommands and arguments of that name.
func (s *selector) addWord(name string, allow bool) {
	s.words = slices.DeleteFunc(s.words, func(word string) bool {
		return word[1:] == name || strings.HasPrefix(word[1:], name+"|")
	})
	s.words = append(s.words, sign(allow)+name)
}

// commandWords returns the rules of commands as words.
func (s *selector) commandWords() string {
	return strings.Join(append([]string{s.baseWord}, s.words...), " ")
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

// line returns the words of the selector as a file of users has them.
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
	if s.noDatabases {
		parts = append(parts, cmp.Or(s.databaseWords(), "resetdbs"))
	}
	return strings.Join(append(parts, s.commandWords()), " ")
}

// equalFold reports whether an argument equals a word in any case.
func equalFold(word string, arg []byte) bool {
	return len(word) == len(arg) && strings.EqualFold(word, string(arg))
}
