package search

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/lint"
)

// FT.INDEX LINT index SEARCH|AGGREGATE query [option ...]
//
// It replies with a text for each finding, such as "query:1: unknown-field: ...". What the server
// refuses is a finding, too, and no error.
func cmdIndexLint(set *settings, c *engine.Call) {
	e := searched(c, string(c.Arg()))
	rows := c.Word("AGGREGATE")
	if !rows && !c.Word("SEARCH") {
		c.Refuse(errProfile)
	}
	if !c.OK() {
		return
	}
	r := newQuery(set, c, e.Name)
	q := lint.Question{Index: e.Index, Rows: rows}
	if rows {
		r.askRows(e, &q)
	} else {
		r.ask(e, &q)
	}
	if c.Failed() {
		q.Refused = c.Engine.Commands.Worded(c.Err())
	}
	found := lint.Check(q)
	c.Reply.Array(len(found))
	for _, f := range found {
		c.Reply.BulkString(f.String())
	}
}

// ask reads what FT.SEARCH is asked, and refuses what it refuses.
func (r *request) ask(e *entry, q *lint.Question) {
	r.readOptions()
	q.Request, q.Offset, q.Limit, q.SortBy = r.query, r.offset, r.limit, string(r.sort)
	if r.Failed() {
		return
	}
	root := r.parse(e)
	if r.Failed() {
		return
	}
	p := &presentation{request: r, entry: e, distances: distances(root)}
	p.order()
	p.checkEmphasis()
	if _, err := e.Walk(r.search(e, root)); err != nil {
		r.Refuse(command.Error(err.Error()))
	}
}

// askRows reads what FT.AGGREGATE is asked, and refuses what it refuses.
func (r *request) askRows(e *entry, q *lint.Question) {
	a := &aggregation{request: r, from: r.Pos()}
	a.readQuery()
	a.readSteps()
	q.Request, q.Steps = r.query, a.plan.Steps
	a.checkFormat(e)
	a.pipeline(e)
}
