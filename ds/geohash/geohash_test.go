package geohash

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	palermo = Point{13.361389, 38.115556}
	catania = Point{15.087269, 37.502669}
)

// The scores, texts and distances of these tests are redis-server's.

func TestScores(t *testing.T) {
	for _, c := range []struct {
		p     Point
		score float64
		text  string
	}{
		{palermo, 3479099956230698, "sqc8b49rny0"},
		{catania, 3479447370796909, "sqdtr74hyu0"},
		{Point{0, 0}, 3377699720527872, "s0000000000"},
		{Point{-180, -maxLat}, 0, "00bh0hbj200"},
		{Point{180, maxLat}, 1<<53 | 1<<52, "bp05b5048p0"},
		{Point{116.48105, 39.996794}, 4069887154388167, "wx4gd94yjn0"},
	} {
		require.Equal(t, c.score, c.p.Score(), "%v", c.p)
		require.Equal(t, c.text, string(PointOf(c.score).AppendText(nil)), "%v", c.p)
	}
	require.Equal(t, Point{13.36138933897018433, 38.11555639549629859}, PointOf(3479099956230698))
}

func TestValid(t *testing.T) {
	for _, p := range []Point{{}, {180, 85.05112878}, {-180, -85.05112878}} {
		require.True(t, p.Valid(), "%v", p)
	}
	for _, p := range []Point{{180.1, 0}, {-181, 0}, {0, 85.06}, {0, -90}, {math.NaN(), 0}, {0, math.NaN()},
		{math.Inf(1), 0}} {
		require.False(t, p.Valid(), "%v", p)
	}
}

// TestDecodingComesBack: the middle of a cell is in it, within half a cell of every point there.
func TestDecodingComesBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		p := anywhere(rng)
		if p.Lon == 180 {
			continue // this column needs a 53rd bit, and a float64 then loses the lowest bit of latitude
		}
		q := PointOf(p.Score())
		require.Equal(t, p.Score(), q.Score())
		require.InDelta(t, p.Lon, q.Lon, 180./(1<<26)+1e-9)
		require.InDelta(t, p.Lat, q.Lat, maxLat/(1<<26)+1e-9)
	}
}

// TestAnyScoreIsSomewhere: scores that are no hashes decode to valid points.
func TestAnyScoreIsSomewhere(t *testing.T) {
	for _, score := range []float64{-1, -1e300, 1e300, 1 << 62, 1 << 63, 1 << 64, math.Inf(1), math.Inf(-1),
		0.5, 1<<53 - 1} {
		require.True(t, PointOf(score).Valid(), "%v: %v", score, PointOf(score))
	}
	require.Equal(t, uint64(math.MaxUint64), truncated(-1))
	require.Equal(t, uint64(1)<<63, truncated(math.Inf(-1)))
	require.Zero(t, truncated(math.Inf(1)))
	require.Equal(t, uint64(1)<<63+1<<62, truncated(1<<63+1<<62))
}

func TestSpreadAndGather(t *testing.T) {
	for _, v := range []uint32{0, 1, 2, 3, 1 << 31, math.MaxUint32, 0xdeadbeef} {
		require.Equal(t, v, gather(spread(v)))
		require.Equal(t, v, gather(spread(v)|spread(math.MaxUint32)<<1))
	}
}

func TestDistance(t *testing.T) {
	require.InDelta(t, 166274.15156960033, Distance(PointOf(palermo.Score()), PointOf(catania.Score())), 1e-9)
	require.Equal(t, Distance(palermo, catania), Distance(catania, palermo))
	require.Zero(t, Distance(palermo, palermo))
	require.InDelta(t, math.Pi*earthRadius, Distance(Point{0, 0}, Point{180, 0}), 1e-6)
	require.InDelta(t, earthRadius*math.Pi/2, Distance(Point{7, -45}, Point{7, 45}), 1e-6)
}

func anywhere(rng *rand.Rand) Point {
	p := Point{rng.Float64()*360 - 180, (rng.Float64()*2 - 1) * maxLat}
	if rng.IntN(4) == 0 { // many points close together
		p = Point{math.Round(p.Lon/45)*45 + rng.NormFloat64()/50, math.Round(p.Lat/40)*40 + rng.NormFloat64()/50}
	}
	return Point{min(max(p.Lon, -180), 180), min(max(p.Lat, -maxLat), maxLat)}
}

func someArea(rng *rand.Rand) Area {
	size := func() float64 { return math.Exp(rng.Float64()*17.5 - 1) }
	switch rng.IntN(4) {
	case 0, 1:
		return Circle(anywhere(rng), size())
	case 2:
		return somePolygon(rng, anywhere(rng), size()/1e5)
	}
	return Box(anywhere(rng), size(), size())
}

// somePolygon returns one with vertices at most so many degrees from a point.
func somePolygon(rng *rand.Rand, around Point, degrees float64) Area {
	vertices := make([]Point, 3+rng.IntN(5))
	for i := range vertices {
		lon, lat := around.Lon+(rng.Float64()*2-1)*degrees, around.Lat+(rng.Float64()*2-1)*degrees
		vertices[i] = Point{min(max(lon, -180), 180), min(max(lat, -maxLat), maxLat)}
	}
	return Polygon(vertices)
}

// crossings counts the edges of a polygon south of a point, where Find looks east.
func crossings(vertices []Point, p Point) (n int) {
	for i, v := range vertices {
		w := vertices[(i+1)%len(vertices)]
		if (v.Lon > p.Lon) != (w.Lon > p.Lon) && v.Lat+(w.Lat-v.Lat)*(p.Lon-v.Lon)/(w.Lon-v.Lon) < p.Lat {
			n++
		}
	}
	return n
}

// contains is Find with exact distances only.
func (a *Area) contains(p Point) bool {
	if a.vertices != nil {
		return crossings(a.vertices, p)%2 == 1
	}
	if !a.isBox {
		return Distance(a.Center, p) <= a.radius
	}
	return Distance(p, Point{p.Lon, a.Center.Lat}) <= a.height/2 && Distance(p, Point{a.Center.Lon, p.Lat}) <= a.width/2
}

func finds(a *Area, score float64) bool {
	_, ok := a.Find(score)
	return ok
}

func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	inside := 0
	for range 400 {
		a := someArea(rng)
		for range 200 {
			score := anywhere(rng).Score()
			require.Equal(t, a.contains(PointOf(score)), finds(&a, score), "%v %v", a, score)
			if finds(&a, score) {
				inside++
			}
		}
	}
	require.Greater(t, inside, 1000)
}

// TestFindAtTheEdge: circles whose radius is the distance of a point, or the float before or after
// it.
func TestFindAtTheEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		center, score := anywhere(rng), anywhere(rng).Score()
		d := Distance(center, PointOf(score))
		for _, radius := range []float64{d, math.Nextafter(d, 0), math.Nextafter(d, math.Inf(1)), d * (1 - 1e-11),
			d * (1 + 1e-11)} {
			a := Circle(center, radius)
			require.Equal(t, d <= radius, finds(&a, score), "%v %v %v", center, score, radius)
		}
	}
	here, there := palermo.Score(), catania.Score()
	a := Circle(PointOf(here), 0)
	require.True(t, finds(&a, here))
	require.False(t, finds(&a, there))
	a = Circle(palermo, math.Inf(1))
	require.True(t, finds(&a, Point{palermo.Lon - 180, -palermo.Lat}.Score()))
}

// TestCompare includes points that are equally far on either side, and points opposite the center.
func TestCompare(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 20000 {
		center, p := anywhere(rng), anywhere(rng)
		q := anywhere(rng)
		switch rng.IntN(4) {
		case 0:
			q = Point{2*center.Lon - p.Lon, p.Lat}
		case 1:
			q = Point{p.Lon, 2*center.Lat - p.Lat}
		case 2:
			p = Point{center.Lon - 180 + rng.NormFloat64()/1e5, -center.Lat}
			q = Point{center.Lon - 180, -center.Lat + rng.NormFloat64()/1e5}
		}
		if !p.Valid() || !q.Valid() {
			continue
		}
		a := Circle(center, math.Inf(1))
		x, _ := a.Find(p.Score())
		y, _ := a.Find(q.Score())
		require.Equal(t, cmp.Compare(a.Distance(x), a.Distance(y)), a.Compare(x, y), "%v: %v %v", center, p, q)
		require.Equal(t, -a.Compare(x, y), a.Compare(y, x))
		require.Zero(t, a.Compare(x, x))
	}
}

// TestSpansHoldTheArea: each point of an area is in exactly one span. Very large areas and those
// far north are left out: Redis' box around them is too small, and Redis misses places too.
func TestSpansHoldTheArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	found := 0
	for range 2000 {
		a := someArea(rng)
		if low, high := a.corners(); low.Lat < -maxLat || high.Lat > maxLat || low.Lon < -180 || high.Lon > 180 ||
			a.radius > 3e6 {
			continue
		}
		spans := a.AppendSpans(nil)
		require.LessOrEqual(t, len(spans), 9)
		for range 100 {
			d := a.radius / earthRadius * 180 / math.Pi
			p := Point{a.Center.Lon + rng.NormFloat64()*d, a.Center.Lat + rng.NormFloat64()*d/2}
			if !p.Valid() || !finds(&a, p.Score()) {
				continue
			}
			found++
			require.Equal(t, 1, holding(spans, p.Score()), "%+v %v", a, p)
		}
	}
	require.Greater(t, found, 10000)
}

func holding(spans []Span, score float64) (n int) {
	for _, s := range spans {
		if s.Min <= score && score < s.Max {
			n++
		}
	}
	return n
}

// TestSpansAreDisjoint includes areas around the whole globe, whose eastern and western neighbours
// are the same cell.
func TestSpansAreDisjoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 3000 {
		a := someArea(rng)
		spans := a.AppendSpans(nil)
		require.NotEmpty(t, spans)
		for i, s := range spans {
			for _, o := range spans[:i] {
				require.True(t, s.Max <= o.Min || o.Max <= s.Min, "%+v: %v", a, spans)
			}
		}
	}
	whole := Circle(Point{}, 3e7)
	require.Len(t, whole.AppendSpans(nil), 4)
}

var sinkBool bool

func BenchmarkFind(b *testing.B) {
	for name, a := range map[string]Area{"circle": Circle(palermo, 100_000), "box": Box(palermo, 200_000, 200_000)} {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			points := make([]float64, 1024)
			for i := range points {
				points[i] = Point{palermo.Lon + rng.Float64()*4 - 2, palermo.Lat + rng.Float64()*4 - 2}.Score()
			}
			for i := 0; b.Loop(); i++ {
				sinkBool = finds(&a, points[i&1023])
			}
		})
	}
}

func BenchmarkDistance(b *testing.B) {
	sum := 0.
	for b.Loop() {
		sum += Distance(palermo, catania)
	}
}
