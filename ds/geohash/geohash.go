// Package geohash encodes places on a globe as numbers that keep neighbours together, and finds the
// numbers of the places inside a circle or a box.
//
//	longitude -180 .. 180   ─▶ x, 26 bits ┐
//	latitude  -85.05 .. 85.05 ▶ y, 26 bits ┴▶ x25 y25 x24 y24 ... x0 y0  52 bits, exact as float64
//
//	nw | n | ne   An area is covered by the cell that contains its center and the eight cells
//	w  | c | e    around it. Each is a square of a grid of 2^step by 2^step cells. The hashes in
//	sw | s | se   a cell are one run of numbers.
//
// Invariants:
//
//  1. Hashes, decoded places and the order of spans are bit for bit those of Redis; no operation is
//     fused or reordered.
//  2. Distance computes the haversine formula with correctly rounded functions, in the order of
//     Redis' operations. C's functions are not always correctly rounded, and differ between
//     processors: about one distance in a hundred differs from Redis' in its last bit, a nanometre.
//  3. Find and Compare give the same results as comparisons of these distances.
//
// Non-goals: the poles beyond 85.05 degrees, which Mercator's projection leaves out, and shapes
// other than circles, boxes and polygons.
//
// Redis computes the distance of every candidate. Find and Compare use a quick estimate, and
// compute exactly only where the estimate is too close to decide.
package geohash

import "math"

// The bounds of what can be encoded, in degrees.
const (
	maxLon = 180.
	maxLat = 85.05112878
)

// steps is the number of bits for each coordinate in a full hash.
const steps = 26

// Point is a place, in degrees.
type Point struct{ Lon, Lat float64 }

// Valid reports whether the point can be encoded.
func (p Point) Valid() bool {
	return p.Lon >= -maxLon && p.Lon <= maxLon && p.Lat >= -maxLat && p.Lat <= maxLat
}

// Hash returns the hash of a valid point. At the eastern and northern edges it has more bits than a
// score keeps.
func (p Point) Hash() uint64 { return cellOf(p, maxLat, steps).bits() }

// Score returns the hash of a valid point as the score of a sorted set's member.
func (p Point) Score() float64 { return float64(p.Hash()) }

// PointOf returns the middle of the smallest cell that a score denotes. It is within the bounds for
// any score.
func PointOf(score float64) Point { return cellAt(truncated(score)).middle() }

// alphabet is that of the usual geohashes.
const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"

// TextLen is the length of a point's text.
const TextLen = 11

// AppendText appends the point's usual geohash, in which latitudes go to 90 degrees. 52 bits are
// ten letters; the eleventh is always 0, as in Redis.
func (p Point) AppendText(dst []byte) []byte {
	bits := cellOf(p, 90, steps).bits()
	for shift := 2*steps - 5; shift >= 0; shift -= 5 {
		dst = append(dst, alphabet[bits>>shift&31])
	}
	return append(dst, alphabet[0])
}

// cell is a square of the grid with 2^step columns and rows. At the very end of the map x or y is
// 2^step, as in Redis.
type cell struct {
	x, y uint32
	step int
}

// cellOf returns the cell that contains p, on a map whose latitudes go from -top to top.
func cellOf(p Point, top float64, step int) cell {
	n := float64(uint64(1) << step)
	x := (p.Lon + maxLon) / (2 * maxLon)
	y := (p.Lat + top) / (2 * top)
	return cell{uint32(x * n), uint32(y * n), step}
}

// cellAt is the smallest cell with the given hash.
func cellAt(bits uint64) cell { return cell{gather(bits >> 1), gather(bits), steps} }

// bits returns the cell's hash, of 2*step bits.
func (c cell) bits() uint64 { return spread(c.x)<<1 | spread(c.y) }

// next returns the cell some columns and rows away, around the globe if need be.
func (c cell) next(columns, rows int) cell {
	mask := uint32(1)<<c.step - 1
	if columns != 0 {
		c.x = (c.x + uint32(columns)) & mask
	}
	if rows != 0 {
		c.y = (c.y + uint32(rows)) & mask
	}
	return c
}

// edge returns where column or row i begins on an axis from -top to top.
func (c cell) edge(i uint32, top float64) float64 {
	share := float64(i) * math.Float64frombits(uint64(1023-c.step)<<52) // i / 2^step, exactly
	return -top + float64(share*(2*top))
}

func (c cell) west() float64  { return c.edge(c.x, maxLon) }
func (c cell) east() float64  { return c.edge(c.x+1, maxLon) }
func (c cell) south() float64 { return c.edge(c.y, maxLat) }
func (c cell) north() float64 { return c.edge(c.y+1, maxLat) }

func (c cell) middle() Point {
	lon, lat := (c.west()+c.east())/2, (c.south()+c.north())/2
	return Point{min(max(lon, -maxLon), maxLon), min(max(lat, -maxLat), maxLat)}
}

// truncated converts a float as C on x86 converts it to an unsigned integer, also if it does not
// fit. Go leaves that case to the processor.
func truncated(f float64) uint64 {
	const half = 1 << 63
	switch {
	case f >= 2*half:
		return 0
	case f >= half:
		return uint64(f-half) | half
	case f < -half:
		return half
	}
	return uint64(int64(f))
}

// spread puts the bits of v into the even places.
func spread(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// gather is the reverse of spread; the bits in the odd places do not matter.
func gather(x uint64) uint32 {
	x &= 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}

// radians returns an angle given in degrees.
func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }

func degrees(radians float64) float64 { return radians / (math.Pi / 180) }
