package json

import (
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// JSON.MERGE key path value
//
// The value is merged into those that the path finds, as RFC 7396 says. A member that is added is
// the value as it stands, with its nulls.
func cmdJSONMerge(c *engine.Call) {
	key, text, value := c.Arg(), textArg(c), textArg(c)
	d, w := edited(c, key), workspaceOf(c)
	fresh, _ := w.parse(c, 0, value, "")
	if c.Failed() {
		return
	}
	if d == nil {
		setRoot(c, key, false, text, always, "json.merge")
		return
	}
	p := parsePath(c, text)
	if p == nil {
		return
	}
	found := w.find(c, d, p, anything)
	found.reserve(c, len(value))
	done := false
	if found.len() > 0 {
		done = merge(c, d, found, fresh.Root())
	} else {
		done = add(c, d, p, fresh.Root())
	}
	replySet(c, key, done, "json.merge")
}

// merge merges a value into what was found, unless the command has failed, and reports whether
// there was anything.
func merge(c *engine.Call, d *json.Doc, found *matches, patch json.Value) (done bool) {
	for i := 0; i < found.len() && !c.Failed(); i++ {
		if at, _, ok := found.follow(d, i); ok {
			mergeInto(&workspaceOf(c).editor, d, at, patch)
			done = true
		}
	}
	return done
}

// mergeInto merges a value into the one at a place.
func mergeInto(e *json.Editor, d *json.Doc, at json.Place, patch json.Value) {
	if patch.Kind() != json.Object {
		e.Set(d, at, patch)
		return
	}
	if d.At(at).Kind() != json.Object {
		e.Set(d, at, json.EmptyObject)
	}
	for m := patch.Children(); m.Next(); {
		mergeMember(e, d, at, m.Name(), m.Value())
	}
}

// mergeMember merges a value into a member of the object at a place.
func mergeMember(e *json.Editor, d *json.Doc, at json.Place, name []byte, patch json.Value) {
	object := d.At(at)
	_, i, there := object.Member(name)
	if !there {
		i = object.Len()
	}
	child := append(at[:len(at):len(at)], uint32(i))
	switch kind := patch.Kind(); {
	case kind == json.Null && there:
		e.Delete(d, child)
	case kind == json.Null:
	case there:
		mergeInto(e, d, child, patch)
	case kind == json.Object:
		e.Add(d, at, name, json.EmptyObject)
		mergeInto(e, d, child, patch)
	default:
		e.Add(d, at, name, patch)
	}
}
