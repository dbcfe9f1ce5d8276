package acl

import "strings"

// Rules as they were before Redis 7.0: without selectors and permissions to read or write, and with
// first arguments in place of subcommands, which were no commands.

// ApplyPlain is Apply with the rules before Redis 7.0.
func (u *User) ApplyPlain(word string, catalogue Catalogue) error {
	sign, command, argument, cut := cutFirstArg(word)
	switch {
	case strings.HasPrefix(word, "("), strings.HasPrefix(word, "%"), strings.EqualFold(word, "clearselectors"):
		return ErrSyntax
	case !cut:
		return u.Apply(word, catalogue)
	case sign == '-':
		return ErrUnknown
	}
	return u.selectors[0].addFirstArg(command, argument, catalogue)
}

// cutFirstArg splits a rule such as "+client|id". ok is false if a word is no such rule.
func cutFirstArg(word string) (sign byte, command, argument string, ok bool) {
	command, argument, cut := strings.Cut(word, "|")
	if !cut || command == "" || command[0] != '+' && command[0] != '-' {
		return 0, "", "", false
	}
	return command[0], strings.ToLower(command[1:]), argument, true
}

// addFirstArg allows a command with a first argument, which may be a subcommand, unless the whole
// command is allowed.
func (s *selector) addFirstArg(command, argument string, catalogue Catalogue) error {
	numbers := catalogue.Commands(command)
	switch {
	case numbers == nil:
		return ErrUnknown
	case argument == "":
		return ErrSyntax
	case s.allCommands || s.has(numbers[0]):
		return nil
	}
	name := command + "|" + argument
	if sub := catalogue.Commands(strings.ToLower(name)); sub != nil {
		s.setCommands(sub, true, catalogue)
	} else {
		s.allowFirstArg(numbers[0], argument)
	}
	s.addWord(name, true)
	return nil
}

// PlainFlags returns the user's flags as words, with those that say what is allowed.
func (u *User) PlainFlags() []string {
	flags, s := u.Flags(), u.selectors[0]
	allowed := flags[:1:1]
	for _, f := range []struct {
		name string
		set  bool
	}{{"allkeys", s.allKeys}, {"allchannels", s.allChannels}, {"allcommands", s.allCommands}} {
		if f.set {
			allowed = append(allowed, f.name)
		}
	}
	return append(allowed, flags[1:]...)
}
