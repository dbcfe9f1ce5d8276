package server

import (
	"bufio"
	"errors"
	"strconv"
)

// Simple is a status, such as OK, as ParseReply returns it.
type Simple string

// ParseReply reads a reply of RESP2: a Simple, an int, a string, a slice of these, or nil for an
// absent one. An error is that of the reader, the server's, or ErrProtocol.
func ParseReply(rd *bufio.Reader) (any, error) {
	line, err := readLine(rd)
	switch {
	case err != nil:
		return nil, err
	case len(line) == 0:
		return nil, ErrProtocol
	}
	text := string(line[1:])
	switch line[0] {
	case '+':
		return Simple(text), nil
	case '-':
		return nil, errors.New(text)
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return nil, ErrProtocol
	case line[0] == ':':
		return n, nil
	case line[0] == '$' && n < 0, line[0] == '*' && n < 0:
		return nil, nil
	case line[0] == '$' && n <= mostText:
		return readText(rd, int64(n))
	case line[0] == '*':
		return parseElements(rd, n)
	}
	return nil, ErrProtocol
}

func parseElements(rd *bufio.Reader, n int) (any, error) {
	var list []any
	for range n {
		element, err := ParseReply(rd)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	return list, nil
}
