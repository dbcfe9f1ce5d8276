package lua

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// Argument checks for host functions. Each throws Lua's own message, naming the function as the
// script called it: bad argument #1 to 'rep' (string expected, got nil).

// Errorf throws a message with the position of the Lua code that called the running host function,
// as luaL_error does.
func (L *State) Errorf(format string, args ...any) {
	L.Throw(L.message(L.Where(1), format, args))
}

// message formats strings with %s and integers with %d behind the place. As in C strings end at
// their first zero byte.
func (L *State) message(place, format string, args []any) Value {
	size := len(place) + len(format)
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			if end := L.IndexByte(s, 0); end >= 0 {
				s = s[:end]
			}
			args[i] = s
			size += len(s)
		}
	}
	if size <= Piece {
		return L.NewString(place + fmt.Sprintf(format, args...))
	}
	L.Alloc(size)
	out := append(room(size), place...)
	for _, arg := range args {
		before, after, _ := strings.Cut(format, "%")
		out = append(out, before...)
		if s, ok := arg.(string); ok {
			out = L.Append(out, s)
		} else {
			out = fmt.Append(out, arg)
		}
		format = after[1:]
	}
	return Bytes(append(out, format...))
}

// cText returns what C takes for the whole of s.
func cText(s string) string {
	if end := strings.IndexByte(s, 0); end >= 0 {
		return s[:end]
	}
	return s
}

// ArgError throws "bad argument #i to 'f' (problem)".
func (c *Call) ArgError(i int, problem string) {
	name, method := c.L.calleeName(c)
	if method {
		i--
		if i == 0 {
			c.L.Errorf("calling '%s' on bad self (%s)", name, problem)
		}
	}
	c.L.Errorf("bad argument #%d to '%s' (%s)", i, name, problem)
}

// TypeError throws "bad argument #i to 'f' (want expected, got ...)".
func (c *Call) TypeError(i int, want string) {
	got := "no value"
	if i <= c.NArgs() {
		got = c.Arg(i).TypeName()
	}
	c.ArgError(i, want+" expected, got "+got)
}

// CheckAny refuses a missing argument; nil is fine.
func (c *Call) CheckAny(i int) Value {
	if i > c.NArgs() {
		c.ArgError(i, "value expected")
	}
	return c.Arg(i)
}

// CheckTable returns table argument i.
func (c *Call) CheckTable(i int) *Table {
	v := c.Arg(i)
	if v.n != tagTable {
		c.TypeError(i, "table")
	}
	return (*Table)(v.p)
}

// CheckFunction returns function argument i.
func (c *Call) CheckFunction(i int) Value {
	v := c.Arg(i)
	if v.n != tagFunction {
		c.TypeError(i, "function")
	}
	return v
}

// CheckString returns argument i, a string or a number formatted.
func (c *Call) CheckString(i int) string {
	if v := c.Arg(i); v.IsString() {
		return v.str()
	}
	return c.convertToString(i)
}

func (c *Call) convertToString(i int) string {
	s, ok := c.Arg(i).ToString()
	if !ok {
		c.TypeError(i, "string")
	}
	return s
}

// CheckNumber returns argument i, a number or a string that spells one.
func (c *Call) CheckNumber(i int) float64 {
	if v := c.Arg(i); v.IsNumber() {
		return v.num()
	}
	return c.convertToNumber(i)
}

func (c *Call) convertToNumber(i int) float64 {
	f, ok := c.L.ToNumber(c.Arg(i))
	if !ok {
		c.TypeError(i, "number")
	}
	return f
}

// CheckInteger returns number argument i truncated to 64 bits as C does on amd64: out of range is
// the least integer.
func (c *Call) CheckInteger(i int) int64 { return number.ToInt64(c.CheckNumber(i)) }

// CheckInt is CheckInteger cut to C's int, as luaL_checkint does.
func (c *Call) CheckInt(i int) int { return int(int32(number.ToInt64(c.CheckNumber(i)))) }

// None reports whether argument i is missing or nil.
func (c *Call) None(i int) bool { return c.Arg(i).IsNil() }

// OptString is CheckString, or fallback when the argument is missing or nil.
func (c *Call) OptString(i int, fallback string) string {
	if c.None(i) {
		return fallback
	}
	return c.CheckString(i)
}

// OptNumber is CheckNumber, or fallback when the argument is missing or nil.
func (c *Call) OptNumber(i int, fallback float64) float64 {
	if c.None(i) {
		return fallback
	}
	return c.CheckNumber(i)
}

// OptInteger is CheckInteger, or fallback when the argument is missing or nil.
func (c *Call) OptInteger(i int, fallback int64) int64 {
	if c.None(i) {
		return fallback
	}
	return c.CheckInteger(i)
}

// OptInt is CheckInt, or fallback when the argument is missing or nil.
func (c *Call) OptInt(i int, fallback int) int {
	if c.None(i) {
		return fallback
	}
	return c.CheckInt(i)
}

// CheckOption returns the index of string argument i in options; fallback, if not "", stands for a
// missing one.
func (c *Call) CheckOption(i int, fallback string, options ...string) int {
	s := fallback
	if fallback == "" || !c.None(i) {
		s = cText(c.CheckString(i))
	}
	for j, o := range options {
		if o == s {
			return j
		}
	}
	problem := c.L.message("", "invalid option '%s'", []any{s})
	c.ArgError(i, problem.str())
	return 0
}
