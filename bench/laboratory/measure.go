package laboratory

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/keyspace"
)

// crowd is how many elements are in memory at once, in copies of the collection if it is small.
const crowd = 40_000

// Measure returns what a case comes to. patience is how long each kind of operation is timed. It
// collects garbage and must not run beside other work of the program.
func Measure(c Case, patience time.Duration) Result {
	r := Result{Case: c}
	data := elements(shape(c.Shape), c.N)
	r.weigh(data)
	if c.Type != "strings" {
		r.time(data, patience)
	}
	return r
}

// newDice returns dice that always fall alike.
func newDice() dice { return rand.New(rand.NewPCG(1, 2)).Uint64N }

// heap returns the bytes of living objects, garbage collected.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	runtime.GC()
	runtime.GC() // sweeps what the first one found
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// weigh fills in the bytes.
func (r *Result) weigh(data []element) {
	if r.Form == BTree || r.Form == GoMap {
		r.weighPlain(data)
		return
	}
	copies := max(1, crowd/r.N)
	keys := make([][]byte, copies)
	for i := range keys {
		keys[i] = []byte(key + strconv.Itoa(i))
	}
	d := newDice()
	ks := keyspace.New(1, 7, d)
	db := ks.DB(0)
	before := heap()
	for _, name := range keys {
		if r.Type == "strings" {
			fillKeys(ks, data)
			break
		}
		v := fill(r.Case, data, d).value()
		ks.Begin()
		db.Set(name, v, false)
	}
	for db.RehashStep(1 << 20) {
	}
	after := heap()
	if r.Type == "strings" {
		copies = 1
	}
	r.Heap, r.Account = float64(after-before)/float64(copies), float64(ks.Bytes())/float64(copies)
	r.look(db, keys, data)
	runtime.KeepAlive(ks)
	runtime.KeepAlive(keys)
}

// key begins the keys.
const key = "k"

// look asks the keyspace of one key, or of all for strings.
func (r *Result) look(db *keyspace.DB, keys [][]byte, data []element) {
	if r.Type == "strings" {
		for _, e := range data {
			r.Usage += db.KeyBytes(prefixed(e.text))
		}
		return
	}
	v, _ := db.Peek(keys[0])
	r.Encoding, r.Usage = v.Encoding(), db.KeyBytes(keys[0])
	switch v := v.(type) {
	case *zset.Set:
		if zl, ok := v.Packed(); ok {
			r.Payload = len(zl)
		}
	case *hash.Hash:
		if zl, ok := v.Packed(); ok {
			r.Payload = len(zl)
		}
	case *set.Set:
		if b, ok := v.Packed(); ok {
			r.Payload = len(b)
		}
	}
}

// fillKeys stores each element as a key of its own.
func fillKeys(ks *keyspace.Keyspace, data []element) {
	value := str.Of(one)
	for _, e := range data {
		ks.Begin()
		ks.DB(0).Set(prefixed(e.text), &value, false)
	}
}

// prefixed returns the key for an element that is one.
func prefixed(text []byte) []byte { return append([]byte("user:"), text...) }

// weighPlain fills in the bytes of what is not ours.
func (r *Result) weighPlain(data []element) {
	copies := max(1, crowd/r.N)
	d, all := newDice(), make([]vessel, copies)
	before := heap()
	for i := range all {
		all[i] = fill(r.Case, data, d)
	}
	after := heap()
	r.Heap = float64(after-before) / float64(copies)
	runtime.KeepAlive(all)
}

func fill(c Case, data []element, d dice) vessel {
	v := newVessel(c, d)
	for _, e := range data {
		if c.Type == "strings" {
			e.text = prefixed(e.text)
		}
		v.insert(e)
	}
	return v
}

// time fills in the times.
func (r *Result) time(data []element, patience time.Duration) {
	d := newDice()
	draw := rand.New(rand.NewPCG(3, 4))
	r.Insert = repeat(patience, len(data), func() { fill(r.Case, data, d) })
	v := fill(r.Case, data, d)
	r.Lookup = repeat(patience, 1, func() {
		i := draw.IntN(len(data))
		if !v.lookup(data[i], i) {
			panic(fmt.Sprintf("%s: element %d is lost", r.Case, i))
		}
	})
	if v, ok := v.(ranker); ok {
		r.Rank = repeat(patience, 1, func() { v.rank(data[draw.IntN(len(data))]) })
	}
	if v, ok := v.(ranger); ok {
		r.Range = repeat(patience, 1, func() { v.ten(draw.IntN(max(1, len(data)-10))) })
	}
	r.Delete = r.timeDelete(data, d, patience)
}

// timeDelete removes elements in random order, from as many collections as patience allows, and
// returns the best time of one removal. Filling them is not counted.
func (r *Result) timeDelete(data []element, d dice, patience time.Duration) (best float64) {
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(data))
	const most, least = 20_000, 500
	order = order[:min(len(order), most)]
	several := max(1, least/len(order))
	for start := time.Now(); best == 0 || time.Since(start) < 2*patience; {
		all := make([]vessel, several)
		for i := range all {
			all[i] = fill(r.Case, data, d)
		}
		begin := time.Now()
		for _, v := range all {
			for _, i := range order {
				v.delete(data[i])
			}
		}
		took := float64(time.Since(begin)) / float64(several*len(order))
		if best == 0 || took < best {
			best = took
		}
	}
	return best
}

// repeats is how often each operation is timed. The shortest time counts: what else the machine does
// can only add to it.
const repeats = 5

// repeat runs fn for about patience, once at least, and returns the nanoseconds of one of the ops
// that it does.
func repeat(patience time.Duration, ops int, fn func()) float64 {
	best := lap(patience/repeats, ops, fn)
	for range repeats - 1 {
		if best*float64(ops) > float64(patience) {
			break // once was long enough
		}
		best = min(best, lap(patience/repeats, ops, fn))
	}
	return best
}

func lap(patience time.Duration, ops int, fn func()) float64 {
	start, runs, batch := time.Now(), 0, 1
	for {
		for range batch {
			fn()
		}
		runs += batch
		took := time.Since(start)
		if took >= patience {
			return float64(took) / float64(runs*ops)
		}
		if took < patience/8 {
			batch *= 2
		}
	}
}
