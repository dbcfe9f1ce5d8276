package scripting

import (
	"fmt"
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// What a script returns becomes a reply by the rules of Redis:
//
//	number      integer, truncated    {err=text}                   error
//	string      bulk                  {ok=text}                    status
//	true        1                     {double=number}              double
//	false, nil  nil                   {big_number=text}            big number
//	table       array up to the       {verbatim_string={...}}      verbatim
//	            first nil             {map=table}, {set=table}     map, set
//
// Booleans are booleans once the script chose RESP3 with redis.setresp. A client of RESP2 gets of the
// types of RESP3 what stands for them there.

// encoder writes the reply of one run.
type encoder struct {
	w      *resp.Writer
	resp3  bool // the script's choice
	limit  int  // bytes the reply may have
	values int  // written so far
	pause  func() error
	err    error // of pause: nothing more is written
}

const (
	// maxStack is how many values Lua's C stack takes, and spareStack how many Redis makes sure of
	// before it writes another one: so deep may tables nest.
	maxStack, spareStack = 8000, 4
	// firstStack is the stack in use for the value that a script returned.
	firstStack = 2
)

// encode returns the reply for a table, which may be large: it is written aside, and others go on meanwhile as
// they do while the script runs. It is the script's session's until that replies again. If it takes more memory
// than a run may, it is an error.
func (s *Scripts) encode(v lua.Value, proto int, name string) ([]byte, error) {
	w := s.session.Reply
	w.Reset()
	w.SetProto(proto)
	e := encoder{w: w, resp3: s.resp3, limit: int(s.memoryLimit), pause: s.interrupt}
	e.value(v, firstStack)
	if e.err != nil {
		return nil, &lua.Error{Cause: e.err}
	}
	if w.Len() > e.limit {
		w.Reset()
		w.Error(fmt.Errorf(errReplySize, name))
	}
	return w.Bytes(), nil
}

// betweenPauses is how many values are written between two looks at the clock.
const betweenPauses = 1 << 12

// full reports whether nothing more is to be written.
func (e *encoder) full() bool {
	if e.values++; e.values%betweenPauses == 0 && e.err == nil {
		e.err = e.pause()
	}
	return e.err != nil || e.w.Len() > e.limit
}

// value writes v; stack is what its nesting takes of Lua's stack in Redis.
func (e *encoder) value(v lua.Value, stack int) {
	switch {
	case stack+spareStack > maxStack:
		e.w.Error(errStackLimit)
	case v.AsTable() != nil:
		e.table(v.AsTable(), stack)
	default:
		e.scalar(v)
	}
}

// scalar writes a value that is no table.
func (e *encoder) scalar(v lua.Value) {
	switch v.Kind() {
	case lua.KindString:
		text, _ := v.AsString()
		e.w.BulkString(text)
	case lua.KindNumber:
		f, _ := v.AsNumber()
		e.w.Int(truncate(f))
	case lua.KindBoolean:
		e.boolean(v.AsBool())
	default:
		e.w.Null()
	}
}

func (e *encoder) boolean(b bool) {
	switch {
	case e.resp3:
		e.w.Bool(b)
	case b:
		e.w.Int(1)
	default:
		e.w.Null()
	}
}

// truncate converts to an integer as C does on amd64: what does not fit is the least integer.
func truncate(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return -1 << 63
}

// table writes one of the marked forms, or an array up to the first nil.
func (e *encoder) table(t *lua.Table, stack int) {
	if e.marked(t, stack) {
		return
	}
	at, n := e.w.Defer(), 0
	for ; !e.full(); n++ {
		v := t.GetInt(n + 1)
		if v.IsNil() {
			break
		}
		e.value(v, stack+1)
	}
	e.w.SetArray(at, n)
}

// marked writes a table that stands for another type and reports whether t is one.
func (e *encoder) marked(t *lua.Table, stack int) bool {
	if text, ok := t.GetString("err").AsString(); ok {
		e.w.Error(engine.Error(cText(text)))
		return true
	}
	if text, ok := t.GetString("ok").AsString(); ok {
		e.w.Status(oneLine(cText(text)))
		return true
	}
	if f, ok := t.GetString("double").AsNumber(); ok {
		e.double(f)
		return true
	}
	if text, ok := t.GetString("big_number").AsString(); ok {
		e.w.BigNumber(oneLine(text))
		return true
	}
	return e.verbatim(t.GetString("verbatim_string").AsTable()) ||
		e.entries(t.GetString("map").AsTable(), true, stack) ||
		e.entries(t.GetString("set").AsTable(), false, stack)
}

// double writes NaN with the sign C prints.
func (e *encoder) double(f float64) {
	switch {
	case !math.IsNaN(f) || !math.Signbit(f):
		e.w.Double(f)
	case e.w.Proto() == 3:
		e.w.Raw([]byte(",-nan\r\n"))
	default:
		e.w.BulkString("-nan")
	}
}

func (e *encoder) verbatim(t *lua.Table) bool {
	if t == nil {
		return false
	}
	text, ok := t.GetString("string").AsString()
	format, ok2 := t.GetString("format").AsString()
	if !ok || !ok2 {
		return false
	}
	e.w.Verbatim((format + "   ")[:3], []byte(text))
	return true
}

// entries writes a table's keys, with their values if it stands for a map.
func (e *encoder) entries(t *lua.Table, pairs bool, stack int) bool {
	if t == nil {
		return false
	}
	at, n := e.w.Defer(), 0
	for k, v, more, _ := t.Next(nil, lua.Nil); more && !e.full(); k, v, more, _ = t.Next(nil, k) {
		if n++; pairs {
			e.value(k, stack+4)
			e.value(v, stack+3)
		} else {
			e.value(k, stack+3)
		}
	}
	if pairs {
		e.w.SetMap(at, n)
	} else {
		e.w.SetSet(at, n)
	}
	return true
}

// oneLine replaces what would end a status line.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
}
