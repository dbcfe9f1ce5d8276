package scripting

import (
	"bytes"
	"math/bits"

	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Replies become Lua values by the rules of Redis:
//
//	integer  number        nil    false          status  {ok=text}
//	bulk     string        array  table          error   {err=text}
//
// and with RESP3 chosen by redis.setresp
//
//	map      {map=table}     double      {double=number}        null     nil
//	set      {set=table}     big number  {big_number=text}      boolean  boolean
//	                         verbatim    {verbatim_string={format=, string=}}

// value reads one reply as a Lua value and returns what follows it.
func (s *Scripts) value(b []byte) (lua.Value, []byte) {
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
		return s.text(rest[:n]), rest[n+2:]
	case '*':
		n := number(line)
		if n < 0 {
			return lua.Bool(false), rest
		}
		return s.array(int(n), rest)
	case '+':
		return s.tagged("ok", s.text(line)), rest
	case '-':
		return s.replyError(s.text(line)), rest
	}
	return s.value3(kind, line, rest)
}

// number reads a length or integer that this server wrote.
func number(line []byte) int64 {
	n, _ := resp.ParseInt(line)
	return n
}

// sizedTables is when the table of an array began to have its size from the beginning.
var sizedTables = release.From("valkey:8.1.0")

// array reads n elements into a table of the size that n appends would give it, as in Redis. In RESP3 nils may be among
// them; then the size depends on their places, and the table grows as they are set.
func (s *Scripts) array(n int, rest []byte) (lua.Value, []byte) {
	size := 0
	switch {
	case s.sized:
		size = n
	case n > 0 && !s.resp3:
		size = 1 << bits.Len(uint(n-1))
	}
	t := s.lua.NewTable(size, 0)
	for i := range n {
		var v lua.Value
		s.lua.Tick(1)
		v, rest = s.value(rest)
		t.SetInt(s.lua, i+1, v)
	}
	return t.Value(), rest
}

// value3 reads the kinds of reply that only RESP3 has.
func (s *Scripts) value3(kind byte, line, rest []byte) (lua.Value, []byte) {
	switch kind {
	case '#':
		return lua.Bool(line[0] == 't'), rest
	case ',':
		f, _ := resp.ParseFloat(line)
		return s.tagged("double", lua.Number64(f)), rest
	case '(':
		return s.tagged("big_number", s.text(line)), rest
	case '=':
		n := number(line)
		t := s.lua.NewTable(0, 2)
		t.SetString(s.lua, "format", s.text(rest[:3]))
		t.SetString(s.lua, "string", s.text(rest[4:n]))
		return s.tagged("verbatim_string", t.Value()), rest[n+2:]
	case '%', '~':
		return s.aggregate(kind, int(number(line)), rest)
	}
	return lua.Nil, rest // null
}

// aggregate reads a map or a set of n entries.
func (s *Scripts) aggregate(kind byte, n int, rest []byte) (lua.Value, []byte) {
	t, name := s.lua.NewTable(0, 0), "set"
	if kind == '%' {
		name = "map"
	}
	for range n {
		s.lua.Tick(1)
		var k lua.Value
		k, rest = s.value(rest)
		v := lua.Bool(true)
		if kind == '%' {
			v, rest = s.value(rest)
		}
		t.Set(s.lua, k, v)
	}
	return s.tagged(name, t.Value()), rest
}
