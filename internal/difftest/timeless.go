package difftest

import (
	"regexp"
	"slices"

	"github.com/miniserver-go/miniserver/resp"
)

// What streams tell of times: an array that begins with an entry's ID and ends with two integers is a
// message, of which the first of them is a time or an idle time; and pairs that are named so.

var entryID = regexp.MustCompile(`^\d+-\d+$`)

// timeNames name times of consumers. The later ones came with Redis 7.2.
var (
	timeNames  = []string{"idle", "seen-time"}
	laterNames = []string{"inactive", "active-time"}
)

// timeless returns v with its times blanked out, and without those that Redis 7.0 does not tell.
func timeless(v resp.Value) resp.Value {
	elems := make([]resp.Value, 0, len(v.Elems))
	for i := 0; i < len(v.Elems); i++ {
		e := v.Elems[i]
		switch next := i+1 < len(v.Elems) && v.Elems[i+1].Kind == resp.Integer; {
		case next && slices.Contains(laterNames, e.Text):
			i++
		case next && slices.Contains(timeNames, e.Text):
			elems = append(elems, e, resp.Value{Kind: resp.Integer})
			i++
		default:
			elems = append(elems, timeless(e))
		}
	}
	if n := len(elems); n >= 3 && entryID.MatchString(elems[0].Text) && elems[n-1].Kind == resp.Integer && elems[n-2].Kind == resp.Integer {
		elems[n-2].Int = 0
	}
	if v.Elems != nil {
		v.Elems = elems
	}
	return v
}
