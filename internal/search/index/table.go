package index

import (
	"container/heap"
	"slices"
)

// ID is the number of a document, from 1 on in the order in which documents were put.
type ID uint32

// document is what the index knows of a document beside its lists and its standing.
type document struct {
	id       ID
	key      string
	payload  string
	paid     bool  // it has a payload
	deadline int64 // of the key, in milliseconds; 0 for none
	due      int64 // when its next element expires; 0 for never
}

// standing is what a document brings to its scores.
type standing struct {
	score  float32 // its own, of the definition or a field
	most   uint32  // the frequency of its most frequent word
	length uint32  // its words, each as often as it is there
}

// texts returns the bytes of the document's key and payload.
func (d *document) texts() int { return len(d.key) + len(d.payload) }

// table is the documents by number and by key.
type table struct {
	docs  []*document // docs[id-1]; nil if it is gone
	byKey map[string]*document
	// standings is those of docs, one behind the other: a search with many results need not look at
	// each document by itself.
	standings []standing
	// waiting is the keys that are no documents, but have elements that expire, and when the next
	// one does: without it they may be some.
	waiting map[string]int64

	words    uint64 // the sum of their lengths
	texts    int    // bytes of their keys and payloads
	payloads int    // those of payloads
	gone     int    // since the numbers were given anew
	freed    uint64 // numbers that others have since
	dues     dues   // when elements expire: of documents, and of keys that wait
	volatile int    // documents with elements that expire
	mortal   bool   // a document has, or had, a deadline
}

func (t *table) init() { *t = table{byKey: make(map[string]*document)} }

// last returns the highest number so far.
func (t *table) last() ID { return ID(len(t.docs)) }

// get returns the document of a number; nil if it is gone.
func (t *table) get(id ID) *document {
	if id == 0 || id > t.last() {
		return nil
	}
	return t.docs[id-1]
}

func (t *table) alive(id ID) bool { return t.get(id) != nil }

// find returns the document of a key; nil if there is none.
func (t *table) find(key string) *document { return t.byKey[key] }

// standing returns the one of a document, which is there.
func (t *table) standing(id ID) *standing { return &t.standings[id-1] }

// add adds a document for a key that has none.
func (t *table) add(key string) *document {
	d := &document{id: t.last() + 1, key: key}
	t.docs = append(t.docs, d)
	t.standings = append(t.standings, standing{})
	t.byKey[key] = d
	return d
}

// note counts a document that is complete.
func (t *table) note(d *document, s standing) {
	*t.standing(d.id) = s
	t.words += uint64(s.length)
	t.texts += d.texts()
	t.payloads += len(d.payload)
	t.mortal = t.mortal || d.deadline != 0
	if d.due != 0 {
		t.volatile++
		t.await(d.key, d.due)
	}
}

// wait notes a key that is no document, whose next element expires at a time; 0 for never.
func (t *table) wait(key string, due int64) {
	if due == 0 {
		return
	}
	if t.waiting == nil {
		t.waiting = make(map[string]int64)
	}
	t.waiting[key] = due
	t.await(key, due)
}

func (t *table) remove(key string) {
	delete(t.waiting, key)
	d := t.byKey[key]
	if d == nil {
		return
	}
	delete(t.byKey, key)
	t.docs[d.id-1] = nil
	t.words -= uint64(t.standing(d.id).length)
	t.texts -= d.texts()
	t.payloads -= len(d.payload)
	if d.due != 0 {
		t.volatile--
	}
	t.gone++
}

// rename gives the document of a key another key, which has none.
func (t *table) rename(from, to string) {
	d := t.byKey[from]
	delete(t.byKey, from)
	t.texts += len(to) - len(from)
	d.key = to
	t.byKey[to] = d
	if d.due != 0 {
		t.await(to, d.due)
	}
}

func (t *table) setDeadline(key string, deadline int64) {
	if d := t.byKey[key]; d != nil {
		d.deadline = deadline
		t.mortal = t.mortal || deadline != 0
	}
}

// elementsDue returns the keys whose elements have expired, in order; they are to be put again. O(n
// log n) where n is how many that are.
func (t *table) elementsDue(now int64) (keys []string) {
	for len(t.dues) > 0 && t.dues[0].at <= now {
		if d := heap.Pop(&t.dues).(due); t.dueOf(d.key) == d.at {
			keys = append(keys, d.key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// dueOf returns when the next element of a key expires; 0 for never, or if the index does not know.
func (t *table) dueOf(key string) int64 {
	if d := t.byKey[key]; d != nil {
		return d.due
	}
	return t.waiting[key]
}

// await notes when the next element of a key expires. What was noted of keys before is forgotten
// once it is more than what counts.
func (t *table) await(key string, at int64) {
	if len(t.dues) > 2*(t.volatile+len(t.waiting))+leastDues {
		t.dues = slices.DeleteFunc(t.dues, func(d due) bool { return t.dueOf(d.key) != d.at })
		heap.Init(&t.dues)
	}
	heap.Push(&t.dues, due{at, key})
}

// dues is when elements expire, as a heap with the earliest on top. What it says of a key counts if
// dueOf says the same.
type dues []due

type due struct {
	at  int64 // in milliseconds
	key string
}

const (
	leastDues = 16
	dueBytes  = 24
)

// Len implements heap.Interface.
func (h dues) Len() int { return len(h) }

// Less implements heap.Interface.
func (h dues) Less(i, j int) bool { return h[i].at < h[j].at }

// Swap implements heap.Interface.
func (h dues) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *dues) Push(d any) { *h = append(*h, d.(due)) }

// Pop implements heap.Interface.
func (h *dues) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// wasteful reports whether more is gone than is there.
func (t *table) wasteful() bool { return t.gone > 1000 && t.gone > len(t.byKey) }

// renumbering is the new numbers of documents by their old ones: 0 for those that are gone. Their
// order stays.
type renumbering []ID

func (r renumbering) of(id ID) ID { return r[id] }

// renumber gives numbers from 1 on to the documents that are there. After every few it calls
// breathe.
func (t *table) renumber(breathe func()) renumbering {
	now := make(renumbering, len(t.docs)+1)
	docs := make([]*document, 0, len(t.byKey))
	standings := make([]standing, 0, len(t.byKey))
	for i, d := range t.docs {
		if i%stepsBetween == 0 {
			breathe()
		}
		if d != nil {
			docs = append(docs, d)
			standings = append(standings, t.standings[i])
			d.id = ID(len(docs))
			now[i+1] = d.id
		}
	}
	t.freed += uint64(len(t.docs) - len(docs))
	t.docs, t.standings, t.gone = docs, standings, 0
	return now
}

// average returns the mean length of the documents.
func (t *table) average() float64 { return float64(t.words) / float64(len(t.byKey)) }
