package consensus

import (
	"cmp"
	"container/heap"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// A world is some cores with a clock, a network and disks that are not real. Nothing in it runs by
// itself, so what happens depends on the seed alone, and an hour takes seconds.
//
// It checks with every event:
//
//   - a term has one leader, and a seat one owner; seats have higher IDs than those before;
//   - what is applied at an index is the same at all members, without gaps;
//   - who takes a seat has applied all that was confirmed before;
//   - what was refused is never applied;
//   - nobody has a lease, and no question gets the answer that it leads, when another has been
//     elected before.
type world struct {
	t      testing.TB
	r      *rand.Rand
	now    int64
	events events
	count  int
	nodes  []*island
	cut    map[[2]uint64]bool
	loss   float64 // of messages
	slow   int64   // most that a message takes

	history  []pb.Entry        // index 1 is at 0
	leaders  map[uint64]uint64 // by term
	elected  map[uint64]int64  // when
	seat     uint64            // the newest
	sure     map[string]bool   // entries that were confirmed
	refused  map[string]bool
	number   int
	seats    int // that were taken
	scripted bool
	lines    []string // for who looks for the cause of a failure
	told     []string // for transcripts
}

var errConfirmed = errors.New("confirmed")

// island is a member of a world.
type island struct {
	*world
	id       uint64
	store    *raft.MemoryStorage
	core     *core
	lease    *lease
	life     int // counts starts: what belongs to an earlier one is void
	hole     uint64
	term     uint64 // published
	leads    uint64 // published
	asleep   bool   // the loop does not run
	inbox    []func()
	due      bool
	jobs     []pb.Message
	storing  bool
	hangs    bool // the disk
	takes    int64
	tasks    []task
	applying bool
	applied  uint64
	waiting  []*appended
	asked    []int64 // questions whether it leads
	began    int64   // the write under way
	owns     uint64  // the seat
}

type event struct {
	at, order int64
	do        func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

const (
	ms        = int64(1e6)
	worldTick = 15 * ms
	worldCall = 30 * ms
)

// dice let the library throw no dice but ours.
type dice struct{ r *rand.Rand }

func (d dice) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(d.r.Uint32())
	}
	return len(b), nil
}

func newWorld(t testing.TB, size int, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	before := crand.Reader
	crand.Reader = dice{r}
	t.Cleanup(func() { crand.Reader = before })
	w := &world{t: t, r: r, now: 1, cut: make(map[[2]uint64]bool), slow: 2 * ms, leaders: make(map[uint64]uint64),
		elected: make(map[uint64]int64), sure: make(map[string]bool), refused: make(map[string]bool),
		history: make([]pb.Entry, 1)}
	for id := range uint64(size) {
		n := &island{world: w, id: id + 1, takes: ms}
		w.nodes = append(w.nodes, n)
	}
	for _, n := range w.nodes {
		n.store = raft.NewMemoryStorage()
		require.NoError(t, n.store.ApplySnapshot(w.snapshot(1, 1)))
		require.NoError(t, n.store.SetHardState(pb.HardState{Term: 1, Commit: 1}))
		n.start()
	}
	return w
}

func (w *world) members() (list []member) {
	for _, n := range w.nodes {
		list = append(list, member{n.id, fmt.Sprint("island", n.id), true})
	}
	return list
}

func (w *world) snapshot(index, term uint64) pb.Snapshot {
	data, _ := json.Marshal(snapshotData{Members: w.members()})
	return pb.Snapshot{Data: data,
		Metadata: pb.SnapshotMetadata{ConfState: confState(w.members()), Index: index, Term: term}}
}

func (w *world) after(d int64, do func()) {
	w.count++
	heap.Push(&w.events, event{w.now + max(d, 1), int64(w.count), do})
}

// run lets time pass.
func (w *world) run(d int64) {
	end := w.now + d
	for len(w.events) > 0 && w.events[0].at <= end {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
		w.check()
	}
	w.now = end
}

// until lets time pass until something is so.
func (w *world) until(what string, so func() bool) {
	w.t.Helper()
	for range 60_000 {
		if so() {
			return
		}
		w.run(ms)
	}
	w.t.Fatalf("%s: never\n%s", what, strings.Join(w.lines[max(0, len(w.lines)-60):], "\n"))
}

func (w *world) note(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf("%8.1f ", float64(w.now)/1e6)+fmt.Sprintf(format, args...))
}

// tell notes something for transcripts, too.
func (w *world) tell(format string, args ...any) {
	w.note(format, args...)
	w.told = append(w.told, fmt.Sprintf(format, args...))
}

func (w *world) fail(format string, args ...any) {
	w.note(format, args...)
	w.t.Fatalf("%s", strings.Join(w.lines[max(0, len(w.lines)-100):], "\n"))
}

func (w *world) check() {
	var newest uint64
	for _, n := range w.nodes {
		newest = max(newest, n.leads)
	}
	for _, n := range w.nodes {
		if n.leads != 0 && n.leads < newest && n.lease.lasts(n.leads, w.now) {
			w.fail("%d has a lease in term %d, but term %d has a leader", n.id, n.leads, newest)
		}
	}
}

// start starts a member with what is on its disk.
func (n *island) start() {
	n.life++
	hard, _, _ := n.store.InitialState()
	base, _ := n.store.Snapshot()
	first, _ := n.store.FirstIndex()
	last, _ := n.store.LastIndex()
	applied := max(base.Metadata.Index, first-1)
	if hard.Commit < applied {
		hard.Commit = applied
	}
	n.store.SetHardState(pb.HardState{Term: hard.Term, Vote: hard.Vote, Commit: hard.Commit})
	n.lease = newLease(n.id, n.now)
	var err error
	n.core, err = newCore(begin{id: n.id, store: n.store, applied: applied, last: last, members: n.members(),
		lease: n.lease, patient: 10, now: n.now, logger: logger{func(_, text string) { n.note("%d %s", n.id, text) }}})
	require.NoError(n.t, err)
	n.core.hole = n.hole != 0
	n.applied, n.term, n.leads, n.owns = applied, hard.Term, 0, 0
	n.inbox, n.jobs, n.tasks, n.waiting, n.asked = nil, nil, nil, nil, nil
	n.asleep, n.due, n.storing, n.applying, n.hangs = false, false, false, false, false
	n.note("%d starts, term %d, entries to %d, hole %d", n.id, hard.Term, last, n.hole)
	n.ticking(n.life)
	n.calling(n.life)
}

// crash ends a member. What it was storing is lost.
func (n *island) crash() {
	n.life++
	n.core, n.leads, n.owns = nil, 0, 0
	n.note("%d crashes", n.id)
}

func (n *island) ticking(life int) {
	n.after(worldTick+n.r.Int64N(ms), func() {
		if n.life == life {
			n.due = true
			n.turn()
			n.ticking(life)
		}
	})
}

// calling has a leader call the others, beside its loop.
func (n *island) calling(life int) {
	n.after(worldCall, func() {
		if n.life == life {
			n.call()
			n.calling(life)
		}
	})
}

func (n *island) call() {
	if n.leads == 0 {
		return
	}
	for _, o := range n.nodes {
		if o != n {
			term, asked, life := n.leads, n.now-1, n.life
			n.carry(n.id, o.id, func() { o.called(n, term, asked, life) })
		}
	}
}

// called is what Node.called and Node.answered do.
func (n *island) called(from *island, term uint64, asked int64, life int) {
	if n.core == nil {
		return
	}
	if term >= n.term {
		n.lease.hear(from.id, term, n.now)
	}
	own := n.term
	if term > own {
		n.put(func() { n.core.step(pb.Message{Type: pb.MsgHeartbeat, From: from.id, To: n.id, Term: term}) })
	}
	n.carry(n.id, from.id, func() {
		if from.life != life {
			return
		}
		if own == from.leads {
			from.lease.answered(n.id, own, asked, from.now)
			from.lookAsked()
		}
		if own > from.term {
			m := pb.Message{Type: pb.MsgHeartbeatResp, From: n.id, To: from.id, Term: own}
			from.put(func() { from.core.step(m) })
		}
	})
}

// lookAsked answers questions as a verifier does.
func (n *island) lookAsked() {
	for len(n.asked) > 0 && n.asked[0] <= n.lease.most(n.leads, n.now, askedAt) {
		for term, at := range n.elected {
			if term > n.leads && at < n.asked[0] {
				n.fail("%d was told that it leads in term %d, but term %d had a leader", n.id, n.leads, term)
			}
		}
		n.asked = n.asked[1:]
	}
}

// carry delivers something from one to another, perhaps.
func (w *world) carry(from, to uint64, do func()) {
	if w.r.Float64() < w.loss {
		return
	}
	w.after(100_000+w.r.Int64N(w.slow), func() {
		if !w.cut[[2]uint64{from, to}] {
			do()
		}
	})
}

// put hands something to the loop.
func (n *island) put(do func()) {
	if n.core != nil {
		n.inbox = append(n.inbox, do)
		life := n.life
		n.after(n.r.Int64N(ms/10), func() {
			if n.life == life {
				n.turn()
			}
		})
	}
}

// turn is what Node.turn does.
func (n *island) turn() {
	if n.asleep || n.core == nil {
		return
	}
	list := n.inbox
	n.inbox = nil
	n.core.now = n.now
	for _, do := range list {
		do()
	}
	if n.due {
		n.due = false
		if n.storing && n.now-n.began > 2000*ms && n.core.disk == nil {
			n.core.setDisk(ErrDiskSlow)
		}
		n.mend()
		n.core.tick()
	}
	out := n.core.finish()
	n.publish()
	for _, s := range out.seats {
		n.sit(s)
	}
	n.jobs = append(n.jobs, out.store...)
	n.tasks = append(n.tasks, out.tasks...)
	n.work(n.life)
	n.apply(n.life)
	for _, m := range out.send {
		n.send(m)
	}
}

func (n *island) mend() {
	last, _ := n.store.LastIndex()
	if term, _ := n.store.Term(last); n.hole != 0 && term > n.hole {
		n.tell("%d has its vote again", n.id)
		n.hole = 0
	}
	n.core.hole = n.hole != 0
}

func (n *island) publish() {
	before := n.leads
	n.term, n.leads = n.core.term, 0
	if n.core.state == raft.StateLeader {
		n.leads = n.core.term
	}
	if n.leads != before {
		n.asked = nil
		if n.leads != 0 {
			if other, ok := n.leaders[n.leads]; ok && other != n.id {
				n.fail("%d and %d lead in term %d", n.id, other, n.leads)
			}
			n.leaders[n.leads] = n.id
			if _, ok := n.elected[n.leads]; !ok {
				n.elected[n.leads] = n.now
			}
			n.call()
		}
	}
}

func (n *island) sit(s Seat) {
	if !s.Leader {
		n.tell("%d loses the seat of term %d", n.id, s.Term)
		n.owns = 0
		return
	}
	n.tell("%d takes seat %d of term %d", n.id, s.ID%maxTaken, s.Term)
	if s.ID <= n.seat {
		n.fail("seat %d after %d", s.ID, n.seat)
	}
	n.seat, n.owns = s.ID, s.ID
	n.seats++
	has := make(map[string]bool)
	for _, e := range n.history[:n.applied] {
		has[string(e.Data)] = true
	}
	for e := range n.sure {
		if !has[e] {
			n.fail("%d takes the seat without %q", n.id, e)
		}
	}
}

func (n *island) send(m pb.Message) {
	o := n.nodes[m.To-1]
	deliver := func() {
		o.put(func() { o.core.step(m) })
	}
	n.carry(n.id, m.To, deliver)
	if n.r.IntN(100) == 0 {
		n.carry(n.id, m.To, deliver)
	}
	if m.Type == pb.MsgSnap {
		ok := n.r.IntN(3) > 0
		life := n.life
		n.after(n.r.Int64N(20*ms), func() {
			if n.life == life {
				n.put(func() { n.core.snapshotSent(m.To, ok) })
			}
		})
	}
}

// work stores what is to be stored, with one job under way.
func (n *island) work(life int) {
	if n.storing || len(n.jobs) == 0 {
		return
	}
	m := n.jobs[0]
	n.storing, n.began = true, n.now
	var done func()
	done = func() {
		if n.life != life {
			return
		}
		if n.hangs {
			n.after(5*ms, done)
			return
		}
		n.write(m)
		n.storing = false
		n.jobs = n.jobs[1:]
		n.put(func() {
			if n.core.disk != nil {
				n.core.setDisk(nil)
			}
			for _, r := range m.Responses {
				n.core.stored(r)
			}
		})
		n.work(life)
	}
	n.after(n.r.Int64N(n.takes), done)
}

func (n *island) write(m pb.Message) {
	if m.Term != 0 {
		hard, _, _ := n.store.InitialState()
		n.store.SetHardState(pb.HardState{Term: m.Term, Vote: m.Vote, Commit: hard.Commit})
	}
	if m.Snapshot != nil {
		if n.store.ApplySnapshot(*m.Snapshot) == nil {
			n.tasks = append(n.tasks, task{restore: fmt.Sprint(m.Snapshot.Metadata.Index)})
			hard, _, _ := n.store.InitialState()
			n.store.SetHardState(pb.HardState{Term: hard.Term, Vote: hard.Vote, Commit: m.Snapshot.Metadata.Index})
		}
	}
	require.NoError(n.t, n.store.Append(m.Entries))
}

// apply does what a machine does.
func (n *island) apply(life int) {
	if n.applying || len(n.tasks) == 0 {
		return
	}
	n.applying = true
	n.after(n.r.Int64N(ms), func() {
		if n.life != life {
			return
		}
		t := n.tasks[0]
		n.tasks, n.applying = n.tasks[1:], false
		n.do(t)
		n.apply(life)
	})
}

func (n *island) do(t task) {
	switch {
	case t.entries != nil:
		for _, e := range t.entries {
			n.applyEntry(e)
		}
		n.put(func() { n.core.done(t) })
	case t.restore != "":
		fmt.Sscan(t.restore, &n.applied)
	case t.lost != 0:
		for _, a := range n.waiting {
			if a.seat == t.lost && a.index > n.applied {
				a.err = ErrUnknown
			}
		}
	}
	n.waiting = append(n.waiting, t.waiting...)
	for len(n.waiting) > 0 && n.waiting[0].isKnown(n.applied) {
		a := n.waiting[0]
		n.waiting = n.waiting[1:]
		if a.index == 0 {
			a.err = ErrNotAppended
		}
		a.done(a.err)
	}
}

func (n *island) applyEntry(e pb.Entry) {
	if e.Index <= n.applied {
		return
	}
	if e.Index != n.applied+1 {
		n.fail("%d applies entry %d after %d", n.id, e.Index, n.applied)
	}
	n.applied = e.Index
	if uint64(len(n.history)) < e.Index {
		n.history = append(n.history, e)
		if n.refused[string(e.Data)] {
			n.fail("%d applies %q, which was refused", n.id, e.Data)
		}
	}
	if h := n.history[e.Index-1]; h.Term != e.Term || string(h.Data) != string(e.Data) {
		n.fail("%d applies %q of term %d at %d, another %q of term %d", n.id, e.Data, e.Term, e.Index, h.Data, h.Term)
	}
}

// append appends an entry at whoever has a seat.
func (w *world) append() {
	for _, n := range w.nodes {
		if n.owns == 0 {
			continue
		}
		w.number++
		text := fmt.Sprint("entry ", w.number)
		a := &appended{seat: n.owns, parts: [][]byte{[]byte(text)}, done: func(err error) {
			switch err {
			case nil:
				w.sure[text] = true
				w.note("%s is confirmed", text)
			case ErrNotAppended:
				w.refused[text] = true
			}
			if w.scripted {
				w.tell("%s at %d: %v", text, n.id, cmp.Or(err, errConfirmed))
			}
		}}
		n.put(func() { n.core.append([]*appended{a}) })
	}
}

// ask asks whoever leads whether it does.
func (w *world) ask() {
	for _, n := range w.nodes {
		if n.leads != 0 {
			n.asked = append(n.asked, n.now)
			n.call()
		}
	}
}

// clients append and ask all the time.
func (w *world) clients(every int64) {
	w.after(every, func() {
		w.append()
		w.ask()
		w.clients(every)
	})
}

// owner returns who has the seat, as far as it knows; nil: nobody.
func (w *world) owner() (owner *island) {
	for _, n := range w.nodes {
		if n.owns != 0 && (owner == nil || n.owns > owner.owns) {
			owner = n
		}
	}
	return owner
}

// isolate cuts a member off, or not.
func (w *world) isolate(n *island, cut bool) {
	for _, o := range w.nodes {
		if o != n {
			w.cut[[2]uint64{n.id, o.id}], w.cut[[2]uint64{o.id, n.id}] = cut, cut
		}
	}
}

// sleep stops a member's loop for a time; its connections go on.
func (n *island) sleep(d int64) {
	life := n.life
	n.asleep = true
	n.after(d, func() {
		if n.life == life {
			n.asleep = false
			n.turn()
		}
	})
}

// compact takes a snapshot, and drops all but some entries before it.
func (n *island) compact() {
	if n.core == nil {
		return
	}
	first, _ := n.store.FirstIndex()
	last, _ := n.store.LastIndex()
	if at := min(n.applied, n.core.applied); at > first+5 && at <= last {
		term, err := n.store.Term(at)
		if err != nil {
			return
		}
		s := n.snapshot(at, term)
		_, _ = n.store.CreateSnapshot(at, &s.Metadata.ConfState, s.Data)
		_ = n.store.Compact(at - 3)
	}
}

// wipe takes a member's disk, and starts it: all others have told it their terms.
func (n *island) wipe() {
	n.crash()
	n.hole = 0
	for _, o := range n.nodes {
		hard, _, _ := o.store.InitialState()
		if n.hole = max(n.hole, o.term, hard.Term); o != n && o.core == nil {
			n.fail("%d does not answer", o.id)
		}
	}
	n.store = raft.NewMemoryStorage()
	n.store.SetHardState(pb.HardState{Term: n.hole + 1})
	n.start()
}
