package ldb

import (
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// code is for a request whose only argument is Lua.
func code(text string) []string {
	if text == "" {
		return []string{}
	}
	return []string{text}
}

// quotedWords is for a request whose arguments are a command.
func quotedWords(text string) []string {
	list, ok := resp.Words([]byte(text), nil)
	if !ok {
		return nil
	}
	args := make([]string, len(list))
	for i, w := range list {
		args[i] = string(w)
	}
	return args
}

// linesOrCondition is for numbers of lines, or a line and a condition: 5 if x == 'a'.
func linesOrCondition(text string) []string {
	line, condition, ok := strings.Cut(text, " if ")
	if !ok {
		return strings.Fields(text)
	}
	return []string{strings.TrimSpace(line), "if", strings.TrimSpace(condition)}
}

// keyOrCode is for the name of a key, which may be quoted, or Lua.
func keyOrCode(text string) []string {
	if strings.HasPrefix(text, "key ") {
		return quotedWords(text)
	}
	return code(text)
}
