package keyspace

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// naive is a key as the model keeps it. One of text, fields, scores and elements is used; the
// members of a set are fields without values.
type naive struct {
	typ      Type
	text     []byte
	fields   map[string]string
	scores   map[string]float64
	elements []string
	deadline int64
}

func (n *naive) clone() *naive {
	return &naive{n.typ, bytes.Clone(n.text), maps.Clone(n.fields), maps.Clone(n.scores),
		slices.Clone(n.elements), n.deadline}
}

// twins is a keyspace of two databases and its model. Each step does the same to both and compares
// what they tell.
type twins struct {
	*require.Assertions
	ks     *Keyspace
	model  [2]map[string]*naive // due keys stay until the keyspace reports or overwrites them
	source []byte               // of choices; zeros when it is used up
}

const start = 1_700_000_000_000

func newTwins(t require.TestingT, program []byte) *twins {
	w := &twins{Assertions: require.New(t), source: program}
	rng := rand.New(rand.NewPCG(1, 2))
	w.ks = New(2, 7, rng.Uint64N)
	w.ks.Now = start
	w.model = [2]map[string]*naive{{}, {}}
	w.ks.OnExpire = func(db *DB, key string) {
		n := w.model[db.ID()][key]
		w.NotNil(n, "a key expired that is not there: %q", key)
		w.True(w.due(n), "a key expired that is not due: %q", key)
		delete(w.model[db.ID()], key)
	}
	return w
}

func (w *twins) choose(n int) int {
	if len(w.source) == 0 {
		return 0
	}
	b := w.source[0]
	w.source = w.source[1:]
	return int(b) % n
}

func (w *twins) due(n *naive) bool {
	return n.deadline != 0 && n.deadline <= w.ks.Now && !w.ks.Replaying
}

// key chooses one of a few keys; one is empty and one too long to be packed.
func (w *twins) key() []byte {
	switch i := w.choose(12); i {
	case 0:
		return []byte{}
	case 1:
		return bytes.Repeat([]byte("k"), packMax)
	default:
		return []byte("key:" + strconv.Itoa(i))
	}
}

func (w *twins) db() (*DB, map[string]*naive) {
	i := w.choose(8) / 7
	return w.ks.DB(i), w.model[i]
}

// visible returns the model of a key that is not due, or nil.
func (w *twins) visible(m map[string]*naive, key []byte) *naive {
	if n := m[string(key)]; n != nil && !w.due(n) {
		return n
	}
	return nil
}

// text chooses a string: an integer, short, about as long as packing allows, or long.
func (w *twins) text() []byte {
	ch := []byte{byte('a' + w.choose(26))}
	switch w.choose(6) {
	case 0:
		return strconv.AppendInt(nil, int64(w.choose(256)-100), 10)
	case 1:
		return bytes.Repeat(ch, w.choose(100))
	case 2:
		return bytes.Repeat(ch, packMax-headerSize-10+w.choose(12))
	case 3:
		return bytes.Repeat(ch, 1000+w.choose(256))
	case 4:
		return nil
	}
	return bytes.Repeat(ch, 40+w.choose(8))
}

// deadline chooses one: none, past, now, soon or far.
func (w *twins) deadline() int64 {
	switch w.choose(8) {
	case 0:
		return 0
	case 1:
		return w.ks.Now - int64(w.choose(100)) - 1
	case 2:
		return w.ks.Now
	case 3:
		return w.ks.Now + 1_000_000 + int64(w.choose(256))
	}
	return w.ks.Now + int64(w.choose(40))
}

// step does one thing to both and checks the invariants.
func (w *twins) step() {
	w.ks.Begin()
	steps := []func(){
		w.set, w.set, w.setUntil, w.append, w.append, w.hashSet, w.hashSet, w.hashDelete, w.zsetAdd, w.zsetAdd,
		w.zsetRemove, w.listPush, w.listPush, w.listDrop,
		w.setAdd, w.setAdd, w.setRemove, w.remove, w.expire, w.expire, w.expire, w.move, w.copy, w.advance, w.advance,
		w.reap, w.look, w.look, w.look, w.random, w.scan, w.abandon, w.swap, w.flush, w.mode,
	}
	steps[w.choose(len(steps))]()
	for i, m := range w.model {
		db := w.ks.DB(i)
		w.NoError(db.Check())
		w.Equal(len(m), db.Len())
	}
}

func (w *twins) set() {
	db, m := w.db()
	key, text, keep := w.key(), w.text(), w.choose(3) == 0
	n := &naive{typ: String, text: text}
	if old := w.visible(m, key); old != nil && keep {
		n.deadline = old.deadline
	}
	db.Set(key, w.ks.String(text), keep)
	m[string(key)] = n
}

func (w *twins) setUntil() {
	db, m := w.db()
	key, text, deadline := w.key(), w.text(), w.deadline()
	db.SetUntil(key, w.ks.String(text), deadline)
	m[string(key)] = &naive{typ: String, text: text, deadline: deadline}
}

// upsert opens key for changing in both, as an empty value where it is absent; nil if another type
// is there.
func (w *twins) upsert(db *DB, m map[string]*naive, key []byte, t Type) (Value, *naive) {
	v, ok := db.Edit(key)
	n := w.visible(m, key)
	w.Equal(n != nil, ok)
	if !ok {
		v = db.Create(key, t)
		n = &naive{typ: t, fields: map[string]string{}, scores: map[string]float64{}}
	}
	if n.typ != t {
		return nil, nil
	}
	return v, n
}

// settle makes a change effective in both.
func (w *twins) settle(db *DB, m map[string]*naive, key []byte, n *naive) {
	gone := (n.typ == Hash || n.typ == Set) && len(n.fields) == 0 || n.typ == ZSet && len(n.scores) == 0 ||
		n.typ == List && len(n.elements) == 0
	w.Equal(gone && w.visible(m, key) != nil, db.Commit(key))
	w.False(db.Commit(key), "once is enough")
	switch {
	case !gone:
		m[string(key)] = n
	case w.visible(m, key) != nil:
		delete(m, string(key))
	}
}

func (w *twins) append() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, String)
	if v == nil {
		return
	}
	text := w.text()
	v.(*str.Value).Append(text)
	n.text = append(n.text, text...)
	w.settle(db, m, key, n)
}

func (w *twins) hashSet() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, Hash)
	if v == nil {
		return
	}
	for range w.choose(12) {
		field, value := "f"+strconv.Itoa(w.choose(40)), w.text()
		v.(*hash.Hash).Set([]byte(field), value, hash.Limits{MaxEntries: 16, MaxValue: 600})
		n.fields[field] = string(value)
	}
	w.settle(db, m, key, n)
}

func (w *twins) hashDelete() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, Hash)
	if v == nil {
		return
	}
	for range w.choose(40) {
		field := "f" + strconv.Itoa(w.choose(40))
		_, there := n.fields[field]
		w.Equal(there, v.(*hash.Hash).Delete([]byte(field)))
		delete(n.fields, field)
	}
	w.settle(db, m, key, n)
}

func (w *twins) setAdd() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, Set)
	if v == nil {
		return
	}
	digits := w.choose(3) > 0
	for range w.choose(12) {
		member := strconv.Itoa(w.choose(60) << w.choose(40))
		if !digits {
			member = "m" + member
		}
		v.(*set.Set).Add([]byte(member), set.Limits{MaxInts: 40, MaxEntries: 30, MaxValue: 64})
		n.fields[member] = ""
	}
	w.settle(db, m, key, n)
}

func (w *twins) setRemove() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, Set)
	if v == nil {
		return
	}
	v.(*set.Set).Pop(w.choose(30), set.Limits{MaxInts: 40, MaxEntries: 30, MaxValue: 64}, w.ks.dice,
		func(member ziplist.Entry) {
			delete(n.fields, string(member.Text(nil)))
		})
	w.settle(db, m, key, n)
}

func (w *twins) zsetAdd() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, ZSet)
	if v == nil {
		return
	}
	for range w.choose(12) {
		member, score := "m"+strconv.Itoa(w.choose(60)), float64(w.choose(9))
		v.(*zset.Set).Add([]byte(member), score, zset.Limits{MaxEntries: 30, MaxValue: 64}, w.ks.dice)
		n.scores[member] = score
	}
	w.settle(db, m, key, n)
}

func (w *twins) zsetRemove() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, ZSet)
	if v == nil {
		return
	}
	for range w.choose(60) {
		member := "m" + strconv.Itoa(w.choose(60))
		_, there := n.scores[member]
		w.Equal(there, v.(*zset.Set).Remove([]byte(member)))
		delete(n.scores, member)
	}
	w.settle(db, m, key, n)
}

func (w *twins) listPush() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, List)
	if v == nil {
		return
	}
	for range w.choose(12) {
		text := w.text()
		v.(*list.List).Push(list.Tail, text, list.Limits{Node: 20})
		n.elements = append(n.elements, string(text))
	}
	w.settle(db, m, key, n)
}

func (w *twins) listDrop() {
	db, m := w.db()
	key := w.key()
	v, n := w.upsert(db, m, key, List)
	if v == nil {
		return
	}
	count := w.choose(30)
	v.(*list.List).RemoveEnd(list.Head, count)
	n.elements = n.elements[min(count, len(n.elements)):]
	w.settle(db, m, key, n)
}

func (w *twins) remove() {
	db, m := w.db()
	key := w.key()
	there := w.visible(m, key) != nil
	w.Equal(there, db.Delete(key))
	if there {
		delete(m, string(key))
	}
}

func (w *twins) expire() {
	db, m := w.db()
	key, deadline := w.key(), w.deadline()
	n := w.visible(m, key)
	w.Equal(n != nil, db.SetDeadline(key, deadline))
	if n != nil {
		n.deadline = deadline
	}
}

func (w *twins) move() {
	from, m := w.db()
	to, into := w.db()
	src, dst := w.key(), w.key()
	n := w.visible(m, src)
	if n == nil || from == to && bytes.Equal(src, dst) {
		return
	}
	from.Transfer(src, to, dst)
	delete(m, string(src))
	into[string(dst)] = n
}

func (w *twins) copy() {
	from, m := w.db()
	to, into := w.db()
	src, dst := w.key(), w.key()
	n := w.visible(m, src)
	if n == nil || from == to && bytes.Equal(src, dst) {
		return
	}
	from.Copy(src, to, dst)
	into[string(dst)] = n.clone()
}

func (w *twins) advance() {
	w.ks.Now += int64(w.choose(60))
	if w.choose(20) == 0 {
		w.ks.Now += 2_000_000
	}
}

func (w *twins) reap() {
	for i := range w.model {
		budget, before := w.choose(4), len(w.model[i])
		removed, more := w.ks.DB(i).Expiry().Reap(budget)
		w.Equal(before-len(w.model[i]), removed)
		if w.ks.KeepExpired || w.ks.Replaying {
			w.Zero(removed)
			w.Zero(w.ks.DB(i).Expiry().Next())
			continue
		}
		next := w.ks.DB(i).Expiry().Next()
		w.Equal(more, next != 0 && next <= w.ks.Now)
		for _, n := range w.model[i] {
			w.True(more || !w.due(n), "reaped to the end, yet a key is due")
			w.True(n.deadline == 0 || next <= n.deadline, "the next deadline is later than a key's")
		}
	}
}

// look compares one key in every way that reads it.
func (w *twins) look() {
	db, m := w.db()
	key := w.key()
	n := w.visible(m, key)
	w.Equal(n != nil, db.Exists(key))
	deadline, ok := db.Deadline(key)
	w.Equal(n != nil, ok)
	w.Equal(n != nil, db.Touch(key))
	v, ok := db.Find(key)
	w.Equal(n != nil, ok)
	if n == nil {
		w.Equal(None, db.Type(key))
		w.Zero(db.Usage().Key(key))
		return
	}
	w.Equal(n.deadline, deadline)
	w.Equal(n.typ, db.Type(key))
	w.Greater(db.Usage().Key(key), len(key))
	w.same(n, v)
	again, _ := db.Peek(key)
	w.same(n, again)
}

func (w *twins) same(n *naive, v Value) {
	w.Equal(n.typ, v.Type())
	switch v := v.(type) {
	case *str.Value:
		w.Equal(string(n.text), string(v.Text(nil)))
	case *hash.Hash:
		w.Equal(len(n.fields), v.Len())
		v.Each(func(field, value ziplist.Entry) bool {
			w.Equal(n.fields[string(field.Text(nil))], string(value.Text(nil)))
			return true
		})
	case *set.Set:
		w.Equal(len(n.fields), v.Len())
		v.Each(func(member ziplist.Entry) bool {
			w.Contains(n.fields, string(member.Text(nil)))
			return true
		})
	case *list.List:
		w.Equal(len(n.elements), v.Len())
		i := 0
		v.Range(0, v.Len(), func(e ziplist.Entry) {
			w.Equal(n.elements[i], string(e.Text(nil)))
			i++
		})
	case *zset.Set:
		w.Equal(len(n.scores), v.Len())
		v.Each(func(member []byte, score float64) bool {
			w.Equal(n.scores[string(member)], score, string(member))
			return true
		})
	}
}

func (w *twins) random() {
	db, m := w.db()
	key, ok := db.Keys().Random()
	if ok {
		w.NotNil(w.visible(m, []byte(key)))
	} else if !w.ks.KeepExpired {
		w.Empty(m)
	}
}

func (w *twins) scan() {
	db, m := w.db()
	var want, each, scanned []string
	for key, n := range m {
		if !w.due(n) {
			want = append(want, key+" "+n.typ.String())
		}
	}
	db.Keys().Each(func(key string, t Type) bool {
		each = append(each, key+" "+t.String())
		return true
	})
	for cursor, begun := uint64(0), false; cursor != 0 || !begun; begun = true {
		cursor = db.Keys().Scan(cursor, 1+len(m)%7, anyKey,
			func(key string, t Type) { scanned = append(scanned, key+" "+t.String()) })
	}
	slices.Sort(want)
	slices.Sort(each)
	slices.Sort(scanned)
	w.Equal(want, each)
	w.Equal(want, slices.Compact(scanned))
}

// abandon opens a key and lets the view go, or writes the key otherwise before it is settled.
func (w *twins) abandon() {
	db, m := w.db()
	key := w.key()
	v, ok := db.Edit(key)
	if !ok {
		db.Create(key, ZSet)
	}
	if s, isString := v.(*str.Value); isString && len(key)+len(m[string(key)].text) < 100 {
		s.Append([]byte("lost"))
	}
	switch w.choose(3) {
	case 0:
		if db.Delete(key) {
			delete(m, string(key))
		}
	case 1:
		db.Set(key, w.ks.Int(5), false)
		m[string(key)] = &naive{typ: String, text: []byte("5")}
	default:
		return // packed values are unchanged, boxed ones were not touched
	}
	w.False(db.Commit(key))
}

func (w *twins) swap() {
	if w.choose(4) == 0 {
		w.ks.Swap(0, 1)
		w.model[0], w.model[1] = w.model[1], w.model[0]
	}
}

func (w *twins) flush() {
	if w.choose(8) == 0 {
		db, m := w.db()
		db.Flush()
		clear(m)
		w.Zero(db.Usage().Bytes())
	}
}

func (w *twins) mode() {
	w.ks.KeepExpired = w.choose(3) == 0
	w.ks.Replaying = w.choose(6) == 0
}

func TestModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range quick.Rounds(60) {
		program := make([]byte, 4000)
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			for w := newTwins(t, program); len(w.source) > 0; {
				w.step()
			}
		})
	}
}

func FuzzModel(f *testing.F) {
	f.Add([]byte("any program will do"))
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 2000 {
			return
		}
		for w := newTwins(t, program); len(w.source) > 0; {
			w.step()
		}
	})
}
