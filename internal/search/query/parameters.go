package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
)

// parameter is a value that a node gets from PARAMS.
type parameter struct {
	name string
	set  func(value string) error
}

// resolve gives the nodes of a tree the values of their parameters.
func resolve(n Node, params map[string]string) error {
	var all []parameter
	if r := n.inner().rare; r != nil {
		all = r.params
	}
	if v, ok := n.(*Vector); ok {
		all = append(all, v.late...)
	}
	for _, p := range all {
		value, err := lookup(params, p.name)
		if err == nil {
			err = p.set(value)
		}
		if err != nil {
			return err
		}
	}
	for _, child := range children(n) {
		if err := resolve(child, params); err != nil {
			return err
		}
	}
	return nil
}

func lookup(params map[string]string, name string) (string, error) {
	value, found := params[name]
	if !found {
		return "", command.Errorf("No such parameter `%s`", name)
	}
	return value, nil
}

// bind lets a node have a value of a parameter.
func (o *options) bind(name string, set func(value string) error) {
	r := o.rarely()
	r.params = append(r.params, parameter{name, set})
}

// setWord returns what sets a word; one that is a number is not expanded.
func (o *options) setWord(text *string) func(string) error {
	return func(value string) error {
		value = cString(value)
		_, isNumber := parseNumber(value)
		o.opts.verbatim = o.opts.verbatim || isNumber
		*text = plain(value)
		return nil
	}
}

func setText(text *string) func(string) error {
	return func(value string) error {
		*text = cString(value)
		return nil
	}
}

func (o *options) setSize(name string, k *int) func(string) error {
	return func(value string) error {
		n, ok := parseInt(value)
		if !ok || n < 0 {
			return badNumber(value, name)
		}
		*k = int(n)
		return nil
	}
}

func (n *Vector) bindVector(name string) {
	n.Parameter = name
	n.bind(name, func(value string) error {
		n.Blob = value
		return nil
	})
}

// numberRule says how the value of a parameter is read as a number.
type numberRule byte

const (
	plainNumber numberRule = iota
	lowerBound             // of a range: -inf is allowed, and a parenthesis, which changes nothing
	upperBound
)

func (o *options) bindNumber(a amount, rule numberRule, f *float64) {
	if a.name == "" {
		return
	}
	o.bind(a.name, func(value string) (err error) {
		if rule == plainNumber {
			*f, err = readNumber(value, a)
		} else {
			*f, err = readBound(cString(value), rule, a.minus)
		}
		return err
	})
}

func readNumber(value string, a amount) (float64, error) {
	f, ok := parseNumber(cString(value))
	if !ok {
		return 0, badNumber(cString(value), a.name)
	}
	return negated(f, a.minus), nil
}

func negated(f float64, minus bool) float64 {
	if minus {
		return -f
	}
	return f
}

func badNumber(value, name string) error {
	return command.Errorf("Invalid numeric value (%s) for parameter `%s`", value, name)
}

// readBound reads a bound of a range. It may be infinite on its own side only.
func readBound(value string, rule numberRule, minus bool) (float64, error) {
	value = strings.TrimPrefix(value, "(")
	infinite, side := math.Inf(1), "upper"
	if rule == lowerBound {
		infinite, side = math.Inf(-1), "lower"
	}
	if word := strings.ToLower(value); isInfinity(word, (rule == lowerBound) != minus) {
		return infinite, nil
	}
	f, ok := parseNumber(value)
	if value == "" {
		f, ok = 0, true
	}
	if !ok || math.IsInf(f, 0) {
		return 0, command.Errorf("Bad %s range: %s", side, value)
	}
	return negated(f, minus), nil
}

func isInfinity(word string, negative bool) bool {
	if negative {
		return word == "-inf"
	}
	return strings.TrimPrefix(word, "+") == "inf"
}

// parseNumber parses what C's strtod reads to its end, where an empty text is zero. A number out of
// range is none.
func parseNumber(text string) (float64, bool) {
	if text == "" {
		return 0, true
	}
	return resp.ParseFloat([]byte(strings.TrimLeft(text, " \t\n\v\f\r")))
}

// parseInt parses what C's strtoll reads to its end, where an empty text is zero.
func parseInt(text string) (int64, bool) {
	text = cString(text)
	if text == "" {
		return 0, true
	}
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// cString returns a text up to its first NUL byte.
func cString(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// unescaped returns a text without backslashes before punctuation and space.
func unescaped(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	b := make([]byte, 0, len(text))
	for i := range len(text) {
		if text[i] != '\\' || i+1 == len(text) || !escapes(text[i+1]) {
			b = append(b, text[i])
		}
	}
	return string(b)
}

// plain returns a word as texts are indexed: without escapes, in lower case.
func plain(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == '\\' || r >= 'A' && r <= 'Z' }) {
		return text
	}
	return lower([]byte(unescaped(text)))
}

// lower returns a text in lower case; letters beyond ASCII stay.
func lower(b []byte) string {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
