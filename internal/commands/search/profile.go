package search

import (
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// profiles is the command that tells what a query does.
var profiles = []command.Line{
	{Name: "ft.profile", Arity: -5, Flags: asks, Keys: named, Run: engine.On(cmdProfile), Reply: "array", Since: since,
		Syntax: "index <SEARCH|AGGREGATE> [LIMITED] QUERY query", Summary: "Runs a query, and tells what its parts do",
		Complexity: "O(N) where N is the number of documents that match"},
}

// profile is what FT.PROFILE tells.
type profile struct {
	limited bool // of the words that a prefix or the like stands for, only how many there are
	begin   int64
	parsed  int64 // when the query was parsed
	query   index.Profile
	rows    aggregate.Profile
}

// FT.PROFILE index <SEARCH|AGGREGATE> [LIMITED] QUERY query [option ...]
func cmdProfile(set *settings, c *engine.Call) {
	name := string(c.Arg())
	aggregates := c.Word("AGGREGATE")
	if !aggregates && !c.Word("SEARCH") {
		c.Fail(errProfile)
		return
	}
	if withCursor(c) {
		c.Fail(errProfileCursor)
		return
	}
	p := &profile{limited: c.Word("LIMITED"), begin: c.World.Clock()}
	p.query.Clock, p.rows.Clock = c.World.Clock, c.World.Clock
	if !c.Word("QUERY") {
		c.Fail(errProfileQuery)
		return
	}
	r := newQuery(set, c, name)
	r.profile = p
	if aggregates {
		aggregateRows(r)
	} else {
		search(r)
	}
}

// beginReply begins the reply of a query, behind which there may be a profile.
func (r *request) beginReply() {
	if r.profile != nil && r.Reply.Proto() < 3 {
		r.Reply.Array(2)
	}
}

// withCursor reports whether a cursor is asked for.
func withCursor(c *engine.Call) (found bool) {
	for at := c.Pos(); ; c.Arg() {
		if found = c.Left() > 0 && c.Word("WITHCURSOR"); found || c.Left() == 0 {
			c.Seek(at)
			return found
		}
	}
}

// oneLine returns a text as a status may have it.
func oneLine(text string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(text) }

// profileResults tells what RediSearch does with results one after the other.
func (r *request) profileResults(found *index.Results) {
	if r.profile == nil {
		return
	}
	stage := func(name string, calls int) {
		r.profile.rows.Stages = append(r.profile.rows.Stages, &aggregate.Stage{Type: name, Calls: calls})
	}
	total, shown := found.Total, len(found.Documents)
	calls := min(shown+1, int(r.limit))
	stage("Index", total+1)
	if r.limit == 0 {
		stage("Counter", 2)
		return
	}
	if r.sort == nil || r.withScores {
		stage("Scorer", total+1)
	}
	stage("Sorter", min(total+1, int(r.offset)+calls))
	if r.offset > 0 {
		stage("Pager/Limiter", calls)
	}
	if !r.noContent {
		stage("Loader", calls)
	}
	if r.emphasis.wanted {
		stage("Highlighter", calls)
	}
}

// maps returns how many elements the reply has that RESP3 has as a map.
func (r *request) maps() int {
	if r.profile != nil {
		return 6
	}
	return 5
}

// endReply replies with the profile, if there is one.
func (r *request) endReply() {
	p, w := r.profile, r.Reply
	if p == nil {
		return
	}
	if w.Proto() >= 3 {
		w.Status("profile")
		w.Map(6)
	} else {
		w.Array(6)
	}
	r.replyTime("Total profile time", p.rows.Clock()-p.begin)
	r.replyTime("Parsing time", p.parsed-p.begin)
	r.replyTime("Pipeline creation time", 0)
	r.pair(1, "Warning")
	if w.Proto() >= 3 {
		w.Status("None")
	}
	r.pair(2, "Iterators profile")
	if w.Proto() >= 3 {
		w.Array(1)
	}
	r.replyPart(p.query.Root)
	r.pair(1+len(p.rows.Stages), "Result processors profile")
	if w.Proto() >= 3 {
		w.Array(len(p.rows.Stages))
	}
	for _, s := range p.rows.Stages {
		w.Map(3)
		w.Status("Type")
		w.Status(oneLine(s.Type))
		r.replySteps(s.Time, max(0, s.Calls-1))
	}
}

// pair begins a name with what follows it: with RESP2 an array of n elements.
func (r *request) pair(n int, name string) {
	if r.Reply.Proto() < 3 {
		r.Reply.Array(n)
	}
	r.Reply.Status(name)
}

// replyTime replies with whole milliseconds, as RediSearch does.
func (r *request) replyTime(name string, micros int64) {
	r.pair(2, name)
	r.Reply.Double(float64(micros / 1000))
}

func (r *request) replySteps(micros int64, steps int) {
	r.Reply.Status("Time")
	r.Reply.Double(float64(micros / 1000))
	r.Reply.Status("Counter")
	r.Reply.Int(int64(steps))
}

// replyPart replies with what a part of the query did.
func (r *request) replyPart(p *index.Part) {
	w := r.Reply
	at, n := w.Defer(), 3
	w.Status("Type")
	w.Status(p.Type)
	if p.Query != "" {
		n++
		w.Status("Query type")
		w.Status(oneLine(p.Query))
	}
	if p.Term != "" {
		n++
		w.Status("Term")
		w.Status(oneLine(p.Term))
	}
	r.replySteps(p.Time, p.Steps)
	if p.Term != "" {
		n++
		w.Status("Size")
		w.Int(int64(p.Size))
	}
	if len(p.Parts) > 0 {
		n++
		more := r.replyParts(p)
		if w.Proto() < 3 {
			w.SetArray(at, 2*n+more)
			return
		}
	}
	w.SetMap(at, n)
}

// replyParts replies with the parts of a part, which RESP2 has behind each other. It returns how
// many elements these are beyond one.
func (r *request) replyParts(p *index.Part) (more int) {
	w := r.Reply
	switch {
	case p.Type == "NOT" || p.Type == "OPTIONAL":
		w.Status("Child iterator")
		r.replyPart(p.Parts[0])
		return 0
	case r.profile.limited && p.Query != "" && p.Query != "UNION":
		w.Status("Child iterators")
		w.Status(fmt.Sprintf(manyParts, len(p.Parts)))
		return 0
	}
	w.Status("Child iterators")
	if w.Proto() >= 3 {
		w.Array(len(p.Parts))
	}
	for _, part := range p.Parts {
		if part.Type == "EMPTY" {
			w.Null()
		} else {
			r.replyPart(part)
		}
	}
	return len(p.Parts) - 1
}
