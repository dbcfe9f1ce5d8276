package json

import (
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/json/path"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// condition is whether a value must be there already.
type condition uint8

const (
	always condition = iota
	ifAbsent
	ifPresent
)

// JSON.SET key path value [NX | XX] [FPHA <FP16 | BF16 | FP32 | FP64>] [FORMAT format]
func cmdJSONSet(c *engine.Call) {
	key, text, value := c.Arg(), textArg(c), textArg(c)
	when, floats := setOptions(c)
	d, w := edited(c, key), workspaceOf(c)
	w.parser.Floats = floats
	fresh, _ := w.parse(c, 0, value, "")
	w.parser.Floats = json.Exact
	if c.Failed() {
		return
	}
	if d == nil || isRoot(text) {
		setRoot(c, key, d != nil, text, when, "json.set")
		return
	}
	p := parsePath(c, text)
	if p == nil {
		return
	}
	done := false
	if when != ifAbsent {
		found := w.find(c, d, p, anything)
		found.reserve(c, len(value))
		done = set(c, d, found, fresh.Root())
		if found.len() > 0 {
			when = ifPresent
		}
	}
	if when != ifPresent {
		done = add(c, d, p, fresh.Root())
	}
	replySet(c, key, done, "json.set")
}

// replySet replies whether a command set a value, unless it failed, and reports the change.
func replySet(c *engine.Call, key []byte, done bool, event string) {
	switch {
	case c.Failed():
	case !done:
		c.Reply.Null()
	default:
		changed(c, key, event)
		c.Reply.Status("OK")
	}
}

// setOptions reads the options of JSON.SET.
func setOptions(c *engine.Call) (when condition, floats json.Floats) {
	for c.More() {
		arg := c.Arg()
		switch {
		case !utf8.Valid(arg):
			c.Refuse(json.ErrNotUTF8)
		case command.IsWord(arg, "NX") && when == always:
			when = ifAbsent
		case command.IsWord(arg, "XX") && when == always:
			when = ifPresent
		case command.IsWord(arg, "FORMAT"):
			if format := string(textArg(c)); format != "JSON" && format != "STRING" {
				c.Refuse(errFormat)
			}
		case command.IsWord(arg, "FPHA") && c.Knows("FPHA"):
			floats = floatsArg(c)
		default:
			c.Refuse(errSyntax)
		}
	}
	return when, floats
}

// floatsArg reads the name of a type of floating-point numbers.
func floatsArg(c *engine.Call) json.Floats {
	name := textArg(c)
	for floats, word := range []string{json.FP16: "FP16", json.BF16: "BF16", json.FP32: "FP32", json.FP64: "FP64"} {
		if word != "" && command.IsWord(name, word) {
			return json.Floats(floats)
		}
	}
	c.Refuse(errFloats)
	return json.Exact
}

// setRoot stores the command's only value as a whole document.
func setRoot(c *engine.Call, key []byte, there bool, text []byte, when condition, event string) {
	switch {
	case !there && when == ifPresent, there && when == ifAbsent:
		c.Reply.Null()
	case !isRoot(text):
		c.Refuse(errNotRoot)
	default:
		c.DB.Set(key, workspaceOf(c).stored(c, 0), there)
		changed(c, key, event)
		c.Reply.Status("OK")
	}
}

// set sets what was found, unless the command has failed, and reports whether there was anything.
func set(c *engine.Call, d *json.Doc, found *matches, v json.Value) (done bool) {
	for i := 0; i < found.len() && !c.Failed(); i++ {
		if at, _, ok := found.follow(d, i); ok {
			workspaceOf(c).editor.Set(d, at, v)
			done = true
		}
	}
	return done
}

// add adds the member that a path names which finds nothing, and reports whether it did. An error
// is latched.
func add(c *engine.Call, d *json.Doc, p *path.Path, v json.Value) bool {
	object, name, ok := addition(c, d, p)
	return ok && addMember(&workspaceOf(c).editor, d, object, name, v)
}

// addMember adds a member to the value at a place, and reports whether it did: not to one that is
// no object, or has it.
func addMember(e *json.Editor, d *json.Doc, at json.Place, name []byte, v json.Value) bool {
	object := d.At(at)
	if object.Kind() != json.Object {
		return false
	}
	if _, _, there := object.Member(name); there {
		return false
	}
	e.Add(d, at, name, v)
	return true
}

// addition returns where a path adds a member: the object, if it is one, and the name. ok is false
// if it does not; then an error may be latched.
func addition(c *engine.Call, d *json.Doc, p *path.Path) (object json.Place, name []byte, ok bool) {
	if c.Failed() {
		return nil, nil, false
	}
	if !p.Static() {
		c.Refuse(errNotStatic)
		return nil, nil, false
	}
	f := &workspaceOf(c).finder
	parent, name, named := p.Split()
	if !named {
		if _, there := f.First(p, d.Root()); !there {
			c.Refuse(errRange)
		}
		return nil, nil, false
	}
	_, ok = f.First(parent, d.Root())
	refuseDeep(c, f.Place())
	return f.Place(), name, ok && !c.Failed()
}
