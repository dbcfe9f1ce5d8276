package testkit

import (
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
)

// selector is a word that says which commands or which clients are meant, with its value.
type selector struct {
	word, value string
	command     *command.Command // of COMMAND
	client      func(s *engine.Session) bool
	sent        func(cmd *command.Command, args [][]byte) bool
}

// matches reports whether a selector means a command of a client.
func (sel *selector) matches(s *engine.Session, cmd *command.Command, args [][]byte) bool {
	return (sel.client == nil || sel.client(s)) && (sel.sent == nil || sel.sent(cmd, args))
}

// clientWords are the words that say which clients are meant, as those of CLIENT KILL where it has
// them.
const clientWords = "CLIENT pattern|ID client-id|ADDR pattern|LIB-NAME pattern|USER username"

// readClients reads a word that says which clients are meant, and its value. It reports whether
// there is one.
func readClients(c *engine.Call) (sel selector, ok bool) {
	of := func(word string, text func(s *engine.Session) string) (selector, bool) {
		pattern := string(c.Arg())
		return selector{word: word, value: pattern,
			client: func(s *engine.Session) bool { return pattern == text(s) || glob.Match(pattern, text(s)) }}, true
	}
	switch {
	case c.Word("CLIENT"):
		return of("CLIENT", func(s *engine.Session) string { return s.Name })
	case c.Word("ADDR"):
		return of("ADDR", func(s *engine.Session) string { return s.Addr })
	case c.Word("LIB-NAME"):
		return of("LIB-NAME", func(s *engine.Session) string { return s.LibName })
	case c.Word("USER"):
		name := string(c.Arg())
		return selector{word: "USER", value: name,
			client: func(s *engine.Session) bool { return s.User().Name == name }}, true
	case c.Word("ID"):
		id := c.IntOr(errClientID)
		return selector{word: "ID", value: strconv.FormatInt(id, 10),
			client: func(s *engine.Session) bool { return s.ID == id }}, true
	}
	return selector{}, false
}

// readCommands reads a word that says which commands are meant, and its value. It reports whether
// there is one.
func readCommands(c *engine.Call) (sel selector, ok bool) {
	switch {
	case c.Word("COMMAND"):
		return onCommand(c, string(c.Arg())), true
	case c.Word("KEY"):
		return onKey(string(c.Arg())), true
	case c.Word("ANY"):
		return selector{word: "ANY", sent: isAny}, true
	}
	return selector{}, false
}

// add adds a selector to a list in which each word may be once.
func add(c *engine.Call, list []selector, sel selector) []selector {
	if slices.ContainsFunc(list, func(other selector) bool { return other.word == sel.word }) {
		c.Refusef(errTwice, sel.word)
	}
	return append(list, sel)
}

// texts returns the words of selectors as they were written.
func texts(list []selector) (words []string) {
	for _, sel := range list {
		if words = append(words, sel.word); sel.word != "ANY" {
			words = append(words, quotedWord(sel.value))
		}
	}
	return words
}

// isImmune reports whether no fault strikes a command.
func isImmune(cmd *command.Command) bool {
	return cmd.Group() == group || cmd.Flags&command.NoAuth != 0
}

// isAny is for all commands but those by which a library says what it is, which clients send by
// themselves and whose errors they ignore.
func isAny(cmd *command.Command, _ [][]byte) bool { return cmd.FullName() != "client|setinfo" }

// onCommand is for a command such as get or client|kill. A container is all its subcommands.
func onCommand(c *engine.Call, name string) selector {
	wanted := c.Engine.Commands.Named(name)
	switch {
	case wanted == nil:
		c.Refusef(errFaultCommand, name)
	case isImmune(wanted):
		c.Refusef(errFaultImmune, name)
	}
	return selector{word: "COMMAND", value: name, command: wanted,
		sent: func(cmd *command.Command, _ [][]byte) bool { return cmd.Is(wanted) }}
}

// onKey is for commands with a key that matches a pattern.
func onKey(pattern string) selector {
	return selector{word: "KEY", value: pattern,
		sent: func(cmd *command.Command, args [][]byte) bool {
			keys, _ := cmd.Keys.At(args)
			return slices.ContainsFunc(keys, func(k command.KeyUse) bool { return glob.Match(pattern, args[k.At]) })
		}}
}
