package search

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// hybrids is the command that makes one result of a search for words and one for vectors.
var hybrids = []command.Line{
	{Name: "ft.hybrid", Arity: -7, Flags: asks, Keys: named, Run: engine.On(cmdHybrid), Reply: "map", Since: "8.4.0",
		Syntax: "index <SEARCH query> [SCORER scorer] [YIELD_SCORE_AS name] <VSIM field vector> " +
			"[KNN count:integer [K k:integer] [EF_RUNTIME ef-runtime:integer]] " +
			"[RANGE count:integer <RADIUS radius:double> [EPSILON epsilon:double]] [YIELD_SCORE_AS name] " +
			"[FILTER filter] [COMBINE <RRF|LINEAR> count:integer [CONSTANT constant:double] [ALPHA alpha:double] " +
			"[BETA beta:double] [WINDOW window:integer] [YIELD_SCORE_AS name]] [LOAD count:integer field...] " +
			"[<GROUPBY nargs:integer property... [<REDUCE function nargs:integer [arg...] [AS name]>...]>...] " +
			"[<APPLY expression AS name>...] [<SORTBY nargs:integer <property [ASC|DESC]>...>] [NOSORT] " +
			"[FILTER filter] [LIMIT offset:integer num:integer] [PARAMS nargs:integer <name value>...] " +
			"[TIMEOUT timeout:integer]",
		Summary: "Searches for words and for vectors, and makes one result of both", Complexity: "O(N+M) where N is " +
			"the number of documents with the words and M that of the vectors"},
}

// What a query has that does not say it.
const (
	hybridResults  = 10
	hybridNearest  = 10
	hybridWindow   = 20
	hybridConstant = 60
	hybridAlpha    = 0.3
	hybridBeta     = 0.7
	hybridDialect  = 2 // the lowest
)

// scoreName is the column of the scores of documents.
const scoreName = "__score"

// hybrid is what FT.HYBRID is asked: a search for words, one for vectors, how one result is made of
// both, and the steps behind.
type hybrid struct {
	*aggregation
	words   string // the name of the scores of words; empty for none
	vectors vectorQuery
	fusion  fusion
	limited bool // there was a LIMIT
}

// vectorQuery is a search for vectors.
type vectorQuery struct {
	node   *query.Vector
	filter string
	name   string // of the scores; empty for none
}

// fusion is how one score is made of two.
type fusion struct {
	linear      bool // the sum of the scores with two factors; else of their reciprocal ranks
	constant    float64
	alpha, beta float64
	window      int // the best documents of either search that count
	name        string
}

// FT.HYBRID index SEARCH query ... VSIM @field $vector ... [COMBINE ...] [step ...]
func cmdHybrid(set *settings, c *engine.Call) {
	r := newOptions(set, c, string(c.Arg()))
	r.query.Dialect = max(r.query.Dialect, hybridDialect)
	h := &hybrid{aggregation: &aggregation{request: r, from: c.Pos()}, fusion: fusion{constant: hybridConstant,
		alpha: hybridAlpha, beta: hybridBeta, window: hybridWindow, name: scoreName}}
	start := c.World.Clock()
	h.read()
	if !c.OK() {
		return
	}
	e := searched(c, h.name)
	if !c.OK() {
		return
	}
	found, late := h.find(e)
	if late && set.fails() {
		c.Refuse(query.ErrLate)
	}
	if !c.OK() {
		return
	}
	h.reply(e, found, late, start)
}

// fused is a document that at least one of the searches has found.
type fused struct {
	index.Document
	score          float64
	words, vector  float64 // the scores of the searches
	worded, neared bool    // which of them have found it
}

// find runs both searches, and returns what they find, the best first.
func (h *hybrid) find(e *entry) (list []*fused, late bool) {
	if f := e.Field(h.vectors.node.Field); f == nil || f.Kind != index.Vector {
		h.Refusef(errVectorField, h.vectors.node.Field)
	}
	if h.Failed() {
		return nil, false
	}
	root := h.parse(e)
	if h.Failed() {
		return nil, false
	}
	query.Walk(root, func(n query.Node) {
		if t, ok := n.(*query.Tag); ok {
			t.Options().Weight = 0 // tags choose documents, and have no part in their scores
		}
	})
	near, err := query.ParseNear(e.Schema(), query.Request{Text: h.vectors.filter, Dialect: h.query.Dialect,
		Params: h.query.Params, Language: h.query.Language, MinAffix: h.query.MinAffix, Slop: -1,
		Late: h.query.Late}, h.vectors.node)
	if err != nil {
		h.Refuse(command.Error(err.Error()))
		return nil, false
	}
	e.dialects |= 1 << (h.query.Dialect - 1)
	byID := make(map[string]*fused)
	late = h.merge(e, root, nil, byID, h.addWords)
	late = h.merge(e, near, &index.Order{Key: func(d *index.Document) index.Value {
		f, _ := d.Distance(distanceName)
		return index.NumberValue(f)
	}}, byID, h.addVector) || late
	for _, f := range byID {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *fused) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.Compare(&b.Document))
	})
	return list, late
}

// merge adds the best documents of a search to those that are found.
func (h *hybrid) merge(e *entry, root query.Node, order *index.Order, byID map[string]*fused,
	add func(e *entry, f *fused, d *index.Document, rank int)) (late bool) {
	s := h.search(e, root)
	s.Offset, s.Limit, s.Sort = 0, h.fusion.window, order
	found, err := e.Search(s)
	if err != nil {
		h.Refuse(command.Error(err.Error()))
		return false
	}
	for i := range found.Documents {
		d := &found.Documents[i]
		f := byID[d.Key()]
		if f == nil {
			f = &fused{Document: *d}
			byID[d.Key()] = f
		}
		add(e, f, d, i+1)
	}
	return found.Ended
}

// addWords adds what the search for words says of a document.
func (h *hybrid) addWords(_ *entry, f *fused, d *index.Document, rank int) {
	f.worded, f.words = true, d.Score
	if h.fusion.linear {
		f.score += h.fusion.alpha * d.Score
	} else {
		f.score += 1 / (h.fusion.constant + float64(rank))
	}
}

// addVector adds what the search for vectors says of a document. The score of a distance is 1 for
// equal vectors.
func (h *hybrid) addVector(e *entry, f *fused, d *index.Document, rank int) {
	distance, _ := d.Distance(distanceName)
	f.neared, f.vector = true, e.Field(h.vectors.node.Field).Space.Metric.Score(distance)
	if h.fusion.linear {
		f.score += h.fusion.beta * f.vector
	} else {
		f.score += 1 / (h.fusion.constant + float64(rank))
	}
}
