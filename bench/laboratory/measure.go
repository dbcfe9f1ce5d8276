package laboratory

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// crowd is how many elements are in memory at once, in copies of the collection if it is small.
const crowd = 20_000

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

// held returns the bytes of living objects and of cells in the slabs of a keyspace.
func held(ks *keyspace.Keyspace) int64 {
	ks.Begin()
	live, _ := ks.CellBytes()
	return heap() + int64(live)
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
	db.Set([]byte(key), ks.Int(1), false) // so the database has its slab
	db.Delete([]byte(key))
	before := held(ks)
	for _, name := range keys {
		if r.Type == "strings" {
			fillKeys(ks, data)
			break
		}
		v := fill(r.Case, data, d).value()
		ks.Begin()
		db.Set(name, v, false)
	}
	for db.Keys().RehashStep(1 << 20) {
	}
	after := held(ks)
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
			r.Usage += db.Usage().Key(prefixed(e.text))
		}
		return
	}
	v, _ := db.Peek(keys[0])
	r.Encoding, r.Usage = v.Encoding(), db.Usage().Key(keys[0])
	if b, ok := v.Packed(); ok && r.Type != "list" {
		r.Payload = len(b)
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
	d, all := newDice(), make([]container, copies)
	before := heap()
	for i := range all {
		all[i] = fill(r.Case, data, d)
	}
	after := heap()
	r.Heap = float64(after-before) / float64(copies)
	runtime.KeepAlive(all)
}

func fill(c Case, data []element, d dice) container {
	v := newContainer(c, d)
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
	runtime.LockOSThread() // whose time it is
	defer runtime.UnlockOSThread()
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
