package geo

import (
	"cmp"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/ds/partsort"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// GEOSEARCH states center and area with options. The older commands have center and radius at fixed
// positions.

// search is the arguments of a search.
type search struct {
	center                geohash.Point
	fromMember, fromPoint bool
	isCircle, isBox       bool
	vertices              []geohash.Point // of a polygon
	radius, width, height float64         // in units
	unit                  float64         // in metres

	withDist, withHash, withCoord bool
	nearest, farthest             bool // the order; at most one is set
	any                           bool
	count                         int64 // 0 for all

	stores    bool
	dst       []byte
	storeDist bool
}

// variant is what distinguishes the search commands.
type variant struct {
	areaOptions  bool // center and shape are options
	storeOptions bool // STORE key and STOREDIST key
	stores       bool // GEOSEARCHSTORE
}

// GEOSEARCH key [FROMMEMBER member | FROMLONLAT longitude latitude] <BYRADIUS radius unit | BYBOX
// width height unit | BYPOLYGON vertices longitude latitude [longitude latitude ...]> [ASC | DESC]
// [COUNT count [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]
func cmdGeoSearch(c *engine.Call) {
	if s, ok := zsets.Read(c, c.Arg()); ok {
		runSearch(c, s, &search{unit: 1}, variant{areaOptions: true})
	}
}

// GEOSEARCHSTORE destination source [FROMMEMBER member | FROMLONLAT longitude latitude] <BYRADIUS
// radius unit | BYBOX width height unit | BYPOLYGON vertices longitude latitude [longitude latitude
// ...]> [ASC | DESC] [COUNT count [ANY]] [STOREDIST]
func cmdGeoSearchStore(c *engine.Call) {
	dst := c.Arg()
	if s, ok := zsets.Read(c, c.Arg()); ok {
		runSearch(c, s, &search{unit: 1, stores: true, dst: dst}, variant{areaOptions: true, stores: true})
	}
}

// GEORADIUS key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]
func cmdGeoRadius(c *engine.Call) { searchRadius(c, true) }

// GEORADIUS_RO key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC]
func cmdGeoRadiusRO(c *engine.Call) { searchRadius(c, false) }

// GEORADIUSBYMEMBER key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]
func cmdGeoRadiusByMember(c *engine.Call) { searchRadiusByMember(c, true) }

// GEORADIUSBYMEMBER_RO key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC]
func cmdGeoRadiusByMemberRO(c *engine.Call) { searchRadiusByMember(c, false) }

// searchRadius executes GEORADIUS.
func searchRadius(c *engine.Call, storeOptions bool) {
	s, ok := zsets.Read(c, c.Arg())
	if !ok {
		return
	}
	var q search
	q.center = parsePoint(c, c.Arg(), c.Arg())
	radiusArgs(c, &q)
	runSearch(c, s, &q, variant{storeOptions: storeOptions})
}

// searchRadiusByMember executes GEORADIUSBYMEMBER.
func searchRadiusByMember(c *engine.Call, storeOptions bool) {
	s, ok := zsets.Read(c, c.Arg())
	if !ok {
		return
	}
	var q search
	if s.Len() == 0 {
		c.Skip(3) // for an absent key Redis checks the options only
	} else {
		q.center = memberPointArg(c, s)
		radiusArgs(c, &q)
	}
	runSearch(c, s, &q, variant{storeOptions: storeOptions})
}

// memberPointArg returns the point of the member that is the next argument. A member that the set
// lacks latches an error.
func memberPointArg(c *engine.Call, s *zset.Set) geohash.Point {
	member := c.Arg()
	p, ok := memberPoint(s, member)
	if !ok {
		c.Refuse(c.Engine.Commands.Errorf(errNoMember, command.CText(member)))
	}
	return p
}

// radiusArgs reads "radius unit".
func radiusArgs(c *engine.Call, q *search) {
	q.isCircle = true
	q.radius = c.FloatOr(errRadius)
	if q.radius < 0 {
		c.Refuse(errNegativeRadius)
	}
	q.unit = unitArg(c)
}

// boxArgs reads "width height unit".
func boxArgs(c *engine.Call, q *search) {
	q.isBox = true
	q.width, q.height = c.FloatOr(errWidth), c.FloatOr(errHeight)
	if q.width < 0 || q.height < 0 {
		c.Refuse(errNegativeBox)
	}
	q.unit = unitArg(c)
}

// polygonArgs reads "vertices longitude latitude [longitude latitude ...]".
func polygonArgs(c *engine.Call, q *search) {
	n := c.IntIn(math.MinInt32, math.MaxInt32, errVertexCount)
	if n < 3 || n > int64(c.Left()/2) {
		c.Refuse(errFewVertices)
	}
	for q.vertices = nil; n > 0 && !c.Failed(); n-- {
		q.vertices = append(q.vertices, parsePoint(c, c.Arg(), c.Arg()))
	}
}

// runSearch reads the options and executes the search. s is empty if the key is absent.
func runSearch(c *engine.Call, s *zset.Set, q *search, v variant) {
	for c.More() {
		if !searchOption(c, q) && !storeOption(c, q, v) && !(v.areaOptions && areaOption(c, s, q)) {
			c.Refuse(engine.ErrSyntax)
		}
	}
	checkSearch(c, q, v)
	if !c.OK() {
		return
	}
	if q.count != 0 && !q.any && !q.farthest {
		q.nearest = true
	}
	found := engine.PerEngine[hits](c.Engine)
	found.reset(q.area(c))
	if s.Len() > 0 {
		q.run(s, found)
	}
	if q.stores {
		storeHits(c, q, found, v)
	} else {
		replyHits(c, q, found)
	}
}

// searchOption reads an option of all search commands and reports whether it found one.
func searchOption(c *engine.Call, q *search) bool {
	switch {
	case c.Word("WITHDIST"):
		q.withDist = true
	case c.Word("WITHHASH"):
		q.withHash = true
	case c.Word("WITHCOORD"):
		q.withCoord = true
	case c.Word("ANY"):
		q.any = true
	case c.Word("ASC"):
		q.nearest, q.farthest = true, false
	case c.Word("DESC"):
		q.nearest, q.farthest = false, true
	case c.Left() > 1 && c.Word("COUNT"):
		q.count = c.Int()
		if q.count <= 0 {
			c.Refuse(errSearchCount)
		}
	default:
		return false
	}
	return true
}

// storeOption reads STORE or STOREDIST and reports whether it found one.
func storeOption(c *engine.Call, q *search, v variant) bool {
	switch {
	case v.storeOptions && c.Left() > 1 && c.Word("STORE"):
		q.stores, q.dst, q.storeDist = true, c.Arg(), false
	case v.storeOptions && c.Left() > 1 && c.Word("STOREDIST"):
		q.stores, q.dst, q.storeDist = true, c.Arg(), true
	case v.stores && c.Word("STOREDIST"):
		q.storeDist = true
	default:
		return false
	}
	return true
}

// areaOption reads the center or the shape of the area and reports whether it found one.
func areaOption(c *engine.Call, s *zset.Set, q *search) bool {
	begun := q.fromMember || q.fromPoint || q.isCircle || q.isBox
	switch {
	case c.Left() > 2 && !begun && c.Word("BYPOLYGON"):
		polygonArgs(c, q)
	case q.vertices != nil: // a polygon has its own center
		return false
	case c.Left() > 1 && !q.fromPoint && c.Word("FROMMEMBER"):
		q.fromMember = true
		if s.Len() == 0 {
			c.Skip(1)
		} else {
			q.center = memberPointArg(c, s)
		}
	case c.Left() > 2 && !q.fromMember && c.Word("FROMLONLAT"):
		q.fromPoint = true
		q.center = parsePoint(c, c.Arg(), c.Arg())
	case c.Left() > 2 && !q.isBox && c.Word("BYRADIUS"):
		radiusArgs(c, q)
	case c.Left() > 3 && !q.isCircle && c.Word("BYBOX"):
		boxArgs(c, q)
	default:
		return false
	}
	return true
}

// checkSearch latches the error of options that exclude or lack one another.
func checkSearch(c *engine.Call, q *search, v variant) {
	with := q.withDist || q.withHash || q.withCoord
	switch {
	case with && v.stores:
		c.Refusef(errStoreWith, "GEOSEARCHSTORE")
	case with && q.stores:
		c.Refusef(errStoreWith, "STORE option in GEORADIUS")
	case q.vertices != nil:
	case v.areaOptions && !q.fromMember && !q.fromPoint:
		c.Refusef(errNoCenter, c.Args[0])
	case v.areaOptions && !q.isCircle && !q.isBox:
		c.Refusef(errNoShape, c.Args[0])
	}
	if q.any && q.count == 0 {
		c.Refuse(errAnyCount)
	}
}

// hits are the members found, whose names lie in one block. The engine keeps one value for all
// searches, because only one runs at a time. It reuses the memory unless that is large.
type hits struct {
	area    geohash.Area
	list    []hit
	members []byte
}

type hit struct {
	geohash.Hit
	from, to int // of the member in the block
}

// Hits and bytes of members, the memory of which is kept for the next search.
const (
	maxKeptHits  = 1 << 10
	maxKeptBytes = 1 << 14
)

// reset empties the hits for a new search.
func (h *hits) reset(area geohash.Area) {
	h.area, h.list, h.members = area, h.list[:0], h.members[:0]
	if cap(h.list) > maxKeptHits {
		h.list = nil
	}
	if cap(h.members) > maxKeptBytes {
		h.members = nil
	}
}

// member returns the name of hit i.
func (h *hits) member(i int) []byte { return h.members[h.list[i].from:h.list[i].to] }

// add copies a member and adds it.
func (h *hits) add(member []byte, found geohash.Hit) {
	from := len(h.members)
	h.members = append(h.members, member...)
	h.list = append(h.list, hit{found, from, len(h.members)})
}

// distance returns the distance of a hit from the center, in units.
func (h *hits) distance(i int, unit float64) float64 { return h.area.Distance(h.list[i].Hit) / unit }

// area returns the area to search.
func (q *search) area(c *engine.Call) geohash.Area {
	area := q.newArea()
	if !c.Has(measuresMeridians) {
		area = area.Older()
	}
	return area
}

func (q *search) newArea() geohash.Area {
	switch {
	case q.vertices != nil:
		return geohash.Polygon(q.vertices)
	case q.isBox:
		return geohash.Box(q.center, q.width*q.unit, q.height*q.unit)
	}
	return geohash.Circle(q.center, q.radius*q.unit)
}

// run collects the members of s in the area, in the order and the number asked for.
func (q *search) run(s *zset.Set, h *hits) {
	most := math.MaxInt
	if q.any {
		most = int(q.count)
	}
	var room [9]geohash.Span
	for _, span := range h.area.AppendSpans(room[:0]) {
		for next := span.Min; next < span.Max && len(h.list) < most; {
			next = h.collect(s, next, span.Max, most)
		}
	}
	q.sort(h)
}

// maxMisses is how many members in a row may lie outside of the area before collect computes the
// score at which the area continues. That costs about as much as passing so many members.
const maxMisses = 24

// collect adds the hits with scores in [low, high). It stops at most hits, or before a gap that is
// worth a new lookup in the sorted set. It returns the score to continue from.
func (h *hits) collect(s *zset.Set, low, high float64, most int) (next float64) {
	misses := 0
	next = high
	s.RangeByScore(zset.ScoreRange{Min: low, Max: high, MaxEx: true}, false, 0, -1,
		func(member []byte, score float64) bool {
			if found, ok := h.area.Find(score); ok {
				h.add(member, found)
				misses, low = 0, score
				return len(h.list) < most
			}
			if misses++; misses < maxMisses {
				return true
			}
			// The gap is worth a lookup if it is wider than the scores just passed: it then
			// probably has more members.
			if near := h.area.Next(score); near > score+(score-low) {
				next = near
				return false
			}
			misses, low = 0, score
			return true
		})
	return next
}

// sort puts the hits in order and cuts them to the count. Hits at the same distance keep the order
// in which they were found. With a count they have the order of Redis' partial sort, which is not
// stable.
func (q *search) sort(h *hits) {
	n := len(h.list)
	if q.count != 0 && q.count < int64(n) {
		n = int(q.count)
	}
	compare := h.area.Compare
	if q.farthest {
		compare = func(a, b geohash.Hit) int { return h.area.Compare(b, a) }
	}
	switch {
	case !q.nearest && !q.farthest:
	case n < len(h.list):
		partsort.Sort(h.list, 0, n, func(a, b *hit) int { return compare(a.Hit, b.Hit) })
	default:
		slices.SortFunc(h.list, func(a, b hit) int {
			return cmp.Or(compare(a.Hit, b.Hit), a.from-b.from, a.to-b.to)
		})
	}
	h.list = h.list[:n]
}

// replyHits replies with the members, each in an array with its properties if a WITH option asks
// for any.
func replyHits(c *engine.Call, q *search, h *hits) {
	width := 1
	for _, with := range []bool{q.withDist, q.withHash, q.withCoord} {
		if with {
			width++
		}
	}
	c.Reply.Array(len(h.list))
	for i, hit := range h.list {
		if width > 1 {
			c.Reply.Array(width)
		}
		c.Reply.Bulk(h.member(i))
		if q.withDist {
			replyDistance(c, h.distance(i, q.unit))
		}
		if q.withHash {
			c.Reply.Int(int64(hit.Score))
		}
		if q.withCoord {
			replyPoint(c, geohash.PointOf(hit.Score))
		}
	}
}

// storeHits stores the members, with their geohashes or their distances as scores.
func storeHits(c *engine.Call, q *search, h *hits, v variant) {
	ev := event.ZSet("georadiusstore")
	if v.stores {
		ev = event.ZSet("geosearchstore")
	}
	result, lim := &zset.Set{}, c.Engine.Config.ZSet
	if len(h.list) > lim.MaxEntries {
		lim = zset.Limits{} // too many for a ziplist: start with the large encoding
	}
	for i, hit := range h.list {
		score := hit.Score
		if q.storeDist {
			score = h.distance(i, q.unit)
		}
		result.Add(h.member(i), score, lim, c.World.Dice)
	}
	c.Store(q.dst, result, ev)
	c.AddChanges(max(result.Len(), 1) - 1)
}
