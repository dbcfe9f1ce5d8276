package difftest

import (
	"regexp"
	"slices"

	"github.com/miniserver-go/miniserver/resp"
)

// Times in replies about streams. An array that begins with an entry's ID and ends with two
// integers is a message; the first of these integers is a time or an idle time. Other times are
// pairs of a name and an integer.

var entryID = regexp.MustCompile(`^\d+-\d+$`)

// timeNames name times of consumers.
var timeNames = []string{"idle", "seen-time", "inactive", "active-time"}

// timeless returns v with its times set to 0.
func timeless(v resp.Value) resp.Value {
	elems := make([]resp.Value, 0, len(v.Elems))
	for i := 0; i < len(v.Elems); i++ {
		e := v.Elems[i]
		if i+1 < len(v.Elems) && v.Elems[i+1].Kind == resp.Integer && slices.Contains(timeNames, e.Text) {
			elems = append(elems, e, resp.Value{Kind: resp.Integer})
			i++
		} else {
			elems = append(elems, timeless(e))
		}
	}
	if n := len(elems); n >= 3 && entryID.MatchString(elems[0].Text) && elems[n-1].Kind == resp.Integer &&
		elems[n-2].Kind == resp.Integer {
		elems[n-2].Int = 0
	}
	if v.Elems != nil {
		v.Elems = elems
	}
	return v
}
