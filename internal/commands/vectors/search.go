package vectors

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/vectors"
	"github.com/miniserver-go/miniserver/ds/vectors/filter"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// The values that options of VSIM have which are not there.
const (
	defaultCount    = 10
	defaultSearchEF = 100
	effortOfCount   = 100 // FILTER-EF for each of COUNT
)

// A filter has maxFilter bytes at most. One of more than freeFilter is refused if asking it of all
// elements would take more than about maxSteps.
const (
	maxFilter  = 64 << 10
	freeFilter = 1 << 10
	maxSteps   = 1 << 32
)

// epsilonOfScores is since when EPSILON is how far from 1 a score may be, rather than the greatest
// distance, which is twice as much.
var epsilonOfScores = release.From("8.0.3")

// search is the arguments of VSIM.
type search struct {
	vectors.Query
	epsilon            float64
	scores, attributes bool
}

// VSIM key (ELE element | FP32 blob | VALUES n number...) [options]
//
// An absent key is an empty set, whatever follows.
func cmdVSim(c *engine.Call) {
	s, found := engine.Read[*vectors.Set](c, c.Arg())
	if !c.OK() {
		return
	}
	if !found {
		c.Reply.Array(0)
		return
	}
	q := search{epsilon: math.Inf(1)}
	q.parseVector(c, s)
	q.parseOptions(c, s)
	if !c.OK() {
		return
	}
	if c.Has(epsilonOfScores) {
		q.epsilon *= 2
	}
	list := s.Search(&q.Query)
	for n := len(list); n > 0 && float64(list[n-1].Distance) > q.epsilon; n-- {
		list = list[:n-1]
	}
	q.reply(c, s, list)
}

func (q *search) parseVector(c *engine.Call, s *vectors.Set) {
	if c.Word("ELE") {
		e, ok := s.Find(c.Arg())
		if !ok {
			c.Refuse(errNoElement)
			return
		}
		v := s.Vector(e)
		q.Vector = hnsw.NewVector(v.Kind, v.Components(nil))
		return
	}
	o, list := s.Options(), parseVector(c)
	switch n := len(list); {
	case c.Failed():
		return
	case n == o.Dim:
		q.Vector = hnsw.NewVector(o.Kind, list)
	case n == o.Input:
		q.Vector = s.NewVector(list)
	case o.Input == 0:
		c.Refusef(errDim, n, o.Dim)
	default:
		c.Refusef(errInput, n, o.Input)
	}
}

func (q *search) parseOptions(c *engine.Call, s *vectors.Set) {
	ef, effort := int64(defaultSearchEF), int64(0)
	count := int64(defaultCount)
	for c.More() {
		switch {
		case c.Word("WITHSCORES"):
			q.scores = true
		case c.Word("WITHATTRIBS"):
			q.attributes = true
		case c.Word("TRUTH"):
			q.Exact = true
		case c.Word("NOTHREAD"):
		case c.Left() < 2:
			c.Refuse(errSearch)
		case c.Word("COUNT"):
			count = c.IntIn(1, math.MaxInt64, errCount)
		case c.Word("EPSILON"):
			if q.epsilon = c.FloatOr(errEpsilon); !(q.epsilon > 0) {
				c.Refuse(errEpsilon)
			}
		case c.Word("EF"):
			ef = c.IntIn(1, hnsw.MaxEF, errEF)
		case c.Word("FILTER"):
			q.filter(c, s)
		case c.Word("FILTER-EF"):
			effort = c.IntIn(1, math.MaxInt64, errFilterEF)
		default:
			c.Refuse(errSearch)
		}
	}
	q.Count = int(min(count, int64(s.Len())))
	q.EF = int(min(max(ef, count), int64(s.Len())))
	if effort == 0 {
		effort = int64(q.Count) * effortOfCount
	}
	q.Effort = int(min(effort, int64(s.Len())))
}

func (q *search) filter(c *engine.Call, s *vectors.Set) {
	text := c.Arg()
	if n := len(text); n > maxFilter || n > freeFilter && n*s.Parts().Names > maxSteps {
		c.Refuse(errFilterSize)
		return
	}
	p, near := filter.Parse(text)
	if p == nil {
		c.Refusef(errFilter, near)
		return
	}
	q.Accept = p.Match
}

// reply replies with the elements: RESP3 gets a map if there is more to tell than names.
func (q *search) reply(c *engine.Call, s *vectors.Set, list []vectors.Neighbor) {
	more := 0
	for _, on := range []bool{q.scores, q.attributes} {
		if on {
			more++
		}
	}
	isMap := more > 0 && c.Reply.Proto() >= 3
	if isMap {
		c.Reply.Map(len(list))
	} else {
		c.Reply.Array(len(list) * (1 + more))
	}
	for _, n := range list {
		c.Reply.Bulk(s.Name(n.Element))
		if isMap && more > 1 {
			c.Reply.Array(2)
		}
		if q.scores {
			c.Reply.Double(similarity(n.Distance))
		}
		if q.attributes {
			replyAttributes(c, s, n.Element)
		}
	}
}
