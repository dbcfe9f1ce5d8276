// Package reply converts between the replies of commands and the values of Lua.
package reply

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
// After redis.setresp(3) booleans become booleans. A client of RESP2 gets the RESP2 form of RESP3's
// types.

// Encoder writes the reply of one run.
type Encoder struct {
	W     *resp.Writer
	RESP3 bool         // the script's choice
	Bare  bool         // big numbers and verbatim texts are no types yet
	Pause func() error // called now and then while a table is written; its error ends the run

	values int    // written so far
	counts Counts // of the errors written
	err    error  // of Pause; the encoder then writes nothing more
}

// Counts are the errors in the reply of a script: the texts of new ones, and the number of those
// that are counted already.
type Counts struct {
	Fresh []string
	Known int
}

// Add adds an error.
func (n *Counts) Add(text string, known bool) {
	if known {
		n.Known++
		return
	}
	n.Fresh = append(n.Fresh, text)
}

const (
	// maxStack is the size of Lua's C stack in values, and spareStack the free values that Redis
	// demands before it writes another one. They limit how deep tables may nest.
	maxStack, spareStack = 8000, 4
	// firstStack is the part of the stack in use when the value is written that a script returned.
	firstStack = 2
)

// Table writes a table that a script has returned. The table may be large, so there are pauses, in
// which other clients go on as while a slow script runs. It returns the errors that it wrote, and
// the error of Pause, behind which nothing more is written.
func (e *Encoder) Table(v lua.Value) (Counts, error) {
	e.value(v, firstStack)
	return e.counts, e.err
}

// betweenPauses is the number of values between two calls of Pause.
const betweenPauses = 1 << 12

// full reports whether writing must end: Pause failed, or the limit is passed.
func (e *Encoder) full() bool {
	if e.values++; e.values%betweenPauses == 0 && e.err == nil {
		e.err = e.Pause()
	}
	return e.err != nil || e.W.Full()
}

// value writes v; stack is the part of Lua's stack in use in Redis at its depth.
func (e *Encoder) value(v lua.Value, stack int) {
	switch {
	case stack+spareStack > maxStack:
		e.W.Error(errStackLimit)
		e.counts.Add(string(errStackLimit), false)
	case v.AsTable() != nil:
		e.table(v.AsTable(), stack)
	default:
		e.Scalar(v)
	}
}

// Scalar writes a value that is not a table.
func (e *Encoder) Scalar(v lua.Value) {
	switch v.Kind() {
	case lua.KindString:
		text, _ := v.AsString()
		e.W.BulkString(text)
	case lua.KindNumber:
		f, _ := v.AsNumber()
		e.W.Int(Truncate(f))
	case lua.KindBoolean:
		e.boolean(v.AsBool())
	default:
		e.W.Null()
	}
}

func (e *Encoder) boolean(b bool) {
	switch {
	case e.RESP3:
		e.W.Bool(b)
	case b:
		e.W.Int(1)
	default:
		e.W.Null()
	}
}

// Truncate converts to an integer as C does on amd64: numbers out of range become the least
// integer.
func Truncate(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return -1 << 63
}

// table writes a marked table or an array up to the first nil.
func (e *Encoder) table(t *lua.Table, stack int) {
	if e.marked(t, stack) {
		return
	}
	at, n := e.W.Defer(), 0
	for ; !e.full(); n++ {
		v := t.GetInt(n + 1)
		if v.IsNil() {
			break
		}
		e.value(v, stack+1)
	}
	e.W.SetArray(at, n)
}

// marked writes t if one of its fields marks another type, and reports whether it does.
func (e *Encoder) marked(t *lua.Table, stack int) bool {
	if text, ok := t.GetString("err").AsString(); ok {
		e.W.Error(command.Error(CText(text)))
		e.counts.Add(CText(text), !e.Bare && IsKnown(t))
		return true
	}
	if text, ok := t.GetString("ok").AsString(); ok {
		e.W.Status(CText(text))
		return true
	}
	if f, ok := t.GetString("double").AsNumber(); ok {
		e.W.Double(f)
		return true
	}
	return !e.Bare && e.text(t) ||
		e.entries(t.GetString("map").AsTable(), true, stack) ||
		e.entries(t.GetString("set").AsTable(), false, stack)
}

// text writes t if it is a big number or a verbatim text.
func (e *Encoder) text(t *lua.Table) bool {
	if text, ok := t.GetString("big_number").AsString(); ok {
		e.W.BigNumber(oneLine(text))
		return true
	}
	return e.verbatim(t.GetString("verbatim_string").AsTable())
}

func (e *Encoder) verbatim(t *lua.Table) bool {
	if t == nil {
		return false
	}
	text, ok := t.GetString("string").AsString()
	format, ok2 := t.GetString("format").AsString()
	if !ok || !ok2 {
		return false
	}
	e.W.Verbatim((format + "   ")[:3], []byte(text))
	return true
}

// entries writes the keys of a table, with their values if pairs is set.
func (e *Encoder) entries(t *lua.Table, pairs bool, stack int) bool {
	if t == nil {
		return false
	}
	at, n := e.W.Defer(), 0
	for k, v, more, _ := t.Next(nil, lua.Nil); more && !e.full(); k, v, more, _ = t.Next(nil, k) {
		if n++; pairs {
			e.value(k, stack+4)
			e.value(v, stack+3)
		} else {
			e.value(k, stack+3)
		}
	}
	if pairs {
		e.W.SetMap(at, n)
	} else {
		e.W.SetSet(at, n)
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
