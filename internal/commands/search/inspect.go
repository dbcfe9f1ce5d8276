package search

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// own is what brought the commands that Redis does not have.
const own = "miniserver:0.1.0"

// inspected is the key of a subcommand that names an index by its first argument.
var inspected = command.Key(2, "RO access")

// inspections is the command that tells of indexes what Redis does not. It is in no module.
var inspections = command.Family{Group: module, Commands: []command.Line{
	{Name: "ft.index", Arity: -2, Since: own, Complexity: "Depends on the subcommand",
		Summary: "A container for commands that inspect indexes. Not in Redis.", Subs: inspectionLines},
}}

var inspectionLines = []command.Line{
	{Name: "check", Arity: 3, Flags: asks, Keys: inspected, Run: cmdIndexCheck, Reply: "status", Since: own,
		Syntax: "index", Summary: "Compares an index with one that is made anew. Not in Redis.",
		Complexity: "O(N) where N is the size of the keys that the index covers"},
	{Name: "lint", Arity: -5, Flags: asks, Keys: inspected, Run: engine.On(cmdIndexLint), Reply: "list", Since: own,
		Syntax:     "index <SEARCH|AGGREGATE> query [option [value]...]",
		Summary:    "Tells what is probably wrong with a query. Not in Redis.",
		Complexity: "O(N) where N is the length of the query, besides what finding its first document takes"},
	{Name: "memory", Arity: 3, Flags: asks, Keys: inspected, Run: cmdIndexMemory, Reply: "map", Since: own,
		Syntax: "index", Summary: "Tells in which parts of an index its memory is. Not in Redis.",
		Complexity: "O(N) where N is the number of fields"},
	{Name: "plan", Arity: -4, Flags: asks, Keys: inspected, Run: engine.On(cmdIndexPlan), Reply: "array", Since: own,
		Syntax:     "index query [option [value]...]",
		Summary:    "Runs a query, and shows what each part expected, gave and took. Not in Redis.",
		Complexity: "O(N) where N is the number of documents that match"},
	{Name: "recall", Arity: -5, Flags: asks, Keys: inspected, Run: cmdIndexRecall, Reply: "map", Since: own,
		Syntax:     "index field k:integer [SAMPLES count:integer]",
		Summary:    "Compares the nearest vectors that a query finds with those that there are. Not in Redis.",
		Complexity: "O(S*N) where S is the number of samples and N that of vectors"},
	engine.HelpLine(own),
}

// FT.INDEX MEMORY index
//
// It replies with the bytes that used_memory counts for the index: of its documents, of the words
// of all text fields, and of each field.
func cmdIndexMemory(c *engine.Call) {
	e := searched(c, string(c.Arg()))
	if !c.OK() {
		return
	}
	i := infoReply{Writer: c.Reply}
	i.open()
	i.int("bytes", int64(e.Bytes()))
	i.int("documents", int64(e.Len()))
	i.int("document_bytes", int64(e.DocumentBytes()))
	i.int("word_bytes", int64(e.WordBytes()))
	i.key("fields")
	i.Array(len(e.Fields))
	for _, f := range e.Fields {
		i.open()
		i.status("attribute", f.Name)
		i.status("type", f.Kind.String())
		i.int("bytes", int64(f.Bytes()))
		i.close()
	}
	i.close()
}

// FT.INDEX PLAN index query [option ...]
//
// It replies with a line for each part of the query, behind that of which it is a part: how many
// documents it was expected to have, how many it gave to the part above it, and how long it took
// with its own parts. A part of an intersection is only asked for the documents that the others
// have.
func cmdIndexPlan(set *settings, c *engine.Call) {
	r := newRequest(set, c)
	r.readOptions()
	if !c.OK() {
		return
	}
	e := searched(c, r.name)
	if !c.OK() {
		return
	}
	root := r.parse(e)
	if !c.OK() {
		return
	}
	r.profile = &profile{query: index.Profile{Clock: c.World.Clock}}
	begin := c.World.Clock()
	found, err := e.Search(r.search(e, root))
	if err != nil {
		c.Refuse(command.Error(err.Error()))
	}
	if !c.OK() {
		return
	}
	lines := []string{fmt.Sprintf("%d documents, %s", found.Total, millis(c.World.Clock()-begin))}
	if r.profile.query.Root != nil {
		lines = appendPlan(lines, r.profile.query.Root, "  ")
	}
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.Status(oneLine(line))
	}
}

// appendPlan appends the lines of a part, with an indent.
func appendPlan(lines []string, p *index.Part, indent string) []string {
	name := p.Type
	if about := p.Query + p.Term; about != "" && about != name {
		name += " " + about
	}
	lines = append(lines, fmt.Sprintf("%s%s: expected %d, gave %d, %s", indent, name, p.Size, p.Steps, millis(p.Time)))
	for _, part := range p.Parts {
		lines = appendPlan(lines, part, indent+"  ")
	}
	return lines
}

func millis(micros int64) string { return fmt.Sprintf("%.3f ms", float64(micros)/1000) }

// mostSamples is the most vectors whose neighbours FT.INDEX RECALL looks for, and fewSamples is how
// many if nothing is said.
const mostSamples, fewSamples = 10_000, 20

// FT.INDEX RECALL index field k [SAMPLES count]
//
// It looks for the k nearest neighbours of some of the vectors, as queries do and by looking at
// all, and replies with the share that queries find, and what both took.
func cmdIndexRecall(c *engine.Call) {
	e := searched(c, string(c.Arg()))
	name := string(c.Arg())
	k, samples := c.IntIn(1, 1<<20, engine.ErrNotPositive), int64(fewSamples)
	if c.More() {
		if !c.Word("SAMPLES") {
			c.Refuse(engine.ErrSyntax)
		}
		samples = c.IntIn(1, mostSamples, engine.ErrNotPositive)
		c.End()
	}
	var f *index.Field
	if e != nil {
		if f = e.Field(name); f == nil || f.Kind != index.Vector {
			c.Refuse(errNotVectors)
		}
	}
	if !c.OK() {
		return
	}
	found := e.Recall(f, int(k), int(samples), c.World.Clock)
	i := infoReply{Writer: c.Reply}
	i.open()
	i.status("algorithm", f.Space.Algorithm.String())
	i.int("vectors", int64(found.Vectors))
	i.int("samples", int64(found.Asked))
	i.double("recall", found.Share())
	i.int("query_usec", found.Graph)
	i.int("exact_usec", found.Full)
	i.close()
}
