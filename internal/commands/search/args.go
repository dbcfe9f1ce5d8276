package search

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// args reads the arguments of options as RediSearch does, whose errors name the option.
type args struct{ *engine.Call }

// next returns the argument of an option.
func (a args) next(option string) []byte {
	if a.Left() == 0 {
		a.Refusef(errBad, option, noArgument)
		return nil
	}
	return a.Arg()
}

// integer returns an integer of at least 0.
func (a args) integer(option string) int64 {
	return a.integerIn(option, 0, math.MaxInt64)
}

// integerIn returns an integer within bounds.
func (a args) integerIn(option string, least, most int64) int64 {
	text := a.next(option)
	if a.Failed() {
		return 0
	}
	n, ok := integer(text)
	switch {
	case !ok:
		a.Refusef(errBad, option, notConverted)
	case n < least || n > most:
		a.Refusef(errBad, option, outOfBounds)
	}
	return n
}

// integer reads an integer as RediSearch does: with blanks before it, as a number with a point or
// an exponent, in hexadecimal digits, and nothing as 0.
func integer(text []byte) (n int64, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	text = bytes.TrimLeft(text, " \t\n\v\f\r")
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, true
	}
	f, ok := resp.ParseFloat(text)
	return int64(f), ok && f == math.Trunc(f) && math.Abs(f) < 1<<63
}

// number reads a number as C does: with blanks before it, up to a zero byte, and nothing as 0.
func number(text []byte) (f float64, ok bool) {
	text, _, _ = bytes.Cut(text, []byte{0})
	if len(text) == 0 {
		return 0, true
	}
	return resp.ParseFloat(bytes.TrimLeft(text, " \t\n\v\f\r"))
}

// float returns a number, which is finite.
func (a args) float(option string) float64 {
	f, ok := resp.ParseFloat(a.next(option))
	if !a.Failed() && (!ok || math.IsInf(f, 0)) {
		a.Refusef(errBad, option, notConverted)
	}
	return f
}

// list returns the arguments that a count in front of them says there are.
func (a args) list(option string) [][]byte {
	n := a.integer(option)
	if !a.Failed() && n > int64(a.Left()) {
		a.Refusef(errBad, option, noArgument)
	}
	if a.Failed() {
		return nil
	}
	return a.Next(int(n))
}

// strings is list as strings.
func (a args) strings(option string) (list []string) {
	for _, b := range a.list(option) {
		list = append(list, string(b))
	}
	return list
}
