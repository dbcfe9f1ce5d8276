package rdb

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// vast is a keyspace with a few values of all types, most of which are encoded in many steps.
type vast struct {
	*keyspace.Keyspace
	rng *rand.Rand
	lim Limits

	busy    *place // that is being encoded, if its value is large
	changes int    // of that value
}

// place is a key in a database.
type place struct {
	db  int
	key string
}

// emit wraps a function that takes records, to note which key is being encoded.
func (v *vast) emit(take func(*keyspace.Record, *keyspace.Pace)) func(*keyspace.Record, *keyspace.Pace) {
	return func(r *keyspace.Record, p *keyspace.Pace) {
		if p != nil && v.busy == nil {
			v.busy = &place{r.DB, r.Key}
			defer func() { v.busy = nil }()
		}
		take(r, p)
	}
}

const vastKeys = 8

func (v *vast) key() []byte { return fmt.Appendf(nil, "key:%d", v.rng.IntN(vastKeys)) }

// text returns a text that compresses well, badly or not at all.
func (v *vast) text() []byte { return randomText(v.rng) }

// value returns a value of some type, mostly a large one, with deadlines for some of its elements
// or none.
func (v *vast) value(kind int) keyspace.Value {
	n := 200 << v.rng.IntN(4)
	if v.rng.IntN(4) == 0 {
		n = 1 + v.rng.IntN(20)
	}
	var value keyspace.Value
	switch kind % 7 {
	case 0:
		text := bytes.Repeat(v.text(), n/4)
		for range len(text) / 50 {
			text[v.rng.IntN(len(text))]++
		}
		s := str.OfEnc(text, str.Raw)
		return &s
	case 1:
		value = &hash.Hash{}
	case 2:
		value = &set.Set{}
	case 3:
		value = &zset.Set{}
	case 4:
		value = &list.List{}
	case 5:
		return v.delivered(randomStream(v.rng, n))
	case 6:
		f, _ := bloom.New(bloom.Options{Capacity: 1000, Rate: 0.001, Growth: 2})
		value = f
	}
	for range n {
		v.grow(value)
	}
	if d, ok := value.(keyspace.Collection); ok && v.rng.IntN(2) == 0 {
		v.date(d, n/10)
	}
	return value
}

// delivered returns a stream with a group that has many messages.
func (v *vast) delivered(s *stream.Stream) *stream.Stream {
	g := s.AddGroup([]byte("many"), s.Last(), stream.Unknown)
	for w := s.Walk(stream.ID{}, stream.MaxID); w.Next(); {
		name := fmt.Appendf(nil, "consumer %d", v.rng.IntN(5))
		c := g.Consumer(name)
		if c == nil {
			c = g.AddConsumer(name, v.rng.Int64N(1e12))
		}
		p := g.Deliver(w.ID, c)
		p.Delivered, p.Count = v.rng.Int64N(1e12), v.rng.Int64N(10)
	}
	return s
}

// grow adds an element.
func (v *vast) grow(value keyspace.Value) {
	switch value := value.(type) {
	case *hash.Hash:
		value.Set(v.text(), v.text(), v.lim.Hash)
	case *set.Set:
		value.Add(v.text(), v.lim.Set)
	case *zset.Set:
		value.Add(v.text(), v.rng.NormFloat64(), v.lim.ZSet, dice)
	case *list.List:
		value.Push([]list.End{list.Head, list.Tail}[v.rng.IntN(2)], v.text(), v.lim.List)
	case *bloom.Filter:
		value.Add(v.text(), math.MaxInt)
	}
}

// date sets deadlines of about n elements.
func (v *vast) date(d keyspace.Collection, n int) {
	for _, name := range v.names(d, n) {
		if !SetElementDeadline(d, name, v.Now+1+v.rng.Int64N(40), dice) {
			panic("no element " + string(name))
		}
	}
}

// names returns up to n elements, as SetElementDeadline expects them.
func (v *vast) names(d keyspace.Collection, n int) (names [][]byte) {
	more := func(name []byte) bool {
		if v.rng.IntN(3) == 0 {
			names = append(names, bytes.Clone(name))
		}
		return len(names) < n
	}
	switch d := d.(type) {
	case *hash.Hash:
		d.Each(func(field, _ ziplist.Entry) bool { return more(field.Append(nil)) })
	case *set.Set:
		d.Each(func(member ziplist.Entry) bool { return more(member.Append(nil)) })
	case *zset.Set:
		d.Each(func(member []byte, _ float64) bool { return more(member) })
	case *list.List:
		for i := 0; i < d.Len() && more(fmt.Append(nil, i)); i++ {
		}
	}
	return names
}

// change changes a value in a random way.
func (v *vast) change(value keyspace.Value) {
	n := v.rng.IntN(10)
	switch value := value.(type) {
	case *str.Value:
		if v.rng.IntN(2) == 0 {
			value.Append(v.text())
			return
		}
		if at := value.Len(); at > 0 {
			value.Edit(at)[v.rng.IntN(at)]++
		}
	case *stream.Stream:
		v.changeStream(value)
	case keyspace.Collection:
		switch v.rng.IntN(5) {
		case 0:
			for _, name := range v.names(value, n) {
				value.Discard(name)
			}
		case 1:
			v.date(value, n)
		case 2, 3:
			v.rework(value, n)
		}
		v.grow(value)
	default:
		v.grow(value)
	}
}

// rework changes elements that are there, or removes neighbours.
func (v *vast) rework(d keyspace.Collection, n int) {
	if v.rng.IntN(20) == 0 {
		n = d.Len() * v.rng.IntN(12) / 10
	}
	switch d := d.(type) {
	case *hash.Hash:
		for _, name := range v.names(d, n) {
			d.Update(name, v.text(), v.lim.Hash)
		}
	case *set.Set:
		d.Pop(n, v.lim.Set, dice, func(ziplist.Entry) {})
	case *zset.Set:
		switch v.rng.IntN(3) {
		case 0:
			for _, name := range v.names(d, n) {
				d.Add(name, v.rng.NormFloat64(), v.lim.ZSet, dice)
			}
		case 1:
			d.PopMax(n, func([]byte, float64) {})
		case 2:
			start := v.rng.IntN(1 + d.Len())
			d.RemoveRangeByRank(start, start+n, nil)
		}
	case *list.List:
		v.reworkList(d, n)
	}
}

func (v *vast) reworkList(l *list.List, n int) {
	switch v.rng.IntN(4) {
	case 0:
		l.RemoveEnd([]list.End{list.Head, list.Tail}[v.rng.IntN(2)], n)
	case 1:
		l.Set(v.rng.IntN(1+l.Len()), v.text(), v.lim.List)
	case 2:
		if e, ok := l.Index(v.rng.IntN(1 + l.Len())); ok {
			l.Insert(e.Append(nil), v.text(), v.rng.IntN(2) == 0, v.lim.List)
		}
	case 3:
		if e, ok := l.Index(v.rng.IntN(1 + l.Len())); ok {
			l.Remove(e.Append(nil), 1+v.rng.IntN(3), list.Tail)
		}
	}
	l.Shrink(v.lim.List)
}

func (v *vast) changeStream(s *stream.Stream) {
	id := s.Last()
	id.Seq++
	switch v.rng.IntN(9) {
	case 5: // from anywhere
		entry := s.Walk(stream.ID{Ms: s.First().Ms + v.rng.Uint64N(1+s.Last().Ms-s.First().Ms)}, stream.MaxID)
		for n := v.rng.IntN(3); n > 0 && entry.Next(); n-- {
			s.Delete(entry.ID)
			entry = s.Walk(entry.ID, stream.MaxID)
		}
	case 6:
		s.Trim(stream.Trim{Keep: s.Len() - v.rng.IntN(1+s.Len()/4), Nodes: v.rng.IntN(2) == 0,
			Refs: stream.Refs(v.rng.IntN(3))})
	case 7:
		s.Delete(s.Last())
	case 0:
		s.Delete(s.First())
	case 1:
		for _, g := range s.Groups() {
			if _, last, ok := g.Bounds(); ok {
				g.Ack(last)
			}
		}
	case 8:
		if g := s.Group([]byte("many")); g != nil && len(g.Consumers()) > 0 {
			v.changeMessages(g)
		}
	case 2:
		if g := s.AddGroup(v.text(), s.First(), 0); g != nil {
			g.Deliver(s.First(), g.AddConsumer(v.text(), 1))
		}
	case 3:
		s.Remember(v.text(), v.text(), s.First(), v.Now)
	case 4:
		for _, g := range s.Groups() {
			g.Return(s.First()).Count = 3
		}
	}
	s.Append(id, [][]byte{v.text(), v.text()}, stream.Defaults)
}

// changeMessages changes the messages of a group that has consumers.
func (v *vast) changeMessages(g *stream.Group) {
	c := g.Consumers()[v.rng.IntN(len(g.Consumers()))]
	if v.rng.IntN(10) == 0 {
		g.RemoveConsumer([]byte(c.Name()))
		return
	}
	var ids []stream.ID
	g.Each(stream.ID{}, func(p *stream.Pending) bool {
		if v.rng.IntN(20) == 0 {
			ids = append(ids, p.ID)
		}
		return true
	})
	for _, id := range ids {
		switch v.rng.IntN(3) {
		case 0:
			g.Ack(id)
		case 1:
			g.Deliver(id, c).Count++
		case 2:
			g.Return(id).Count++
		}
	}
}

// changeSomeKey changes a random key.
func (v *vast) changeSomeKey() {
	v.Begin()
	db, key := v.DB(v.rng.IntN(v.Len())), v.key()
	if v.busy != nil && v.rng.IntN(2) == 0 {
		db, key = v.DB(v.busy.db), []byte(v.busy.key)
	}
	switch v.rng.IntN(30) {
	case 0:
		db.Delete(key)
	case 1:
		db.SetUntil(key, v.value(v.rng.Int()), int64(v.rng.IntN(2))*(v.Now+v.rng.Int64N(100)))
	case 2:
		db.Set(key, v.String(v.text()), true)
	case 9, 10: // another value of the same length may use its memory
		if value, ok := db.Find(key); ok && value.Type() == keyspace.String {
			db.Set(key, v.Raw(bytes.Repeat([]byte("x"), value.Len())), true)
		}
	case 3:
		db.SetDeadline(key, v.Now+v.rng.Int64N(100))
	case 4, 5:
		to, other := v.DB(v.rng.IntN(v.Len())), v.key()
		if !db.Exists(key) || to == db && string(key) == string(other) {
			return
		}
		if v.rng.IntN(3) == 0 {
			db.Copy(key, to, other)
		} else {
			db.Transfer(key, to, other)
		}
	case 6:
		if v.Now += v.rng.Int64N(2); v.rng.IntN(30) == 0 {
			db.Flush()
		}
	case 7:
		v.Swap(0, v.rng.IntN(v.Len()))
	case 8:
		db.Find(key)
		db.Delete(v.key())
	default:
		if value, ok := db.Edit(key); ok {
			if v.busy != nil && *v.busy == (place{db.ID(), string(key)}) {
				v.changes++
			}
			v.change(value)
			db.Commit(key)
		}
	}
}

// describe returns everything about each key as text.
func describe(ks *keyspace.Keyspace) map[string]string {
	p := make(map[string]string)
	var e Encoder
	ks.Records(func(r *keyspace.Record) bool {
		text := fmt.Sprint(r.Deadline, " ", r.Value.Type(), " ", r.Value.Len())
		switch r.Value.(type) {
		case *stream.Stream, *bloom.Filter:
			text += fmt.Sprintf(" %x", e.Payload(nil, r.Value))
		default:
			twin := newKeyspace(1, 1, dice)
			twin.DB(0).Set([]byte("k"), r.Value.Clone(), false)
			text += fmt.Sprintf(" %x", twin.DB(0).ValueDigest([]byte("k")))
		}
		dates := elementDeadlines(r.Value)
		for _, name := range slices.Sorted(maps.Keys(dates)) {
			text += fmt.Sprintf(" %x=%d", name, dates[name])
		}
		p[fmt.Sprint(r.DB, " ", r.Key)] = text
		return true
	})
	return p
}

// read loads a snapshot, including the deadlines of elements.
func read(t *testing.T, file []byte, lim Limits) *keyspace.Keyspace {
	t.Helper()
	ks := newKeyspace(2, 7, dice)
	ks.Now, ks.Replaying = 1, true
	r := NewReader(bytes.NewReader(file), Options{Limits: lim, Keyspace: ks, Size: int64(len(file))})
	for r.Next() {
		switch r.Item {
		case Key:
			require.True(t, ks.Restore(&r.Record), "%q appears twice", r.Record.Key)
		case Element:
			r.SetDeadline(ks)
		}
	}
	require.NoError(t, r.Err())
	return ks
}

// TestSnapshotOfLargeValues takes a snapshot in steps, and changes the keyspace in random ways
// between them. The snapshot holds the data at its start.
func TestSnapshotOfLargeValues(t *testing.T) {
	rested, changed := 0, 0
	for seed := range quick.Rounds(uint64(80)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		v := &vast{Keyspace: newKeyspace(2, seed, dice), rng: rng, lim: limits(int(seed % 2))}
		v.Now = 1_700_000_000_000
		for i := range 2 * vastKeys {
			v.DB(i%2).Set(fmt.Appendf(nil, "key:%d", i/2), v.value(i/2), false)
		}
		for range 30 {
			v.changeSomeKey()
		}
		want := describe(v.Keyspace)
		var file memory
		w, records := NewWriter(&file, 0), NewRecords(seed%3 > 0)
		s := v.Snapshot(v.emit(records.Record))
		quiet := rng.IntN(12)
		for more := true; more || records.Len() > 0; {
			more = s.Step(1)
			require.NoError(t, w.Write(records.Take(nil)))
			if records.pace != nil {
				rested++
			}
			for rng.IntN(1+quiet) == 0 && rng.IntN(3) > 0 {
				v.changeSomeKey()
				check(t, v.Keyspace)
			}
		}
		changed += v.changes
		require.False(t, v.Snapshotting())
		require.Nil(t, records.pace)
		require.NoError(t, w.End(records.Version()))
		got := describe(read(t, file.Bytes(), v.lim))
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), "seed %d", seed)
		for key := range want {
			require.Equal(t, want[key], got[key], "seed %d, key %s", seed, key)
		}
		check(t, v.Keyspace)
	}
	require.Greater(t, rested, quick.Rounds(1000), "large values rested between steps")
	require.Greater(t, changed, quick.Rounds(200), "and were changed while they did")
}

// Layers of a Bloom filter may come in different blocks of a file.
func TestSnapshotOfManyLayers(t *testing.T) {
	ks := newKeyspace(1, 1, dice)
	for i := range 100 {
		f, _ := bloom.New(bloom.Options{Capacity: 100, Rate: 0.01, Growth: 2})
		for n := range 3000 {
			f.Add(fmt.Append(nil, i, n), 1<<20)
		}
		ks.DB(0).Set(fmt.Append(nil, "filter", i), f, false)
	}
	var file memory
	w, records := NewWriter(&file, 0), NewRecords(false)
	ks.Records(func(r *keyspace.Record) bool {
		records.Record(r, nil)
		return true
	})
	require.NoError(t, w.Write(records.Take(nil)))
	require.NoError(t, w.End(records.Version()))
	require.Equal(t, ks.Digest(), read(t, file.Bytes(), limits(1)).Digest())
}
