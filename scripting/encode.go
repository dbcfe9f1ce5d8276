package scripting

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The value that a script returns becomes a reply by the rules of Redis:
//
//	number      integer, truncated    {err=text}                   error
//	string      bulk                  {ok=text}                    status
//	true        1                     {double=number}              double
//	false, nil  nil                   {big_number=text}            big number
//	table       array up to the       {verbatim_string={...}}      verbatim
//	            first nil             {map=table}, {set=table}     map, set
//
// After redis.setresp(3) booleans become booleans. A client of RESP2 gets the RESP2 form of RESP3's types.

// encoder writes the reply of one run.
type encoder struct {
	w      *resp.Writer
	resp3  bool        // the script's choice
	bare   bool        // big numbers and verbatim texts are no types yet
	values int         // written so far
	counts errorCounts // of the errors written
	pause  func() error
	err    error // of pause; the encoder then writes nothing more
}

const (
	// maxStack is the size of Lua's C stack in values, and spareStack the free values that Redis demands before it
	// writes another one. They limit how deep tables may nest.
	maxStack, spareStack = 8000, 4
	// firstStack is the part of the stack in use when the value is written that a script returned.
	firstStack = 2
)

// encode returns the reply for a table. The table may be large, so it is written to the buffer of the script's session,
// with pauses in which other clients go on as while a slow script runs. The bytes are valid until that session replies
// again. A reply beyond the memory limit becomes an error text, and one beyond the output limit of the caller errOverflow.
func (s *Scripts) encode(v lua.Value, proto int, name string) (reply []byte, found errorCounts, err error) {
	w := s.session.Reply
	s.session.RestartReply()
	limit := w.Room()
	w.SetLimit(min(limit, s.room))
	w.SetProto(proto)
	e := encoder{w: w, resp3: s.resp3, bare: s.bare, pause: s.interrupt}
	e.value(v, firstStack)
	switch {
	case e.err != nil:
		return nil, e.counts, &lua.Error{Cause: e.err}
	case w.Full() && s.room < limit:
		return nil, e.counts, errOverflow
	case w.Full():
		s.session.RestartReply()
		text := command.Errorf(errReplySize, name)
		w.Error(text)
		e.counts = errorCounts{fresh: []string{text.Error()}}
	}
	return w.Bytes(), e.counts, nil
}

// betweenPauses is the number of values between two calls of pause.
const betweenPauses = 1 << 12

// full reports whether writing must end: pause failed, or the limit is passed.
func (e *encoder) full() bool {
	if e.values++; e.values%betweenPauses == 0 && e.err == nil {
		e.err = e.pause()
	}
	return e.err != nil || e.w.Full()
}

// value writes v; stack is the part of Lua's stack in use in Redis at its depth.
func (e *encoder) value(v lua.Value, stack int) {
	switch {
	case stack+spareStack > maxStack:
		e.w.Error(errStackLimit)
		e.counts.add(string(errStackLimit), false)
	case v.AsTable() != nil:
		e.table(v.AsTable(), stack)
	default:
		e.scalar(v)
	}
}

// scalar writes a value that is not a table.
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

// truncate converts to an integer as C does on amd64: numbers out of range become the least integer.
func truncate(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return -1 << 63
}

// table writes a marked table or an array up to the first nil.
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

// marked writes t if one of its fields marks another type, and reports whether it does.
func (e *encoder) marked(t *lua.Table, stack int) bool {
	if text, ok := t.GetString("err").AsString(); ok {
		e.w.Error(command.Error(cText(text)))
		e.counts.add(cText(text), !e.bare && isKnown(t))
		return true
	}
	if text, ok := t.GetString("ok").AsString(); ok {
		e.w.Status(oneLine(cText(text)))
		return true
	}
	if f, ok := t.GetString("double").AsNumber(); ok {
		e.w.Double(f)
		return true
	}
	return !e.bare && e.text(t) ||
		e.entries(t.GetString("map").AsTable(), true, stack) ||
		e.entries(t.GetString("set").AsTable(), false, stack)
}

// text writes t if it is a big number or a verbatim text.
func (e *encoder) text(t *lua.Table) bool {
	if text, ok := t.GetString("big_number").AsString(); ok {
		e.w.BigNumber(oneLine(text))
		return true
	}
	return e.verbatim(t.GetString("verbatim_string").AsTable())
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

// entries writes the keys of a table, with their values if pairs is set.
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

// oneLine replaces bytes that would end a status line.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
}
