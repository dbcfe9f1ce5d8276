package json

import (
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns where the bytes of a document are: its values by their kinds, the names of
// members, which stand once however many objects have them, and what a large one is made of.
func explain(v keyspace.Value, _ int) []engine.Detail {
	l := v.(*json.Doc).Layout()
	form, note := "packed", "one text, in the entry of the key"
	if l.Tree != nil {
		form, note = "tree", "pages, in cells of their own"
	}
	values := engine.Table{Columns: []string{"kind", "values", "bytes"}}
	for kind, of := range l.Kinds {
		if of.Values > 0 {
			values.Add(json.Kind(kind).String(), of.Values, of.Bytes)
		}
	}
	parts := []engine.Detail{{"form", form, note}, {"levels", l.Levels, ""}, {"values", values, ""},
		{"names", l.Names, "each once"}, {"names-bytes", l.NamesBytes, ""},
		{"members", l.Members, "bytes that say where the name of each member is"}}
	if l.Tree != nil {
		parts = append(parts, explainTree(l.Tree)...)
	} else {
		parts = append(parts, engine.Detail{"head", l.Head, "the length of the names"})
	}
	return []engine.Detail{{"json", parts, ""}}
}

// explainTree returns what a large document is made of.
func explainTree(t *json.TreeLayout) []engine.Detail {
	return []engine.Detail{{"cells", t.Cells, "pages, and long texts"}, {"cells-bytes", t.Held, ""},
		{"used", t.Used, "of them"}, {"containers", t.Containers, "with pages of their own"},
		{"structure", t.Structure, "bytes of the tables of cells, pages and names, and of the indexes of members"}}
}

// forms returns a document as a hash with a field for each member, if it is an object with members,
// and as a string with the text. O(bytes).
func forms(w *engine.World, v keyspace.Value) (list []engine.Form) {
	root := v.(*json.Doc).Root()
	list = []engine.Form{{Name: "document", Value: v}}
	if root.Kind() == json.Object && root.Len() > 0 {
		list = append(list, engine.Form{Name: "hash", Value: hashOf(root, w.HashLimits())})
	}
	text := str.Of(json.AppendText(nil, root))
	return append(list, engine.Form{Name: "string", Value: &text})
}

// hashOf returns the hash whose fields are the members of an object: texts without quotes, other
// values as JSON.
func hashOf(object json.Value, limits hash.Limits) *hash.Hash {
	h, text := &hash.Hash{}, []byte(nil)
	for c := object.Children(); c.Next(); {
		if v := c.Value(); v.Kind() == json.String {
			text = append(text[:0], v.Text()...)
		} else {
			text = json.AppendText(text[:0], v)
		}
		h.Set(c.Name(), text, limits)
	}
	return h
}
