package keys

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/partsort"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// SORT replies with the elements of a list, a set or a sorted set in order: by their own texts or
// numbers, or by those of other keys, whose names are made from the elements.
//
// The elements are copied into one block first, because a lookup of another key invalidates the
// value's entries.

// sortLines returns the lines of this file's commands.
func sortLines() []command.Line {
	const categories = "-keyspace set sortedset list dangerous"
	return []command.Line{
		{Name: "sort", Arity: -2, Flags: command.Write | command.DenyOOM,
			Keys: command.Key(1, "RO access").
				And(command.UnknownKeys("RO access"), command.UnknownKeys("OW update")).FoundBy(sortedKeys(0)),
			Run: cmdSort, ACL: categories, Reply: "STORE: integer; GET: texts?; list", Since: "1.0.0",
			// 8.0 has a security release
			Was: []command.Was{{Before: "8.6.0", Edit: command.FindsKeys(sortedKeys(1))},
				{Before: "8.0.0", Edit: command.FindsKeys(sortedKeys(0))}},
			Syntax: "key [BY by-pattern(pattern):pattern#1] limit(/offset_count)=[LIMIT offset count] [<GET " +
				"get-pattern(pattern):pattern#1>...] order=[ASC|DESC] [sorting=ALPHA] [STORE destination#2]",
			Summary: "Sorts the elements in a list, a set, or a sorted set, optionally storing the result.",
			Complexity: "O(N + M log M), N being the number of elements, and M the number of those returned; " +
				"O(N) with BY nosort"},
		{Name: "sort_ro", Arity: -2, Flags: command.ReadOnly,
			Keys: command.Key(1, "RO access").And(command.UnknownKeys("RO access")),
			Run:  cmdSortRO, ACL: categories, Reply: "GET: texts?; list", Since: "7.0.0",
			Syntax: "key [BY by-pattern(pattern):pattern#1] limit(/offset_count)=[LIMIT offset count] [<GET " +
				"get-pattern(pattern):pattern#1>...] order=[ASC|DESC] [sorting=ALPHA]",
			Summary: "Returns the sorted elements of a list, a set, or a sorted set.",
			Complexity: "O(N + M log M), N being the number of elements, and M the number of those returned; " +
				"O(N) with BY nosort"},
	}
}

// sortedKeys returns a function that finds SORT's keys: 1, and the argument after the last option
// STORE. It skips so many of the arguments of STORE.
func sortedKeys(skipped int) func(args [][]byte) (at []int, ok bool) {
	return func(args [][]byte) (at []int, ok bool) {
		at = []int{1}
		for i := 2; i < len(args); i++ {
			switch word := args[i]; {
			case command.IsWord(word, "LIMIT"):
				i += 2
			case command.IsWord(word, "BY"), command.IsWord(word, "GET"):
				i++
			case command.IsWord(word, "STORE") && i+1 < len(args):
				at = append(at[:1], i+1)
				i += skipped
			}
		}
		return at, true
	}
}

// sorting is the options of SORT.
type sorting struct {
	by       *keyPattern // nil to sort by the elements themselves
	get      []keyPattern
	alpha    bool
	desc     bool
	unsorted bool // BY a pattern without a star: the order is the value's own
	from     int64
	count    int64 // negative for all
	dst      []byte
	stores   bool
	total    bool // elements with equal texts are in the order of the elements, not of the value
}

// SORT key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA]
// [STORE destination]
func cmdSort(c *engine.Call) { sort(c, true) }

// SORT_RO key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC]
// [ALPHA]
func cmdSortRO(c *engine.Call) { sort(c, false) }

func sort(c *engine.Call, mayStore bool) {
	key := c.Arg()
	q := parseSortOptions(c, key, mayStore)
	if !c.OK() {
		return
	}
	v, _ := engine.Read[keyspace.Value](c, key)
	switch v.(type) {
	case nil, *list.List, *set.Set:
	case *zset.Set:
		v = unpacked(c, key)
	default:
		c.Refuse(engine.ErrWrongType)
	}
	if !c.OK() {
		return
	}
	if _, isSet := v.(*set.Set); isSet && q.unsorted && (q.stores || c.Session.InScript()) {
		q.unsorted, q.alpha, q.by = false, true, nil // a set has no order, and a replay needs one
	}
	found := q.load(v)
	if !q.unsorted && !weigh(c, q, found) {
		c.Fail(errSortNumber)
		return
	}
	found.list = q.arrange(found)
	if q.stores {
		storeSorted(c, q, found)
	} else {
		replySorted(c, q, found)
	}
}

// unpacked makes the sorted set at key a skiplist, whatever its size, and returns it. Redis does so
// because it can walk only those.
func unpacked(c *engine.Call, key []byte) keyspace.Value {
	if z, ok := engine.Edit[*zset.Set](c, key); ok {
		z.Sort(c.World.Dice)
		c.DB.Commit(key)
	}
	v, _ := c.DB.Find(key)
	return v
}

func parseSortOptions(c *engine.Call, key []byte, mayStore bool) *sorting {
	q := &sorting{count: -1}
	for c.More() {
		switch {
		case c.Word("ASC"):
			q.desc = false
		case c.Word("DESC"):
			q.desc = true
		case c.Word("ALPHA"):
			q.alpha = true
		case c.Left() > 2 && c.Word("LIMIT"):
			q.from, q.count = c.Int(), c.Int()
		case mayStore && c.Left() > 1 && c.Word("STORE"):
			q.stores, q.dst = true, c.Arg()
		case c.Left() > 1 && c.Word("BY"):
			p := parsePattern(c, "BY", key)
			q.by = &p
			q.unsorted = q.unsorted || !p.star
		case c.Left() > 1 && c.Word("GET"):
			q.get = append(q.get, parsePattern(c, "GET", key))
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	return q
}

// bounds returns which of n sorted elements are within the limit.
func (q *sorting) bounds(n int) (from, to int) {
	from = int(min(max(q.from, 0), int64(n)))
	to = n
	if q.count >= 0 {
		to = from + int(min(q.count, int64(n-from)))
	}
	return from, to
}

// sortable is elements with their weights. Their texts lie in one block.
type sortable struct {
	list  []weighed
	texts []byte
}

// weighed is an element and its weight, the number or text that it is sorted by.
type weighed struct {
	from, to int // the element in the block
	weight   float64
	at, end  int // the textual weight in the block, up to end-1; end is 0 if there is none
}

func (s *sortable) text(w *weighed) []byte { return s.texts[w.from:w.to] }

func (s *sortable) add(member []byte) {
	from := len(s.texts)
	s.texts = append(s.texts, member...)
	s.list = append(s.list, weighed{from: from, to: len(s.texts)})
}

func (s *sortable) addEntry(e ziplist.Entry) bool {
	from := len(s.texts)
	s.texts = e.Append(s.texts)
	s.list = append(s.list, weighed{from: from, to: len(s.texts)})
	return true
}

// load copies the elements of a value in the value's order. If they stay unsorted, it copies only
// those within the limit.
func (q *sorting) load(v keyspace.Value) *sortable {
	s := &sortable{texts: make([]byte, 0, 512)}
	if v == nil {
		return s
	}
	from, to := 0, v.Len()
	if _, isSet := v.(*set.Set); q.unsorted && !isSet {
		from, to = q.bounds(to)
		q.from, q.count = 0, -1
	}
	if from == to {
		return s
	}
	s.list = make([]weighed, 0, to-from)
	switch v := v.(type) {
	case *list.List:
		if q.unsorted && q.desc {
			q.desc = false
			v.Each(list.Tail, from, func(e ziplist.Entry) bool { return s.addEntry(e) && len(s.list) < to-from })
			break
		}
		v.Range(from, to-from, func(e ziplist.Entry) { s.addEntry(e) })
	case *set.Set:
		_, isOrdered := v.Intset()
		q.total = !isOrdered
		v.Each(s.addEntry)
	case *zset.Set:
		v.Range(from, to-1, q.unsorted && q.desc, func(member []byte, _ float64) bool { s.add(member); return true })
	}
	return s
}

// weigh finds the weight of each element. ok is false if a weight must be a number and is not. An
// absent weight is 0, or less than any text. Texts are compared by their bytes: by all bytes with
// STORE, else up to a zero byte, as strcoll does in Redis.
func weigh(c *engine.Call, q *sorting, s *sortable) (ok bool) {
	ok = true
	for i := range s.list {
		w := &s.list[i]
		text, found := s.text(w), true
		if q.by != nil {
			text, found = resolve(c, q.by, text)
		}
		switch {
		case !found:
		case !q.alpha:
			var isNumber bool
			w.weight, isNumber = parseWeight(c, text)
			ok = ok && isNumber
		default:
			if !q.stores {
				text = cString(text)
			}
			if w.at = w.from; q.by != nil {
				w.at = len(s.texts)
				s.texts = append(s.texts, text...)
			}
			w.end = w.at + len(text) + 1
		}
	}
	return ok
}

// readsByDecimals is when SORT began to read decimal numbers of any size, and no other ones.
var readsByDecimals = release.From("8.0.0 valkey:9.0.0")

// needsDigits is since when an empty text is no number.
var needsDigits = release.From("valkey:9.1.0")

// parseWeight parses a number. A zero byte ends the text, and an empty text is 0. In older releases
// it parses as C's strtod does: leading space is skipped, and ok is false for numbers out of the
// range of normal doubles.
func parseWeight(c *engine.Call, text []byte) (f float64, ok bool) {
	if n, isInt := resp.ParseInt(text); isInt && -1<<53 <= n && n <= 1<<53 {
		return float64(n), true
	}
	text = cString(text)
	if len(text) == 0 {
		return 0, !c.Has(needsDigits)
	}
	if c.Has(readsByDecimals) {
		f, err := strconv.ParseFloat(string(text), 64)
		return f, (err == nil || errors.Is(err, strconv.ErrRange)) && !math.IsNaN(f) && !bytes.ContainsAny(text, "xX_")
	}
	f, ok = resp.ParseFloat(bytes.TrimLeft(text, " \t\n\v\f\r"))
	const smallest = 0x1p-1022
	return f, ok && !math.IsNaN(f) && (f == 0 || math.Abs(f) >= smallest)
}

// cString returns text up to its first zero byte.
func cString(text []byte) []byte {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return text[:i]
	}
	return text
}

// rank is an element's index in the list, and a key that orders most elements by one comparison of
// integers.
type rank struct {
	key uint64
	at  int
}

// arrange sorts the elements and returns those within the limit. Equal elements stay in the order
// of the value, except with BY and a limit: there the order is that of Redis' partial sort, which
// is not stable.
func (q *sorting) arrange(s *sortable) []weighed {
	from, to := q.bounds(len(s.list))
	if q.unsorted {
		return s.list[from:to]
	}
	ranks := q.ranks(s)
	unstable := q.by != nil && to-from < len(s.list)
	compare := func(a, b rank) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		order := q.compare(s, &s.list[a.at], &s.list[b.at])
		if order == 0 && !unstable {
			return a.at - b.at
		}
		return order
	}
	if to-from < len(s.list) {
		partsort.Sort(ranks, from, to, func(a, b *rank) int { return compare(*a, *b) })
	} else {
		slices.SortFunc(ranks, compare)
	}
	sorted := make([]weighed, to-from)
	for i := range sorted {
		sorted[i] = s.list[ranks[from+i].at]
	}
	return sorted
}

// ranks returns a rank for each element. The key is made of the number's bits, or of the eight
// bytes of the text after the prefix that all texts have in common. Unequal keys order the
// elements; equal keys of texts decide nothing.
func (q *sorting) ranks(s *sortable) []rank {
	ranks, same := make([]rank, len(s.list)), 0
	if q.alpha {
		same = s.commonPrefix()
	}
	for i := range s.list {
		w := &s.list[i]
		key := uint64(0)
		switch {
		case !q.alpha:
			key = ascending(w.weight)
		case w.end != 0:
			var eight [8]byte
			copy(eight[:], s.texts[w.at+same:w.end-1])
			key = binary.BigEndian.Uint64(eight[:])
		}
		if q.desc {
			key = ^key
		}
		ranks[i] = rank{key, i}
	}
	return ranks
}

// commonPrefix returns the length of a prefix that all weights have in common, without absent ones.
// It may be shorter than the longest one.
func (s *sortable) commonPrefix() int {
	var prefix []byte
	first := true
	for i := range s.list {
		w := &s.list[i]
		switch {
		case w.end == 0:
		case first:
			prefix, first = s.texts[w.at:w.end-1], false
		default:
			text := s.texts[w.at : w.end-1]
			n := min(len(prefix), len(text))
			for n > 0 && !bytes.Equal(prefix[:n], text[:n]) {
				n /= 2
			}
			prefix = prefix[:n]
		}
	}
	return len(prefix)
}

// ascending returns a number's bits, changed so that they compare as the number does.
func ascending(f float64) uint64 {
	bits := math.Float64bits(f + 0) // + 0 turns -0 into 0
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// compare compares elements by their weights, and elements with equal weights by themselves if the
// order is total.
func (q *sorting) compare(s *sortable, a, b *weighed) int {
	if !q.alpha {
		return q.tie(s, a, b)
	}
	order := 0
	if a.end == 0 || b.end == 0 {
		order = cmp.Compare(min(a.end, 1), min(b.end, 1))
	} else {
		order = bytes.Compare(s.texts[a.at:a.end-1], s.texts[b.at:b.end-1])
	}
	if order == 0 && q.total {
		return q.tie(s, a, b)
	}
	return q.directed(order)
}

// tie compares the elements themselves.
func (q *sorting) tie(s *sortable, a, b *weighed) int {
	return q.directed(bytes.Compare(s.text(a), s.text(b)))
}

// directed returns an order, reversed for DESC.
func (q *sorting) directed(order int) int {
	if q.desc {
		return -order
	}
	return order
}

// replySorted replies with the elements, or with the texts of GET for each.
func replySorted(c *engine.Call, q *sorting, s *sortable) {
	c.Reply.Array(len(s.list) * max(1, len(q.get)))
	for i := 0; i < len(s.list) && !c.Reply.Full(); i++ {
		element := s.text(&s.list[i])
		if q.get == nil {
			c.Reply.Bulk(element)
		}
		for j := range q.get {
			if text, ok := resolve(c, &q.get[j], element); ok {
				c.Reply.Bulk(text)
			} else {
				c.Reply.Null()
			}
		}
	}
}

// storesNodes is when the nodes of a list that SORT stores became as large as those of others.
var storesNodes = release.From("7.2.0")

// storeSorted stores the elements, or the texts of GET for each, as a list. An absent text is
// stored as an empty one.
func storeSorted(c *engine.Call, q *sorting, s *sortable) {
	result, lim := &list.List{}, c.Engine.Config.List
	if !c.Has(storesNodes) {
		lim = list.Limits{Node: -5} // one node, however large
	}
	for i := range s.list {
		element := s.text(&s.list[i])
		if q.get == nil {
			result.Push(list.Tail, element, lim)
		}
		for j := range q.get {
			text, _ := resolve(c, &q.get[j], element)
			result.Push(list.Tail, text, lim)
		}
	}
	result.Fit(c.Engine.Config.List)
	c.Store(q.dst, result, event.List("sortstore"))
	c.AddChanges(max(result.Len(), 1) - 1)
}

// keyPattern is a pattern of BY and GET: the name of a key with a star in place of the element, and
// after "->" the field of a hash. "#" is the element itself.
type keyPattern struct {
	before, after, field []byte
	star, self           bool
	name                 []byte // room for names
}

// parsePattern reads the pattern of an option of SORT. In a cluster it latches an error if the
// names of keys that it makes may lie in another slot than the key that is sorted.
func parsePattern(c *engine.Call, option string, key []byte) keyPattern {
	text := c.Arg()
	p := parseKeyPattern(text)
	if c.Engine.Config.Cluster && !staysInSlot(c, &p, text, key) {
		c.Refusef(errSortPattern, option)
	}
	if (p.star || option == "GET") && !c.MayReadAll() {
		c.Refusef(errSortDenied, option)
	}
	return p
}

// patternsInSlot is when patterns came to be allowed whose names all lie in one slot.
var patternsInSlot = release.From("7.4.0 valkey:8.0.0")

// staysInSlot reports whether all names of keys that a pattern makes lie in the slot of key.
func staysInSlot(c *engine.Call, p *keyPattern, text, key []byte) bool {
	if !c.Has(patternsInSlot) {
		return !p.star && !p.self
	}
	of, one := slot.OfPattern(text)
	return !p.star || one && of == slot.Of(key)
}

func parseKeyPattern(text []byte) (p keyPattern) {
	p.self = string(text) == "#"
	at := bytes.IndexByte(cString(text), '*')
	if p.star = at >= 0; !p.star {
		return p
	}
	p.before, p.after = text[:at], text[at+1:]
	if i := bytes.Index(cString(p.after), []byte("->")); i >= 0 && i+2 < len(cString(p.after)) {
		p.after, p.field = p.after[:i], p.after[i+2:]
	}
	return p
}

// resolve returns the text to which a pattern refers for an element; ok is false if there is none.
// It invalidates all values looked up before. The text is valid until the next call.
func resolve(c *engine.Call, p *keyPattern, element []byte) (text []byte, ok bool) {
	switch {
	case p.self:
		return element, true
	case !p.star:
		return nil, false
	}
	c.World.Keyspace.Begin() // else the views of thousands of keys live until the command ends
	p.name = append(append(append(p.name[:0], p.before...), element...), p.after...)
	v, _ := engine.Read[keyspace.Value](c, p.name)
	switch v := v.(type) {
	case *str.Value:
		if p.field == nil {
			return v.Text(c.Scratch()), true
		}
	case *hash.Hash:
		if p.field != nil {
			return v.Get(p.field, c.Scratch())
		}
	}
	return nil, false
}
