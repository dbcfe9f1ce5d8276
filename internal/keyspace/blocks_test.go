package keyspace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// collection is the model of one: its elements in the order of the list, else sorted.
type collection struct {
	t        keyspace.Type
	elements []string
}

// modelled is a keyspace and its model.
type modelled struct {
	*testing.T
	ks    *keyspace.Keyspace
	rng   *rand.Rand
	model []map[string]collection // of each database
}

// text returns one of a few names, with a tail by which it may be long.
func (w *modelled) text() string {
	n := w.rng.IntN(3000)
	return fmt.Sprintf("%d", n) + strings.Repeat("x", n%7*(n%41))
}

// elementsOf returns what a value has.
func elementsOf(v keyspace.Value) (all []string) {
	switch v := v.(type) {
	case *hash.Hash:
		v.Each(func(f, text ziplist.Entry) bool {
			all = append(all, string(f.Text(nil))+"="+string(text.Text(nil)))
			return true
		})
	case *set.Set:
		v.Each(func(e ziplist.Entry) bool { all = append(all, string(e.Text(nil))); return true })
	case *zset.Set:
		v.Each(func(member []byte, score float64) bool {
			all = append(all, fmt.Sprint(string(member), score))
			return true
		})
	case *list.List:
		v.Each(list.Head, 0, func(e ziplist.Entry) bool { all = append(all, string(e.Text(nil))); return true })
		return all
	}
	slices.Sort(all)
	return all
}

// frozenText is an element of a collection that is frozen, as elementsOf gives it.
func frozenText(t keyspace.Type, e frozen.Element) string {
	switch t {
	case keyspace.Hash:
		return string(e.Name) + "=" + string(e.Value)
	case keyspace.ZSet:
		return fmt.Sprint(string(e.Name), e.Score)
	}
	return string(e.Name)
}

// change adds or removes some elements. What is there afterwards is copied before the value is
// committed, and so before anything is moved.
func (w *modelled) change(v keyspace.Value) {
	for range 1 + w.rng.IntN(8)*w.rng.IntN(60) {
		text, rng := []byte(w.text()), w.rng
		switch v := v.(type) {
		case *hash.Hash:
			if rng.IntN(3) == 0 {
				v.Delete(text)
			} else {
				v.Set(text, []byte(w.text()), hash.Limits{MaxEntries: 20, MaxValue: 64})
			}
		case *set.Set:
			switch rng.IntN(60) {
			case 0:
				v.Pop(v.Len()*9/10, set.Limits{MaxEntries: 20, MaxValue: 64}, rng.Uint64N, func(ziplist.Entry) {})
			case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20:
				v.Remove(text)
			default:
				v.Add(text, set.Limits{MaxEntries: 20, MaxValue: 64})
			}
		case *zset.Set:
			if rng.IntN(3) == 0 {
				v.Remove(text)
			} else {
				v.Add(text, float64(rng.IntN(100)), zset.Limits{MaxEntries: 20, MaxValue: 64}, rng.Uint64N)
			}
		case *list.List:
			w.changeList(v, text)
		}
	}
}

func (w *modelled) changeList(l *list.List, text []byte) {
	lim, end := list.Limits{Node: -1}, list.End(w.rng.IntN(2))
	switch w.rng.IntN(10) {
	case 0:
		l.RemoveEnd(end, w.rng.IntN(30))
		l.Shrink(lim)
	case 1:
		l.Remove(text, 2, end)
	case 2:
		l.Set(w.rng.IntN(100), text, lim)
	case 3:
		if pivot, ok := l.Index(w.rng.IntN(100)); ok {
			l.Insert(slices.Clone(pivot.Text(nil)), text, true, lim)
		}
	case 4:
		l.Push(end, []byte(strings.Repeat("long", 1500)), lim) // a node of its own
	default:
		l.Push(end, text, lim)
	}
}

// step changes something.
func (w *modelled) step() {
	w.ks.Begin()
	i := w.rng.IntN(w.ks.Len())
	db, m := w.ks.DB(i), w.model[i]
	name := fmt.Sprint("key:", w.rng.IntN(12))
	key := []byte(name)
	switch op := w.rng.IntN(40); {
	case op < 30:
		v, ok := db.Edit(key)
		if !ok {
			v = db.Create(key,
				[]keyspace.Type{keyspace.Hash, keyspace.Set, keyspace.ZSet, keyspace.List}[w.rng.IntN(4)])
		}
		w.change(v)
		after := collection{v.Type(), elementsOf(v)}
		db.Commit(key)
		if m[name] = after; len(after.elements) == 0 {
			delete(m, name)
		}
	case op < 32:
		db.Delete(key)
		delete(m, name)
	case op < 36:
		j := w.rng.IntN(w.ks.Len())
		other := fmt.Sprint("key:", w.rng.IntN(12))
		if !db.Exists(key) || i == j && name == other {
			return
		}
		if to := w.ks.DB(j); w.rng.IntN(2) == 0 {
			db.Transfer(key, to, []byte(other))
			w.model[j][other] = m[name]
			delete(m, name)
		} else {
			db.Copy(key, to, []byte(other))
			w.model[j][other] = m[name]
		}
	case op == 36:
		w.ks.Swap(0, 1)
		w.model[0], w.model[1] = w.model[1], w.model[0]
	case op == 37 && w.rng.IntN(5) == 0:
		db.Flush()
		clear(m)
	case op == 38:
		w.ks.StartCompaction(w.rng.IntN(4) == 0)
		w.ks.Compact(w.rng.IntN(3000))
	case op == 39 && w.rng.IntN(3) == 0 && !w.ks.Snapshotting():
		w.ks.StopCompaction()
		if c := w.ks.Clone(); w.rng.IntN(2) == 0 {
			w.ks.AdoptClone(c)
		} else {
			w.ks.Adopt(c)
		}
	}
}

func (w *modelled) check() {
	for range 1000 { // what was dropped goes in pieces
		w.ks.Begin()
	}
	for i := range w.ks.Len() {
		require.NoError(w, w.ks.DB(i).Check())
		require.Equal(w, len(w.model[i]), w.ks.DB(i).Len())
		for name, want := range w.model[i] {
			v, ok := w.ks.DB(i).Peek([]byte(name))
			require.True(w, ok)
			require.Equal(w, want.t, v.Type())
			require.Equal(w, want.elements, elementsOf(v))
		}
	}
}

// What collections hold is what was put in, wherever their blocks are, and no block is left over.
func TestBlocksFollowTheirValues(t *testing.T) {
	for seed := range quick.Rounds(uint64(3)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := &modelled{T: t, rng: rng, ks: keyspace.New(2, seed, rng.Uint64N), model: []map[string]collection{{}, {}}}
		for range 15 {
			for range 60 {
				w.step()
			}
			w.check()
			w.snapshot()
		}
	}
}

// snapshot takes one while things change, and compares what it gives with what was there at its
// start.
func (w *modelled) snapshot() {
	want, got := map[string][]string{}, map[string][]string{}
	for i, m := range w.model {
		for name, c := range m {
			want[fmt.Sprint(i, name)] = c.elements
		}
	}
	s := w.ks.Snapshot(func(r *keyspace.Record, p *keyspace.Pace) {
		name, isList := fmt.Sprint(r.DB, r.Key), r.Value.Type() == keyspace.List
		if r.Elements == nil {
			p.Yield(5000)
			got[name] = elementsOf(r.Value)
			return
		}
		var all []string
		r.Elements.Each(false, func(e frozen.Element) { all = append(all, frozenText(r.Value.Type(), e)) },
			func(n int) { p.Yield(n) })
		slices.Sort(all)
		require.False(w, isList)
		got[name] = all
	})
	for more := true; more; more = s.Step(1) {
		for range w.rng.IntN(10) {
			w.step()
		}
	}
	require.Equal(w, want, got)
	w.check()
}

// A set that a snapshot reads gives up its table when few members stay.
func TestASetIsPoppedWhileItIsSaved(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ks := keyspace.New(1, 1, rng.Uint64N)
	db, key, lim := ks.DB(0), []byte("k"), set.Limits{MaxEntries: 20, MaxValue: 64}
	s := db.Create(key, keyspace.Set).(*set.Set)
	for i := range 5000 {
		s.Add(fmt.Appendf(nil, "member:%d", i), lim)
	}
	db.Commit(key)
	saved := 0
	snapshot := ks.Snapshot(func(r *keyspace.Record, p *keyspace.Pace) {
		r.Elements.Each(false, func(frozen.Element) { saved++ }, func(n int) { p.Yield(n) })
	})
	for range 5 {
		snapshot.Step(1)
	}
	require.Positive(t, saved)
	require.Less(t, saved, 1000)
	v, _ := db.Edit(key)
	v.(*set.Set).Pop(4990, lim, rng.Uint64N, func(ziplist.Entry) {})
	db.Commit(key)
	for more := true; more; more = snapshot.Step(1) {
		ks.Begin()
	}
	require.Equal(t, 5000, saved)
	for range 100 {
		ks.Begin()
	}
	require.NoError(t, db.Check())
	_, held := ks.CellBytes()
	require.Less(t, held, 2<<20)
}
