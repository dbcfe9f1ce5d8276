package lint

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/spelling"
)

// kinds is what a condition is for.
var kinds = map[query.ConditionKind]index.Kind{query.OnWords: index.Text, query.OnTags: index.Tag,
	query.OnNumbers: index.Numeric, query.OnPlaces: index.Geo, query.OnShapes: index.Shape,
	query.OnVectors: index.Vector}

// forms is how a field of a kind is asked, with its name.
var forms = map[index.Kind]string{index.Text: "@%s:(word)", index.Tag: "@%s:{tag}", index.Numeric: "@%s:[least most]",
	index.Geo: "@%s:[lon lat radius km]", index.Shape: "@%s:[WITHIN $shape]", index.Vector: "*=>[KNN 10 @%s $vector]"}

// conditions returns the conditions in a text, but for what only looks like one: an @ in a tag or
// in a word.
func conditions(text string) (list []query.Condition) {
	inside := 0
	for _, c := range query.Conditions(text) {
		if c.At < inside || c.At > 0 && isWord(text[c.At-1]) {
			continue
		}
		inside = c.To
		list = append(list, c)
	}
	return list
}

// fields applies the rules about what is asked of fields.
func (r *run) fields() {
	for _, c := range r.asked {
		for _, name := range c.Fields {
			r.field(name, c)
		}
	}
}

func (r *run) field(name string, c query.Condition) {
	f := r.Index.Field(name)
	switch end := c.At + 1 + len(name); {
	case f == nil && end < len(r.text) && r.text[end] == '-': // see sign
		return
	case f == nil:
		r.report("unknown-field", c.At, "The index has no field %s, so this finds nothing%s", name, r.meant(name))
		return
	}
	if want, ok := kinds[c.Kind]; ok && want != f.Kind {
		r.report("wrong-kind", c.At, "%s is a %s field, and this asks a %s field, so it finds nothing: write "+
			""+forms[f.Kind]+".",
			name, f.Kind, want, name)
	}
	if f.Unindexed {
		r.report("noindex-field", c.At, "%s has NOINDEX, so no query finds anything by it. FT.AGGREGATE can: "+
			"LOAD 1 @%s, and then FILTER.", name, name)
	}
}

// meant returns the end of a sentence about a field that does not exist.
func (r *run) meant(name string) string {
	var names []string
	for _, f := range r.Index.Fields {
		names = append(names, f.Name)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf(": did you mean @%s?", near)
	}
	return "."
}

// at returns where the text asks a field; -1 if it does not.
func (r *run) at(field string) int {
	for _, c := range r.asked {
		if c.Fields[0] == field {
			return c.At
		}
	}
	return -1
}
