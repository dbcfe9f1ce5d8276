package search

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
)

// aggregations is the commands that make rows of documents.
var aggregations = []command.Line{
	{Name: "ft.aggregate", Arity: -2, Flags: asks, Keys: named, Run: engine.On(cmdAggregate), Reply: "array",
		Since: since,
		Syntax: "index query [VERBATIM] [LOAD count:integer field...] [TIMEOUT timeout:integer] " +
			"[<GROUPBY nargs:integer property... [<REDUCE function nargs:integer [arg...] [AS name]>...]>...] " +
			"[<SORTBY nargs:integer <property [ASC|DESC]>... [MAX num:integer]>] " +
			"[<APPLY expression AS name>...] [LIMIT offset num:integer] [FILTER filter] " +
			"[WITHCURSOR [COUNT read-size:integer] [MAXIDLE idle-time:integer]] " +
			"[PARAMS nargs:integer <name value>...] [ADDSCORES] [DIALECT dialect:integer]",
		Summary: "Runs a query, and makes rows of the documents", Complexity: "O(N) where N is the number of " +
			"documents that match"},
	{Name: "ft.cursor", Arity: -4, Flags: reads, Keys: command.Key(2, "RW access update"), Run: cmdCursor,
		Reply: "any", Since: since, Syntax: "<READ|DEL|GC> index cursor-id:integer [COUNT read-size:integer]",
		Summary: "Reads rows that FT.AGGREGATE has kept, or drops them", Complexity: "O(1)"},
}

// aggregation is what FT.AGGREGATE is asked.
type aggregation struct {
	*request
	plan     aggregate.Plan
	cursor   bool
	chunk    int64 // rows that are read at once; 0 if the client does not say it
	maxIdle  int64 // milliseconds; 0 if the client does not say it
	expanded bool  // FORMAT EXPAND
	from     int   // where the options begin
}

// FT.AGGREGATE index query [option ...]
func cmdAggregate(set *settings, c *engine.Call) { aggregateRows(newRequest(set, c)) }

// aggregateRows makes rows of documents as is asked.
func aggregateRows(r *request) {
	a, c := &aggregation{request: r}, r.Call
	if r.profile != nil {
		a.plan.Profile = &r.profile.rows
	}
	a.from = c.Pos()
	a.readQuery()
	a.readSteps()
	if !c.OK() {
		return
	}
	e := searched(c, a.name)
	if !c.OK() {
		return
	}
	a.checkFormat(e)
	p := a.pipeline(e)
	switch {
	case !c.OK():
	case a.cursor:
		a.openCursor(p, e)
	case r.set.fails():
		a.replyInTime(p)
	default:
		a.stream(p)
	}
}

// readQuery reads the options that are about the query, which come before the steps.
func (a *aggregation) readQuery() {
	for a.More() {
		switch {
		case a.Word("ADDSCORES"):
			a.plan.Score = true
		case a.Word("WITHCOUNT"), a.Word("WITHOUTCOUNT"):
		case a.is("FILTER"), a.is("GEOFILTER"):
			a.checkScores()
			return
		case a.refusesOutput():
		case a.condition(), a.linguistic(), a.output(), a.common():
		default:
			a.checkScores()
			return
		}
	}
	a.checkScores()
}

// is reports whether the next argument is a word.
func (a *aggregation) is(word string) bool {
	at := a.Pos()
	found := a.Word(word)
	a.Seek(at)
	return found
}

// refusesOutput refuses an option that shows fields as they are in documents.
func (a *aggregation) refusesOutput() bool {
	for _, word := range []string{"SUMMARIZE", "HIGHLIGHT", "RETURN"} {
		if a.is(word) {
			a.Refusef(errNotAggregated, word)
			return true
		}
	}
	return false
}

func (a *aggregation) checkScores() {
	if a.explain && !a.withScores {
		a.Refuse(errExplainScore)
	}
}

// common reads an option that may come anywhere; it reports false if there is none.
func (a *aggregation) common() bool {
	switch {
	case a.Word("LIMIT"):
		a.readLimit()
	case a.Word("SORTBY"):
		a.readSort()
	case a.Word("TIMEOUT"):
		a.readTimeout()
	case a.Word("WITHCURSOR"):
		a.readCursor()
	case a.Word("PARAMS"):
		a.readParams()
	case a.Word("DIALECT"):
		a.readDialect()
		if a.expanded && a.query.Dialect < 3 {
			a.Refuse(errExpandDialect)
		}
	case a.Word("FORMAT"):
		a.readFormat()
	default:
		return false
	}
	return true
}

// readSteps reads the steps.
func (a *aggregation) readSteps() {
	for a.More() {
		a.readStep()
	}
}

// readStep reads a step, or an option that may come anywhere.
func (a *aggregation) readStep() {
	switch {
	case a.common():
	case a.Word("GROUPBY"):
		a.readGroup()
	case a.Word("APPLY"):
		a.readApply()
	case a.Word("LOAD"):
		a.readLoad()
	case a.Word("FILTER"):
		a.step(&aggregate.Filter{Expression: string(a.next("APPLY/FILTER"))})
	default:
		a.Refusef(errOption, a.Arg(), a.Pos()-a.from)
	}
}

func (a *aggregation) step(s aggregate.Step) { a.plan.Steps = append(a.plan.Steps, s) }

// arrange returns the step since the last group that arranges; if there is none, a new one.
func (a *aggregation) arrange() *aggregate.Arrange {
	for _, s := range slices.Backward(a.plan.Steps) {
		switch s := s.(type) {
		case *aggregate.Arrange:
			return s
		case *aggregate.Group:
			return a.newArrange()
		}
	}
	return a.newArrange()
}

func (a *aggregation) newArrange() *aggregate.Arrange {
	s := new(aggregate.Arrange)
	a.step(s)
	return s
}

// readLimit is that of FT.SEARCH but for the limit, which has none by default.
func (a *aggregation) readLimit() {
	s := a.arrange()
	if a.Left() < 2 {
		a.Refuse(errLimit)
		return
	}
	offset, ok := integer(a.Arg())
	limit, isToo := integer(a.Arg())
	set := a.set
	switch {
	case !ok || !isToo || offset < 0 || limit < 0:
		a.Refuse(errLimitNumbers)
	case set.MaxAggregates >= 0 && limit > set.MaxAggregates:
		a.Refusef(errLimitMost, set.MaxAggregates)
	case limit > 0 && offset > set.mostResults():
		a.Refusef(errOffsetMost, set.mostResults())
	case a.isEight && limit == 0 && offset > 0:
		a.Refuse(errLimitOffset)
	}
	s.Offset, s.Limit = uint64(offset), uint64(limit)
	a.plan.Count = a.plan.Count || limit == 0
}

// maxSortKeys is by how many columns rows are sorted.
const maxSortKeys = 8

// readSort reads the columns by which rows are sorted.
func (a *aggregation) readSort() {
	s := a.arrange()
	if s.Sorts {
		a.Refuse(errSortSteps)
	}
	s.Sorts = true
	for _, word := range a.list("SORTBY") {
		switch last := len(s.Keys) - 1; {
		case len(word) > 0 && word[0] == '@' && len(s.Keys) == maxSortKeys:
			a.Refusef(errSortKeys, maxSortKeys)
		case len(word) > 0 && word[0] == '@':
			s.Keys = append(s.Keys, aggregate.SortKey{Name: string(word[1:])})
		case command.IsWord(word, "ASC") || command.IsWord(word, "DESC"):
			if last >= 0 {
				s.Keys[last].Descending = command.IsWord(word, "DESC")
			}
		default:
			a.Refusef(errSortWord, word)
		}
	}
	if a.Word("MAX") {
		a.readSortMax(s)
	}
}

func (a *aggregation) readSortMax(s *aggregate.Arrange) {
	if a.Left() == 0 {
		a.Refusef(errBad, "MAX", notConverted)
		return
	}
	n, ok := integer(a.Arg())
	if !ok || n < 0 || n > math.MaxUint32 {
		a.Refusef(errBad, "MAX", notConverted)
	}
	s.Limit = uint64(n)
}

func (a *aggregation) readCursor() {
	a.cursor = true
	for a.More() {
		switch {
		case a.Word("COUNT"):
			a.chunk = a.integerIn("COUNT", 1, math.MaxUint32)
		case a.Word("MAXIDLE"):
			a.maxIdle = a.integerIn("MAXIDLE", 1, math.MaxUint32)
		default:
			return
		}
	}
}

func (a *aggregation) readFormat() {
	switch {
	case a.Left() == 0:
		a.Refuse(errNoFormat)
	case a.Word("EXPAND"):
		a.expanded = true
	case a.Word("STRING"):
		a.expanded = false
	default:
		a.Refusef(errFormat, a.Arg())
	}
}

// checkFormat refuses FORMAT EXPAND where it is of no use.
func (a *aggregation) checkFormat(e *entry) {
	switch {
	case !a.expanded:
	case a.Reply.Proto() < 3:
		a.Refuse(errExpandProtocol)
	case !e.JSON:
		a.Refuse(errExpandHash)
	}
}

func (a *aggregation) readGroup() {
	g := &aggregate.Group{By: a.strings("GROUPBY")}
	for i, name := range g.By {
		if name == "" || name[0] != '@' {
			a.Refusef(errGroupBy, name, name)
			return
		}
		g.By[i] = name[1:]
	}
	for a.Word("REDUCE") {
		g.Reducers = append(g.Reducers, a.readReducer())
	}
	a.step(g)
}

func (a *aggregation) readReducer() (r aggregate.Reducer) {
	if a.Left() == 0 {
		a.Refusef(errBad, "REDUCE", "SUCCESS")
		return r
	}
	r.Name = string(a.Arg())
	r.Args = a.strings(r.Name)
	if a.Word("AS") {
		r.As = string(a.next("AS"))
	} else {
		r.As = r.Alias()
	}
	return r
}

func (a *aggregation) readApply() {
	s := &aggregate.Apply{Expression: string(a.next("APPLY/FILTER"))}
	s.As = s.Expression
	if a.Word("AS") {
		if a.Left() == 0 {
			a.Refuse(errApplyAs)
		}
		s.As = string(a.Arg())
	}
	a.step(s)
}

// readLoad reads the fields that are to be read. A count that is none, or that is too high, must be
// followed by an asterisk.
func (a *aggregation) readLoad() {
	if a.Left() == 0 {
		a.Refusef(errBad, "LOAD", noArgument)
		return
	}
	n, ok := integer(a.Arg())
	if ok && n >= 0 && n <= int64(a.Left()) {
		a.Skip(-1)
		a.step(&aggregate.Load{Fields: a.strings("LOAD"), All: a.allLoaded()})
		return
	}
	if !ok || n < 0 {
		a.Skip(-1)
	}
	if a.Left() == 0 {
		a.Refusef(errBad, "LOAD", noArgument)
	} else if string(a.Arg()) != "*" {
		a.Refusef(errBad, "LOAD", "SUCCESS")
	}
	a.step(&aggregate.Load{All: true})
}

// allLoaded reports whether a step before reads all fields: then each reads all that it can.
func (a *aggregation) allLoaded() bool {
	for _, s := range a.plan.Steps {
		if l, ok := s.(*aggregate.Load); ok && l.All {
			return true
		}
	}
	return false
}
