package json

import (
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// first returns the first value that a path finds; ok is false if there is none.
func first(c *engine.Call, d *json.Doc, p *path.Path) (v json.Value, ok bool) {
	f := &workspaceOf(c).finder
	v, ok = f.First(p, d.Root())
	refusePath(c, f)
	return v, ok
}

// replyAll replies with an array of what answer replies with for each value that a path finds.
func replyAll(c *engine.Call, d *json.Doc, p *path.Path, answer func(c *engine.Call, v json.Value)) {
	f := &workspaceOf(c).finder
	at, n := c.Reply.Defer(), 0
	for f.Find(p, d.Root()); !c.Reply.Full() && f.Next(); n++ {
		from := c.Reply.Len()
		answer(c, f.Value())
		f.Read(c.Reply.Len() - from)
	}
	c.Reply.SetArray(at, n)
	refusePath(c, f)
}

// replyFound is replyAll, or with a legacy path what answer replies with for the first value; found
// is false if there is none.
func replyFound(c *engine.Call, d *json.Doc, p *path.Path,
	answer func(c *engine.Call, v json.Value)) (found bool) {
	if !p.Legacy() {
		replyAll(c, d, p, answer)
		return true
	}
	v, found := first(c, d, p)
	if found {
		answer(c, v)
	}
	return found
}

// question is a command that asks something about values of a kind. With a path of JSONPath the
// reply is an array, with nil for values of other kinds. With a legacy path it is that of the first
// value.
type question struct {
	kind   json.Kind
	answer func(c *engine.Call, v json.Value)
	// The errors. of has the path as the command was given it, and in full. nil is a reply of nil.
	missing func(of asked) error // a legacy path finds nothing
	other   func(of asked) error // it finds a value of another kind
	absent  func(of asked) error // there is no key, and the path is one of JSONPath
	lenient bool                 // a legacy path that is no path finds nothing
}

// asked is what a question is about.
type asked struct {
	text  []byte // the path as it was given
	path  *path.Path
	found json.Value
}

// ask runs a question.
func (q *question) ask(c *engine.Call) {
	d, text := document(c, c.Arg()), looserPathArg(c)
	of := asked{text: text}
	switch {
	case c.Failed():
		return
	case d == nil && legacy(text):
		c.Reply.Null()
		return
	case d == nil:
		c.Refuse(q.absent(of))
		return
	}
	if q.lenient && noLegacyPath(c, text) {
		c.Reply.Null()
		return
	}
	if of.path = parsePath(c, text); of.path == nil {
		return
	}
	if !of.path.Legacy() {
		replyAll(c, d, of.path, q.answerKind)
		return
	}
	found := false
	of.found, found = first(c, d, of.path)
	switch {
	case !found:
		replyOr(c, q.missing(of))
	case of.found.Kind() != q.kind:
		replyOr(c, q.other(of))
	default:
		q.answer(c, of.found)
	}
}

// noLegacyPath reports whether a path is not one of JSONPath, nor one of the legacy language.
func noLegacyPath(c *engine.Call, text []byte) bool {
	if !legacy(text) {
		return false
	}
	_, err := workspaceOf(c).path(dialect(c), text)
	return err != nil
}

// answerKind answers for a value of the kind, and replies with nil for others.
func (q *question) answerKind(c *engine.Call, v json.Value) {
	if v.Kind() == q.kind {
		q.answer(c, v)
	} else {
		c.Reply.Null()
	}
}

// replyOr replies with nil, or latches an error.
func replyOr(c *engine.Call, err error) {
	if err != nil {
		c.Refuse(err)
	} else {
		c.Reply.Null()
	}
}

func isNil(asked) error     { return nil }
func noKey(asked) error     { return errNoKey }
func noPath(of asked) error { return command.Errorf(errNoPath, of.path) }

// wrongKind tells the kinds that were expected and found.
func wrongKind(expected json.Kind) func(of asked) error {
	return func(of asked) error { return command.Errorf(errExpected, expected, of.found.Kind()) }
}

var (
	stringLength = question{kind: json.String,
		answer:  func(c *engine.Call, v json.Value) { c.Reply.Int(int64(len(v.Text()))) },
		missing: noPath, other: wrongKind(json.String), absent: noKey}
	arrayLength = question{kind: json.Array, answer: replyLength,
		missing: func(of asked) error { return command.Errorf(errNoPath, path.Shown(of.text)) },
		other:   func(of asked) error { return command.Errorf(errNotArray, path.Shown(of.text)) }, absent: noKey}
	objectLength = question{lenient: true, kind: json.Object,
		answer: replyLength, missing: isNil, other: wrongKind(json.Object),
		absent: func(of asked) error { return command.Errorf(errNotObject, path.Shown(of.text)) }}
	objectKeys = question{lenient: true, kind: json.Object, answer: replyNames, missing: isNil,
		other: func(of asked) error { return command.Errorf(errNotObject, of.path) }, absent: noKey}
)

func replyLength(c *engine.Call, v json.Value) { c.Reply.Int(int64(v.Len())) }

func replyNames(c *engine.Call, v json.Value) {
	c.Reply.Array(v.Len())
	for m := v.Children(); m.Next() && !c.Reply.Full(); {
		c.Reply.Bulk(m.Name())
	}
}

// JSON.STRLEN key [path]
func cmdJSONStrLen(c *engine.Call) { stringLength.ask(c) }

// JSON.ARRLEN key [path]
func cmdJSONArrLen(c *engine.Call) { arrayLength.ask(c) }

// JSON.OBJLEN key [path]
func cmdJSONObjLen(c *engine.Call) { objectLength.ask(c) }

// JSON.OBJKEYS key [path]
func cmdJSONObjKeys(c *engine.Call) { objectKeys.ask(c) }

// JSON.TYPE key [path]
//
// In RESP3 the reply has an array more around it.
func cmdJSONType(c *engine.Call) {
	if c.Reply.Proto() >= 3 {
		c.Reply.Array(1)
	}
	d, text := document(c, c.Arg()), looserPathArg(c)
	if c.Failed() {
		return
	}
	if d == nil || noLegacyPath(c, text) {
		c.Reply.Null()
		return
	}
	if p := parsePath(c, text); p != nil && !replyFound(c, d, p, replyKind) {
		c.Reply.Null()
	}
}

func replyKind(c *engine.Call, v json.Value) { c.Reply.BulkString(v.Kind().String()) }

// JSON.RESP key [path]
func cmdJSONResp(c *engine.Call) {
	key, text := c.Arg(), pathArg(c)
	d := document(c, key)
	if c.Failed() {
		return
	}
	if d == nil {
		c.Reply.Null()
		return
	}
	if p := parseAnyPath(c, text); p != nil && !replyFound(c, d, p, replyValue) {
		c.Refuse(command.Errorf(errNoPath, p))
	}
}

// replyValue replies with a value as the protocol has it. A container begins with its bracket.
func replyValue(c *engine.Call, v json.Value) { writeValue(c.Reply, v) }

func writeValue(w *resp.Writer, v json.Value) {
	switch v.Kind() {
	case json.Boolean:
		w.Status(map[bool]string{false: "false", true: "true"}[v.Bool()])
	case json.Array:
		w.Array(1 + v.Len())
		w.Status("[")
		for e := v.Children(); e.Next() && !w.Full(); {
			writeValue(w, e.Value())
		}
	case json.Object:
		w.Array(1 + 2*v.Len())
		w.Status("{")
		for m := v.Children(); m.Next() && !w.Full(); {
			w.Bulk(m.Name())
			writeValue(w, m.Value())
		}
	default:
		writeScalar(w, v)
	}
}

// writeScalar writes null, a number or a text.
func writeScalar(w *resp.Writer, v json.Value) {
	switch v.Kind() {
	case json.Null:
		w.Null()
	case json.String:
		w.Bulk(v.Text())
	case json.Integer:
		if n, ok := v.Int(); ok {
			w.Int(n)
			return
		}
		w.Double(v.Float())
	default:
		w.Double(v.Float())
	}
}

// JSON.ARRINDEX key path value [start [stop]]
func cmdJSONArrIndex(c *engine.Call) {
	key, text, wanted := c.Arg(), textArg(c), textArg(c)
	start, stop := integerArg(c), integerArg(c)
	if c.Left() > 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	one := workspaceOf(c).parseWhole(c, wanted)
	d := document(c, key)
	if !c.Failed() && d == nil {
		c.Refusef(errNoPath, path.Shown(text))
	}
	p := parsePath(c, text)
	if p == nil {
		return
	}
	q := question{kind: json.Array, answer: func(c *engine.Call, v json.Value) {
		c.Reply.Int(index(v, one.Root(), start, stop))
		workspaceOf(c).finder.Read(readBytes(v, one.Root()))
	}}
	if !p.Legacy() {
		replyAll(c, d, p, q.answerKind)
		return
	}
	switch v, ok := first(c, d, p); {
	case !ok:
		c.Refuse(command.Errorf(errNoPath, p))
	case v.Kind() != json.Array:
		c.Refuse(command.Errorf(errExpected, json.Array, v.Kind()))
	default:
		q.answer(c, v)
	}
}

// readBytes returns about how many bytes are read to look for a value in an array. What is no
// container costs little.
func readBytes(array, wanted json.Value) int {
	if wanted.Kind() < json.String {
		return array.Len()
	}
	return array.Bytes()
}

// integerArg returns the next argument as an integer, 0 if none is left.
func integerArg(c *engine.Call) int64 {
	if c.Left() == 0 {
		return 0
	}
	return c.IntOr(errNotInteger)
}

// index returns the index of the first element from start on, and before stop, that equals a value;
// -1 if there is none. A stop of 0 is the end; bounds below 0 count from there.
func index(array, v json.Value, start, stop int64) int64 {
	n := int64(array.Len())
	start = min(fromEnd(start, n), max(n-1, 0))
	if stop == 0 {
		stop = n
	}
	stop = min(fromEnd(stop, n), n)
	e := array.Children()
	for i := int64(0); i < stop && e.Next(); i++ {
		if i >= start && json.Equal(e.Value(), v) {
			return i
		}
	}
	return -1
}

// fromEnd returns an index of an array of n elements that counts from the end if it is negative; 0
// for what is before the start.
func fromEnd(i, n int64) int64 {
	if i < 0 {
		return max(i+n, 0)
	}
	return i
}
