package lint

import (
	"fmt"

	"github.com/miniserver-go/miniserver/internal/search/aggregate"
	"github.com/miniserver-go/miniserver/internal/search/expr"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// deep is from which offset on a page is far behind.
const deep = 1000

// options applies the rules about options of FT.SEARCH.
func (r *run) options() {
	if r.Offset >= deep {
		r.deepPage()
	}
	if f := r.Index.Field(r.SortBy); f != nil && !f.Sortable {
		r.reportOption("unsorted-field", "SORTBY", "%s is read in each document that is found, as the index does "+
			"not keep it. "+
			"SORTABLE behind the field in FT.CREATE changes that.", f.Name)
	}
	v := r.nearest()
	if v == nil {
		return
	}
	if r.SortBy == "" {
		r.report("knn-order", r.at(v.Field), "The nearest are not in the order of their distances: add SORTBY "+
			"%s.", v.Score)
	}
	if shown := r.Offset + r.Limit; r.Offset == 0 && r.Limit > 0 && shown < int64(v.K) {
		r.reportOption("knn-limit", "LIMIT", "KNN finds %d, of which %d are shown: add LIMIT 0 %d.", v.K, shown, v.K)
	}
}

func (r *run) deepPage() {
	r.reportOption("deep-paging", "LIMIT", "The documents before the page are found and sorted, too, for each page. "+
		"FT.AGGREGATE with WITHCURSOR reads on where it was.")
}

// nearest returns the KNN of the query; nil if there is none.
func (r *run) nearest() *query.Vector {
	if v, ok := r.root.(*query.Vector); ok && !v.Range {
		return v
	}
	return nil
}

// steps applies the rules about the steps of FT.AGGREGATE.
func (r *run) steps() {
	written := make(map[string]bool) // columns that are no fields any more
	sorted := false
	for _, s := range r.Steps {
		switch s := s.(type) {
		case *aggregate.Load:
			if s.All {
				r.reportOption("load-all", "LOAD", "LOAD * reads all of each document: name the fields that the "+
					"steps need.")
			}
		case *aggregate.Apply:
			written[s.As] = true
		case *aggregate.Filter:
			r.filter(s, written)
		case *aggregate.Arrange:
			sorted = sorted || s.Sorts
			if s.Offset >= deep {
				r.deepPage()
			}
		case *aggregate.Group:
			return // the steps behind it are about groups
		}
	}
	if v := r.nearest(); v != nil && !sorted {
		r.report("knn-order", r.at(v.Field), "The nearest are not in the order of their distances: add SORTBY 1 "+
			"@%s.", v.Score)
	}
}

// filter reports a step that does what the query can do by the index.
func (r *run) filter(s *aggregate.Filter, written map[string]bool) {
	e, err := expr.Parse(s.Expression)
	if err != nil {
		return
	}
	for _, c := range e.Comparisons() {
		f := r.Index.Field(c.Property)
		if f == nil || f.Kind != index.Numeric || f.Unindexed || written[c.Property] || c.Operator == "!=" {
			continue
		}
		if n, ok := c.Value.Number(); ok {
			r.reportOption("late-filter", "FILTER", "Each document that the query finds is compared. The index "+
				"does it: "+
				"put %s into the query.", condition(f.Name, c.Operator, n))
		}
	}
}

// condition returns a comparison, which is not !=, as a condition of a query.
func condition(field, operator string, n float64) string {
	number := string(expr.AppendNumber(nil, n))
	low, high := "-inf", "+inf"
	switch operator {
	case "<":
		high = "(" + number
	case "<=":
		high = number
	case ">":
		low = "(" + number
	case ">=":
		low = number
	default:
		low, high = number, number
	}
	return fmt.Sprintf("@%s:[%s %s]", field, low, high)
}
