package engine

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/resp"
)

// Geo is the family of commands on places: members of sorted sets whose scores are geohashes.
func Geo() Family {
	return Family{Group: "geo", Commands: []Command{
		{Name: "geoadd", Arity: -5, Flags: Write | DenyOOM, Keys: Key(1), Run: cmdGeoAdd, Since: "3.2.0",
			Summary: "Adds one or more members to a geospatial index. The key is created if it doesn't exist."},
		{Name: "geopos", Arity: -2, Flags: ReadOnly, Keys: Key(1), Run: cmdGeoPos, Since: "3.2.0",
			Summary: "Returns the longitude and latitude of members from a geospatial index."},
		{Name: "geodist", Arity: -4, Flags: ReadOnly, Keys: Key(1), Run: cmdGeoDist, Since: "3.2.0",
			Summary: "Returns the distance between two members of a geospatial index."},
		{Name: "geohash", Arity: -2, Flags: ReadOnly, Keys: Key(1), Run: cmdGeoHash, Since: "3.2.0",
			Summary: "Returns members from a geospatial index as geohash strings."},
		{Name: "geosearch", Arity: -7, Flags: ReadOnly, Keys: Key(1), Run: cmdGeoSearch, Since: "6.2.0",
			Summary: "Queries a geospatial index for members inside an area of a box or a circle."},
		{Name: "geosearchstore", Arity: -8, Flags: Write | DenyOOM, Keys: KeyRange(1, 2, 1), Run: cmdGeoSearchStore, Since: "6.2.0",
			Summary: "Queries a geospatial index for members inside an area of a box or a circle, optionally stores the result."},
		{Name: "georadius", Arity: -6, Flags: Write | DenyOOM, Keys: storeKeys(6), Run: cmdGeoRadius, Since: "3.2.0",
			Summary: "Queries a geospatial index for members within a distance from a coordinate, optionally stores the result."},
		{Name: "georadius_ro", Arity: -6, Flags: ReadOnly, Keys: Key(1), Run: cmdGeoRadiusRO, Since: "3.2.10",
			Summary: "Returns members from a geospatial index that are within a distance from a coordinate."},
		{Name: "georadiusbymember", Arity: -5, Flags: Write | DenyOOM, Keys: storeKeys(5), Run: cmdGeoRadiusByMember, Since: "3.2.0",
			Summary: "Queries a geospatial index for members within a distance from a member, optionally stores the result."},
		{Name: "georadiusbymember_ro", Arity: -5, Flags: ReadOnly, Keys: Key(1), Run: cmdGeoRadiusByMemberRO, Since: "3.2.10",
			Summary: "Returns members from a geospatial index that are within a distance from a member."},
	}}
}

// storeKeys is the key at position 1 and those behind the words STORE and STOREDIST, from position
// from on.
func storeKeys(from int) Keys {
	k := Key(1)
	k.Find = func(args [][]byte) (at []int, ok bool) {
		at = append(at, 1)
		for _, word := range []string{"STORE", "STOREDIST"} {
			for i := from; i+1 < len(args); i++ {
				if IsWord(args[i], word) {
					at = append(at, i+1)
					break
				}
			}
		}
		return at, true
	}
	return k
}

// GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]
func cmdGeoAdd(c *Call) {
	key := c.Arg()
	o := c.placeConditions()
	places := c.Rest()
	if len(places)%3 != 0 || len(places) == 0 || o.nx && o.xx {
		c.Refuse(ErrSyntax)
	}
	var room [8]float64
	scores := room[:0]
	for i := 0; i+2 < len(places) && !c.Failed(); i += 3 {
		scores = append(scores, c.place(places[i], places[i+1]).Score())
	}
	s, found := c.forScores(key, o)
	if !c.OK() {
		return
	}
	var done tally
	for i := 0; found && i < len(scores); i++ {
		c.addScore(s, places[3*i+2], scores[i], &o, &done)
	}
	c.tellScores(key, &o, &done)
}

// placeConditions reads those of ZADD's options that GEOADD has.
func (c *Call) placeConditions() (o conditions) {
	for {
		switch {
		case c.Word("NX"):
			o.nx = true
		case c.Word("XX"):
			o.xx = true
		case c.Word("CH"):
			o.ch = true
		default:
			return o
		}
	}
}

// place reads a longitude and a latitude. What is no place latches an error.
func (c *Call) place(lon, lat []byte) geohash.Point {
	p := geohash.Point{Lon: c.coordinate(lon), Lat: c.coordinate(lat)}
	if !p.Valid() {
		c.Refusef(ErrPlace, plain(p.Lon), plain(p.Lat))
	}
	return p
}

func (c *Call) coordinate(arg []byte) float64 {
	f, ok := resp.ParseFloat(arg)
	if !ok || math.IsNaN(f) {
		c.Refuse(ErrNotFloat)
	}
	return f
}

// plain is C's %f.
func plain(f float64) string {
	if math.IsInf(f, 0) {
		return string(resp.FormatDouble(nil, f))
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// unit reads a unit of length and returns its metres. To Redis the unit is a C string.
func (c *Call) unit() float64 {
	name, _, _ := bytes.Cut(c.Arg(), []byte{0})
	switch {
	case IsWord(name, "M"):
		return 1
	case IsWord(name, "KM"):
		return 1000
	case IsWord(name, "FT"):
		return 0.3048
	case IsWord(name, "MI"):
		return 1609.34
	}
	c.Refuse(ErrUnit)
	return 1
}

// placeOf returns where a member is; false if it is not in the set.
func placeOf(s *zset.Set, member []byte) (p geohash.Point, ok bool) {
	score, ok := s.Score(member)
	if !ok {
		return p, false
	}
	return geohash.PointOf(score), true
}

// GEOPOS key [member [member ...]]
func cmdGeoPos(c *Call) {
	key, members := c.Arg(), c.Rest()
	s, ok := c.readZSet(key)
	if !ok {
		return
	}
	c.Reply.Array(len(members))
	for _, member := range members {
		if p, ok := placeOf(s, member); ok {
			c.tellPlace(p)
		} else {
			c.Reply.NullArray()
		}
	}
}

func (c *Call) tellPlace(p geohash.Point) {
	c.Reply.Array(2)
	c.Reply.HumanDouble(p.Lon)
	c.Reply.HumanDouble(p.Lat)
}

// GEODIST key member1 member2 [M | KM | FT | MI]
func cmdGeoDist(c *Call) {
	key, first, second := c.Arg(), c.Arg(), c.Arg()
	metres := 1.
	if c.Left() == 1 {
		metres = c.unit()
	}
	c.End()
	if !c.OK() {
		return
	}
	s, ok := c.readZSet(key)
	if !ok {
		return
	}
	a, found := placeOf(s, first)
	b, both := placeOf(s, second)
	if !found || !both {
		c.Reply.Null()
		return
	}
	c.tellDistance(geohash.Distance(a, b) / metres)
}

// tellDistance replies with four decimals, as a string even in RESP3.
func (c *Call) tellDistance(d float64) { c.Reply.Bulk(appendFixed(c.Scratch(), d)) }

// appendFixed appends C's %.4f of a distance. strconv would compute all digits for it.
func appendFixed(dst []byte, d float64) []byte {
	const decimals = 10_000
	scaled := d * decimals
	if !(scaled >= 0 && scaled < 1<<52) {
		return strconv.AppendFloat(dst, d, 'f', 4, 64)
	}
	n := uint64(scaled)
	rest := scaled - float64(n) - 0.5 // exact
	lost := math.FMA(d, decimals, -scaled)
	if rest > 0 && rest > -lost || rest == 0 && (lost > 0 || lost == 0 && n&1 != 0) || rest < 0 && lost > -rest {
		n++
	}
	dst = strconv.AppendUint(dst, n/decimals, 10)
	n = n%decimals + decimals // the digit in front becomes the point
	at := len(dst)
	dst = strconv.AppendUint(dst, n, 10)
	dst[at] = '.'
	return dst
}

// GEOHASH key [member [member ...]]
func cmdGeoHash(c *Call) {
	key, members := c.Arg(), c.Rest()
	s, ok := c.readZSet(key)
	if !ok {
		return
	}
	c.Reply.Array(len(members))
	for _, member := range members {
		if p, ok := placeOf(s, member); ok {
			c.Reply.Bulk(p.AppendText(c.Scratch()))
		} else {
			c.Reply.Null()
		}
	}
}
