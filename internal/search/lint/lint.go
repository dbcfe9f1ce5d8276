// Package lint tells what is probably wrong with a query of an index: what finds nothing, what
// finds something else than was meant, and what is slow.
//
//	text ─▶ conditions on fields ─┐
//	text ─▶ tree ─────────────────┼─▶ rules ─▶ findings
//	options and steps ────────────┘
//
//	rules.go    the rules, each with an example
//	fields.go   what is asked of fields, beside what they are
//	signs.go    punctuation that means something else in a query
//	tree.go     what the tree of the query says
//	options.go  LIMIT, SORTBY, and the steps of FT.AGGREGATE
//
// The rules look at the index's definition, never at its documents. They speak only when they are
// sure. A query that is no query is looked at, too, as far as its text goes: so a rule can say why
// it is refused.
package lint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// Question is what FT.SEARCH or FT.AGGREGATE is asked.
type Question struct {
	Index   *index.Index
	Request query.Request
	Refused error // why the server does not answer; nil if it does

	Rows          bool             // it is FT.AGGREGATE
	Steps         []aggregate.Step // of FT.AGGREGATE
	Offset, Limit int64            // of FT.SEARCH
	SortBy        string           // of FT.SEARCH; empty for the scores
}

// Finding is a mistake, or something to look at.
type Finding struct {
	Rule    string
	Option  string // the option or step that it is about; empty for the query
	Column  int    // in the query, in characters from 1; 0 for the query as a whole
	Message string
}

// Place returns where the finding is: query, query:COLUMN, or the name of an option.
func (f Finding) Place() string {
	switch {
	case f.Option != "":
		return f.Option
	case f.Column > 0:
		return fmt.Sprintf("query:%d", f.Column)
	}
	return "query"
}

// String returns "place: rule: message".
func (f Finding) String() string { return fmt.Sprintf("%s: %s: %s", f.Place(), f.Rule, f.Message) }

// Check returns what the rules find: about the query in the order of its text, then about options.
func Check(q Question) []Finding {
	r := &run{Question: q, text: q.Request.Text}
	r.asked = conditions(r.text)
	r.root, r.err = r.parse(q.Request.Dialect)
	r.refusal()
	r.fields()
	r.signs()
	if r.err == nil {
		r.dialect()
		r.tree()
	}
	if q.Rows {
		r.steps()
	} else {
		r.options()
	}
	slices.SortStableFunc(r.list, func(a, b Finding) int { return cmp.Compare(a.rank(), b.rank()) })
	return r.list
}

func (f Finding) rank() int {
	if f.Option != "" {
		return math.MaxInt
	}
	return f.Column
}

// run applies the rules to one question.
type run struct {
	Question
	text  string
	asked []query.Condition
	root  query.Node // nil with an error
	err   error      // of the text
	list  []Finding
}

// parse returns the tree of the query in a dialect, with its words as they are.
func (r *run) parse(dialect int) (query.Node, error) {
	request := r.Request
	request.Dialect, request.Verbatim = dialect, true
	return query.Parse(r.Index.Schema(), request)
}

// report adds a finding about the query, at an offset in bytes; below 0 for all of it.
func (r *run) report(rule string, at int, format string, args ...any) {
	column := 0
	if at >= 0 {
		column = utf8.RuneCountInString(r.text[:min(at, len(r.text))]) + 1
	}
	r.list = append(r.list, Finding{Rule: rule, Column: column, Message: fmt.Sprintf(format, args...)})
}

// reportOption adds a finding about an option.
func (r *run) reportOption(rule, option, format string, args ...any) {
	r.list = append(r.list, Finding{Rule: rule, Option: option, Message: fmt.Sprintf(format, args...)})
}

// refusal reports why there is no answer.
func (r *run) refusal() {
	err := cmp.Or(r.err, r.Refused)
	if err == nil {
		return
	}
	hint := ""
	if _, later := r.parse(2); r.err != nil && r.Request.Dialect < 2 && later == nil {
		hint = " From dialect 2 on this is a query: say DIALECT 2."
	}
	r.report("refused", -1, "%s.%s", err, hint)
}
