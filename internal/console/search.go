package console

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// search is the body of POST /api/search: a SCAN that goes on by itself for a while. Its steps are
// short, and after each millisecond it rests for as long as it has worked, so that other clients
// hardly notice. A page that asked for each step would need much longer, nearly all of it for HTTP.
type search struct {
	Cursor string `json:"cursor"`
	Args   []word `json:"args"` // of SCAN: MATCH and TYPE
	Most   int    `json:"most"` // keys after which the page has enough
}

const (
	// COUNT of a SCAN: a tenth or two of a millisecond, also with keys that no cache has
	searchStep = 250
	searchWork = time.Millisecond       // after which it rests; a rest takes at least that long anyway
	searchTurn = 100 * time.Millisecond // how long a request may take: then the page shows how far the search is
	maxFound   = 10_000
	maxSearch  = 64 << 10 // bytes of a request
)

// search replies as SCAN does, with the keys of all its steps, and says how many keys it went
// through.
func (c *Console) search(w http.ResponseWriter, r *http.Request, p *page) {
	var q search
	if !read(w, r, maxSearch, &q) {
		return
	}
	s, err := p.session("main", false)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	held := hold{of: c.held}
	defer held.release()
	reply, scanned, err := q.run(r.Context(), s, &held)
	if err != nil {
		refuse(w, statusOf(err), err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	b := appendReply([]byte(`{"reply":`), reply)
	b = strconv.AppendInt(append(b, `,"scanned":`...), int64(scanned), 10)
	_, _ = w.Write(append(b, '}'))
}

func (q *search) run(ctx context.Context, s *session, held *hold) (reply resp.Value, scanned int, err error) {
	words := []string{"SCAN", q.Cursor, "COUNT", strconv.Itoa(searchStep)}
	for _, w := range q.Args {
		words = append(words, string(w))
	}
	most := min(q.Most, maxFound)
	for begin, rested := time.Now(), time.Now(); ; {
		o, err := s.run(ctx, [][]string{words})
		if err != nil {
			return reply, scanned, err
		}
		next := o.replies[0]
		held.bytes += o.held.bytes
		if len(next.Elems) != 2 { // an error, or QUEUED
			return next, scanned, nil
		}
		scanned += searchStep
		if reply.Elems != nil {
			next.Elems[1].Elems = append(reply.Elems[1].Elems, next.Elems[1].Elems...)
		}
		reply, words[1] = next, next.Elems[0].Text
		if words[1] == "0" || len(reply.Elems[1].Elems) >= most || time.Since(begin) > searchTurn {
			return reply, scanned, nil
		}
		if worked := time.Since(rested); worked > searchWork {
			time.Sleep(min(worked, searchTurn))
			rested = time.Now()
		}
	}
}
