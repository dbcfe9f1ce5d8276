package explain

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// encoding is one encoding that a key's data can have, and its cost.
type encoding struct {
	name  string
	curve []int // curve[i] is the size in bytes with the first i+1 elements
	total int   // elements of the key; the curve may have fewer
	now   bool  // the key has it
	whole int   // the size with all elements, if there is no curve
	first int   // whole is estimated from so many elements; 0 if it is exact
	make  func() builder
	each  func(fn func(a, b ziplist.Entry) bool)
}

// builder adds an element to a key and returns the size of the key in bytes. b is the value of a
// field or the score of a member.
type builder func(a, b ziplist.Entry) (bytes int)

// build computes the curve.
func (e *encoding) build() *encoding {
	e.curve = e.curve[:0]
	add := e.make()
	e.each(func(a, b ziplist.Entry) bool {
		e.curve = append(e.curve, add(a, b))
		return len(e.curve) < engine.MostBuilt
	})
	return e
}

// cost returns the bytes with all elements. Beyond the curve it assumes that they are like those in
// it.
func (e *encoding) cost() int {
	n := len(e.curve)
	if n == 0 {
		return e.whole
	}
	return int(int64(e.curve[n-1]) * int64(max(e.total, n)) / int64(n))
}

// estimateNote returns a note if cost is an estimate, else "".
func (e *encoding) estimateNote() string {
	n := e.first
	if e.total > len(e.curve) && len(e.curve) > 1 {
		n = len(e.curve)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("estimated from the first %d elements", n)
}

// possibleEncodings returns the encodings that the data of a key can have, and a function that
// returns the name of the one that the current parameters choose.
func possibleEncodings(w *engine.World, key []byte, v keyspace.Value) (list []*encoding, chosen func() string) {
	if forms := w.Engine().Parts.Types.Of(v.Type()).Forms; forms != nil {
		return formsOf(len(key), forms(w, v), v.Len()), nil
	}
	d := &data{world: w, small: w.Engine().Config.Encodings, key: len(key), n: v.Len(), t: v.Type()}
	if d.t == keyspace.String {
		d.n = 1
	}
	d.scan(v)
	for _, name := range d.names(v) {
		e := &encoding{name: name, total: d.n, now: name == called(w.Engine(), v.Encoding()), each: d.each}
		e.make = func() builder { return d.builder(name) }
		list = append(list, e.build())
	}
	return list, d.chosen
}

// formsOf returns the forms of the data of a key of so many bytes as encodings. The first one is
// the value itself, which has n elements.
func formsOf(key int, forms []engine.Form, n int) (list []*encoding) {
	for i, f := range forms {
		layout := keyspace.BoxedLayout(key, f.Value)
		if packed, ok := f.Value.Packed(); ok {
			layout = keyspace.PackedLayout(key, len(packed), f.Value.Type())
		}
		e := &encoding{name: f.Name, total: n, now: i == 0, whole: layout.Bytes(), first: f.First}
		if f.First > 0 {
			e.whole = int(int64(e.whole) * int64(n) / int64(f.First))
			list[0].first = f.First
		}
		list = append(list, e)
	}
	return list
}

// rebuild computes the curves again, under other parameters.
func rebuild(encodings []*encoding) {
	for _, e := range encodings {
		e.build()
	}
}

// data is the data of a key whose encodings are compared.
type data struct {
	world   *engine.World
	small   string // what a small collection is called
	key     int    // bytes of the key
	n       int    // elements
	t       keyspace.Type
	each    func(fn func(a, b ziplist.Entry) bool)
	longest int  // bytes of the longest element or value scanned
	numbers bool // all elements scanned are integers
}

// scan sets each, longest and numbers, from the first engine.MostBuilt elements.
func (d *data) scan(v keyspace.Value) {
	d.each = eachElement(v)
	d.numbers = true
	seen := 0
	var digits [20]byte
	d.each(func(a, b ziplist.Entry) bool {
		d.numbers = d.numbers && (a.IsInt() || ziplist.EntryOf(a.Text(digits[:])).IsInt())
		d.longest = max(d.longest, a.Len())
		if d.t == keyspace.Hash {
			d.longest = max(d.longest, b.Len())
		}
		seen++
		return seen < engine.MostBuilt
	})
}

// eachElement returns a function that walks the elements of v: members, members and scores, fields
// and values, or a string as one element.
func eachElement(v keyspace.Value) func(fn func(a, b ziplist.Entry) bool) {
	return func(fn func(a, b ziplist.Entry) bool) {
		none := ziplist.Entry{}
		switch v := v.(type) {
		case *zset.Set:
			v.Each(func(member []byte, score float64) bool {
				var text [25]byte
				return fn(ziplist.EntryOf(member), zset.ScoreEntry(score, text[:]))
			})
		case *hash.Hash:
			v.Each(fn)
		case *set.Set:
			v.Each(func(member ziplist.Entry) bool { return fn(member, none) })
		case *list.List:
			v.Each(list.Head, 0, func(e ziplist.Entry) bool { return fn(e, none) })
		case *str.Value:
			fn(ziplist.Entry{Str: append([]byte{}, v.Text(nil)...)}, none)
		}
	}
}

// names returns the names of the encodings that the data can have.
func (d *data) names(v keyspace.Value) []string {
	switch d.t {
	case keyspace.ZSet:
		return []string{d.small, "skiplist"}
	case keyspace.Hash:
		return []string{d.small, "hashtable"}
	case keyspace.Set:
		if d.numbers {
			return []string{"intset", d.small, "hashtable"}
		}
		return []string{d.small, "hashtable"}
	case keyspace.List:
		return []string{d.small, "quicklist"}
	case keyspace.String:
		return stringEncodings(v)
	}
	return nil
}

// stringEncodings is names for a string.
func stringEncodings(v keyspace.Value) []string {
	s := v.(*str.Value)
	text := s.Text(nil)
	again := str.Of(text)
	var names []string
	if _, ok := again.Int(); ok {
		names = append(names, "int")
	}
	if len(text) <= str.EmbstrMax {
		names = append(names, "embstr")
	}
	return append(names, "raw")
}

// chosen returns the encoding that the current parameters choose for the data when it is written
// anew.
func (d *data) chosen() string {
	c := d.world.Engine().Config
	switch d.t {
	case keyspace.ZSet:
		return either(d.n <= c.ZSet.MaxEntries && d.longest <= c.ZSet.MaxValue, d.small, "skiplist")
	case keyspace.Hash:
		return either(d.n <= c.Hash.MaxEntries && d.longest <= c.Hash.MaxValue, d.small, "hashtable")
	case keyspace.Set:
		if d.numbers && d.n <= c.Set.MaxInts {
			return "intset"
		}
		return either(!d.numbers && d.n <= c.Set.MaxEntries && d.longest <= c.Set.MaxValue, d.small, "hashtable")
	}
	return d.chosenList()
}

// chosenList is chosen for a list.
func (d *data) chosenList() string {
	l := &list.List{}
	d.each(func(e, _ ziplist.Entry) bool {
		l.Push(list.Tail, e.Text(nil), d.world.Engine().Config.List)
		return l.Encoding() == "ziplist"
	})
	return called(d.world.Engine(), l.Encoding())
}

// either returns yes if holds is set, else no.
func either(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}

// builder returns a builder for the encoding of a name.
func (d *data) builder(name string) builder {
	switch name {
	case d.small:
		if d.t == keyspace.List && d.chosen() == name {
			return d.large() // with room for more
		}
		return d.packed()
	case "intset":
		return d.intset()
	case "skiplist", "hashtable", "quicklist":
		return d.large()
	}
	return d.text(name)
}

// packed returns a builder that adds up the sizes of a ziplist's entries. It does not build the
// ziplist.
func (d *data) packed() builder {
	pairs := d.t == keyspace.ZSet || d.t == keyspace.Hash
	size, last := ziplist.EmptyBytes, 0
	return func(a, b ziplist.Entry) int {
		last = ziplist.EntryBytes(a, last)
		size += last
		if pairs {
			last = ziplist.EntryBytes(b, last)
			size += last
		}
		return keyspace.PackedLayout(d.key, size, d.t).Bytes()
	}
}

// intset returns a builder that counts integers and tracks the width of the widest one.
func (d *data) intset() builder {
	n, width := 0, 2
	return func(a, _ ziplist.Entry) int {
		var digits [20]byte
		i := ziplist.EntryOf(a.Text(digits[:])).Int
		n++
		switch {
		case i != int64(int32(i)):
			width = 8
		case i != int64(int16(i)):
			width = max(width, 4)
		}
		return keyspace.PackedLayout(d.key, 8+n*width, d.t).Bytes()
	}
}

// large returns a builder that builds the encoding for many elements.
func (d *data) large() builder {
	var x, y [24]byte
	switch d.t {
	case keyspace.ZSet:
		v := &zset.Set{}
		return func(a, b ziplist.Entry) int {
			v.Add(a.Text(x[:]), zset.EntryScore(b), zset.Limits{}, d.world.Dice)
			return keyspace.BoxedLayout(d.key, v).Bytes()
		}
	case keyspace.Hash:
		v, limits := &hash.Hash{}, hash.Limits{Seed: d.world.Seed()}
		return func(a, b ziplist.Entry) int {
			v.Set(a.Text(x[:]), b.Text(y[:]), limits)
			return keyspace.BoxedLayout(d.key, v).Bytes()
		}
	case keyspace.Set:
		v, limits := &set.Set{}, set.Limits{Seed: d.world.Seed()}
		return func(a, _ ziplist.Entry) int {
			v.Add(a.Text(x[:]), limits)
			return keyspace.BoxedLayout(d.key, v).Bytes()
		}
	}
	v, limits := &list.List{}, d.world.Engine().Config.List
	return func(a, _ ziplist.Entry) int {
		v.Push(list.Tail, a.Text(x[:]), limits)
		if zl, packed := v.Packed(); packed {
			return keyspace.PackedLayout(d.key, len(zl), d.t).Bytes()
		}
		return keyspace.BoxedLayout(d.key, v).Bytes()
	}
}

// text returns a builder for an encoding of strings.
func (d *data) text(name string) builder {
	return func(a, _ ziplist.Entry) int {
		if name == "int" {
			return keyspace.PackedLayout(d.key, 8, d.t).Bytes()
		}
		return keyspace.PackedLayout(d.key, len(a.Str), d.t).Bytes()
	}
}
