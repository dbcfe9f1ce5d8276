package geohash

import (
	"math"

	"github.com/miniserver-go/miniserver/elementary"
)

// earthRadius is the mean radius in metres, with Redis' digits.
const earthRadius = 6372797.560856

// mercatorMax is half the map's width in metres.
const mercatorMax = 20037726.37

// Distance returns the metres between two points along the surface.
func Distance(a, b Point) float64 {
	latA, latB := radians(a.Lat), radians(b.Lat)
	v := elementary.Sin((radians(b.Lon) - radians(a.Lon)) / 2)
	if v == 0 {
		return earthRadius * math.Abs(latB-latA)
	}
	u := elementary.Sin((latB - latA) / 2)
	cosines := elementary.Cos(latA) * elementary.Cos(latB)
	return arcOf(float64(u*u) + float64(float64(cosines*v)*v))
}

// arcOf returns the metres between points whose haversine is h.
func arcOf(h float64) float64 { return 2 * earthRadius * elementary.Asin(math.Sqrt(h)) }

// Area is a circle or a box around a center.
type Area struct {
	Center        Point
	isBox         bool
	width, height float64 // metres from edge to edge
	radius        float64 // metres; of a box, half the diagonal

	// Of the center and of the limits, for the quick estimate.
	lon, lat, cosLat float64 // radians
	across, up       bound   // of a circle both are the radius'
}

// Circle returns the area of points that are at most radius metres from center.
func Circle(center Point, radius float64) Area {
	a := Area{Center: center, radius: radius, across: boundOf(radius)}
	return a.measured()
}

// Box returns the area of points that are at most half of width metres east or west of center and half
// of height north or south.
func Box(center Point, width, height float64) Area {
	a := Area{Center: center, isBox: true, width: width, height: height, across: boundOf(width / 2), up: boundOf(height / 2)}
	a.radius = math.Sqrt(float64(width/2*(width/2)) + float64(height/2*(height/2)))
	return a.measured()
}

func (a Area) measured() Area {
	a.lon, a.lat = radians(a.Center.Lon), radians(a.Center.Lat)
	a.cosLat = math.Cos(a.lat)
	return a
}

// Distance returns the metres from the center to p.
func (a *Area) Distance(p Point) float64 { return Distance(a.Center, p) }

// bound is a distance as a haversine, between two values so close that only an exact computation can
// tell what lies between them from the distance.
type bound struct{ inside, outside float64 }

func boundOf(metres float64) bound {
	const margin = 1e-12 // an estimate errs by 1e-15
	if metres >= earthRadius*math.Pi*(1+margin) {
		return bound{math.Inf(1), math.Inf(1)}
	}
	s := math.Sin(metres / (2 * earthRadius))
	return bound{s * s * (1 - margin), s * s * (1 + margin)}
}

// Contains reports whether p lies in the area. About 20 ns, or 200 ns at the very edge.
func (a *Area) Contains(p Point) bool {
	lat := radians(p.Lat)
	u := math.Sin((lat - a.lat) / 2)
	u *= u
	if a.isBox {
		return a.boxContains(p, lat, u)
	}
	if u > a.across.outside {
		return false
	}
	v := math.Sin((radians(p.Lon) - a.lon) / 2)
	switch h := u + a.cosLat*math.Cos(lat)*v*v; {
	case h < a.across.inside:
		return true
	case h > a.across.outside:
		return false
	}
	return Distance(a.Center, p) <= a.radius
}

// boxContains is Contains for a box and a point whose distance along the meridian has the haversine u.
func (a *Area) boxContains(p Point, lat, u float64) bool {
	if u > a.up.outside {
		return false
	}
	v := math.Cos(lat) * math.Sin((radians(p.Lon)-a.lon)/2)
	switch v *= v; {
	case v > a.across.outside:
		return false
	case u < a.up.inside && v < a.across.inside:
		return true
	}
	return Distance(p, Point{p.Lon, a.Center.Lat}) <= a.height/2 &&
		Distance(p, Point{a.Center.Lon, p.Lat}) <= a.width/2
}

// Span is the scores from Min up to but without Max.
type Span struct{ Min, Max float64 }

// AppendSpans appends the spans of scores outside of which no point of the area lies, at most nine, none
// twice, in the order in which Redis looks at them.
func (a *Area) AppendSpans(dst []Span) []Span {
	low, high := a.corners()
	c := cellOf(a.Center, maxLat, a.step())
	if c.step > 1 && !c.reaches(low, high) {
		c = cellOf(a.Center, maxLat, c.step-1)
	}
	var last cell
	for _, way := range ways {
		if c.step >= 2 && c.useless(way, low, high) {
			continue
		}
		if at := c.next(way.columns, way.rows); at != last { // in a small grid east is west
			dst = append(dst, at.span())
			last = at
		}
	}
	return dst
}

// way is where a neighbour lies.
type way struct{ columns, rows int }

// ways are the center and its neighbours in Redis' order.
var ways = [...]way{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}

// span returns the scores of the points in the cell.
func (c cell) span() Span {
	shift := 2 * (steps - c.step)
	return Span{float64(c.bits() << shift), float64((c.bits() + 1) << shift)}
}

// step estimates how fine the grid may be for nine cells to cover the area: the cells grow narrow
// towards the poles.
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
	across, up := a.radius, a.radius
	if a.isBox {
		across, up = a.width/2, a.height/2
	}
	up = degrees(up / earthRadius)
	widest := a.Center.Lat + up
	if a.Center.Lat < 0 {
		widest = a.Center.Lat - up
	}
	across = degrees(across / earthRadius / elementary.Cos(radians(widest)))
	return Point{a.Center.Lon - across, a.Center.Lat - up}, Point{a.Center.Lon + across, a.Center.Lat + up}
}

// reaches reports whether the cell's neighbours cover the box from low to high.
func (c cell) reaches(low, high Point) bool {
	return !(c.next(0, 1).north() < high.Lat || c.next(0, -1).south() > low.Lat ||
		c.next(1, 0).east() < high.Lon || c.next(-1, 0).west() > low.Lon)
}

// useless reports whether the neighbour there has nothing of the box from low to high, because the cell
// itself goes beyond it.
func (c cell) useless(w way, low, high Point) bool {
	return w.rows < 0 && c.south() < low.Lat || w.rows > 0 && c.north() > high.Lat ||
		w.columns < 0 && c.west() < low.Lon || w.columns > 0 && c.east() > high.Lon
}
