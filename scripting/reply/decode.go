package reply

import (
	"bytes"
	"math/bits"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Replies of commands become Lua values by the rules of Redis:
//
//	integer  number        nil    false          status  {ok=text}
//	bulk     string        array  table          error   {err=text}
//
// and with RESP3 chosen by redis.setresp
//
//	map      {map=table}     double      {double=number}        null     nil
//	set      {set=table}     big number  {big_number=text}      boolean  boolean
//	                         verbatim    {verbatim_string={format=, string=}}

// Decoder reads the replies of commands, for one State. Its texts are valid for ever.
type Decoder struct {
	RESP3 bool // redis.setresp(3) was called

	lua   *lua.State
	sized bool // the tables of arrays have their size from the beginning
	texts texts
}

// NewDecoder returns a decoder of replies in RESP2.
func NewDecoder(l *lua.State, r *release.Release) Decoder {
	return Decoder{lua: l, sized: r.Has(sizedTables)}
}

// Value reads one reply as a Lua value and returns what follows it.
func (d *Decoder) Value(b []byte) (lua.Value, []byte) {
	end := bytes.IndexByte(b, '\r')
	kind, line, rest := b[0], b[1:end], b[end+2:]
	switch kind {
	case ':':
		return lua.Number(float64(number(line))), rest
	case '$':
		n := number(line)
		if n < 0 {
			return lua.Bool(false), rest
		}
		return d.text(rest[:n]), rest[n+2:]
	case '*':
		n := number(line)
		if n < 0 {
			return lua.Bool(false), rest
		}
		return d.array(int(n), rest)
	case '+':
		return Tagged(d.lua, "ok", d.text(line)), rest
	case '-':
		return Error(d.lua, d.text(line)), rest
	}
	return d.value3(kind, line, rest)
}

// number reads a length or integer that this server wrote.
func number(line []byte) int64 {
	n, _ := resp.ParseInt(line)
	return n
}

// sizedTables is when the table of an array began to have its size from the beginning.
var sizedTables = release.From("valkey:8.1.0")

// array reads n elements into a table of the size that n appends would give it, as in Redis. In
// RESP3 nils may be among them; then the size depends on their places, and the table grows as they
// are set.
func (d *Decoder) array(n int, rest []byte) (lua.Value, []byte) {
	size := 0
	switch {
	case d.sized:
		size = n
	case n > 0 && !d.RESP3:
		size = 1 << bits.Len(uint(n-1))
	}
	t := d.lua.NewTable(size, 0)
	for i := range n {
		var v lua.Value
		d.lua.Tick(1)
		v, rest = d.Value(rest)
		t.SetInt(d.lua, i+1, v)
	}
	return t.Value(), rest
}

// value3 reads the kinds of reply that only RESP3 has.
func (d *Decoder) value3(kind byte, line, rest []byte) (lua.Value, []byte) {
	switch kind {
	case '#':
		return lua.Bool(line[0] == 't'), rest
	case ',':
		f, _ := resp.ParseFloat(line)
		return Tagged(d.lua, "double", lua.Number64(f)), rest
	case '(':
		return Tagged(d.lua, "big_number", d.text(line)), rest
	case '=':
		n := number(line)
		t := d.lua.NewTable(0, 2)
		t.SetString(d.lua, "format", d.text(rest[:3]))
		t.SetString(d.lua, "string", d.text(rest[4:n]))
		return Tagged(d.lua, "verbatim_string", t.Value()), rest[n+2:]
	case '%', '~':
		return d.aggregate(kind, int(number(line)), rest)
	}
	return lua.Nil, rest // null
}

// aggregate reads a map or a set of n entries.
func (d *Decoder) aggregate(kind byte, n int, rest []byte) (lua.Value, []byte) {
	t, name := d.lua.NewTable(0, 0), "set"
	if kind == '%' {
		name = "map"
	}
	for range n {
		d.lua.Tick(1)
		var k lua.Value
		k, rest = d.Value(rest)
		v := lua.Bool(true)
		if kind == '%' {
			v, rest = d.Value(rest)
		}
		t.Set(d.lua, k, v)
	}
	return Tagged(d.lua, name, t.Value()), rest
}

// Tagged returns {name=v}.
func Tagged(l *lua.State, name string, v lua.Value) lua.Value {
	t := l.NewTable(0, 1)
	t.SetString(l, name, v)
	return t.Value()
}

// Error returns the table for an error that a command replied with, or that refused the command. In
// Redis the second field means that the error is counted already.
func Error(l *lua.State, text lua.Value) lua.Value {
	t := l.NewTable(0, 2)
	t.SetString(l, "err", text)
	t.SetString(l, "ignore_error_stats_update", lua.Bool(true))
	return t.Value()
}

// IsKnown reports whether the table of an error says that the error is counted already.
func IsKnown(t *lua.Table) bool {
	v := t.GetString("ignore_error_stats_update")
	return v.Kind() == lua.KindBoolean && v.AsBool()
}
