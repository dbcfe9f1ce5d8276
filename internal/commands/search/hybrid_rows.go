package search

import (
	"errors"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/expr"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

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
func (d *fusedDocument) Keep(aggregate.Document) aggregate.Document { return d }

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
		return &fusedDocument{document{Document: &f.Document, schema: s.schema}, h, f}, true, nil
	})
	if err != nil {
		h.Refuse(command.Error(err.Error()))
	}
	if !h.OK() {
		return
	}
	rows, rest, err := aggregate.Results(p, nil)
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
		w.Status(string(query.ErrLate))
	} else {
		w.Array(0)
	}
	w.Status("execution_time")
	w.Double(float64(h.World.Clock()-start) / 1000)
}
