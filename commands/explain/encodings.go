package explain

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// form is one encoding that a key's data could have, and what it would cost.
type form struct {
	name  string
	curve []int // curve[i] is the bytes with the first i+1 elements
	total int   // elements of the key, perhaps more than the curve has
	make  func() builder
	each  func(fn func(a, b ziplist.Entry) bool)
}

// builder takes the elements of a key one by one, a value or score with each where the type has them,
// and returns the bytes that the key costs with them.
type builder func(a, b ziplist.Entry) (bytes int)

// build computes the curve.
func (f *form) build() *form {
	f.curve = f.curve[:0]
	add := f.make()
	f.each(func(a, b ziplist.Entry) bool {
		f.curve = append(f.curve, add(a, b))
		return len(f.curve) < mostBuilt
	})
	return f
}

// final returns the bytes with all elements.
func (f *form) final() int {
	n := len(f.curve)
	if n == 0 {
		return 0
	}
	return int(int64(f.curve[n-1]) * int64(max(f.total, n)) / int64(n))
}

// estimate says if final is one.
func (f *form) estimate() string {
	if n := len(f.curve); f.total > n && n > 1 {
		return fmt.Sprintf("estimated from the first %d elements", n)
	}
	return ""
}

// forms returns the encodings that the data of a key can have, and a function that tells which of them
// the settings would choose.
func forms(e *engine.Engine, key []byte, v keyspace.Value) (list []*form, fits func() string) {
	s := &subject{engine: e, key: len(key), n: v.Len(), t: v.Type()}
	if s.t == keyspace.String {
		s.n = 1
	}
	s.watch(v)
	for _, name := range s.names(v) {
		f := &form{name: name, total: s.n, each: s.each}
		f.make = func() builder { return s.builder(name) }
		list = append(list, f.build())
	}
	return list, s.fits
}

// rebuilt builds the forms again, under other settings.
func rebuilt(e *engine.Engine, forms []*form) []*form {
	for _, f := range forms {
		f.build()
	}
	return forms
}

// subject is a key whose forms are compared.
type subject struct {
	engine  *engine.Engine
	key     int // bytes of the key
	n       int // elements
	t       keyspace.Type
	each    func(fn func(a, b ziplist.Entry) bool)
	longest int  // bytes of the longest element or value that was looked at
	numbers bool // all of those are integers
}

// watch looks at the elements once.
func (s *subject) watch(v keyspace.Value) {
	s.each = elements(v)
	s.numbers = true
	seen := 0
	var digits [20]byte
	s.each(func(a, b ziplist.Entry) bool {
		s.numbers = s.numbers && (a.IsInt() || ziplist.EntryOf(a.Text(digits[:])).IsInt())
		s.longest = max(s.longest, a.Len())
		if s.t == keyspace.Hash {
			s.longest = max(s.longest, b.Len())
		}
		seen++
		return seen < mostBuilt
	})
}

// elements returns a function that walks the elements of v: members, members and scores, fields and
// values, or a string as one element.
func elements(v keyspace.Value) func(fn func(a, b ziplist.Entry) bool) {
	return func(fn func(a, b ziplist.Entry) bool) {
		none := ziplist.Entry{}
		switch v := v.(type) {
		case *zset.Set:
			v.Each(func(member []byte, score float64) bool {
				var text [24]byte
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

// names returns the encodings that the data can have.
func (s *subject) names(v keyspace.Value) []string {
	switch s.t {
	case keyspace.ZSet:
		return []string{"ziplist", "skiplist"}
	case keyspace.Hash:
		return []string{"ziplist", "hashtable"}
	case keyspace.Set:
		if s.numbers {
			return []string{"intset", "ziplist", "hashtable"}
		}
		return []string{"ziplist", "hashtable"}
	case keyspace.List:
		return []string{"ziplist", "quicklist"}
	case keyspace.String:
		return stringForms(v)
	}
	return nil
}

func stringForms(v keyspace.Value) []string {
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

// fits returns the encoding that the settings choose for the data, written anew.
func (s *subject) fits() string {
	c := s.engine.Config
	switch s.t {
	case keyspace.ZSet:
		return either(s.n <= c.ZSet.MaxEntries && s.longest <= c.ZSet.MaxValue, "ziplist", "skiplist")
	case keyspace.Hash:
		return either(s.n <= c.Hash.MaxEntries && s.longest <= c.Hash.MaxValue, "ziplist", "hashtable")
	case keyspace.Set:
		if s.numbers && s.n <= c.Set.MaxInts {
			return "intset"
		}
		return either(!s.numbers && s.n <= c.Set.MaxEntries && s.longest <= c.Set.MaxValue, "ziplist", "hashtable")
	}
	return "quicklist"
}

func either(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}

// builder returns a builder of the encoding of that name.
func (s *subject) builder(name string) builder {
	switch name {
	case "ziplist":
		return s.packed()
	case "intset":
		return s.intset()
	case "skiplist", "hashtable", "quicklist":
		return s.large()
	}
	return s.text(name)
}

// packed adds up the entries of a ziplist, which need not be made for that.
func (s *subject) packed() builder {
	pairs := s.t == keyspace.ZSet || s.t == keyspace.Hash
	size, last := ziplist.EmptyBytes, 0
	return func(a, b ziplist.Entry) int {
		last = ziplist.EntryBytes(a, last)
		size += last
		if pairs {
			last = ziplist.EntryBytes(b, last)
			size += last
		}
		return keyspace.PackedLayout(s.key, size, s.t).Bytes()
	}
}

// intset adds up integers of the widest one's width.
func (s *subject) intset() builder {
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
		return keyspace.PackedLayout(s.key, 8+n*width, s.t).Bytes()
	}
}

// large makes the encoding for many elements.
func (s *subject) large() builder {
	var x, y [24]byte
	switch s.t {
	case keyspace.ZSet:
		v := &zset.Set{}
		return func(a, b ziplist.Entry) int {
			v.Add(a.Text(x[:]), zset.EntryScore(b), zset.Limits{}, s.engine.Dice)
			return keyspace.BoxedLayout(s.key, v).Bytes()
		}
	case keyspace.Hash:
		v, limits := &hash.Hash{}, hash.Limits{Seed: s.engine.Config.Hash.Seed}
		return func(a, b ziplist.Entry) int {
			v.Set(a.Text(x[:]), b.Text(y[:]), limits)
			return keyspace.BoxedLayout(s.key, v).Bytes()
		}
	case keyspace.Set:
		v, limits := &set.Set{}, set.Limits{Seed: s.engine.Config.Set.Seed}
		return func(a, _ ziplist.Entry) int {
			v.Add(a.Text(x[:]), limits)
			return keyspace.BoxedLayout(s.key, v).Bytes()
		}
	}
	v, limits := &list.List{}, s.engine.Config.List
	return func(a, _ ziplist.Entry) int {
		v.Push(list.Tail, a.Text(x[:]), limits)
		if zl, packed := v.Packed(); packed {
			return keyspace.PackedLayout(s.key, len(zl), s.t).Bytes()
		}
		return keyspace.BoxedLayout(s.key, v).Bytes()
	}
}

// text is a string in one of its forms.
func (s *subject) text(name string) builder {
	return func(a, _ ziplist.Entry) int {
		if name == "int" {
			return keyspace.PackedLayout(s.key, 8, s.t).Bytes()
		}
		return keyspace.PackedLayout(s.key, len(a.Str), s.t).Bytes()
	}
}
