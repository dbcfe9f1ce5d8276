package serve

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/resp"
)

// parseOptions reads options: names with two dashes, each with its values behind it or, for one
// value, behind an equals sign. -p is short for --port. As in Redis an option may hold its values
// in one argument, "--port 7777".
func (c *configuration) parseOptions(args []string) error {
	var s *setting
	end := func() error {
		if s == nil {
			return nil
		}
		s.text = shown(s.words)
		return c.add(s)
	}
	for i, arg := range args {
		name, isOption := strings.CutPrefix(arg, "--")
		isShort := arg == "-p" && i+1 < len(args) && (s == nil || len(s.words) > 1)
		switch {
		case isOption || isShort:
			if err := end(); err != nil {
				return err
			}
			s = &setting{words: []string{"port"}}
			if isOption {
				s.words = optionWords(name)
			}
		case s == nil && strings.HasPrefix(arg, "-"):
			return subcommand.UsageError{Err: errors.New("miniserver: " + unknownOption(arg))}
		case s == nil: // as redis-server, which takes a name without dashes behind the file
			s = &setting{words: []string{arg}}
		default:
			s.words = append(s.words, arg)
		}
	}
	return end()
}

// optionWords returns the words of one argument: the name of a setting, and values that stand
// behind it.
func optionWords(text string) []string {
	if name, value, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, " \t\"'") {
		return []string{name, value}
	}
	var words []string
	if parts, ok := resp.Words([]byte(text), nil); ok {
		for _, p := range parts {
			words = append(words, string(p))
		}
	}
	if len(words) == 0 {
		return []string{text}
	}
	return words
}

// unknownOption returns the message for an option with one dash.
func unknownOption(arg string) string {
	return fmt.Sprintf("unknown option '%s'; settings have two dashes, as in --port 7777", arg)
}

// shown returns an option as its user may have typed it.
func shown(words []string) string {
	text := "--" + words[0]
	for _, w := range words[1:] {
		if w == "" || strings.ContainsAny(w, " \"'\\\n\t") {
			w = strconv.Quote(w)
		}
		text += " " + w
	}
	return text
}
