package difftest

import (
	"regexp"
	"slices"

	"github.com/miniserver-go/miniserver/resp"
)

// Times in replies about streams. An array that begins with an entry's ID and ends with two integers is a
// message; the first of these integers is a time or an idle time. Other times are pairs of a name and an integer.

var entryID = regexp.MustCompile(`^\d+-\d+$`)

// timeNames name times of consumers. Those of laterNames are new in Redis 7.2.
var (
	timeNames  = []string{"idle", "seen-time"}
	laterNames = []string{"inactive", "active-time"}
)

// timeless returns v with its times set to 0, and without those that Redis 7.0 does not send.
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
