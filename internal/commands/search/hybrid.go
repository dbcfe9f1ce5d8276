package search

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/expr"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/resp"
)

// hybrids is the command that makes one result of a search for words and one for vectors.
var hybrids = []command.Line{
	{Name: "ft.hybrid", Arity: -7, Flags: reads, Keys: named, Run: engine.On(cmdHybrid), Reply: "map", Since: "8.4.0",
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
		c.Refuse(errLate)
	}
	if !c.OK() {
		return
	}
	h.reply(e, found, late, start)
}

// read reads the arguments.
func (h *hybrid) read() {
	h.readWords()
	if !h.Failed() {
		h.readVectors()
	}
	for h.More() {
		switch {
		case h.is("DIALECT"):
			h.Refuse(errHybridDialect)
		case h.is("WITHCURSOR"), h.is("FORMAT"):
			h.Refusef(errOption, h.Arg(), h.Pos()-h.from)
		case h.Word("COMBINE"):
			h.readFusion()
		case h.Word("NOSORT"):
		default:
			h.limited = h.limited || h.is("LIMIT")
			h.readStep()
		}
	}
	if !h.limited && !h.Failed() {
		if s := h.arrange(); s.Limit == 0 {
			s.Limit = hybridResults
		}
	}
}

// readWords reads the search for words. Before it there may be the number of searches, which is 2.
func (h *hybrid) readWords() {
	if n, ok := resp.ParseInt(h.Arg()); !ok {
		h.Skip(-1)
	} else if n != 2 {
		h.Refuse(errSubqueries)
		return
	}
	if !h.Word("SEARCH") {
		h.Refuse(errNoSearch)
		return
	}
	if h.Left() == 0 {
		h.Refuse(errNoSearchText)
		return
	}
	h.query.Text = string(h.Arg())
	for h.More() && !h.is("VSIM") {
		switch {
		case h.Word("SCORER"):
			h.readScorer()
		case h.Word("BM25STD_TANH_FACTOR"):
			h.readTanhFactor()
		case h.Word("YIELD_SCORE_AS"):
			h.words = h.readName()
		case h.is("DIALECT"):
			h.Refuse(errHybridDialect)
		default:
			h.Refusef(errUnknownIn, h.Arg(), "SEARCH")
		}
	}
}

// readName reads the name of scores.
func (h *hybrid) readName() string {
	if h.Left() == 0 {
		h.Refusef(errNoValue, "YIELD_SCORE_AS")
		return ""
	}
	return string(h.Arg())
}

// readVectors reads the search for vectors.
func (h *hybrid) readVectors() {
	v := &h.vectors
	switch {
	case !h.Word("VSIM"):
		h.Refuse(errNoVectors)
	case h.Left() == 0:
		h.Refuse(errNoVectorField)
	}
	field, parameter := h.sign('@', errNoVectorField), h.sign('$', errNoVector)
	if h.Failed() {
		return
	}
	v.node = query.NewVector(field, parameter)
	v.node.K, v.node.Score = hybridNearest, distanceName
	for more := true; more && h.More(); {
		switch {
		case h.Word("KNN"):
			h.readNearest("KNN", h.nearestOption)
		case h.Word("RANGE"):
			v.node.Range, v.node.Radius = true, math.NaN()
			h.readNearest("RANGE", h.rangeOption)
			if math.IsNaN(v.node.Radius) && !h.Failed() {
				h.Refuse(errNoRadius)
			}
		case h.Word("YIELD_SCORE_AS"):
			v.name = h.readName()
		case h.Word("FILTER"):
			h.readVectorFilter()
		default:
			more = false
		}
	}
}

// distanceName is the name of the distances of vectors, which rows do not show.
const distanceName = "vector_distance"

// sign reads a word behind a sign.
func (h *hybrid) sign(sign byte, err error) string {
	if h.Failed() {
		return ""
	}
	word := append([]byte(nil), h.Arg()...)
	if len(word) < 2 || word[0] != sign {
		h.Refuse(err)
		return ""
	}
	return string(word[1:])
}

// readNearest reads pairs of names and values behind their number.
func (h *hybrid) readNearest(clause string, option func(name, value []byte) bool) {
	n, ok := resp.ParseInt(h.Arg())
	switch {
	case !ok || n < 0:
		h.Refuse(errPairs)
		return
	case n > int64(h.Left()):
		h.Refusef(errFewPairs, n, h.Left())
		return
	}
	h.pairs(clause, h.Next(int(n)), option)
}

// pairs passes on pairs of names and values. option reports whether there is one of the name.
func (h *hybrid) pairs(clause string, words [][]byte, option func(name, value []byte) bool) {
	if len(words)%2 != 0 {
		h.Refuse(errPairs)
		return
	}
	for pair := range slices.Chunk(words, 2) {
		if !h.Failed() && !option(pair[0], pair[1]) {
			h.Refusef(errUnknownIn, pair[0], clause)
		}
	}
}

func (h *hybrid) nearestOption(name, value []byte) bool {
	v := &h.vectors
	switch {
	case command.IsWord(name, "K"):
		k, ok := resp.ParseInt(value)
		if v.node.K = int(min(k, math.MaxInt32)); !ok || k <= 0 {
			h.Refusef(errBadValue, "K")
		}
	case command.IsWord(name, "EF_RUNTIME"):
		v.node.Attributes = append(v.node.Attributes, query.Attribute{Name: "EF_RUNTIME", Value: string(value)})
	case command.IsWord(name, "SHARD_K_RATIO"):
		if f, ok := resp.ParseFloat(value); !ok || !(f > 0 && f <= 1) {
			h.Refusef(errBadValue, "SHARD_K_RATIO")
		}
	case command.IsWord(name, "YIELD_SCORE_AS"):
		v.name = string(value)
	default:
		return false
	}
	return true
}

func (h *hybrid) rangeOption(name, value []byte) bool {
	v := &h.vectors
	switch {
	case command.IsWord(name, "RADIUS"):
		f, ok := resp.ParseFloat(value)
		if v.node.Radius = f; !ok {
			h.Refusef(errBadValue, "RADIUS")
		}
	case command.IsWord(name, "EPSILON"):
		v.node.Attributes = append(v.node.Attributes, query.Attribute{Name: "EPSILON", Value: string(value)})
	case command.IsWord(name, "YIELD_SCORE_AS"):
		v.name = string(value)
	default:
		return false
	}
	return true
}

// readVectorFilter reads the query whose documents the search for vectors looks at: one argument,
// or several with options behind their number. The options say how, which makes no difference.
func (h *hybrid) readVectorFilter() {
	if h.Left() == 0 {
		h.Refusef(errNoValue, "FILTER")
		return
	}
	n, counted := resp.ParseInt(h.Arg())
	if counted = counted && n > 0 && n <= int64(h.Left()); counted {
		words := h.Next(int(n))
		h.vectors.filter = string(words[0])
		h.pairs("FILTER", words[1:], func(name, _ []byte) bool {
			return command.IsWord(name, "POLICY") || command.IsWord(name, "BATCH_SIZE")
		})
		return
	}
	h.Skip(-1)
	h.vectors.filter = string(h.Arg())
}

// readFusion reads how one score is made of two.
func (h *hybrid) readFusion() {
	switch {
	case h.Word("RRF"):
		h.pairs("RRF", h.clause("RRF"), h.rankOption)
	case h.Word("LINEAR"):
		h.fusion.linear, h.fusion.alpha, h.fusion.beta = true, math.NaN(), math.NaN()
		h.pairs("LINEAR", h.clause("LINEAR"), h.linearOption)
		h.checkFactors()
	case h.Left() == 0:
		h.Refusef(errNoValue, "COMBINE")
	default:
		h.Refusef(errCombine, h.Arg())
	}
	if h.Word("YIELD_SCORE_AS") {
		h.fusion.name = h.readName()
	}
}

// clause returns the words behind their number.
func (h *hybrid) clause(name string) [][]byte {
	if h.Left() == 0 {
		h.Refusef(errNoCount, name)
		return nil
	}
	n, ok := resp.ParseInt(h.Arg())
	switch {
	case !ok:
		h.Refusef(errCount, name, notConverted)
	case n < 0:
		h.Refusef(errCount, name, outOfBounds)
	case n > int64(h.Left()):
		h.Refusef(errFewWords, name, n, h.Left())
	}
	if h.Failed() {
		return nil
	}
	return h.Next(int(n))
}

func (h *hybrid) rankOption(name, value []byte) bool {
	if command.IsWord(name, "CONSTANT") {
		return h.number("CONSTANT", value, &h.fusion.constant)
	}
	return h.fusionOption(name, value)
}

func (h *hybrid) linearOption(name, value []byte) bool {
	switch {
	case command.IsWord(name, "ALPHA"):
		return h.number("ALPHA", value, &h.fusion.alpha)
	case command.IsWord(name, "BETA"):
		return h.number("BETA", value, &h.fusion.beta)
	}
	return h.fusionOption(name, value)
}

func (h *hybrid) fusionOption(name, value []byte) bool {
	switch {
	case command.IsWord(name, "WINDOW"):
		n, ok := resp.ParseInt(value)
		if h.fusion.window = int(min(n, math.MaxInt32)); !ok || n <= 0 {
			h.Refusef(errBadValue, "WINDOW")
		}
	case command.IsWord(name, "YIELD_SCORE_AS"):
		h.fusion.name = string(value)
	default:
		return false
	}
	return true
}

func (h *hybrid) number(name string, value []byte, f *float64) bool {
	var ok bool
	if *f, ok = resp.ParseFloat(value); !ok {
		h.Refusef(errBadValue, name)
	}
	return true
}

// checkFactors gives the factors of a sum their values if neither is said.
func (h *hybrid) checkFactors() {
	f := &h.fusion
	alpha, beta := math.IsNaN(f.alpha), math.IsNaN(f.beta)
	switch {
	case h.Failed():
	case alpha && beta:
		f.alpha, f.beta = hybridAlpha, hybridBeta
	case alpha:
		h.Refusef(errNoFactor, "ALPHA")
	case beta:
		h.Refusef(errNoFactor, "BETA")
	}
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
		Params: h.query.Params, Language: h.query.Language, MinAffix: h.query.MinAffix, Slop: -1}, h.vectors.node)
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

// hybridSchema is the schema of an index with the columns of scores.
type hybridSchema struct {
	*schema
	hidden bool // the score is not shown
}

// Hides implements aggregate.Schema.
func (s *hybridSchema) Hides(name string) bool {
	return s.hidden && name == scoreName || s.schema.Hides(name)
}

// columns returns the columns that rows begin with: without a LOAD the key and the score.
func (h *hybrid) columns(e *entry) *hybridSchema {
	s := &hybridSchema{schema: &schema{aggregation: h.aggregation, entry: e}}
	loads := false
	for _, step := range h.plan.Steps {
		if l, ok := step.(*aggregate.Load); ok {
			loads = true
			s.hidden = !slices.Contains(l.Fields, "@"+scoreName)
		}
	}
	if !loads {
		s.found = append(s.found, "__key")
	}
	for _, name := range []string{h.fusion.name, h.words, h.vectors.name} {
		if name != "" {
			s.found = append(s.found, name)
		}
	}
	return s
}

// fusedDocument is a document that was found, for a pipeline.
type fusedDocument struct {
	document
	of    *hybrid
	found *fused
}

// Score implements aggregate.Document.
func (d *fusedDocument) Score() float64 { return d.found.score }

// Terms implements aggregate.Document. They are not kept.
func (d *fusedDocument) Terms() []string { return nil }

// Keep implements aggregate.Document.
func (d *fusedDocument) Keep() aggregate.Document { return d }

// Stored implements aggregate.Document.
func (d *fusedDocument) Stored(path string, numeric bool) (expr.Value, bool) {
	if path == scoreName {
		return expr.Number(d.found.score), true
	}
	return d.document.Stored(path, numeric)
}

// Found implements aggregate.Document.
func (d *fusedDocument) Found(yield func(name string, v expr.Value)) {
	yield("__key", expr.Stored(d.Key()))
	yield(d.of.fusion.name, expr.Number(d.found.score))
	if d.found.worded {
		yield(d.of.words, expr.Number(d.found.words))
	}
	if d.found.neared {
		yield(d.of.vectors.name, expr.Number(d.found.vector))
	}
}

// reply makes rows of documents, and replies with them.
func (h *hybrid) reply(e *entry, list []*fused, late bool, start int64) {
	s := h.columns(e)
	h.plan.Room, h.plan.Dice = h.World.Room(), h.Dice()
	at := 0
	p, err := aggregate.New(&h.plan, s, func() (aggregate.Document, bool, error) {
		if at == len(list) {
			return nil, false, nil
		}
		f := list[at]
		at++
		return &fusedDocument{document{Document: &f.Document, schema: s.schema, number: uint64(at)}, h, f}, true, nil
	})
	if err != nil {
		h.Refuse(command.Error(err.Error()))
	}
	if !h.OK() {
		return
	}
	rows, rest, err := aggregate.Results(p)
	if err != nil && !errors.Is(err, aggregate.ErrLate) && len(rows) == 0 {
		h.Fail(command.Error(err.Error()))
		return
	}
	total := len(list)
	if h.groups() {
		total = rest
		for _, r := range rows {
			total += r.Total
		}
	}
	h.replyRows(rows, total, late, start)
}

// groups reports whether rows are groups.
func (h *hybrid) groups() bool {
	return slices.ContainsFunc(h.plan.Steps, func(s aggregate.Step) bool {
		_, ok := s.(*aggregate.Group)
		return ok
	})
}

func (h *hybrid) replyRows(list []aggregate.Result, total int, late bool, start int64) {
	w := h.Reply
	w.Map(4)
	w.Status("total_results")
	w.Int(int64(total))
	w.Status("results")
	at := w.Defer()
	n := 0
	r := &rows{aggregation: h.aggregation}
	for ; n < len(list) && !w.Full(); n++ {
		w.Map(len(list[n].Cells))
		r.replyCells(list[n].Cells)
	}
	w.SetArray(at, n)
	w.Status("warnings")
	if late {
		w.Array(1)
		w.Status(string(errLate))
	} else {
		w.Array(0)
	}
	w.Status("execution_time")
	w.Double(float64(h.World.Clock()-start) / 1000)
}
