// Package laboratory measures what collections cost: in bytes and in time, by their number of
// elements, by what the elements are, and by the encoding that holds them.
//
//	type    zset, hash, set, list, and strings as keys of their own
//	shape   small integers, time stamps, texts of 8, 16, 64 and 65 bytes, UUIDs
//	form    default        what the thresholds choose, as in Redis
//	        ziplist        forced by thresholds without end
//	        table          skiplist, hashtable, quicklist: forced by thresholds of zero
//	        intset         of sets
//	        btree, gomap   what one would take in Go without this package: google/btree, a map
//
// A case's bytes are taken twice, independently of each other: from the keyspace's own accounts,
// which is what MEMORY USAGE and maxmemory read, and from the heap, before and after, with the
// garbage collected. Small collections are made in thousands at once, so that the heap's figure is
// that of many and not of noise. Where the two differ by more than Tolerance, the result says so.
//
// Byte figures depend on nothing but the program. Times are CPU times (see clock.go); compare those
// of one run.
package laboratory

import (
	"fmt"
	"slices"
)

// Tolerance is how far the accounts may be from the heap, of the heap.
const Tolerance = 0.10

// A form is how a type holds its elements.
const (
	Default = "default"
	Ziplist = "ziplist"
	Table   = "table"
	Intset  = "intset"
	BTree   = "btree"
	GoMap   = "gomap"
)

// Case is one measurement to be made.
type Case struct {
	Type, Shape, Form string
	N                 int
}

// String returns the case in words.
func (c Case) String() string { return fmt.Sprintf("%s of %d %s, %s", c.Type, c.N, c.Shape, c.Form) }

// Selection says which cases to measure. Empty lists mean all.
type Selection struct {
	Types, Shapes, Forms []string
	Counts               []int
}

// Types are the types in order.
var Types = []string{"zset", "hash", "set", "list", "strings"}

// formsOf are the forms of a type.
var formsOf = map[string][]string{
	"zset":    {Default, Ziplist, Table, BTree},
	"hash":    {Default, Ziplist, Table, GoMap},
	"set":     {Default, Intset, Ziplist, Table, GoMap},
	"list":    {Default, Ziplist},
	"strings": {Default, GoMap},
}

// Counts are the numbers of elements by default: every power of two up to 2048, the surroundings of
// the thresholds at 128 and 512, and large ones.
var Counts = []int{1, 2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 120, 127, 128, 129, 136, 144, 160, 192, 224, 256, 320, 384,
	448, 511, 512, 513, 576, 640, 768, 1024, 1536, 2048, 10_000, 100_000, 1_000_000}

const (
	leastKeys  = 1000    // the fewest strings: below, tables that are there anyway are most of it
	mostPacked = 10_000  // elements of a ziplist: each insertion looks at all of them
	mostShapes = 10_000  // elements of other shapes than the main one
	mainShape  = "times" // the article's
)

// Cases returns the cases of a selection, in order.
func (s Selection) Cases() (list []Case) {
	for _, kind := range Types {
		for _, shape := range Shapes {
			for _, form := range formsOf[kind] {
				for _, n := range s.Counts {
					c := Case{kind, shape.Name, form, n}
					if s.has(c) && c.sensible() {
						list = append(list, c)
					}
				}
			}
		}
	}
	return list
}

// Short returns a selection that takes less than a minute: time stamps in all forms, and the other
// shapes in sorted sets of one size.
func Short() []Case {
	counts := []int{1, 8, 32, 64, 96, 127, 128, 129, 160, 192, 256, 512, 513, 1024, 2048, 10_000}
	list := Selection{Shapes: []string{mainShape}, Counts: counts}.Cases()
	for _, c := range (Selection{Types: []string{"zset"}, Counts: []int{128}}).Cases() {
		if c.Shape != mainShape {
			list = append(list, c)
		}
	}
	return list
}

func (s Selection) has(c Case) bool {
	chosen := func(list []string, x string) bool { return len(list) == 0 || slices.Contains(list, x) }
	return chosen(s.Types, c.Type) && chosen(s.Shapes, c.Shape) && chosen(s.Forms, c.Form)
}

// sensible reports whether the case can exist and ends within minutes.
func (c Case) sensible() bool {
	switch {
	case c.N > shape(c.Shape).Most:
		return false
	case c.Form == Intset && !shape(c.Shape).Integers:
		return false
	case c.Type == "strings" && c.N < leastKeys:
		return false
	case (c.Form == Ziplist || c.Form == Intset) && c.N > mostPacked:
		return false
	}
	return c.N <= mostShapes || c.Shape == mainShape
}

// Result is what a case came to. Times are nanoseconds per operation, 0 where there is no such
// operation.
type Result struct {
	Case
	Encoding string  // as OBJECT ENCODING tells; empty for a form that is not ours
	Usage    int     // bytes of the key, as MEMORY USAGE tells; of all keys for strings
	Payload  int     // of those, the ziplist or intset itself; 0 if there is none
	Account  float64 // by the keyspace's accounts, its tables' share included; 0 for a form that is not ours
	Heap     float64 // by the heap
	Insert   float64
	Lookup   float64
	Rank     float64
	Range    float64 // of ten neighbours
	Delete   float64
	Redis    Reference
}

// Reference is what a redis-server tells of the same data.
type Reference struct {
	Encoding string
	Usage    int // 0 if it was not asked
}

// PerElement returns the heap's bytes per element.
func (r Result) PerElement() float64 { return r.Heap / float64(r.N) }

// Off returns how far the account is from the heap, of the heap; 0 without an account.
func (r Result) Off() float64 {
	if r.Account == 0 {
		return 0
	}
	return r.Account/r.Heap - 1
}

// Agrees reports whether account and heap agree within Tolerance.
func (r Result) Agrees() bool { return r.Off() <= Tolerance && r.Off() >= -Tolerance }

// Ratio returns our bytes over those of Redis; 0 if it was not asked.
func (r Result) Ratio() float64 {
	if r.Redis.Usage == 0 {
		return 0
	}
	return float64(r.Usage) / float64(r.Redis.Usage)
}
