package stream

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry and model are the naive form of a stream.
type entry struct {
	id    ID
	pairs []string
}

type message struct {
	owner string
	at    int64
	count int64
}

type model struct {
	entries  []entry
	last     ID
	deleted  ID
	added    int64
	messages map[ID]message // of the one group
	members  map[string]bool
	returned []ID // some may be delivered or acknowledged since
}

// pair is a stream and its model, changed together.
type pair struct {
	t      *testing.T
	s      *Stream
	m      model
	limits Limits
}

func newPair(t *testing.T, limits Limits) *pair {
	p := &pair{t: t, s: new(Stream), limits: limits}
	p.m.messages, p.m.members = map[ID]message{}, map[string]bool{}
	require.NotNil(t, p.s.AddGroup([]byte("g"), ID{}, 0))
	return p
}

func (p *pair) append(id ID, pairs ...string) {
	var args [][]byte
	for _, v := range pairs {
		args = append(args, []byte(v))
	}
	p.s.Append(id, args, p.limits)
	p.m.entries = append(p.m.entries, entry{id, pairs})
	p.m.last = id
	p.m.added++
}

func (p *pair) delete(id ID) {
	i := slices.IndexFunc(p.m.entries, func(e entry) bool { return e.id == id })
	require.Equal(p.t, i >= 0, p.s.Has(id))
	require.Equal(p.t, i >= 0, p.s.Delete(id))
	if i >= 0 {
		p.m.entries = slices.Delete(p.m.entries, i, i+1)
		if p.m.deleted.Before(id) {
			p.m.deleted = id
		}
	}
}

// trim compares what went with what should have; of whole nodes only that no more than that did.
func (p *pair) trim(tr Trim) {
	most := max(0, len(p.m.entries)-tr.Keep)
	if tr.ByID {
		most = slices.IndexFunc(p.m.entries, func(e entry) bool { return !e.id.Before(tr.Below) })
		if most < 0 {
			most = len(p.m.entries)
		}
	}
	got := p.s.Trim(tr)
	if tr.Nodes || tr.Most > 0 {
		require.LessOrEqual(p.t, got, most)
	} else {
		require.Equal(p.t, most, got)
	}
	if tr.Most > 0 && tr.Nodes {
		require.LessOrEqual(p.t, got, tr.Most)
	}
	p.m.entries = p.m.entries[got:]
}

func (p *pair) deliver(id ID, owner string, at int64) {
	g := p.s.Group([]byte("g"))
	c := g.Consumer([]byte(owner))
	if c == nil {
		c = g.AddConsumer([]byte(owner), at)
	}
	message := g.Deliver(id, c)
	message.Delivered = at
	message.Count++
	old := p.m.messages[id]
	old.owner, old.at = owner, at
	old.count++
	p.m.messages[id] = old
	p.m.members[owner] = true
}

func (p *pair) ack(id ID) {
	_, ok := p.m.messages[id]
	require.Equal(p.t, ok, p.s.Group([]byte("g")).Ack(id))
	delete(p.m.messages, id)
}

// giveBack returns a message to the group. The model keeps it behind the other messages without a
// consumer.
func (p *pair) giveBack(id ID) {
	p.s.Group([]byte("g")).Return(id).Count = 0
	p.m.messages[id] = message{}
	p.m.returned = append(slices.DeleteFunc(p.m.returned, func(v ID) bool { return v == id }), id)
}

func (p *pair) fire(owner string) {
	lost := -1
	if p.m.members[owner] {
		lost = 0
	}
	for id, m := range p.m.messages {
		if m.owner == owner {
			delete(p.m.messages, id)
			lost++
		}
	}
	delete(p.m.members, owner)
	require.Equal(p.t, lost, p.s.Group([]byte("g")).RemoveConsumer([]byte(owner)))
}

// read returns what a walk finds.
func read(w Walk) (found []entry) {
	for w.Next() {
		e := entry{id: w.ID}
		for range w.Len {
			field, value := w.Pair()
			e.pairs = append(e.pairs, string(field.Text(nil)), string(value.Text(nil)))
		}
		found = append(found, e)
	}
	return found
}

// compare asks the stream all that the model knows.
func (p *pair) compare(s *Stream) {
	t := p.t
	require.NoError(t, s.Check())
	require.Equal(t, len(p.m.entries), s.Len())
	require.Equal(t, p.m.last, s.Last())
	require.Equal(t, p.m.added, s.Added())
	require.Equal(t, p.m.deleted, s.MaxDeleted())
	want := slices.Clone(p.m.entries)
	first, top := ID{}, ID{}
	if len(want) > 0 {
		first, top = want[0].id, want[len(want)-1].id
	}
	require.Equal(t, first, s.First())
	found, ok := s.LastEntry()
	require.Equal(t, len(want) > 0, ok)
	require.True(t, !ok || found == top)
	require.Equal(t, append([]entry(nil), want...), read(s.Walk(ID{}, MaxID)))
	slices.Reverse(want)
	require.Equal(t, append([]entry(nil), want...), read(s.WalkBack(ID{}, MaxID)))
	p.comparePending(s)
}

func (p *pair) comparePending(s *Stream) {
	g := s.Group([]byte("g"))
	found := map[ID]message{}
	g.Each(ID{}, func(m *Pending) bool {
		found[m.ID] = message{m.Consumer().Name(), m.Delivered, m.Count}
		return true
	})
	require.Equal(p.t, p.m.messages, found)
	require.Equal(p.t, len(found), g.Pending())
	byOwner := map[ID]message{}
	var returned []ID
	g.EachReturned(func(m *Pending) {
		byOwner[m.ID] = found[m.ID]
		returned = append(returned, m.ID)
	})
	p.m.returned = slices.DeleteFunc(p.m.returned, func(id ID) bool {
		m, ok := p.m.messages[id]
		return !ok || m.owner != ""
	})
	require.Equal(p.t, append([]ID(nil), p.m.returned...), returned)
	require.Equal(p.t, len(returned), g.Returned())
	for _, c := range g.Consumers() {
		require.True(p.t, p.m.members[c.Name()])
		c.Each(ID{}, func(m *Pending) bool {
			byOwner[m.ID] = found[m.ID]
			return c.Name() == found[m.ID].owner
		})
	}
	require.Equal(p.t, found, byOwner)
	require.Len(p.t, g.Consumers(), len(p.m.members))
}

// window compares walks over a part.
func (p *pair) window(from, to ID) {
	var want []entry
	for _, e := range p.m.entries {
		if !e.id.Before(from) && !to.Before(e.id) {
			want = append(want, e)
		}
	}
	require.Equal(p.t, want, read(p.s.Walk(from, to)))
	slices.Reverse(want)
	require.Equal(p.t, want, read(p.s.WalkBack(from, to)))
}

// reload builds the stream anew from its parts, as a snapshot does.
func (p *pair) reload() *Stream {
	s := new(Stream)
	for id, pack := range p.s.Packs() {
		require.NoError(p.t, s.AddPack(id, pack))
	}
	s.SetLast(p.s.Last())
	s.SetAdded(p.s.Added())
	s.SetMaxDeleted(p.s.MaxDeleted())
	for _, g := range p.s.Groups() {
		g.copyTo(s)
	}
	return s
}

// fieldSets are some sets of fields, so that entries share those of their master or do not.
var fieldSets = [][]string{{"a"}, {"a", "b"}, {"b", "a"}, {"1"}, {"temperature"}}

// step does one thing, which three numbers choose.
func (p *pair) step(op, a, b int) {
	last := p.m.last
	some := ID{last.Ms - min(last.Ms, uint64(a%20)), uint64(b % 4)}
	if n := len(p.m.entries); n > 0 && b%2 == 0 {
		some = p.m.entries[a%n].id
	}
	switch op % 13 {
	case 0, 1, 2, 3, 4:
		id := ID{last.Ms + uint64(a%3), last.Seq + 1}
		if a%3 > 0 {
			id.Seq = uint64(b % 2)
		}
		var pairs []string
		for i, field := range fieldSets[a%len(fieldSets)] {
			pairs = append(pairs, field, strconv.Itoa(b<<(i*4)))
		}
		p.append(id, pairs...)
	case 5, 6:
		p.delete(some)
	case 7:
		p.trim(Trim{Keep: a % 40, Nodes: b%2 == 0, Most: b % 3 * 10 * ((b + 1) % 2)})
	case 8:
		p.trim(Trim{ByID: true, Below: some, Nodes: b%3 == 0})
	case 9, 10:
		p.deliver(some, strconv.Itoa(b%5), int64(a))
	case 12:
		p.giveBack(some)
	default:
		if p.ack(some); b%8 == 0 {
			p.fire(strconv.Itoa(b % 5))
		}
	}
}

func TestModel(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		limits := []Limits{{Entries: 5}, {Bytes: 100}, {Bytes: 4096, Entries: 200}, {}}[seed%4]
		p := newPair(t, limits)
		for i := range 800 {
			p.step(r.IntN(13), r.IntN(1000), r.IntN(1000))
			if i%20 == 0 {
				p.compare(p.s)
				to := ID{p.m.last.Ms - min(p.m.last.Ms, uint64(r.IntN(30))), uint64(r.IntN(3))}
				p.window(ID{to.Ms - min(to.Ms, uint64(r.IntN(20))), uint64(r.IntN(3))}, to)
			}
		}
		p.compare(p.s.Clone().(*Stream))
		p.compare(p.reload())
	}
}

func FuzzSteps(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x00\x01\x02\x05\x00\x00\x09\x00\x00\x0b\x00\x00"), uint8(3))
	f.Add([]byte("\x00\x00\x02\x00\x00\x02\x00\x00\x02\x00\x01\x02\x08\x02\x01\x07\x01\x01"), uint8(2))
	f.Fuzz(func(t *testing.T, prog []byte, most uint8) {
		p := newPair(t, Limits{Entries: int(most)})
		for prog = prog[:min(len(prog), 1500)]; len(prog) >= 3; prog = prog[3:] {
			p.step(int(prog[0]), int(prog[1]), int(prog[2]))
		}
		p.compare(p.s)
		p.compare(p.s.Clone().(*Stream))
		p.compare(p.reload())
	})
}

// FuzzAddPack gives AddPack anything: what it takes is safe to read and to change.
func FuzzAddPack(f *testing.F) {
	var s Stream
	for i := range 10 {
		s.Append(ID{5, uint64(i)},
			[][]byte{[]byte("field"), []byte("value"), []byte("n"), []byte(strconv.Itoa(i))}, Defaults)
	}
	s.Append(ID{6, 0}, [][]byte{[]byte("other"), []byte("1")}, Defaults)
	s.Delete(ID{5, 3})
	for _, pack := range s.Packs() {
		f.Add(pack)
	}
	f.Fuzz(func(t *testing.T, pack []byte) {
		var s Stream
		if s.AddPack(ID{5, 0}, pack) != nil {
			require.Zero(t, s.Bytes())
			return
		}
		require.NoError(t, s.Check())
		there := read(s.Walk(ID{}, MaxID))
		require.Len(t, there, s.Len())
		require.Len(t, read(s.WalkBack(ID{}, MaxID)), s.Len())
		for _, e := range there {
			require.True(t, s.Delete(e.id))
		}
		require.NoError(t, s.Check())
	})
}
