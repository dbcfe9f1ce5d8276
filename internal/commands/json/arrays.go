package json

import (
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// valueArgs returns all arguments left as values; there must be one at least.
func valueArgs(c *engine.Call) []*json.Doc {
	w, n := workspaceOf(c), c.Left()
	if n == 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	for i := 0; c.More(); i++ {
		w.parse(c, i, c.Arg(), "")
	}
	if c.Failed() {
		return nil
	}
	return w.docs[:n]
}

// bytesOf returns what the texts of values take.
func bytesOf(texts [][]byte) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// arrays runs change for each array that a path finds, which returns its new length. The reply is
// the lengths.
func (t *target) arrays(event string, mayFail bool, change func(at json.Place, v json.Value) int) {
	results := integers{list: t.w.numbers[:0]}
	ok := t.each(mayFail, func(at json.Place, v json.Value) {
		if !v.Exists() {
			results.add(none)
			return
		}
		if !t.requireArray(v) {
			return
		}
		if n := change(at, v); !t.c.Failed() {
			t.done++
			results.add(int64(n))
		}
	})
	if ok {
		results.reply(t, errNotArray)
		t.end(event)
	}
}

func isArray(v json.Value) bool { return v.Kind() == json.Array }

// requireArray latches an error for a value that was an array before the command changed one around
// it.
func (t *target) requireArray(v json.Value) bool {
	if !isArray(v) {
		t.c.Refusef(errExpected, json.Array, v.Kind())
	}
	return !t.c.Failed()
}

// JSON.ARRAPPEND key path value [value ...]
func cmdJSONArrAppend(c *engine.Call) {
	key, text, list := c.Arg(), textArg(c), valueArgs(c)
	t, ok := find(c, key, text, isArray)
	if !ok {
		return
	}
	t.text = text
	t.reserve(bytesOf(c.Args[len(c.Args)-len(list):]))
	t.arrays("json.arrappend", false, func(at json.Place, v json.Value) int {
		n := v.Len()
		return n + t.insert(at, n, list)
	})
}

// insert inserts values into the array at a place, and returns how many.
func (t *target) insert(at json.Place, i int, list []*json.Doc) int {
	for j, d := range list {
		t.w.editor.Insert(t.doc, at, i+j, d.Root())
	}
	return len(list)
}

// JSON.ARRINSERT key path index value [value ...]
func cmdJSONArrInsert(c *engine.Call) {
	key, text, index := c.Arg(), textArg(c), c.IntOr(errNotInteger)
	list := valueArgs(c)
	t, ok := find(c, key, text, isArray)
	if !ok {
		return
	}
	t.reserve(bytesOf(c.Args[len(c.Args)-len(list):]))
	t.arrays("json.arrinsert", true, func(at json.Place, v json.Value) int {
		n := v.Len()
		i := index
		if i < 0 {
			i += int64(n)
		}
		if i < 0 || i > int64(n) || n == 0 && index < 0 {
			c.Refuse(errBounds)
			return 0
		}
		return n + t.insert(at, int(i), list)
	})
}

// JSON.ARRTRIM key path start stop
func cmdJSONArrTrim(c *engine.Call) {
	key, text := c.Arg(), textArg(c)
	start, stop := c.IntOr(errNotInteger), c.IntOr(errNotInteger)
	t, ok := find(c, key, text, isArray)
	if !ok {
		return
	}
	t.arrays("json.arrtrim", true, func(at json.Place, v json.Value) int {
		n := int64(v.Len())
		from, to := fromEnd(start, n), min(fromEnd(stop, n), n-1)+1
		if from >= to {
			from, to = 0, 0
		}
		t.w.editor.Keep(t.doc, at, int(from), int(to))
		return int(to - from)
	})
}

// JSON.ARRPOP key [path [index]]
//
// What is no integer counts as -1.
func cmdJSONArrPop(c *engine.Call) {
	key, text, index := c.Arg(), pathArg(c), int64(-1)
	if c.Left() > 0 {
		if i, ok := resp.ParseInt(c.Arg()); ok {
			index = i
		}
	}
	t, ok := find(c, key, text, isArray)
	if !ok {
		return
	}
	legacy, some := t.path.Legacy(), false
	t.mayGo = true
	if !legacy {
		c.Reply.Array(t.matches.len())
	}
	at := c.Reply.Len()
	ok = t.each(true, func(place json.Place, v json.Value) {
		if legacy && !t.fits() {
			return
		}
		if legacy {
			some = true
			c.Reply.Truncate(at) // only the last one counts
		}
		if !v.Exists() {
			c.Reply.Null()
		} else if t.requireArray(v) {
			t.pop(place, v, index)
		}
	})
	switch {
	case !ok:
		return
	case legacy && !some:
		t.refuse(errNotArray)
		return
	case legacy:
		t.done++ // also without an element RedisJSON tells of a change
	}
	t.end("json.arrpop")
}

// pop removes an element of an array, and replies with its text; nil if there is none.
func (t *target) pop(at json.Place, v json.Value, index int64) {
	if v.Len() == 0 {
		t.c.Reply.Null()
		return
	}
	n := int64(v.Len())
	i := min(fromEnd(index, n), n-1)
	e, _ := v.Element(int(i))
	replyJSON(t.c, e)
	t.w.editor.Delete(t.doc, append(at, uint32(i)))
	t.done++
}
