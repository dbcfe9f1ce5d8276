package debugger

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Watch stops the run when a value changes: that of an expression, or that of a key.
type Watch struct {
	Number     int    // from 1, in the order in which watches were set; none is used twice
	Expression string // "" for a key
	Key        string
	Value      string // as Describe or DescribeReply shows it, cut off at 1024 bytes; an error as "<error> text"

	code       code
	activation int    // of the function in which the expression is evaluated; 0 for none
	hash       uint64 // of the whole value
	stale      bool   // the value is one of another time
}

// Change is a watch whose value has changed.
type Change struct {
	Watch // with the new value
	Old   string
}

// mostWatches bounds the watches, and longest the length of a value that is shown.
const (
	mostWatches = 64
	longest     = 1024
)

// WatchExpression makes the run stop at a line where the value of an expression is another one than
// at the line before. The expression is evaluated in a frame of Frames, however deep the calls from
// there go, and rests while that does not run, after it has returned for example; one that has the
// same value without a frame is evaluated everywhere. A table changes with what is in it. An
// expression that fails has the error as its value. One that does not compile is an error. It
// cannot write data.
func (d *Debugger) WatchExpression(text string, frame int) (Watch, error) {
	levels := d.Frames()
	w := Watch{Expression: text, code: code{text: text, expression: true}}
	switch _, err := w.code.compile(d.state); {
	case err != nil:
		return w, err
	case frame < 0 || frame >= len(levels):
		return w, ErrNoFrame
	case len(d.watches) == mostWatches:
		return w, ErrTooManyWatches
	}
	inside, err := d.look(&w, levels, frame)
	everywhere, failed := d.look(&w, levels, Global)
	if err != nil || failed != nil || hashValue(inside, nil) != hashValue(everywhere, nil) {
		w.activation = levels[frame].Activation
	}
	w.stale = true
	d.observe(&w, levels)
	return d.addWatch(w), nil
}

// WatchKey makes the run stop at a line where the value of a key, of any type, is another one than
// at the line before. A deadline is no value.
func (d *Debugger) WatchKey(key string) (Watch, error) {
	if len(d.watches) == mostWatches {
		return Watch{}, ErrTooManyWatches
	}
	w := Watch{Key: key, stale: true}
	d.observe(&w, nil)
	return d.addWatch(w), nil
}

func (d *Debugger) addWatch(w Watch) Watch {
	d.numbered++
	w.Number = d.numbered
	d.watches = append(d.watches, w)
	return w
}

// Unwatch removes a watch.
func (d *Debugger) Unwatch(number int) error {
	at := slices.IndexFunc(d.watches, func(w Watch) bool { return w.Number == number })
	if at < 0 {
		return ErrNoWatch
	}
	d.watches = slices.Delete(d.watches, at, at+1)
	return nil
}

// Watches returns the watches in the order in which they were set.
func (d *Debugger) Watches() []Watch { return slices.Clone(d.watches) }

// changes looks at all watches, and returns those whose values have changed.
func (d *Debugger) changes(L *lua.State) (changes []Change) {
	if len(d.watches) == 0 {
		return nil
	}
	levels := L.Levels()
	for i := range d.watches {
		w := &d.watches[i]
		if w.Expression == "" && !d.called {
			continue // only commands change keys
		}
		before := *w
		if d.observe(w, levels); w.hash != before.hash && !before.stale {
			changes = append(changes, Change{*w, before.Value})
		}
	}
	d.called = false
	return changes
}

// observe brings a watch up to date, if what it needs is there.
func (d *Debugger) observe(w *Watch, levels []lua.Level) {
	if w.Expression == "" {
		d.observeKey(w)
		return
	}
	frame := Global
	if w.activation > 0 {
		frame = slices.IndexFunc(levels, func(l lua.Level) bool { return l.Activation == w.activation })
		if frame < 0 {
			return
		}
	}
	if v, err := d.look(w, levels, frame); err != nil {
		w.take(hashText(err.Error()), func() string { return "<error> " + err.Error() })
	} else {
		w.take(hashValue(v, nil), func() string { return ShowValue(d.state, v) })
	}
}

// look returns the value of a watch's expression.
func (d *Debugger) look(w *Watch, levels []lua.Level, frame int) (lua.Value, error) {
	values, err := d.peek(d.state, &w.code, levels, frame)
	return append(values, lua.Nil)[0], err
}

// take takes a value with a hash. Its text is needed only if it is another one.
func (w *Watch) take(hash uint64, text func() string) {
	if hash != w.hash || w.stale {
		w.hash, w.Value, w.stale = hash, clip(text()), false
	}
}

// ShowValue is Describe with all digits of a number.
func ShowValue(L *lua.State, v lua.Value) string {
	if v.IsNumber() {
		text, _ := v.ToString()
		return text
	}
	return Describe(L, v)
}

func clip(text string) string {
	if len(text) > longest {
		return text[:longest] + " ..."
	}
	return text
}

// readers are the commands that read a whole value, by its type. DUMP reads one of any other type.
var readers = map[string][]string{
	"string": {"GET", ""}, "list": {"LRANGE", "", "0", "-1"}, "hash": {"HGETALL", ""}, "set": {"SMEMBERS", ""},
	"zset": {"ZRANGE", "", "0", "-1", "WITHSCORES"}, "stream": {"XRANGE", "", "-", "+"},
}

// DescribeKey shows the value of a key, of any type, as a Watch does.
func (d *Debugger) DescribeKey(key string) string {
	w := Watch{Key: key, stale: true}
	d.observeKey(&w)
	return w.Value
}

// observeKey brings a watch of a key up to date.
func (d *Debugger) observeKey(w *Watch) {
	reply, err := d.quietCall([]string{"TYPE", w.Key})
	kind := "error"
	if err == nil {
		kind, _, _ = strings.Cut(string(reply[1:]), "\r\n")
	}
	if err == nil && kind != "none" {
		reader := slices.Clone(readers[kind])
		if reader == nil {
			reader = []string{"DUMP", ""}
		}
		reader[1] = w.Key
		reply, err = d.quietCall(reader)
	}
	switch {
	case err != nil:
		w.take(hashText(err.Error()), func() string { return "<error> " + err.Error() })
	case kind == "none":
		w.take(hashText(kind), func() string { return kind })
	default:
		w.take(hashText(kind+string(reply)), func() string { return DescribeReply(reply) })
	}
}

var seed = maphash.MakeSeed()

func hashText(text string) uint64 { return maphash.String(seed, text) }

// hashValue returns a hash of a value with all that is in it, in whatever order. seen are the
// tables around it, nil for none.
func hashValue(v lua.Value, seen map[*lua.Table]bool) uint64 {
	t := v.AsTable()
	if text, ok := v.AsString(); ok {
		return hashText(text)
	}
	if t == nil || seen[t] {
		return maphash.Comparable(seed, v)
	}
	if seen == nil {
		seen = make(map[*lua.Table]bool)
	}
	seen[t] = true
	sum := maphash.Comparable(seed, v)
	for k, item := range Items(v) {
		sum += maphash.Comparable(seed, [2]uint64{hashValue(k, seen), hashValue(item, seen)})
	}
	return sum
}
