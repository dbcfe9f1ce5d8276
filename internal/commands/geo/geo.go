// Package geo is the family of geospatial commands. A geospatial index is a sorted set: the score
// of a member is the geohash of its coordinates, 52 bits, which a float64 holds exactly. See
// [geohash].
//
//	geo.go     the table of commands; GEOADD, GEOPOS, GEODIST, GEOHASH
//	search.go  GEOSEARCH, GEORADIUS and their variants
//
// A search covers its area with up to nine ranges of scores, the cells of a grid and their
// neighbours. It walks the members in each range and skips what lies outside of the area. The hits
// come in the order of Redis'.
//
// BYPOLYGON is an option of Valkey 9.0; Redis has none. Valkey finds nothing, or not all, in a
// polygon around a pole.
//
// Differs from Redis: the last bit of some distances, a nanometre, because the trigonometric
// functions differ.
package geo

import (
	"bytes"
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// wordings are the errors of older releases.
var wordings = []command.Wording{
	{Before: "7.0.0", Error: errUnit, Was: "ERR unsupported unit provided. please use m, km, ft, mi"},
	{Before: "7.0.0", Error: errStoreWith,
		Was: "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORDS options"},
	{Since: "valkey:9.1.0", Error: errNoMember, Was: "ERR member %s does not exist"},
	{Since: "valkey:9.1.0", Error: errNoShape,
		Was: "ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for %s"},
}

// Family is the family of geospatial commands.
var Family = command.Family{Group: "geo", Wordings: wordings, Commands: []command.Line{
	{Name: "geoadd", Arity: -5, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
		Run: cmdGeoAdd, Reply: "integer", Since: "3.2.0",
		Syntax: "key condition=[NX|XX]@6.2.0 [change=CH]@6.2.0 data(/longitude_latitude_member)=<longitude " +
			"latitude member>...",
		Summary:    "Adds one or more members to a geospatial index. The key is created if it doesn't exist.",
		Complexity: "O(log N) for each member added, N being the number of members of the sorted set",
		History:    "6.2.0 The options `CH`, `NX` and `XX`."},
	{Name: "geopos", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGeoPos, Reply: "array", Since: "3.2.0",
		Was:    []command.Was{{Before: "7.2.0", Edit: command.Writes("[member...]", "member...")}},
		Syntax: "key [member...]", Summary: "Returns the longitude and latitude of members from a geospatial index.",
		Complexity: "O(N), N being the number of members asked for"},
	{Name: "geodist", Arity: -4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGeoDist, Reply: "text?", Since: "3.2.0", Syntax: "key member1 member2 unit=[M|KM|FT|MI]",
		Summary:    "Returns the distance between two members of a geospatial index.",
		Complexity: "O(log N), N being the number of members"},
	{Name: "geohash", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGeoHash, Reply: "texts?", Since: "3.2.0",
		Was:    []command.Was{{Before: "7.2.0", Edit: command.Writes("[member...]", "member...")}},
		Syntax: "key [member...]", Summary: "Returns members from a geospatial index as geohash strings.",
		Complexity: "O(N), N being the number of members asked for"},
	{Name: "geosearch", Arity: -7, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGeoSearch, Reply: "array", Since: "6.2.0", Was: fromHere,
		Syntax: "key from=[FROMMEMBER member|fromlonlat(/longitude_latitude)=<FROMLONLAT longitude " +
			"latitude>] by=<circle=<<BYRADIUS radius> unit=<M|KM|FT|MI>>|box=<<BYBOX " +
			"width> height unit=<M|KM|FT|MI>>|polygon=<<BYPOLYGON num-vertices:integer> vertices=<longitude " +
			"latitude>...>@valkey:9.0.0> order=[ASC|DESC] count-block(/count)=[<COUNT count> [ANY]] [WITHCOORD] " +
			"[WITHDIST] [WITHHASH]",
		Summary: "Queries a geospatial index for members inside an area of a box or a circle.",
		Complexity: "O(N + log M), N being the number of members in the area's bounding box, " +
			"and M the number of those in the area",
		History: "7.0.0 Units may be in capitals.\nvalkey:9.0.0 The option `BYPOLYGON`."},
	{Name: "geosearchstore", Arity: -8, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "OW update").And(command.Key(2, "RO access")),
		Run:  cmdGeoSearchStore, Reply: "integer", Since: "6.2.0", Was: fromHere,
		Syntax: "destination source from=[FROMMEMBER member|fromlonlat(/longitude_latitude)=<FROMLONLAT " +
			"longitude latitude>] by=<circle=<<BYRADIUS radius> unit=<M|KM|FT|MI>>|box=<<BYBOX " +
			"width> height unit=<M|KM|FT|MI>>|polygon=<<BYPOLYGON num-vertices:integer> vertices=<longitude " +
			"latitude>...>@valkey:9.0.0> order=[ASC|DESC] count-block(/count)=[<COUNT count> [ANY]] [STOREDIST]",
		Summary: "Queries a geospatial index for members inside an area of a box or a circle, " +
			"optionally stores the result.",
		Complexity: "O(N + log M), N being the number of members in the area's bounding box, " +
			"and M the number of those in the area",
		History: "7.0.0 Units may be in capitals.\nvalkey:9.0.0 The option `BYPOLYGON`."},
	{Name: "georadius", Arity: -6, Flags: command.Write | command.DenyOOM,
		Keys: storeKeys(6, "OW update variable_flags").FoundBy(storedLast(5)),
		Run:  cmdGeoRadius, Reply: "STORE STOREDIST: integer; array", Since: "3.2.0", Was: storesApart(6),
		Syntax: "key longitude latitude radius unit=<M|KM|FT|MI> [WITHCOORD] [WITHDIST] [WITHHASH] " +
			"count-block(/count)=[<COUNT count> [ANY]@6.2.0] order=[ASC|DESC] store=[STORE storekey(key)|STOREDIST " +
			"storedistkey(key)]",
		Summary: "Queries a geospatial index for members within a distance from a coordinate, " +
			"optionally stores the result.",
		Complexity: "O(N + log M), N being the number of members in the area's bounding box, " +
			"and M the number of those in the area",
		History: "6.2.0 `COUNT` takes `ANY`.\n" +
			"7.0.0 Units may be in capitals.",
		Deprecated: "6.2.0 `GEOSEARCH` and `GEOSEARCHSTORE`, with `BYRADIUS`"},
	{Name: "georadius_ro", Arity: -6, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGeoRadiusRO, Reply: "array", Since: "3.2.10",
		Syntax: "key longitude latitude radius unit=<M|KM|FT|MI> [WITHCOORD] [WITHDIST] [WITHHASH] " +
			"count-block(/count)=[<COUNT count> [ANY]@6.2.0] order=[ASC|DESC]",
		Summary: "Returns members from a geospatial index that are within a distance from a coordinate.",
		Complexity: "O(N + log M), N being the number of members in the area's bounding box, " +
			"and M the number of those in the area",
		History: "6.2.0 `COUNT` takes `ANY`.\n" +
			"7.0.0@7.4.0,valkey:8.0.0 Units may be in capitals.",
		Deprecated: "6.2.0 `GEOSEARCH`, with `BYRADIUS`"},
	{Name: "georadiusbymember", Arity: -5, Flags: command.Write | command.DenyOOM,
		Keys: storeKeys(5, "OW update variable_flags").FoundBy(storedLast(5)),
		Run:  cmdGeoRadiusByMember, Reply: "STORE STOREDIST: integer; array", Since: "3.2.0", Was: storesApart(5),
		Syntax: "key member radius unit=<M|KM|FT|MI> [WITHCOORD] [WITHDIST] [WITHHASH] " +
			"count-block(/count)=[<COUNT count> [ANY]] order=[ASC|DESC] store=[STORE storekey(key)|STOREDIST " +
			"storedistkey(key)]",
		Summary: "Queries a geospatial index for members within a distance from a member, " +
			"optionally stores the result.",
		Complexity: "O(N + log M), N being the number of members in the area's bounding box, " +
			"and M the number of those in the area",
		History: "6.2.0@7.4.0,valkey:8.0.0 `COUNT` takes `ANY`.\n" +
			"7.0.0 Units may be in capitals.",
		Deprecated: "6.2.0 `GEOSEARCH` and `GEOSEARCHSTORE`, with `FROMMEMBER` and `BYRADIUS`"},
	{Name: "georadiusbymember_ro", Arity: -5, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGeoRadiusByMemberRO, Reply: "array", Since: "3.2.10",
		Syntax: "key member radius unit=<M|KM|FT|MI> [WITHCOORD] [WITHDIST] [WITHHASH] " +
			"count-block(/count)=[<COUNT count> [ANY]] order=[ASC|DESC]",
		Summary: "Returns members from a geospatial index that are within a distance from a member.",
		Complexity: "O(N + log M), N being the number of members in the area's bounding box, " +
			"and M the number of those in the area",
		History: "6.2.0@7.4.0,valkey:8.0.0 `COUNT` takes `ANY`.\n" +
			"7.0.0@7.4.0,valkey:8.0.0 Units may be in capitals.",
		Deprecated: "6.2.0 `GEOSEARCH`, with `FROMMEMBER` and `BYRADIUS`"},
}}

// fromHere is GEOSEARCH before a polygon could stand for the point from which distances count.
var fromHere = []command.Was{{Before: "valkey:9.0.0", Edit: func(cmd *command.Line) {
	command.Writes("from=[", "from=<")(cmd)
	command.Writes("latitude>] by", "latitude>> by")(cmd)
}}}

// storesApart is what GEORADIUS was from Redis 7.0 until a security release of 8.0: access control
// looked at the first of several keys to store at, and COMMAND DOCS did not say that it stores in
// one way only. In Valkey since 9.1 the last key counts.
func storesApart(from int) []command.Was {
	return []command.Was{{Before: "valkey:9.1.0", Edit: command.HasKeys(storeKeys(from, "OW update"))},
		{Before: "8.6.0 valkey:9.1.0",
			Edit: command.HasKeys(storeKeys(from, "OW update incomplete").FoundBy(storedLast(from)))},
		{Before: "8.0.0 valkey:9.1.0", Edit: command.HasKeys(storeKeys(from, "OW update"))},
		{Before: "7.2.0", Edit: command.Writes("store=[STORE storekey(key)|STOREDIST storedistkey(key)]",
			"[STORE storekey(key)] [STOREDIST storedistkey(key)]")},
		{Before: "7.0.0", Edit: command.FindsKeys(storedLast(5))}}
}

// storedLast returns a function that finds the first key, and of those after STORE and STOREDIST,
// at position from or later, the last one.
func storedLast(from int) func(args [][]byte) (at []int, ok bool) {
	return func(args [][]byte) (at []int, ok bool) {
		at = []int{1}
		for i := from; i+1 < len(args); i++ {
			if command.IsWord(args[i], "STORE") || command.IsWord(args[i], "STOREDIST") {
				i++
				at = append(at[:1], i)
			}
		}
		return at, true
	}
}

// storeKeys returns the keys of a command that reads the key at position 1 and may write one after
// the word STORE or STOREDIST, at position from or later.
func storeKeys(from int, access string) command.Keys {
	return command.Key(1, "RO access").And(command.KeysAfter("STORE", from, 0, 0, access),
		command.KeysAfter("STOREDIST", from, 0, 0, access))
}

// GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]
func cmdGeoAdd(c *engine.Call) {
	key := c.Arg()
	o := addOptions(c)
	points := c.Rest()
	if len(points)%3 != 0 || len(points) == 0 || o.NX && o.XX {
		c.Refuse(engine.ErrSyntax)
	}
	var room [8]float64
	var hashRoom [8]uint64
	scores, hashes := room[:0], hashRoom[:0]
	for i := 0; i+2 < len(points) && !c.Failed(); i += 3 {
		p := parsePoint(c, points[i], points[i+1])
		scores, hashes = append(scores, p.Score()), append(hashes, p.Hash())
	}
	options := c.Args[2 : len(c.Args)-len(points)]
	zsets.Add(c, key, scores, points, 3, o)
	if c.Dirty() && c.Propagates() {
		propagateAdd(c, key, options, hashes, points)
	}
}

// addsInCapitals is when GEOADD began to be propagated as ZADD. Before, and in Redis, it is zadd.
var addsInCapitals = release.From("valkey:9.1.0")

// propagateAdd propagates ZADD with the hashes of points: another server need not compute them the
// same.
func propagateAdd(c *engine.Call, key []byte, options [][]byte, hashes []uint64, points [][]byte) {
	name := []byte("zadd")
	if c.Has(addsInCapitals) {
		name = []byte("ZADD")
	}
	line := append([][]byte{name, key}, options...)
	for i, hash := range hashes {
		line = append(line, resp.Decimal(int64(hash)), points[3*i+2])
	}
	c.PropagateAs(line...)
}

// addOptions reads those of ZADD's options that GEOADD has.
func addOptions(c *engine.Call) (o zsets.AddOptions) {
	for {
		switch {
		case c.Word("NX"):
			o.NX = true
		case c.Word("XX"):
			o.XX = true
		case c.Word("CH"):
			o.CH = true
		default:
			return o
		}
	}
}

// parsePoint returns the point at a longitude and a latitude. Anything else latches an error.
func parsePoint(c *engine.Call, lon, lat []byte) geohash.Point {
	p := geohash.Point{Lon: parseCoordinate(c, lon), Lat: parseCoordinate(c, lat)}
	if !p.Valid() {
		c.Refusef(errPoint, formatFixed(p.Lon), formatFixed(p.Lat))
	}
	return p
}

// parseCoordinate returns a longitude or a latitude in degrees.
func parseCoordinate(c *engine.Call, arg []byte) float64 {
	f, ok := c.ParseFloat(arg)
	if !ok {
		c.Refuse(engine.ErrNotFloat)
	}
	return f
}

// formatFixed formats a number as C's %f.
func formatFixed(f float64) string {
	if math.IsInf(f, 0) {
		return string(resp.FormatDouble(nil, f))
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// unitArg reads a unit of length and returns its metres. Like Redis it ignores a zero byte and what
// follows it.
func unitArg(c *engine.Call) float64 {
	name, _, _ := bytes.Cut(c.Arg(), []byte{0})
	if !c.Has(unitsInCapitals) && bytes.ContainsAny(name, "MKFTI") {
		name = nil
	}
	switch {
	case command.IsWord(name, "M"):
		return 1
	case command.IsWord(name, "KM"):
		return 1000
	case command.IsWord(name, "FT"):
		return 0.3048
	case command.IsWord(name, "MI"):
		return 1609.34
	}
	c.Refuse(errUnit)
	return 1
}

// unitsInCapitals is when units began to be read in any case.
var unitsInCapitals = release.From("7.0.0")

// memberPoint returns the point of a member. ok is false if the set lacks it.
func memberPoint(s *zset.Set, member []byte) (p geohash.Point, ok bool) {
	score, ok := s.Score(member)
	if !ok {
		return p, false
	}
	return geohash.PointOf(score), true
}

// GEOPOS key [member [member ...]]
func cmdGeoPos(c *engine.Call) {
	key, members := c.Arg(), c.Rest()
	s, ok := zsets.Read(c, key)
	if !ok {
		return
	}
	c.Reply.Array(len(members))
	for _, member := range members {
		if p, ok := memberPoint(s, member); ok {
			replyPoint(c, p)
		} else {
			c.Reply.NullArray()
		}
	}
}

// shortCoordinates is what Redis 8.0 changed in replies with coordinates: before, as in every
// Valkey, they had 17 digits after the point.
var shortCoordinates = release.From("8.0.0")

// replyPoint replies with a longitude and a latitude.
func replyPoint(c *engine.Call, p geohash.Point) {
	c.Reply.Array(2)
	if c.Has(shortCoordinates) {
		c.Reply.Double(p.Lon)
		c.Reply.Double(p.Lat)
		return
	}
	c.Reply.HumanDouble(p.Lon)
	c.Reply.HumanDouble(p.Lat)
}

// GEODIST key member1 member2 [M | KM | FT | MI]
func cmdGeoDist(c *engine.Call) {
	key, first, second := c.Arg(), c.Arg(), c.Arg()
	metres := 1.
	if c.Left() == 1 {
		metres = unitArg(c)
	}
	c.End()
	if !c.OK() {
		return
	}
	s, ok := zsets.Read(c, key)
	if !ok {
		return
	}
	a, found := memberPoint(s, first)
	b, both := memberPoint(s, second)
	if !found || !both {
		c.Reply.Null()
		return
	}
	distance := geohash.Distance
	if !c.Has(measuresMeridians) {
		distance = geohash.OlderDistance
	}
	replyDistance(c, distance(a, b)/metres)
}

// measuresMeridians is when distances along a meridian got a formula of their own.
var measuresMeridians = release.From("7.0.0")

// replyDistance replies with a distance in four decimals, as a string even in RESP3.
func replyDistance(c *engine.Call, d float64) { c.Reply.Bulk(appendFixed(c.Scratch(), d)) }

// appendFixed appends a distance as C's %.4f does. It is faster than strconv, which computes all
// digits first. The fused multiply-add returns the rounding error of scaled, so that ties are
// decided exactly.
func appendFixed(dst []byte, d float64) []byte {
	const decimals = 10_000
	scaled := d * decimals
	if !(scaled >= 0 && scaled < 1<<52) {
		return strconv.AppendFloat(dst, d, 'f', 4, 64)
	}
	n := uint64(scaled)
	rest := scaled - float64(n) - 0.5 // exact, since scaled is below 2^52
	lost := math.FMA(d, decimals, -scaled)
	if rest > 0 && rest > -lost || rest == 0 && (lost > 0 || lost == 0 && n&1 != 0) || rest < 0 && lost > -rest {
		n++
	}
	dst = strconv.AppendUint(dst, n/decimals, 10)
	n = n%decimals + decimals // the leading 1 becomes the point
	at := len(dst)
	dst = strconv.AppendUint(dst, n, 10)
	dst[at] = '.'
	return dst
}

// GEOHASH key [member [member ...]]
func cmdGeoHash(c *engine.Call) {
	key, members := c.Arg(), c.Rest()
	s, ok := zsets.Read(c, key)
	if !ok {
		return
	}
	c.Reply.Array(len(members))
	for _, member := range members {
		if p, ok := memberPoint(s, member); ok {
			c.Reply.Bulk(p.AppendText(c.Scratch()))
		} else {
			c.Reply.Null()
		}
	}
}
