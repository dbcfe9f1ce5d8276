package consensus

import (
	"fmt"
	"os"
	"sync"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// inbox is what waits for the loop.
type inbox struct {
	mu       sync.Mutex
	messages []arrived
	appends  []*appended
	calls    []func()
	wake     chan struct{}
}

// arrived is a message of another member. Its bytes count for its connection until it is taken.
type arrived struct {
	pb.Message
	guest *guest
	bytes int
}

func (b *inbox) init() { b.wake = make(chan struct{}, 1) }

func (b *inbox) message(m arrived) {
	b.mu.Lock()
	b.messages = append(b.messages, m)
	b.mu.Unlock()
	notify(b.wake)
}

func (b *inbox) append(a *appended) {
	b.mu.Lock()
	b.appends = append(b.appends, a)
	b.mu.Unlock()
	notify(b.wake)
}

func (b *inbox) call(f func()) {
	b.mu.Lock()
	b.calls = append(b.calls, f)
	b.mu.Unlock()
	notify(b.wake)
}

func (b *inbox) take() (messages []arrived, appends []*appended, calls []func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	messages, appends, calls = b.messages, b.appends, b.calls
	b.messages, b.appends, b.calls = nil, nil, nil
	return messages, appends, calls
}

// loop drives the core. It never waits: not for the disk, the network, the machine, or a lock that
// is held for longer than a few lines.
func (n *Node) loop() {
	tick := time.NewTicker(n.tickEvery()) // drops ticks that come late
	defer tick.Stop()
	for {
		due := false
		select {
		case <-tick.C:
			due = true
		case <-n.inbox.wake:
		case <-n.closed:
			if n.core != nil {
				n.core.loseLead()
			}
			return
		}
		n.turn(due)
	}
}

// turn handles all that has come, and after that a tick, if one is due.
func (n *Node) turn(due bool) {
	messages, appends, calls := n.inbox.take()
	if n.core != nil {
		n.core.now = n.clock()
	}
	for _, f := range calls {
		f()
	}
	for _, m := range messages {
		m.guest.taken(m.bytes)
		if n.core != nil && n.admits(&m.Message) {
			n.noteMatch(&m.Message)
			n.core.step(m.Message)
		}
	}
	if n.core == nil {
		n.machine.tasks.add(task{waiting: appends})
		return
	}
	n.core.append(appends)
	if due {
		if n.writer.hangs(n.core.now) {
			n.diskFails(ErrDiskSlow)
		}
		n.mendHole()
		n.core.tick()
	}
	out := n.core.finish()
	n.publish()
	n.carryOut(out)
}

// admits reports whether there is room for what a message brings.
func (n *Node) admits(m *pb.Message) bool {
	return len(m.Entries) == 0 || n.writer.pending.Load()+int64(size(m.Entries)) <= maxPending
}

// noteMatch notes how much a follower has.
func (n *Node) noteMatch(m *pb.Message) {
	if m.Type == pb.MsgAppResp && !m.Reject {
		n.transport.matched(m.From, m.Term, m.Index, n.core.now)
	}
}

// publish shows others what the loop knows.
func (n *Node) publish() {
	c, before := n.core, n.view()
	v := view{state: c.state, term: c.term, lead: c.lead, seat: c.seat, last: c.last, commit: c.commit,
		applied: c.applied, members: c.members, hole: c.hole, disk: c.disk}
	if c.state == raft.StateLeader {
		v.leads = c.term
	}
	n.seen.Store(&v)
	if v.leads != before.leads {
		n.verifier.fail(ErrNotLeader)
		if n.transport != nil {
			n.transport.beatNow()
		}
	}
	if v.lead != before.lead || v.term != before.term || v.state != before.state {
		notify(n.report.news)
	}
	if n.transport != nil && len(v.members) > 0 && (len(before.members) != len(v.members) ||
		&before.members[0] != &v.members[0]) {
		n.transport.setMembers(v.members)
	}
}

// carryOut hands over what is to be done.
func (n *Node) carryOut(out output) {
	n.writer.add(out.store)
	n.machine.tasks.add(out.tasks...)
	for _, m := range out.send {
		n.transport.send(m)
	}
	n.seatNews.add(out.seats...)
	for _, path := range out.dropped {
		_ = os.Remove(path)
	}
}

// diskFails notes that entries cannot be stored at the moment.
func (n *Node) diskFails(err error) {
	if n.core.disk == nil {
		n.options.Log("warning", "The disk of this member fails, it cannot lead: "+err.Error())
		n.core.setDisk(err)
	}
}

func (n *Node) diskWorks() {
	if n.core.disk != nil && n.damage == nil {
		n.options.Log("notice", "The disk of this member works again")
		n.core.setDisk(nil)
	}
}

// unreachable notes that messages to a member were lost.
func (n *Node) unreachable(id uint64) {
	if n.core != nil {
		n.core.raw.ReportUnreachable(id)
	}
}

// foundDamage notes that an entry cannot be read any more.
func (n *Node) foundDamage(err error) {
	n.inbox.call(func() {
		if n.damage == nil {
			n.damage = err
			n.options.Log("warning",
				err.Error()+". Start this member again, so that it gets its entries from the others")
			n.core.setDisk(err)
		}
	})
}

// mendHole gives this member its vote when its log has an entry of a later term than that in which
// it has lost entries: then it has all of them again.
func (n *Node) mendHole() {
	hole := n.hole()
	if n.core.hole = hole != 0; n.core.hole && max(n.log.last().term, n.snapshots.newest().Term) > hole {
		n.writer.jobs.add(job{do: func() error { return n.stable.update(func(c *content) { c.Hole = 0 }) }})
	}
}

// logger hands what the library reports to Options.Log, for debugging.
type logger struct {
	log func(level, message string)
}

func (l logger) say(v ...any)                     { l.log("debug", "Raft: "+fmt.Sprint(v...)) }
func (l logger) sayf(format string, v ...any)     { l.log("debug", "Raft: "+fmt.Sprintf(format, v...)) }
func (l logger) Debug(...any)                     {}
func (l logger) Debugf(string, ...any)            {}
func (l logger) Info(v ...any)                    { l.say(v...) }
func (l logger) Infof(format string, v ...any)    { l.sayf(format, v...) }
func (l logger) Warning(v ...any)                 { l.say(v...) }
func (l logger) Warningf(format string, v ...any) { l.sayf(format, v...) }
func (l logger) Error(v ...any)                   { l.say(v...) }
func (l logger) Errorf(format string, v ...any)   { l.sayf(format, v...) }
func (l logger) Fatal(v ...any)                   { panic(fmt.Sprint(v...)) }
func (l logger) Fatalf(format string, v ...any)   { panic(fmt.Sprintf(format, v...)) }
func (l logger) Panic(v ...any)                   { panic(fmt.Sprint(v...)) }
func (l logger) Panicf(format string, v ...any)   { panic(fmt.Sprintf(format, v...)) }
