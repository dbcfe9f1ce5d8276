package script

import (
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/resp"
)

// jsonOf returns what encoding/json turns a reply of RESP2 into: a text, a number, an array, null,
// or {"error": text}. A text that is not valid UTF-8 becomes {"base64": ...}.
func jsonOf(v resp.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.IsError():
		return map[string]string{"error": v.Text}
	case v.IsAggregate():
		elems := make([]any, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = jsonOf(e)
		}
		return elems
	case v.Kind == resp.Integer:
		return v.Int
	case utf8.ValidString(v.Text):
		return v.Text
	}
	return jsonlines.Text(v.Text)
}
