package scripting

import (
	"bytes"
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Replies become Lua values and Lua values become replies by the rules of Redis:
//
//	RESP              Lua                      Lua                RESP
//	integer           number                   number             integer, truncated
//	bulk              string                   string             bulk
//	nil               false                    false, nil         nil
//	array             table                    true               1
//	status            {ok=...}                 {ok=...}           status
//	error             {err=...}                {err=...}          error
//	                                           table              array up to the first nil
//
// and with RESP3 chosen by redis.setresp, maps, sets, doubles, booleans and nulls as
// {map=}, {set=}, {double=}, true/false, nil.

// arena holds the text of replies and arguments for one run. Nothing of a run outlives it: globals
// and libraries are read-only, KEYS and ARGV are refilled. So its memory is used again.
type arena struct{ chunk []byte }

const (
	arenaChunk = 16 << 10
	arenaMost  = 1 << 10 // longer texts get memory of their own
)

func (a *arena) reset() { a.chunk = a.chunk[:0] }

// room returns the chunk with space for n bytes.
func (a *arena) room(n int) []byte {
	if cap(a.chunk)-len(a.chunk) < n {
		a.chunk = make([]byte, 0, max(n, arenaChunk))
	}
	return a.chunk
}

// copy returns a copy of b that lives until the run ends.
func (a *arena) copy(b []byte) []byte {
	at := len(a.room(len(b)))
	a.chunk = append(a.chunk, b...)
	return a.chunk[at:len(a.chunk):len(a.chunk)]
}

// text returns b as a string value that lives until the run ends.
func (s *Scripts) text(b []byte) lua.Value {
	if len(b) > arenaMost {
		s.lua.Alloc(len(b))
		return lua.Bytes(append([]byte(nil), b...))
	}
	return lua.Bytes(s.arena.copy(b))
}

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
			return s.absent(), rest
		}
		return s.text(rest[:n]), rest[n+2:]
	case '*':
		n := number(line)
		if n < 0 {
			return s.absent(), rest
		}
		return s.array(n, rest)
	case '+':
		return s.tagged("ok", s.text(line)), rest
	case '-':
		return s.errorTable(s.text(line)), rest
	}
	return s.value3(kind, line, rest)
}

// absent is what a RESP2 nil becomes.
func (s *Scripts) absent() lua.Value { return lua.Bool(false) }

// number reads a length or integer that this server wrote.
func number(line []byte) int64 {
	n, _ := resp.ParseInt(line)
	return n
}

func (s *Scripts) array(n int64, rest []byte) (lua.Value, []byte) {
	t := s.lua.NewTable(int(n), 0)
	for i := range int(n) {
		var v lua.Value
		v, rest = s.value(rest)
		t.SetInt(s.lua, i+1, v)
	}
	return t.Value(), rest
}

// tagged returns {name=v}.
func (s *Scripts) tagged(name string, v lua.Value) lua.Value {
	t := s.lua.NewTable(0, 1)
	t.SetString(s.lua, name, v)
	return t.Value()
}

// errorTable returns the table of an error reply, as redis.pcall returns it.
func (s *Scripts) errorTable(text lua.Value) lua.Value {
	t := s.lua.NewTable(0, 2)
	t.SetString(s.lua, "err", text)
	t.SetString(s.lua, "ignore_error_stats_update", lua.Bool(true))
	return t.Value()
}

// value3 reads the kinds of reply that only RESP3 has.
func (s *Scripts) value3(kind byte, line, rest []byte) (lua.Value, []byte) {
	switch kind {
	case '_':
		return lua.Nil, rest
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
	case '%', '~', '>':
		return s.aggregate(kind, number(line), rest)
	}
	return lua.Nil, rest
}

func (s *Scripts) aggregate(kind byte, n int64, rest []byte) (lua.Value, []byte) {
	if kind == '>' {
		return s.array(n, rest)
	}
	t, name := s.lua.NewTable(0, int(n)), "set"
	if kind == '%' {
		name = "map"
	}
	for range n {
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

// maxReplyDepth is how deep tables may nest in a reply: what Lua's C stack of 8,000 slots allows in
// Redis.
const maxReplyDepth = 7998

// reply writes a Lua value as a reply.
func (s *Scripts) reply(w *resp.Writer, v lua.Value, depth int) {
	if depth > maxReplyDepth {
		w.Error(errStackLimit)
		return
	}
	switch v.Kind() {
	case lua.KindString:
		str, _ := v.AsString()
		w.BulkString(str)
	case lua.KindNumber:
		f, _ := v.AsNumber()
		w.Int(truncate(f))
	case lua.KindBoolean:
		s.boolean(w, v.AsBool())
	case lua.KindTable:
		s.table(w, v.AsTable(), depth)
	default:
		w.Null()
	}
}

func (s *Scripts) boolean(w *resp.Writer, b bool) {
	switch {
	case s.resp3:
		w.Bool(b)
	case b:
		w.Int(1)
	default:
		w.Null()
	}
}

// truncate converts to an integer as C does on amd64: what does not fit is the least integer.
func truncate(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return -1 << 63
}

// table writes a table: one of the marked forms, or an array up to its first nil.
func (s *Scripts) table(w *resp.Writer, t *lua.Table, depth int) {
	if msg, ok := t.GetString("err").AsString(); ok {
		w.Error(msg)
		return
	}
	if msg, ok := t.GetString("ok").AsString(); ok {
		w.Status(oneLine(msg))
		return
	}
	if s.marked(w, t, depth) {
		return
	}
	at, n := w.Defer(), 0
	for ; ; n++ {
		v := t.GetInt(n + 1)
		if v.IsNil() {
			break
		}
		s.reply(w, v, depth+1)
	}
	w.SetArray(at, n)
}

// marked writes the forms that stand for RESP3 types; they fall back to RESP2 for a client of that.
func (s *Scripts) marked(w *resp.Writer, t *lua.Table, depth int) bool {
	if f, ok := t.GetString("double").AsNumber(); ok {
		w.Double(f)
		return true
	}
	for _, name := range [...]string{"map", "set"} {
		if inner := t.GetString(name).AsTable(); inner != nil {
			s.pairs(w, inner, name == "map", depth)
			return true
		}
	}
	if n, ok := t.GetString("big_number").AsString(); ok {
		w.BigNumber(oneLine(n))
		return true
	}
	if inner := t.GetString("verbatim_string").AsTable(); inner != nil {
		text, ok := inner.GetString("string").AsString()
		format, ok2 := inner.GetString("format").AsString()
		if ok && ok2 {
			w.Verbatim(format, []byte(text))
			return true
		}
	}
	return false
}

// pairs writes a table's keys, with their values if it stands for a map.
func (s *Scripts) pairs(w *resp.Writer, t *lua.Table, isMap bool, depth int) {
	at, n := w.Defer(), 0
	for k, v, more, _ := t.Next(lua.Nil); more; k, v, more, _ = t.Next(k) {
		s.reply(w, k, depth+1)
		if isMap {
			s.reply(w, v, depth+1)
		}
		n++
	}
	if isMap {
		w.SetMap(at, n)
	} else {
		w.SetSet(at, n)
	}
}

// oneLine replaces what would end a status line.
func oneLine(s string) string {
	b := []byte(s)
	for i, ch := range b {
		if ch == '\r' || ch == '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// argument returns a string or number as the bytes of a command's argument: numbers as %.17g, as
// Redis 7.0 passes them. ok is false for other types.
func (s *Scripts) argument(v lua.Value) (arg []byte, ok bool) {
	if str, ok := v.AsString(); ok {
		return unsafe.Slice(unsafe.StringData(str), len(str)), true
	}
	f, ok := v.AsNumber()
	if !ok {
		return nil, false
	}
	at := len(s.arena.room(32))
	if i := int64(f); float64(i) == f && i > -1e17 && i < 1e17 {
		s.arena.chunk = strconv.AppendInt(s.arena.chunk, i, 10)
	} else {
		s.arena.chunk = resp.FormatDouble(s.arena.chunk, f)
	}
	return s.arena.chunk[at:len(s.arena.chunk):len(s.arena.chunk)], true
}
