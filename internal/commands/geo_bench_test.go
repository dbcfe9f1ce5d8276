package commands_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/internal/commands/geo"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// geoEngine returns an engine with 100,000 members in a square of four degrees.
func geoEngine(tb testing.TB) (*engine.Engine, *engine.Session) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	e.Join(engine.Commands(zsets.Family, geo.Family))
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
		"BYRADIUS 1 km", "BYRADIUS 10 km", "BYRADIUS 10 km ASC COUNT 10 WITHDIST", "BYRADIUS 10 km WITHCOORD",
		"BYRADIUS 10 km ASC WITHDIST", "BYBOX 20 20 km", "BYRADIUS 500 km ASC COUNT 10",
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

// TestGeoSearchFindsAllPlaces compares searches with a check of each place. It uses enough places
// that a search skips scores between the cells of its area.
func TestGeoSearchFindsAllPlaces(t *testing.T) {
	e, s := geoEngine(t)
	places := strings.Split(string(e.Do(s, commands("ZRANGE places 0 -1 WITHSCORES")).Out), "\r\n")
	center, _ := strconv.ParseFloat(places[len(places)/8*4+4], 64)
	name := places[len(places)/8*4+2]
	for _, metres := range []float64{100, 1000, 5000, 20_000, 100_000} {
		for options, area := range map[string]geohash.Area{
			fmt.Sprintf("BYRADIUS %v m", metres):            geohash.Circle(geohash.PointOf(center), metres),
			fmt.Sprintf("BYBOX %v %v m", metres, metres/10): geohash.Box(geohash.PointOf(center), metres, metres/10),
		} {
			want := 0
			for i := 4; i < len(places); i += 4 {
				score, err := strconv.ParseFloat(places[i], 64)
				require.NoError(t, err)
				if _, ok := area.Find(score); ok {
					want++
				}
			}
			out := e.Do(s, commands("GEOSEARCH places FROMMEMBER "+name+" "+options)).Out
			require.True(t, strings.HasPrefix(string(out), fmt.Sprintf("*%d\r\n", want)), "%s: %d %.10s",
				options, want, out)
			require.Positive(t, want)
		}
	}
}
