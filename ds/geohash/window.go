package geohash

import "math"

// A window is a rectangle of smallest cells that contains all of an area, at most the whole map.
// Points outside of it need no distance, and a search skips most of them.
//
//	hash   x25 y25 x24 y24 ... x0 y0   Masked to the bits of x, hashes compare as their columns
//	                                   do; masked to the bits of y, as their rows. So a hash is in
//	                                   the window if both of its halves lie between those of the
//	                                   corners, without decoding.
type window struct {
	west, south, east, north uint32 // columns and rows, inclusive
	low, high                uint64 // hashes of the southwest and the northeast
}

// Masks for the bits of columns and of rows in a hash, and the number of hashes.
const (
	columnBits = 0xaaaaaaaaaaaaa
	rowBits    = 0x5555555555555
	hashes     = 1 << (2 * steps)
)

// globe is the window of the whole map.
func globe() window { return windowOf(0, 0, 1<<steps-1, 1<<steps-1) }

func windowOf(west, south, east, north uint32) window {
	return window{west, south, east, north,
		cell{x: west, y: south, step: steps}.bits(), cell{x: east, y: north, step: steps}.bits()}
}

// enclosure returns the window of the area. The window of an area that crosses 180 degrees has all
// columns.
func (a *Area) enclosure() window {
	w := globe()
	if a.vertices != nil {
		w.west, w.east = strip(a.low.Lon, a.high.Lon, maxLon)
		w.south, w.north = strip(a.low.Lat, a.high.Lat, maxLat)
		return windowOf(w.west, w.south, w.east, w.north)
	}
	if !(a.up.angle < math.Pi/2) { // also if it is NaN
		return w
	}
	up := degrees(a.up.angle)
	w.south, w.north = strip(a.Center.Lat-up, a.Center.Lat+up, maxLat)
	// Meridians come closest to each other at the end of the area that is nearest to a pole.
	narrow := math.Cos(min(math.Abs(a.lat)+a.up.angle, math.Pi/2))
	share := a.across.outside / (narrow * narrow)
	if !a.isBox {
		share = a.across.outside / (narrow * a.cosLat)
	}
	if share < 1 {
		across := degrees(2 * math.Asin(math.Sqrt(share)) * (1 + margin))
		if low, high := a.Center.Lon-across, a.Center.Lon+across; low >= -maxLon && high <= maxLon {
			w.west, w.east = strip(low, high, maxLon)
		}
	}
	return windowOf(w.west, w.south, w.east, w.north)
}

// strip returns the columns or rows from low to high on an axis from -top to top, and one more at
// either end against errors of rounding.
func strip(low, high, top float64) (first, last uint32) {
	at := func(f float64) float64 { return min(max((f+top)/(2*top)*(1<<steps), 0), 1<<steps-1) }
	return uint32(max(at(low)-1, 0)), uint32(min(at(high)+1, 1<<steps-1))
}

// holds reports whether a hash is in the window. A number beyond all hashes counts as inside: its
// point is somewhere, and Find measures it.
func (w *window) holds(hash uint64) bool {
	x, y := hash&columnBits, hash&rowBits
	return x >= w.low&columnBits && x <= w.high&columnBits && y >= w.low&rowBits && y <= w.high&rowBits ||
		hash >= hashes
}

// clip returns the scores of the cell's points from the first in the window to the last; false if
// there is none.
func (w *window) clip(c cell) (s Span, ok bool) {
	if c.x>>c.step != 0 || c.y>>c.step != 0 {
		return c.span(), true // beyond the end of the map
	}
	shift := steps - c.step
	west, south := max(c.x<<shift, w.west), max(c.y<<shift, w.south)
	east, north := min((c.x+1)<<shift-1, w.east), min((c.y+1)<<shift-1, w.north)
	if west > east || south > north {
		return s, false
	}
	inner := windowOf(west, south, east, north)
	return Span{float64(inner.low), float64(inner.high + 1)}, true
}

// next returns the first hash in the window from the given one on; false if there is none. It is
// the search for BIGMIN of Tropf and Herzog, "Multidimensional range search in dynamically balanced
// trees" (1981).
func (w *window) next(hash uint64) (next uint64, ok bool) {
	low, high := w.low, w.high
	for bit := uint64(hashes >> 1); bit != 0; bit >>= 1 {
		lower := (bit - 1) & columnBits // of the same axis
		if bit&rowBits != 0 {
			lower = (bit - 1) & rowBits
		}
		if low&bit == high&bit {
			switch {
			case hash&bit < low&bit:
				return low, true // every hash from low to high is greater
			case hash&bit > low&bit:
				return next, ok
			}
			continue
		}
		if hash&bit == 0 {
			next, ok = low&^lower|bit, true // the least of the upper half, if the lower half has none
			high = high&^bit | lower
		} else {
			low = low&^lower | bit
		}
	}
	return hash, true
}

// Next returns the least score, from the given one on, whose point may lie in the area. It returns
// a score that is no hash unchanged. About 100 ns.
func (a *Area) Next(score float64) float64 {
	if !(score >= 0 && score < hashes) {
		return score
	}
	hash, ok := a.window.next(uint64(score))
	if !ok {
		return hashes
	}
	return max(score, float64(hash))
}
