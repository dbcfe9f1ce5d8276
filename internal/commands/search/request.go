package search

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// request is what FT.SEARCH and its like are asked: a query with its options. It keeps no argument:
// they may be others after a pause.
type request struct {
	args
	set   *settings
	name  string
	query query.Request

	keys       []string // INKEYS; nil for none
	fields     []string // INFIELDS; nil for none
	filters    []*query.Numeric
	circles    []*query.Geo
	scorer     index.Scorer
	isEight    bool // the release is Redis 8 or later
	tanhFactor int64
	payload    string
	timeout    int64 // milliseconds; negative for that of the settings
	span       *span // the time of the request, once its query is parsed
	language   bool  // LANGUAGE was said

	offset, limit int64
	sort          []byte // nil for the scores
	descending    bool

	noContent, withScores, withPayloads, withSortKeys, explain bool
	uncounted, counts                                          bool     // not all results are counted; it was said
	columns                                                    []column // RETURN
	chosen                                                     bool     // there was a RETURN
	emphasis                                                   emphasis // SUMMARIZE and HIGHLIGHT

	profile *profile // what FT.PROFILE tells; nil elsewhere
}

// column is a field of the results.
type column struct{ path, name string }

// newRequest reads the name of the index and the query.
func newRequest(set *settings, c *engine.Call) *request {
	return newQuery(set, c, string(c.Arg()))
}

// newQuery reads the query for an index.
func newQuery(set *settings, c *engine.Call, name string) *request {
	r := newOptions(set, c, name)
	if c.Left() == 0 {
		c.Refuse(errNoQuery)
		return r
	}
	r.query.Text = string(c.Arg())
	return r
}

// newOptions returns a request for an index without a query.
func newOptions(set *settings, c *engine.Call, name string) *request {
	r := &request{args: args{c}, set: set, name: name, limit: 10, timeout: -1, tanhFactor: set.TanhFactor,
		isEight: c.Has(redis8),
		query:   query.Request{Dialect: int(set.DefaultDialect), MinAffix: int(set.MinPrefix), Slop: -1}}
	r.scorer, _ = index.FindScorer(set.DefaultScorer)
	return r
}

// readOptions reads the options of FT.SEARCH.
func (r *request) readOptions() {
	from := r.Pos()
	for r.More() {
		if !r.shape() && !r.condition() && !r.linguistic() && !r.output() {
			r.Refusef(errOption, r.Arg(), r.Pos()-from)
		}
	}
	if !r.counts {
		r.uncounted = r.query.Dialect >= 4
	}
	switch {
	case r.Failed():
	case r.explain && !r.withScores:
		r.Refuse(errExplainScore)
	case r.chosen && len(r.columns) == 0:
		r.noContent = true
	}
}

// shape reads an option about which results are shown; it reports false if there is none.
func (r *request) shape() bool {
	switch {
	case r.Word("LIMIT"):
		r.readLimit()
	case r.Word("SORTBY"):
		r.readSort()
	case r.Word("TIMEOUT"):
		r.readTimeout()
	case r.Word("DIALECT"):
		r.readDialect()
	case r.Word("PARAMS"):
		r.readParams()
	case r.Word("WITHCOUNT"):
		r.uncounted, r.counts = false, true
	case r.Word("WITHOUTCOUNT"):
		r.uncounted, r.counts = true, true
	default:
		return false
	}
	return true
}

func (r *request) readLimit() {
	if r.Left() < 2 {
		r.Refuse(errLimit)
		return
	}
	var ok, ok2 bool
	r.offset, ok = integer(r.Arg())
	r.limit, ok2 = integer(r.Arg())
	most := r.set.mostResults()
	switch {
	case !ok || !ok2 || r.offset < 0 || r.limit < 0:
		r.Refuse(errLimitNumbers)
	case r.limit > most:
		r.Refusef(errLimitMost, most)
	case r.offset > most:
		r.Refusef(errOffsetMost, most)
	case r.isEight && r.limit == 0 && r.offset > 0:
		r.Refuse(errLimitOffset)
	}
}

func (r *request) readSort() {
	switch {
	case r.Left() == 0:
		r.Refuse(errSortBy)
		return
	case r.sort != nil:
		r.Refuse(errSortTwice)
		return
	}
	r.sort = bytes.Clone(r.Arg())
	if r.descending = r.Word("DESC"); !r.descending {
		r.Word("ASC")
	}
	if r.Word("MAX") {
		r.Refuse(errSortMax)
	}
}

func (r *request) readTimeout() {
	if r.Left() == 0 {
		r.Refuse(errNoTimeout)
		return
	}
	n, ok := integer(r.Arg())
	if r.timeout = n; !ok || n < 0 {
		r.Refuse(errTimeout)
	}
}

func (r *request) readDialect() {
	if r.Left() == 0 {
		r.Refuse(errNoDialect)
		return
	}
	n, ok := integer(r.Arg())
	if r.query.Dialect = int(n); !ok || n < 1 || n > 4 {
		r.Refuse(errDialect)
	}
}

func (r *request) readParams() {
	list := r.list("PARAMS")
	if len(list)%2 != 0 {
		r.Refuse(errParams)
		return
	}
	r.query.Params = make(map[string]string, len(list)/2)
	for pair := range slices.Chunk(list, 2) {
		if _, twice := r.query.Params[string(pair[0])]; twice {
			r.Refusef(errParamTwice, pair[0])
		}
		r.query.Params[string(pair[0])] = string(pair[1])
	}
}

// condition reads an option about which documents match.
func (r *request) condition() bool {
	switch {
	case r.Word("INKEYS"):
		r.keys = append([]string{}, r.strings("INKEYS")...)
	case r.Word("INFIELDS"):
		r.fields = append([]string{}, r.strings("INFIELDS")...)
	case r.Word("FILTER"):
		r.readFilter()
	case r.Word("GEOFILTER"):
		r.readCircle()
	case r.Word("INORDER"):
		r.query.InOrder = true
	case r.Word("SLOP"):
		r.query.Slop = int(r.integerIn("SLOP", math.MinInt32, math.MaxInt32))
	default:
		return false
	}
	return true
}

func (r *request) readFilter() {
	if r.Left() < 3 {
		r.Refusef(errThree, "FILTER", 3)
		return
	}
	n := query.NewNumeric(string(r.Arg()), 0, 0)
	n.Min, n.ExcludeMin = r.bound(errLower, math.Inf(-1))
	n.Max, n.ExcludeMax = r.bound(errUpper, math.Inf(1))
	r.filters = append(r.filters, n)
}

// bound returns an end of a range. It may be infinite on its own side only.
func (r *request) bound(refusal string, infinity float64) (f float64, exclusive bool) {
	text := r.Arg()
	if exclusive = len(text) > 0 && text[0] == '('; exclusive {
		text = text[1:]
	}
	f, ok := number(text)
	if !ok || math.IsInf(f, 0) && (f != infinity || len(text) > len("+inf")) {
		r.Refusef(refusal, text)
	}
	return f, exclusive
}

func (r *request) readCircle() {
	if r.Left() < 5 {
		r.Refusef(errThree, "GEOFILTER", 5)
		return
	}
	field, lon, lat, radius := string(r.Arg()), r.float("<lon>"), r.float("<lat>"), r.float("<radius>")
	name := string(r.Arg())
	unit := query.FindUnit(name)
	if unit == query.BadUnit {
		r.Refusef(errUnit, name)
	}
	r.circles = append(r.circles, query.NewGeo(field, lon, lat, radius, unit))
}

// linguistic reads an option about how words are treated.
func (r *request) linguistic() bool {
	switch {
	case r.Word("VERBATIM"):
		r.query.Verbatim = true
	case r.Word("NOSTOPWORDS"):
		r.query.NoStopWords = true
	case r.Word("LANGUAGE"):
		if r.query.Language, r.language = text.FindLanguage(string(r.next("LANGUAGE"))); !r.language {
			r.Refuse(errNoLanguage)
		}
	case r.Word("EXPANDER"):
		r.query.Expander = string(r.next("EXPANDER"))
	case r.Word("SCORER"):
		r.readScorer()
	case r.isEight && r.Word("BM25STD_TANH_FACTOR"):
		r.readTanhFactor()
	case r.Word("PAYLOAD"):
		r.payload = string(r.next("PAYLOAD"))
	default:
		return false
	}
	return true
}

// readScorer reads the name of a scorer.
func (r *request) readScorer() {
	name := string(r.next("SCORER"))
	s, ok := index.FindScorer(name)
	if r.scorer = s; !ok || s >= index.BM25StdTanh && !r.Engine.Release.Offers(redis8) {
		r.Refusef(errScorer, name)
	}
}

// readTanhFactor reads by what BM25STD.TANH divides scores.
func (r *request) readTanhFactor() {
	if r.Left() == 0 {
		r.Refuse(errNoTanhFactor)
		return
	}
	n, ok := integer(r.Arg())
	if r.tanhFactor = n; !ok || n < 1 || n > maxTanhFactor {
		r.Refuse(errTanhFactor)
	}
}

// output reads an option about what is shown of a document.
func (r *request) output() bool {
	switch {
	case r.Word("NOCONTENT"):
		r.noContent = true
	case r.Word("WITHSCORES"):
		r.withScores = true
	case r.Word("WITHPAYLOADS"):
		r.withPayloads = true
	case r.Word("WITHSORTKEYS"):
		r.withSortKeys = true
	case r.Word("EXPLAINSCORE"):
		r.explain = true
	case r.Word("SUMMARIZE"):
		r.readEmphasis("SUMMARIZE")
	case r.Word("HIGHLIGHT"):
		r.readEmphasis("HIGHLIGHT")
	case r.Word("RETURN"):
		r.readColumns()
	default:
		return false
	}
	return true
}

func (r *request) readColumns() {
	list := r.list("RETURN")
	r.chosen, r.columns = true, nil
	for i := 0; i < len(list); i++ {
		col := column{string(list[i]), string(list[i])}
		if i+1 < len(list) && command.IsWord(list[i+1], "AS") {
			if i+2 == len(list) {
				r.Refuse(errReturnAs)
				return
			}
			col.name = string(list[i+2])
			i += 2
		}
		r.columns = append(r.columns, col)
	}
}

// parse makes the tree of the query for an index.
func (r *request) parse(e *entry) query.Node {
	if !r.language {
		r.query.Language = e.Language
	}
	for _, f := range r.filters {
		r.query.Filters = append(r.query.Filters, f)
	}
	for _, g := range r.circles {
		r.query.Filters = append(r.query.Filters, g)
	}
	if r.keys != nil {
		var numbers []uint64
		for _, k := range r.keys {
			if n := e.Number(k); n != 0 {
				numbers = append(numbers, uint64(n))
			}
		}
		r.query.Filters = append(r.query.Filters, query.NewKeys(numbers))
	}
	r.beginSpan()
	root, err := query.Parse(e.Schema(), r.query)
	if err != nil {
		r.Refuse(command.Error(err.Error()))
	}
	return root
}

// search returns what an index is to search for.
func (r *request) search(e *entry, root query.Node) *index.Search {
	fields := query.AllFields
	if r.fields != nil {
		fields = query.Fields{}
		for _, name := range r.fields {
			fields = fields.Or(e.TextField(name))
		}
	}
	set := r.set
	found := &index.Search{Now: r.Now(), Offset: int(r.offset), Limit: int(r.limit), Scorer: r.scorer,
		Standard: r.isEight, TanhFactor: r.tanhFactor,
		Scores: r.withScores, Explain: r.explain, Payload: r.payload,
		Query: index.Query{Late: r.query.Late, Root: root, Fields: fields, Slop: r.query.Slop, InOrder: r.query.InOrder,
			Limits: index.Limits{Prefix: int(set.MinPrefix), Expansions: int(set.MaxPrefixExpansions)}}}
	if r.profile != nil {
		found.Profile, r.profile.parsed = &r.profile.query, r.World.Clock()
	}
	return found
}

// beginSpan begins the time that the request may take.
func (r *request) beginSpan() {
	most := r.set.Timeout
	if r.timeout >= 0 {
		most = r.timeout
	}
	r.span = newSpan(r.Call, most)
	r.query.Late = r.span.isOver
}
