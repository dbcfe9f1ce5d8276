package rdb

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// value reads a value of the given type. It returns nil after an error, or if it has skipped a
// value of the module type d.foreign. Otherwise the value is suitable for keyspace.DB.Set, or an
// empty collection.
func (d *decoder) value(t byte) keyspace.Value {
	if d.valkey && t >= typeHashValkey {
		return d.valkeyValue(t)
	}
	switch t {
	case typeString:
		return d.str()
	case typeList, typeListZiplist, typeQuicklist, typeQuicklist2:
		return d.list(t)
	case typeSet, typeIntset, typeSetListpack:
		return d.set(t)
	case typeHash, typeZipmap, typeHashZiplist, typeHashListpack:
		return d.hash(t)
	case typeZSet, typeZSetText, typeZSetZiplist, typeZSetListpack:
		return d.zset(t)
	case typeModule:
		return d.module()
	case typeStream1, typeStream2, typeStream3, typeStream4, typeStream5:
		return d.stream(t)
	case typeArray:
		return d.array()
	case typeHashTTLOld, typeHashPackOld, typeHashTTL, typeHashPackTTL:
		return d.volatileHash(t)
	case typeModuleOld:
		d.fail("a value of the module type %s, in a format that does not contain its length", d.moduleType())
	default:
		d.fail("a value of unknown type %d", t)
	}
	return nil
}

// shortString is the length up to which the keyspace copies a string anyway.
const shortString = 512

func (d *decoder) str() keyspace.Value {
	d.ownedFrom = shortString
	b := d.text()
	d.ownedFrom = wholeText
	switch {
	case d.err != nil:
		return nil
	case d.owned:
		v := str.Of(b)
		return &v
	}
	return d.ks.String(b)
}

// ziplist reads and checks a ziplist, which is valid until the next read.
func (d *decoder) ziplist() ziplist.List {
	zl := ziplist.List(d.text())
	if d.err == nil {
		if err := zl.Check(); err != nil {
			d.fail("%v", err)
		}
	}
	if d.err != nil {
		return emptyList
	}
	return zl
}

var emptyList = ziplist.New()

// packedText is text for a listpack or an intset. As in Redis these are counted, and ziplists,
// which it always checks in full, are not.
func (d *decoder) packedText() []byte {
	if d.sanitize && d.sanitized != nil {
		*d.sanitized++
	}
	return d.text()
}

// longestPacked is the length below which the only node of a list becomes a packed list.
const longestPacked = 64 << 10

// repacked converts a listpack to a ziplist in scratch memory.
func (d *decoder) repacked(l listpack.List) ziplist.List {
	zl := ziplist.AppendEmpty(d.packed[:0])
	for p := listpack.First; p < l.End(); {
		var e ziplist.Entry
		e, p = l.Get(p)
		zl = appendEntry(zl, e)
	}
	d.packed = zl
	return zl
}

func appendEntry(zl ziplist.List, e ziplist.Entry) ziplist.List {
	if e.IsInt() {
		return zl.AppendInt(e.Int)
	}
	return zl.Append(e.Str)
}

// listpack reads and checks a listpack, which is valid until the next read.
func (d *decoder) listpack() listpack.List {
	l := listpack.List(d.packedText())
	if d.err == nil {
		if err := l.Check(); err != nil {
			d.fail("%v", err)
		}
	}
	if d.err != nil {
		return emptyPack
	}
	return l
}

var emptyPack = listpack.New(0)

// --- lists ---

func (d *decoder) list(t byte) keyspace.Value {
	if t == typeListZiplist {
		return d.fitList(d.ziplist())
	}
	n := d.count()
	l := &list.List{}
	for i := 0; i < n && d.err == nil; i++ {
		switch t {
		case typeList:
			l.Push(list.Tail, d.text(), d.List)
		case typeQuicklist:
			zl := d.ziplist()
			if n == 1 && len(zl) < longestPacked {
				return d.fitList(zl)
			}
			d.appendNode(l, zl)
		default:
			if v := d.node(l, n); v != nil {
				return v
			}
		}
	}
	return d.packedList(l)
}

// fitList returns a list of a single ziplist.
func (d *decoder) fitList(zl ziplist.List) keyspace.Value {
	if d.err != nil {
		return nil
	}
	v := d.ks.View(keyspace.List, zl).(*list.List)
	v.Fit(d.List)
	return v
}

// packedList returns a list that is read completely, packed if it is not too large.
func (d *decoder) packedList(l *list.List) keyspace.Value {
	if d.err != nil {
		return nil
	}
	l.Fit(d.List)
	return l
}

// node reads a node of a typeQuicklist2 and appends it to a list. If the node is small and the only
// one, it returns the packed list instead.
func (d *decoder) node(to *list.List, nodes int) keyspace.Value {
	switch kind := d.length(); kind {
	case nodePlain:
		b := d.text()
		if len(b) == 0 {
			d.fail("a node of a list is empty")
		}
		if d.err == nil {
			to.AppendNode(d.own(b), true)
		}
	case nodePacked:
		l := d.listpack()
		zl := d.repacked(l)
		if nodes == 1 && len(l) < longestPacked {
			return d.fitList(zl)
		}
		d.owned = false
		d.appendNode(to, zl)
	default:
		d.fail("a node of a list is of unknown kind %d", kind)
	}
	return nil
}

// appendNode appends a ziplist to a list. A ziplist of a single large text becomes a plain node.
func (d *decoder) appendNode(l *list.List, zl ziplist.List) {
	if d.err != nil {
		return
	}
	if p := zl.First(); p != ziplist.None && len(zl) > 8<<10 {
		if e, next := zl.Get(p); next == ziplist.None {
			l.AppendNode(bytes.Clone(e.Str), true)
			return
		}
	}
	l.AppendNode(d.own(zl), false)
}

// --- sets ---

func (d *decoder) set(t byte) keyspace.Value {
	switch t {
	case typeIntset:
		ints := intset.Set(d.packedText())
		if d.err != nil {
			return nil
		}
		if err := ints.Check(); err != nil {
			d.fail("%v", err)
			return nil
		}
		return d.fitSet(ints)
	case typeSetListpack:
		zl := d.repacked(d.listpack())
		d.distinct(zl, 1)
		return d.fitSet(zl)
	}
	n := d.count()
	s := d.ks.View(keyspace.Set, d.packed[:0]).(*set.Set)
	for i := 0; i < n && d.err == nil; i++ {
		b := d.text()
		if i == 0 && d.err == nil {
			s.Expect(d.plausible(n), b, d.Set)
		}
		d.addMember(s, b, d.Set)
	}
	return d.orNil(s)
}

// plausible returns for how many of n announced elements memory is reserved: for all if that takes
// no more memory than the bytes that are left.
func (d *decoder) plausible(n int) int {
	const few, bytesOfOne = 1 << 14, 26 // bytes in a half-empty table
	most := int64(few)
	if left := d.left(); left < math.MaxInt64 {
		most = max(few, left/bytesOfOne)
	}
	return int(min(int64(n), most))
}

func (d *decoder) addMember(s *set.Set, member []byte, lim set.Limits) {
	if d.err == nil && !s.Add(member, lim) {
		d.fail("a member appears twice in a set")
	}
}

// fitSet returns a set of an intset or ziplist.
func (d *decoder) fitSet(b []byte) keyspace.Value {
	if d.err != nil {
		return nil
	}
	v := d.ks.View(keyspace.Set, b).(*set.Set)
	v.Fit(d.Set)
	return v
}

// orNil returns v, or nil after an error.
func (d *decoder) orNil(v keyspace.Value) keyspace.Value {
	if d.err != nil {
		return nil
	}
	return v
}

// --- hashes ---

func (d *decoder) hash(t byte) keyspace.Value {
	switch t {
	case typeHashZiplist:
		return d.packedHash(d.ziplist())
	case typeHashListpack:
		return d.packedHash(d.repacked(d.listpack()))
	case typeZipmap:
		return d.zipmap(d.text())
	}
	n := d.count()
	h := d.ks.View(keyspace.Hash, ziplist.AppendEmpty(d.packed[:0])).(*hash.Hash)
	if n > d.Hash.MaxEntries {
		h.Expect(d.plausible(n), d.Hash)
	}
	for i := 0; i < n && d.err == nil; i++ {
		d.first = append(d.first[:0], d.text()...)
		d.setField(h, d.first, d.text(), d.Hash)
	}
	return d.orNil(h)
}

func (d *decoder) setField(h *hash.Hash, field, value []byte, lim hash.Limits) {
	if d.err == nil && !h.Set(field, value, lim) {
		d.fail("a field appears twice in a hash")
	}
}

// packedHash returns a hash of a ziplist.
func (d *decoder) packedHash(zl ziplist.List) keyspace.Value {
	d.distinct(zl, 2)
	if d.err != nil {
		return nil
	}
	v := d.ks.View(keyspace.Hash, zl).(*hash.Hash)
	v.Fit(d.Hash)
	return v
}

// zipmap reads the packed hash of Redis 2.4 and older:
//
//	count byte { length field | length free value free-bytes } FF
//
// A length is a byte below 254, or FE and a u32.
func (d *decoder) zipmap(b []byte) keyspace.Value {
	h := &hash.Hash{}
	if d.err == nil && len(b) < 2 {
		d.fail("a zipmap is too short")
	}
	i := 1
	for d.err == nil && i < len(b) && b[i] != 0xff {
		var field, value []byte
		field, i = d.zipmapText(b, i, false)
		value, i = d.zipmapText(b, i, true)
		d.setField(h, field, value, d.Hash)
	}
	const uncounted = 254
	if d.err == nil && (i != len(b)-1 || b[0] < uncounted && int(b[0]) != h.Len()) {
		d.fail("a zipmap has no end, or not as many fields as it says")
	}
	return d.orNil(h)
}

// zipmapText returns the text at offset i and the offset after it.
func (d *decoder) zipmapText(b []byte, i int, isValue bool) (text []byte, next int) {
	if d.err != nil || i+6 > len(b)+5 {
		d.fail("a zipmap is damaged")
		return nil, len(b)
	}
	n := int(b[i])
	i++
	if n == 254 && i+4 <= len(b) {
		n = int(uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24)
		i += 4
	}
	free := 0
	if isValue && i < len(b) {
		free = int(b[i])
		i++
	}
	if n > len(b)-i || i+n+free >= len(b) {
		d.fail("a zipmap is damaged")
		return nil, len(b)
	}
	return b[i : i+n], i + n + free
}

// --- sorted sets ---

func (d *decoder) zset(t byte) keyspace.Value {
	switch t {
	case typeZSetZiplist:
		return d.packedZSet(d.ziplist())
	case typeZSetListpack:
		return d.packedZSet(d.repacked(d.listpack()))
	}
	n := d.count()
	s := d.ks.View(keyspace.ZSet, ziplist.AppendEmpty(d.packed[:0])).(*zset.Set)
	if n > d.ZSet.MaxEntries {
		s.Expect(d.plausible(n), d.ZSet, d.Dice)
	}
	for i := 0; i < n && d.err == nil; i++ {
		d.first = append(d.first[:0], d.text()...)
		score := 0.0
		if t == typeZSetText {
			score = d.scoreText()
		} else {
			score = d.double()
		}
		d.addScored(s, d.first, score)
	}
	return d.orNil(s)
}

func (d *decoder) addScored(s *zset.Set, member []byte, score float64) {
	switch {
	case d.err != nil:
	case score != score:
		d.fail("a score is not a number")
	default:
		if added, _ := s.Add(member, score, d.ZSet, d.Dice); !added {
			d.fail("a member appears twice in a sorted set")
		}
	}
}

// packedZSet returns a sorted set of a ziplist. If the ziplist is not in order, it sorts the
// members.
func (d *decoder) packedZSet(zl ziplist.List) keyspace.Value {
	d.distinct(zl, 2)
	if d.err != nil {
		return nil
	}
	v := d.ks.View(keyspace.ZSet, zl).(*zset.Set)
	ordered, first := true, true
	var top float64
	v.Each(func(member []byte, score float64) bool {
		ordered = first || top < score || top == score && bytes.Compare(d.first, member) < 0
		ordered = ordered && score == score
		d.first = append(d.first[:0], member...)
		first, top = false, score
		return ordered
	})
	if !ordered {
		return d.ranked(zl)
	}
	v.Fit(d.ZSet, d.Dice)
	return v
}

// ranked builds a sorted set from members and scores in any order.
func (d *decoder) ranked(zl ziplist.List) keyspace.Value {
	if d.err == nil && zl.Len()%2 != 0 {
		d.fail("a sorted set ends with a member without score")
	}
	if d.err != nil {
		return nil
	}
	s := &zset.Set{}
	s.Expect(zl.Len()/2, d.ZSet, d.Dice)
	for p := zl.First(); p != ziplist.None && d.err == nil; {
		var member, score ziplist.Entry
		member, p = zl.Get(p)
		score, p = zl.Get(p)
		d.addScored(s, member.Text(d.digits[:]), leadingScore(score))
	}
	return d.orNil(s)
}

// leadingScore returns the number with which an entry begins, 0 if there is none: so Redis reads a
// score.
func leadingScore(e ziplist.Entry) float64 {
	const longest = 127 // bytes that Redis looks at
	score := zset.EntryScore(e)
	for n := min(len(e.Str), longest); score != score && n > 0; n-- {
		score = zset.EntryScore(ziplist.EntryOf(e.Str[:n]))
	}
	if score != score {
		return 0
	}
	return score
}

// --- uniqueness ---

// distinct fails unless the entries of a ziplist come in groups of step, and the first entries of
// all groups differ.
func (d *decoder) distinct(zl ziplist.List, step int) {
	n := zl.Len()
	if d.err == nil && n%step != 0 {
		d.fail("an element has no second part")
	}
	switch {
	case d.err != nil || n <= step:
		return
	case n <= few*step:
		d.distinctFew(zl, step)
		return
	}
	d.hashes = d.hashes[:0]
	i := 0
	for p := zl.First(); p != ziplist.None; i++ {
		var e ziplist.Entry
		if e, p = zl.Get(p); i%step == 0 {
			d.hashes = append(d.hashes, dict.Hash(d.Hash.Seed, dict.Key(e.Text(d.digits[:]))))
		}
	}
	slices.Sort(d.hashes)
	for i, h := range d.hashes[1:] {
		if h == d.hashes[i] { // different texts with equal 64-bit hashes do not occur in practice
			d.fail("an element appears twice")
			return
		}
	}
}

// few is the number of elements up to which comparing all pairs is faster than hashing.
const few = 12

// distinctFew is distinct for few groups.
func (d *decoder) distinctFew(zl ziplist.List, step int) {
	seen := d.seen[:0]
	i := 0
	for p := zl.First(); p != ziplist.None; i++ {
		var e ziplist.Entry
		if e, p = zl.Get(p); i%step != 0 {
			continue
		}
		for j := range seen {
			if same(&seen[j], &e) {
				d.fail("an element appears twice")
				return
			}
		}
		seen = append(seen, e)
	}
}

// same reports whether two entries have the same text.
func same(a, b *ziplist.Entry) bool {
	switch {
	case a.IsInt() && b.IsInt():
		return a.Int == b.Int
	case a.IsInt():
		return spells(b.Str, a.Int)
	case b.IsInt():
		return spells(a.Str, b.Int)
	}
	return string(a.Str) == string(b.Str)
}

// spells reports whether text is n in decimal.
func spells(text []byte, n int64) bool {
	if len(text) == 0 || text[0] > '9' { // true for most texts
		return false
	}
	var digits [20]byte
	return string(strconv.AppendInt(digits[:0], n, 10)) == string(text)
}
