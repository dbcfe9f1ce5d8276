package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
)

// geoEngine returns an engine with 100,000 places in a square of four degrees.
func geoEngine(tb testing.TB) (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	e.Add(engine.SortedSets())
	e.Add(engine.Geo())
	s := e.NewSession(nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		line := fmt.Sprintf("GEOADD places %.6f %.6f m%d", 12+4*rng.Float64(), 36+4*rng.Float64(), i)
		require.Equal(tb, ":1\r\n", string(e.Do(s, commands(line)).Out))
	}
	return e, s
}

func BenchmarkGeoSearch(b *testing.B) {
	e, s := geoEngine(b)
	for _, options := range []string{
		"BYRADIUS 1 km", "BYRADIUS 10 km", "BYRADIUS 10 km ASC COUNT 10 WITHDIST", "BYRADIUS 10 km WITHCOORD", "BYRADIUS 10 km ASC WITHDIST",
		"BYBOX 20 20 km", "BYRADIUS 500 km ASC COUNT 10",
	} {
		b.Run(options, func(b *testing.B) {
			batch := commands("GEOSEARCH places FROMLONLAT 14 38 " + options)
			b.ReportAllocs()
			for b.Loop() {
				e.Do(s, batch)
			}
		})
	}
}
