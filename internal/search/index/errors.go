package index

import (
	"errors"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
)

func errNoMissing(field string) error {
	return fmt.Errorf("'ismissing' requires field '%s' to be defined with 'INDEXMISSING'", field)
}

// The errors of the parameters of a search for vectors.
var (
	errOption    = command.Error("Invalid option")
	errValue     = command.Error("Invalid value was given")
	errTwice     = command.Error("Parameter was specified twice")
	errPolicy    = errors.New("invalid hybrid policy was given")
	errNotHybrid = errors.New("hybrid query attributes were sent for a non-hybrid query")
	errNotRange  = errors.New("range query attributes were sent for a non-range query")
	errBatchSize = errors.New("'batch size' is irrelevant for 'ADHOC_BF' policy")
)

// The errors of shapes.
var (
	errShape            = errors.New("unknown geometry type")
	errFewPoints        = errors.New("invalid geometry: Geometry has too few points")
	errOrientation      = errors.New("invalid geometry: Geometry has wrong orientation")
	errSelfIntersection = errors.New("invalid geometry: Geometry has invalid self-intersections")
)
