package index

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/search/query"
)

// checkAttributes checks the parameters of a search for vectors. None of them has an effect: all
// vectors are looked at.
func checkAttributes(n *query.Vector, s *Space) error {
	given := make(map[string]string)
	for _, a := range n.Attributes {
		name := strings.ToUpper(a.Name)
		if err := checkAttribute(n, s, name, a.Value); err != nil {
			return err
		}
		if _, twice := given[name]; twice {
			return errTwice
		}
		given[name] = strings.ToUpper(a.Value)
	}
	if _, sized := given["BATCH_SIZE"]; sized && given["HYBRID_POLICY"] == "ADHOC_BF" {
		return errBatchSize
	}
	return nil
}

func checkAttribute(n *query.Vector, s *Space, name, value string) error {
	switch hnsw := s.Algorithm == HNSW; {
	case name == "HYBRID_POLICY" || name == "BATCH_SIZE":
		return checkHybrid(n, name, value)
	case !hnsw:
		return errOption
	case name == "EF_RUNTIME" && !n.Range:
		if size, err := strconv.ParseUint(value, 10, 64); err != nil || size == 0 {
			return errValue
		}
	case name == "EPSILON" && !n.Range:
		return errNotRange
	case name == "EPSILON":
		if f, err := strconv.ParseFloat(value, 64); err != nil || !(f > 0) {
			return errValue
		}
	default:
		return errOption
	}
	return nil
}

func checkHybrid(n *query.Vector, name, value string) error {
	if n.Range || n.Child == nil {
		return errNotHybrid
	}
	if name == "HYBRID_POLICY" {
		if !strings.EqualFold(value, "BATCHES") && !strings.EqualFold(value, "ADHOC_BF") {
			return errPolicy
		}
		return nil
	}
	if size, err := strconv.ParseUint(value, 10, 64); err != nil || size == 0 {
		return errValue
	}
	return nil
}
