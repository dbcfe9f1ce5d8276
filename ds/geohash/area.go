package geohash

import (
	"cmp"
	"math"

	"github.com/miniserver-go/miniserver/internal/libm"
)

// earthRadius is the mean radius in metres, with Redis' digits.
const earthRadius = 6372797.560856

// mercatorMax is half the map's width in metres.
const mercatorMax = 20037726.37

// Distance returns the metres between two points along the surface.
func Distance(a, b Point) float64 {
	latA, latB := radians(a.Lat), radians(b.Lat)
	v := libm.Sin((radians(b.Lon) - radians(a.Lon)) / 2)
	if v == 0 {
		return earthRadius * math.Abs(latB-latA)
	}
	return haversine(latA, latB, v)
}

// OlderDistance is Distance before Redis 7.0, which had no shorter formula for points on one
// meridian.
func OlderDistance(a, b Point) float64 {
	return haversine(radians(a.Lat), radians(b.Lat), libm.Sin((radians(b.Lon)-radians(a.Lon))/2))
}

// haversine returns the metres between points of these latitudes. v is the sine of half the
// difference of their longitudes.
func haversine(latA, latB, v float64) float64 {
	u := libm.Sin((latB - latA) / 2)
	cosines := libm.Cos(latA) * libm.Cos(latB)
	return arcOf(float64(u*u) + float64(float64(cosines*v)*v))
}

// arcOf returns the metres between points whose haversine is h.
func arcOf(h float64) float64 { return 2 * earthRadius * libm.Asin(math.Sqrt(h)) }

// Area is a circle or a box around a center, or a polygon.
type Area struct {
	Center        Point
	isBox         bool
	width, height float64 // metres from edge to edge
	// Metres; of a box, half the diagonal; of a polygon, the distance to the farthest corner of its
	// box.
	radius    float64
	vertices  []Point // of a polygon
	older     bool    // distances are those of OlderDistance
	low, high Point   // the southwest and the northeast of a polygon

	// Computed once for the estimates of Find:
	lon, lat       float64 // of the center, in radians
	sinLat, cosLat float64
	across, up     bound // of a circle both are the radius
	window         window
}

// Circle returns the area of points that are at most radius metres from center.
func Circle(center Point, radius float64) Area {
	limit := boundOf(radius)
	return Area{radius: radius, across: limit, up: limit}.around(center)
}

// Box returns the area of points that are at most half of width metres east or west of center and
// half of height north or south.
func Box(center Point, width, height float64) Area {
	diagonal := math.Sqrt(float64(width/2*(width/2)) + float64(height/2*(height/2)))
	return Area{isBox: true, width: width, height: height, radius: diagonal,
		across: boundOf(width / 2), up: boundOf(height / 2)}.around(center)
}

// Older returns the area with distances as they were before Redis 7.0.
func (a Area) Older() Area {
	a.older = true
	return a
}

// metres returns the distance between two points.
func (a *Area) metres(p, q Point) float64 {
	if a.older {
		return OlderDistance(p, q)
	}
	return Distance(p, q)
}

func (a Area) around(center Point) Area {
	a.Center = center
	a.lon, a.lat = radians(center.Lon), radians(center.Lat)
	a.sinLat, a.cosLat = math.Sincos(a.lat)
	a.window = a.enclosure()
	return a
}

// bound is a distance in haversines. An estimate below inside is certainly within the distance, one
// above outside is certainly beyond it, and one between the two needs the exact computation. angle
// is the distance in radians, rounded up.
type bound struct{ inside, outside, angle float64 }

// margin is an upper limit for the relative error of an estimated haversine. The actual error is
// about 1e-15.
const margin = 1e-12

func boundOf(metres float64) bound {
	angle := metres / earthRadius * (1 + margin)
	if angle > math.Pi {
		return bound{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	s := math.Sin(metres / (2 * earthRadius))
	return bound{s * s * (1 - margin), s * s * (1 + margin), angle}
}

// Hit is a score whose point lies in an area.
type Hit struct {
	Score float64
	near  float64 // haversine of the distance to the center, by estimate
}

// Find returns a score as a hit; false if its point lies outside of the area. About 15 ns, 3 ns for
// a point outside of the area's window, or 200 ns at the very edge.
func (a *Area) Find(score float64) (hit Hit, ok bool) {
	hash := truncated(score)
	if !a.window.holds(hash) {
		return hit, false
	}
	p := cellAt(hash).middle()
	sinUp, sinAcross := sineOf((radians(p.Lat)-a.lat)/2), sineOf((radians(p.Lon)-a.lon)/2)
	u, v := sinUp*sinUp, sinAcross*sinAcross
	// The cosine of p's latitude, by the addition theorem: no further call of a trigonometric
	// function.
	cos := a.cosLat*(1-2*u) - a.sinLat*2*sinUp*math.Sqrt(1-u)
	hit = Hit{score, u + a.cosLat*cos*v}
	switch {
	case a.isBox:
		return hit, a.holds(p, u, cos*cos*v)
	case a.vertices != nil:
		return hit, encloses(a.vertices, p)
	}
	switch {
	case hit.near < a.across.inside:
		return hit, true
	case hit.near > a.across.outside:
		return hit, false
	}
	return hit, a.metres(a.Center, p) <= a.radius
}

// sineOf returns the sine of x. For small x it uses a short series, which is exact enough for an
// estimate.
func sineOf(x float64) float64 {
	square := x * x
	if square > 1./256 {
		return math.Sin(x)
	}
	return x - x*square*(1./6-square*(1./120-square*(1./5040-square*(1./362880))))
}

// holds reports whether a box contains a point. u and v are the haversines of the distances along
// the point's meridian and along its parallel.
func (a *Area) holds(p Point, u, v float64) bool {
	switch {
	case v > a.across.outside:
		return false
	case u < a.up.inside && v < a.across.inside:
		return true
	}
	return a.metres(p, Point{p.Lon, a.Center.Lat}) <= a.height/2 &&
		a.metres(p, Point{a.Center.Lon, p.Lat}) <= a.width/2
}

// Distance returns the metres from the center to a hit.
func (a *Area) Distance(h Hit) float64 { return a.metres(a.Center, PointOf(h.Score)) }

// Compare returns -1, 0 or 1 as the distance to x is less than, equal to or greater than that to y.
func (a *Area) Compare(x, y Hit) int {
	switch slack := x.near * margin; {
	case x.near < y.near-slack:
		return -1
	case x.near > y.near+slack:
		return 1
	case x.Score == y.Score:
		return 0
	}
	return cmp.Compare(a.Distance(x), a.Distance(y))
}

// Span is the scores from Min up to but without Max.
type Span struct{ Min, Max float64 }

// AppendSpans appends the spans of scores that contain all points of the area: at most nine,
// disjoint, in the order in which Redis visits its cells. Unlike Redis' cells, each span begins at
// the first score inside the area's window and ends after the last one.
func (a *Area) AppendSpans(dst []Span) []Span {
	low, high := a.corners()
	c := cellOf(a.Center, maxLat, a.step())
	if c.step > 1 && !c.reaches(low, high) {
		c = cellOf(a.Center, maxLat, c.step-1)
	}
	var last cell
	for _, d := range directions {
		if c.step >= 2 && c.skips(d, low, high) {
			continue
		}
		at := c.next(d.columns, d.rows)
		if at == last { // in a grid of two rows and columns opposite neighbours are the same cell
			continue
		}
		last = at
		if span, ok := a.window.clip(at); ok {
			dst = append(dst, span)
		}
	}
	return dst
}

// direction says where a neighbour lies.
type direction struct{ columns, rows int }

// directions are those of the center and its neighbours, in Redis' order.
var directions = [...]direction{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}

// span returns the scores of the points in the cell.
func (c cell) span() Span {
	shift := 2 * (steps - c.step)
	return Span{float64(c.bits() << shift), float64((c.bits() + 1) << shift)}
}

// step estimates the finest grid in which nine cells cover the area. Cells become narrower towards
// the poles, so the grid is coarser there.
func (a *Area) step() int {
	if a.radius == 0 {
		return steps
	}
	step := -1
	for r := a.radius; r < mercatorMax; r *= 2 {
		step++
	}
	switch lat := math.Abs(a.Center.Lat); {
	case lat > 80:
		step -= 2
	case lat > 66:
		step--
	}
	return min(max(step, 1), steps)
}

// corners returns the southwest and the northeast of a box around the area.
func (a *Area) corners() (low, high Point) {
	if a.vertices != nil {
		return a.low, a.high
	}
	across, up := a.radius, a.radius
	if a.isBox {
		across, up = a.width/2, a.height/2
	}
	up = degrees(up / earthRadius)
	widest := a.Center.Lat + up
	if a.Center.Lat < 0 {
		widest = a.Center.Lat - up
	}
	across = degrees(across / earthRadius / libm.Cos(radians(widest)))
	return Point{a.Center.Lon - across, a.Center.Lat - up}, Point{a.Center.Lon + across, a.Center.Lat + up}
}

// reaches reports whether the cell's neighbours cover the box from low to high.
func (c cell) reaches(low, high Point) bool {
	return !(c.next(0, 1).north() < high.Lat || c.next(0, -1).south() > low.Lat ||
		c.next(1, 0).east() < high.Lon || c.next(-1, 0).west() > low.Lon)
}

// skips reports whether the neighbour in a direction contains nothing of the box from low to high,
// because the cell itself extends beyond the box on that side.
func (c cell) skips(d direction, low, high Point) bool {
	return d.rows < 0 && c.south() < low.Lat || d.rows > 0 && c.north() > high.Lat ||
		d.columns < 0 && c.west() < low.Lon || d.columns > 0 && c.east() > high.Lon
}
