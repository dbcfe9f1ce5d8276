package testkit

import (
	"container/heap"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Commands of the kit that look at all keys must not hold the other clients meanwhile. With more
// than a few keys they look at a clone, the data of one moment, and an event loop makes the reply
// beside requests:
//
//	MINI.DUMP ─ clone, block ─┬─ piece ─┬─ requests ─┬─ piece ─┬─ ... ─ the reply
//	                          └ names, sorted in runs ─┘  └ the runs merged, key by key
//
// A value is one piece, however large it is.

const (
	fewKeys  = 4096 // with so many a reply is made at once
	scanned  = 256  // keys whose names a piece collects
	runLen   = 4096 // names that are sorted together
	inAPiece = 16   // keys that a piece visits
)

// piece makes the next piece of a reply, and reports whether there is more to do.
type piece func(out *resp.Writer) (more bool)

// inTurns has a reply made piece by piece from what is walked over: at once if that is few keys,
// else in turns with other clients.
func (k *Kit) inTurns(c *engine.Call, work piece, walks ...*walk) {
	out := resp.NewWriter(c.Reply.Proto())
	out.SetLimit(c.Reply.Room())
	if !slices.ContainsFunc(walks, (*walk).isCopy) || !c.MayBlock() {
		for work(out) && !out.Full() {
		}
		k.endWalks(walks)
		send(c.Reply, out)
		return
	}
	done := false
	w := c.Block(0, func(s *engine.Session) {
		if !done {
			s.Reply.Error(errUnblocked)
			return
		}
		send(s.Reply, out)
	})
	k.engine.Later(func(length time.Duration) (more bool) {
		for end := k.engine.Machine() + length.Microseconds(); !w.Ended(); {
			if done = !work(out) || out.Full(); done {
				w.End()
				break
			}
			if k.engine.Machine() >= end {
				w.Hold(out.Len() + heldBy(walks))
				return true
			}
		}
		k.endWalks(walks)
		return false
	})
}

// heldBy returns how many bytes walks hold beside their copies.
func heldBy(walks []*walk) (n int) {
	for _, w := range walks {
		n += w.held
	}
	return n
}

// endWalks gives back the memory of copies.
func (k *Kit) endWalks(walks []*walk) {
	for _, w := range walks {
		if w.isCopy() {
			k.engine.Copies().Return(w.copied)
			w.ks.Release()
		}
	}
}

// send appends a reply to another one.
func send(to, reply *resp.Writer) {
	if reply.Full() {
		to.Fill()
	}
	to.Raw(reply.Bytes())
}

// walk visits the keys of a keyspace that match a pattern, in the order of databases and names, a
// piece at a time. Nothing may change the keyspace meanwhile.
type walk struct {
	ks      *keyspace.Keyspace
	pattern string
	db      int
	cursor  uint64
	read    bool       // all names of the database have been collected
	run     []string   // the names that are not sorted yet
	runs    sortedRuns // the others
	held    int        // bytes of both, and of what was made of the keys
	copied  int        // bytes of the keyspace if it is a copy of its own, else 0
}

// walkOver returns a walk over a keyspace, or over a copy of it unless it has few keys. It latches
// an error if there is no room for the copy.
func (k *Kit) walkOver(c *engine.Call, ks *keyspace.Keyspace, pattern string) *walk {
	n := 0
	for id := range ks.Len() {
		n += ks.DB(id).Len()
	}
	w := &walk{ks: ks, pattern: pattern}
	if n <= fewKeys {
		return w
	}
	if c.Refuse(c.World.CheckRoom(ks.Bytes())); !c.Failed() {
		w.ks, w.copied = ks.Clone(), ks.Bytes()
		k.engine.Copies().Take(w.copied)
	}
	return w
}

func (w *walk) isCopy() bool { return w.copied > 0 }

// next does a piece of work: it calls fn for some keys, or for none yet. It reports whether there
// are more.
func (w *walk) next(fn func(db *keyspace.DB, name string)) (more bool) {
	if w.db == w.ks.Len() {
		return false
	}
	db := w.ks.DB(w.db)
	if !w.read {
		w.collect(db)
		return true
	}
	for range inAPiece {
		if len(w.runs) == 0 {
			w.db, w.read = w.db+1, false
			break
		}
		name := w.runs.first()
		w.held -= len(name) + nameBytes
		w.ks.Begin()
		fn(db, name)
	}
	return true
}

// collect collects the names of some keys.
func (w *walk) collect(db *keyspace.DB) {
	w.ks.Begin()
	match := func(key string, _ keyspace.Type) bool { return glob.Match(w.pattern, key) }
	w.cursor = db.Keys().Scan(w.cursor, scanned, match, func(key string, _ keyspace.Type) {
		w.run = append(w.run, strings.Clone(key))
		w.held += len(key) + nameBytes
	})
	if w.read = w.cursor == 0; w.read || len(w.run) >= runLen {
		w.endRun()
	}
	if w.read {
		heap.Init(&w.runs)
	}
}

// nameBytes is what a name takes beside its text.
const nameBytes = 16

func (w *walk) endRun() {
	if len(w.run) > 0 {
		slices.Sort(w.run)
		w.runs = append(w.runs, w.run)
		w.run = nil
	}
}

// sortedRuns is a heap of lists of names, none empty, each of them sorted.
type sortedRuns [][]string

// first takes the first of all names.
func (r *sortedRuns) first() (name string) {
	name = (*r)[0][0]
	if (*r)[0] = (*r)[0][1:]; len((*r)[0]) == 0 {
		heap.Pop(r)
	} else {
		heap.Fix(r, 0)
	}
	return name
}

// Len implements heap.Interface.
func (r sortedRuns) Len() int { return len(r) }

// Less implements heap.Interface.
func (r sortedRuns) Less(i, j int) bool { return r[i][0] < r[j][0] }

// Swap implements heap.Interface.
func (r sortedRuns) Swap(i, j int) { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *sortedRuns) Push(run any) { *r = append(*r, run.([]string)) }

// Pop implements heap.Interface.
func (r *sortedRuns) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
