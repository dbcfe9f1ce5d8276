package geohash

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/libm"
)

// Polygon returns the area inside of a polygon of at least three vertices. Its edges are straight
// on a map whose axes are longitude and latitude, and do not cross 180 degrees. Where they cross
// each other, every other part is inside. Its center is the mean of the vertices on the globe, as
// in Valkey 9.0.
func Polygon(vertices []Point) Area {
	a := Area{vertices: vertices, low: vertices[0], high: vertices[0]}
	var x, y, z float64
	for _, v := range vertices {
		a.low = Point{min(a.low.Lon, v.Lon), min(a.low.Lat, v.Lat)}
		a.high = Point{max(a.high.Lon, v.Lon), max(a.high.Lat, v.Lat)}
		lon, lat := radians(v.Lon), radians(v.Lat)
		x += libm.Cos(lat) * libm.Cos(lon)
		y += libm.Cos(lat) * libm.Sin(lon)
		z += libm.Sin(lat)
	}
	center := Point{degrees(libm.Atan2(y, x)), degrees(libm.Atan2(z, math.Sqrt(float64(x*x)+float64(y*y))))}
	for _, corner := range []Point{a.low, {a.low.Lon, a.high.Lat}, a.high, {a.high.Lon, a.low.Lat}} {
		a.radius = max(a.radius, Distance(center, corner))
	}
	return a.around(center)
}

// encloses reports whether a polygon contains a point: whether a ray to the east crosses an odd
// number of its edges.
func encloses(vertices []Point, p Point) (inside bool) {
	before := vertices[len(vertices)-1]
	for _, v := range vertices {
		if (v.Lat > p.Lat) != (before.Lat > p.Lat) &&
			p.Lon < float64((before.Lon-v.Lon)*(p.Lat-v.Lat))/(before.Lat-v.Lat)+v.Lon {
			inside = !inside
		}
		before = v
	}
	return inside
}
