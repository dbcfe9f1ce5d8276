package geo

import (
	"cmp"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/commands/zsets"
	"github.com/miniserver-go/miniserver/ds/geohash"
	"github.com/miniserver-go/miniserver/ds/partsort"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
)

// Searches for places within an area. GEOSEARCH says all with its options; the older commands have the
// center and the radius at fixed positions.

// search is an area and what is wanted of the places in it.
type search struct {
	center                geohash.Point
	fromMember, fromPlace bool
	isCircle, isBox       bool
	radius, width, height float64 // in units
	unit                  float64 // metres

	withDist, withHash, withCoord bool
	nearest, farthest             bool // the order; at most one
	any                           bool
	count                         int64 // 0 for all

	stores    bool
	dst       []byte
	storeDist bool
}

// searchForm is which of the commands it is.
type searchForm struct {
	free     bool // center and shape are options
	mayStore bool // STORE key and STOREDIST key
	stores   bool // GEOSEARCHSTORE
}

// GEOSEARCH key <FROMMEMBER member | FROMLONLAT longitude latitude>
// <BYRADIUS radius unit | BYBOX width height unit> [ASC | DESC] [COUNT count [ANY]] [WITHCOORD]
// [WITHDIST] [WITHHASH]
func cmdGeoSearch(c *engine.Call) {
	if s, ok := zsets.ReadZSet(c, c.Arg()); ok {
		runSearch(c, s, &search{unit: 1}, searchForm{free: true})
	}
}

// GEOSEARCHSTORE destination source <FROMMEMBER member | FROMLONLAT longitude latitude>
// <BYRADIUS radius unit | BYBOX width height unit> [ASC | DESC] [COUNT count [ANY]] [STOREDIST]
func cmdGeoSearchStore(c *engine.Call) {
	dst := c.Arg()
	if s, ok := zsets.ReadZSet(c, c.Arg()); ok {
		runSearch(c, s, &search{unit: 1, stores: true, dst: dst}, searchForm{free: true, stores: true})
	}
}

// GEORADIUS key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]
func cmdGeoRadius(c *engine.Call) { searchAround(c, true) }

// GEORADIUS_RO key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC]
func cmdGeoRadiusRO(c *engine.Call) { searchAround(c, false) }

// GEORADIUSBYMEMBER key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]
func cmdGeoRadiusByMember(c *engine.Call) { searchAroundMember(c, true) }

// GEORADIUSBYMEMBER_RO key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH]
// [COUNT count [ANY]] [ASC | DESC]
func cmdGeoRadiusByMemberRO(c *engine.Call) { searchAroundMember(c, false) }

func searchAround(c *engine.Call, mayStore bool) {
	s, ok := zsets.ReadZSet(c, c.Arg())
	if !ok {
		return
	}
	var q search
	q.center = place(c, c.Arg(), c.Arg())
	circle(c, &q)
	runSearch(c, s, &q, searchForm{mayStore: mayStore})
}

func searchAroundMember(c *engine.Call, mayStore bool) {
	s, ok := zsets.ReadZSet(c, c.Arg())
	if !ok {
		return
	}
	var q search
	if s.Len() == 0 {
		c.Skip(3) // Redis looks at the options only
	} else {
		q.center = memberPlace(c, s)
		circle(c, &q)
	}
	runSearch(c, s, &q, searchForm{mayStore: mayStore})
}

// memberPlace reads a member and returns where it is. A member that is not in the set latches an error.
func memberPlace(c *engine.Call, s *zset.Set) geohash.Point {
	p, ok := placeOf(s, c.Arg())
	if !ok {
		c.Refuse(errNoPlace)
	}
	return p
}

// circle reads radius unit.
func circle(c *engine.Call, q *search) {
	q.isCircle = true
	q.radius = c.FloatOr(errRadius)
	if q.radius < 0 {
		c.Refuse(errNegativeRadius)
	}
	q.unit = unit(c)
}

// box reads width height unit.
func box(c *engine.Call, q *search) {
	q.isBox = true
	q.width, q.height = c.FloatOr(errWidth), c.FloatOr(errHeight)
	if q.width < 0 || q.height < 0 {
		c.Refuse(errNegativeBox)
	}
	q.unit = unit(c)
}

// runSearch reads the options and does what they say. An empty set stands for an absent key.
func runSearch(c *engine.Call, s *zset.Set, q *search, form searchForm) {
	for c.More() {
		if !searchOption(c, q) && !storeOption(c, q, form) && !(form.free && areaOption(c, s, q)) {
			c.Refuse(engine.ErrSyntax)
		}
	}
	checkSearch(c, q, form)
	if !c.OK() {
		return
	}
	if q.count != 0 && !q.any && !q.farthest {
		q.nearest = true
	}
	found := engine.Kept[hits](c.Engine)
	found.begin(q.area())
	if s.Len() > 0 {
		q.run(s, found)
	}
	if q.stores {
		storeHits(c, q, found, form)
	} else {
		replyHits(c, q, found)
	}
}

// searchOption reads an option that all searches have and reports whether it found one.
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

// storeOption reads where the hits go.
func storeOption(c *engine.Call, q *search, form searchForm) bool {
	switch {
	case form.mayStore && c.Left() > 1 && c.Word("STORE"):
		q.stores, q.dst, q.storeDist = true, c.Arg(), false
	case form.mayStore && c.Left() > 1 && c.Word("STOREDIST"):
		q.stores, q.dst, q.storeDist = true, c.Arg(), true
	case form.stores && c.Word("STOREDIST"):
		q.storeDist = true
	default:
		return false
	}
	return true
}

// areaOption reads center or shape.
func areaOption(c *engine.Call, s *zset.Set, q *search) bool {
	switch {
	case c.Left() > 1 && !q.fromPlace && c.Word("FROMMEMBER"):
		q.fromMember = true
		if s.Len() == 0 {
			c.Skip(1)
		} else {
			q.center = memberPlace(c, s)
		}
	case c.Left() > 2 && !q.fromMember && c.Word("FROMLONLAT"):
		q.fromPlace = true
		q.center = place(c, c.Arg(), c.Arg())
	case c.Left() > 2 && !q.isBox && c.Word("BYRADIUS"):
		circle(c, q)
	case c.Left() > 3 && !q.isCircle && c.Word("BYBOX"):
		box(c, q)
	default:
		return false
	}
	return true
}

// checkSearch latches the error of options that do not go together.
func checkSearch(c *engine.Call, q *search, form searchForm) {
	with := q.withDist || q.withHash || q.withCoord
	switch {
	case with && form.stores:
		c.Refusef(errStoreWith, "GEOSEARCHSTORE")
	case with && q.stores:
		c.Refusef(errStoreWith, "STORE option in GEORADIUS")
	case form.free && !q.fromMember && !q.fromPlace:
		c.Refusef(errNoCenter, c.Args[0])
	case form.free && !q.isCircle && !q.isBox:
		c.Refusef(errNoShape, c.Args[0])
	case q.any && q.count == 0:
		c.Refuse(errAnyCount)
	}
}

// hits are the places found. Their members lie in one block. The engine has one for all searches, since
// none begins before another has ended, and keeps its room unless that is large.
type hits struct {
	area    geohash.Area
	list    []hit
	members []byte
}

type hit struct {
	geohash.Hit
	from, to int // the member in the block
}

// most of what is kept for the next search: hits, and bytes of members.
const (
	maxKeptHits  = 1 << 10
	maxKeptBytes = 1 << 14
)

// begin empties the hits for a search.
func (h *hits) begin(area geohash.Area) {
	h.area, h.list, h.members = area, h.list[:0], h.members[:0]
	if cap(h.list) > maxKeptHits {
		h.list = nil
	}
	if cap(h.members) > maxKeptBytes {
		h.members = nil
	}
}

func (h *hits) member(i int) []byte { return h.members[h.list[i].from:h.list[i].to] }

func (h *hits) add(member []byte, found geohash.Hit) {
	from := len(h.members)
	h.members = append(h.members, member...)
	h.list = append(h.list, hit{found, from, len(h.members)})
}

// distance returns the distance of a hit from the center, in units.
func (h *hits) distance(i int, unit float64) float64 { return h.area.Distance(h.list[i].Hit) / unit }

// area returns where to search.
func (q *search) area() geohash.Area {
	if q.isBox {
		return geohash.Box(q.center, q.width*q.unit, q.height*q.unit)
	}
	return geohash.Circle(q.center, q.radius*q.unit)
}

// run finds the places in s that the search is for, in the order asked for and as many.
func (q *search) run(s *zset.Set, h *hits) {
	most := math.MaxInt
	if q.any {
		most = int(q.count)
	}
	var room [9]geohash.Span
	for _, span := range h.area.AppendSpans(room[:0]) {
		for next := span.Min; next < span.Max && len(h.list) < most; {
			next = h.gather(s, next, span.Max, most)
		}
	}
	q.arrange(h)
}

// maxStray is the number of places outside of the area that are passed in a row before it is worth
// looking for where it goes on: that costs about as much.
const maxStray = 24

// gather adds the hits with scores from low up to but without high, until there are most or until what
// follows lies so far outside that it is better begun anew. It returns where to go on.
func (h *hits) gather(s *zset.Set, low, high float64, most int) (next float64) {
	stray := 0
	next = high
	s.RangeByScore(zset.ScoreRange{Min: low, Max: high, MaxEx: true}, false, 0, -1, func(member []byte, score float64) bool {
		if found, ok := h.area.Find(score); ok {
			h.add(member, found)
			stray, low = 0, score
			return len(h.list) < most
		}
		if stray++; stray < maxStray {
			return true
		}
		// It is far if there are probably more places before it than those passed just now.
		if near := h.area.Next(score); near > score+(score-low) {
			next = near
			return false
		}
		stray, low = 0, score
		return true
	})
	return next
}

// arrange puts the hits in order and leaves as many as are wanted. Of places equally far those found
// first come first, unless only a part is wanted: then Redis' partial sort mixes them.
func (q *search) arrange(h *hits) {
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

// replyHits replies with the members, each in an array if anything is told about it.
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
			replyPlace(c, geohash.PointOf(hit.Score))
		}
	}
}

// storeHits stores the members, with their scores or their distances.
func storeHits(c *engine.Call, q *search, h *hits, form searchForm) {
	event := "zgeoradiusstore"
	if form.stores {
		event = "zgeosearchstore"
	}
	kept, lim := &zset.Set{}, c.Engine.Config.ZSet
	if len(h.list) > lim.MaxEntries {
		lim = zset.Limits{} // it will not stay packed, so it is not even begun so
	}
	for i, hit := range h.list {
		score := hit.Score
		if q.storeDist {
			score = h.distance(i, q.unit)
		}
		kept.Add(h.member(i), score, lim, c.Engine.Dice)
	}
	c.Store(q.dst, kept, event)
}
