package index

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// attributes are the parameters of a search for vectors.
type attributes struct {
	runtime int     // how many near vectors are looked at
	epsilon float64 // by which share the search goes beyond a radius
	exact   bool    // all that a filter lets pass are looked at
}

// readAttributes reads the parameters of a search. What is not given is as the field says. The size
// of batches is chosen here.
func readAttributes(n *query.Vector, s *Space) (how attributes, err error) {
	how = attributes{runtime: s.Runtime, epsilon: s.Epsilon}
	given := make(map[string]bool)
	for _, a := range n.Attributes {
		name := strings.ToUpper(a.Name)
		if err := how.read(n, s, name, a.Value); err != nil {
			return how, err
		}
		if given[name] {
			return how, errTwice
		}
		given[name] = true
	}
	if given["BATCH_SIZE"] && how.exact {
		return how, errBatchSize
	}
	return how, nil
}

func (how *attributes) read(n *query.Vector, s *Space, name, value string) error {
	switch graph := s.Algorithm == HNSW; {
	case name == "HYBRID_POLICY" || name == "BATCH_SIZE":
		return how.readHybrid(n, name, value)
	case !graph:
		return errOption
	case name == "EF_RUNTIME" && !n.Range:
		size, err := strconv.ParseUint(value, 10, 64)
		if err != nil || size == 0 {
			return errValue
		}
		how.runtime = int(min(size, hnsw.MaxEF))
	case name == "EPSILON" && !n.Range:
		return errNotRange
	case name == "EPSILON":
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !(f > 0) {
			return errValue
		}
		how.epsilon = f
	default:
		return errOption
	}
	return nil
}

func (how *attributes) readHybrid(n *query.Vector, name, value string) error {
	if n.Range || n.Child == nil {
		return errNotHybrid
	}
	if name == "HYBRID_POLICY" {
		how.exact = strings.EqualFold(value, "ADHOC_BF")
		if !how.exact && !strings.EqualFold(value, "BATCHES") {
			return errPolicy
		}
		return nil
	}
	if size, err := strconv.ParseUint(value, 10, 64); err != nil || size == 0 {
		return errValue
	}
	return nil
}
