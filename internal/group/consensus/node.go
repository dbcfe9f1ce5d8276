package consensus

import (
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/raft/v3"
)

// Node is one member's part in the group.
type Node struct {
	options   Options
	began     time.Time
	stable    *stable
	log       *log
	snapshots *snapshots
	lease     *lease
	verifier  verifier
	machine   *machine
	writer    writer
	transport *transport
	newcomer  newcomer
	report    report
	latency   histogram

	core      *core // the loop's alone; nil while this member is a newcomer
	inbox     inbox
	seen      atomic.Pointer[view]
	compactor chan struct{} // a snapshot is due
	seatNews  queue[Seat]
	answers   queue[func()] // of questions; they may take locks
	damage    error         // that was found while this member runs; the loop's
	beginning head          // what the core begins with

	refused  atomic.Int64 // when another member refused this one because it is no member
	underWay atomic.Int64 // Appends that have not been answered

	seats  chan Seat
	closed chan struct{}
	ending sync.RWMutex // of ended
	ended  bool         // nothing more is appended or asked
	once   sync.Once
	tasks  sync.WaitGroup
}

// view is what others may know of the loop. It does not change.
type view struct {
	state   raft.StateType
	term    uint64
	leads   uint64 // the term, if this member leads; else 0
	lead    uint64
	seat    uint64
	last    uint64
	commit  uint64
	applied uint64
	members []member
	hole    bool
	disk    error
}

func (n *Node) view() *view { return n.seen.Load() }

// leads returns the term in which this member leads; 0 if it does not.
func (n *Node) leads() uint64 { return n.view().leads }

// clock returns a time that never jumps, in nanoseconds.
func (n *Node) clock() int64 { return int64(time.Since(n.began)) + 1 }

// Open starts this member: it loads the newest snapshot and takes part in the group. The entries
// after the snapshot are applied when a leader has confirmed them.
func Open(options Options) (*Node, error) {
	options.complete()
	n := &Node{options: options, began: time.Now(), seats: make(chan Seat), closed: make(chan struct{}),
		compactor: make(chan struct{}, 1)}
	n.machine = &machine{node: n, inner: options.Machine}
	n.lease = newLease(options.ID, n.clock())
	n.writer.node, n.verifier.node = n, n
	n.inbox.init()
	n.seatNews.init()
	n.answers.init()
	n.machine.tasks.init()
	n.writer.jobs.init()
	n.newcomer.init(n)
	n.report.init(n)
	if err := n.openStores(); err != nil {
		n.closeStores()
		return nil, err
	}
	if err := n.start(); err != nil {
		n.closeStores()
		return nil, err
	}
	return n, nil
}

func (n *Node) start() (err error) {
	address, err := n.options.address()
	if err != nil {
		return err
	}
	isNew := n.hole() == unknownHole
	n.seen.Store(&view{term: n.stable.get().Term, hole: n.hole() != 0})
	if !isNew {
		if err := n.startCore(); err != nil {
			return err
		}
	}
	if n.transport, err = openTransport(n, address); err != nil {
		return err
	}
	if !isNew {
		n.transport.setMembers(n.core.members)
	}
	n.tasks.Go(n.loop)
	n.tasks.Go(n.machine.run)
	n.tasks.Go(n.writer.run)
	n.tasks.Go(n.tellSeats)
	n.tasks.Go(func() {
		n.answers.run(n.closed, func(list []func()) {
			for _, f := range list {
				f()
			}
		})
	})
	n.tasks.Go(n.compact)
	n.tasks.Go(n.report.run)
	n.transport.serve()
	if isNew {
		n.tasks.Go(n.newcomer.run)
	}
	return nil
}

// startCore loads the newest snapshot, and begins to take part.
func (n *Node) startCore() error {
	newest := n.snapshots.newest()
	if newest.Index > 0 {
		if err := n.machine.load(newest.path, true); err != nil {
			return err
		}
	}
	c := n.stable.get()
	if c.Alone >= newest.Index && c.Alone > 0 {
		newest.Members = n.alone()
	}
	n.machine.mu.Lock()
	n.machine.members = newest.Members
	n.machine.mu.Unlock()
	n.lease.hear(0, 0, n.clock()) // others may still be about to found the group
	n.log.stored.Store(n.log.bytesAfter(newest.Index))
	tick := n.tickEvery()
	var err error
	n.core, err = newCore(begin{id: n.options.ID, store: storage{n.log, n, newest}, applied: newest.Index,
		last: n.log.last().index, ignored: c.Alone, members: newest.Members, lease: n.lease,
		patient: int((n.options.Lease + tick - 1) / tick), now: n.clock(), logger: logger{n.options.Log}})
	if err != nil {
		return err
	}
	n.core.hole = c.Hole != 0
	n.publish()
	return nil
}

// alone returns the members of a group that this member has begun anew.
func (n *Node) alone() []member {
	address, _ := n.options.address()
	return []member{{n.options.ID, address, true}}
}

func (n *Node) tickEvery() time.Duration {
	return max(n.options.Heartbeat/electionTicks, time.Millisecond)
}

// closeLimit is how long Close waits for entries under way, and for a disk.
const closeLimit = 5 * time.Second

// Close gives up the seat, stops, and answers what is under way.
func (n *Node) Close() error {
	n.once.Do(func() {
		n.ending.Lock()
		n.ended = true
		n.ending.Unlock()
		for end := time.Now().Add(closeLimit); n.underWay.Load() > 0 && n.leads() != 0 &&
			n.view().disk == nil && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		close(n.closed)
		n.transport.close()
		if within(closeLimit, n.tasks.Wait) {
			n.machine.end()
			for _, f := range n.answers.take() {
				go f()
			}
		}
		within(closeLimit, n.transport.tasks.Wait)
		n.verifier.fail(ErrClosed)
		n.closeStores()
	})
	return nil
}

// Snapshot takes a snapshot now, and drops entries before it.
func (n *Node) Snapshot() error {
	if err := n.machine.snapshot(); err != nil {
		return err
	}
	// The library may still look at what it has not heard to be applied.
	end := min(n.snapshots.newest().Index, n.view().applied)
	n.log.compact(end, n.options.SnapshotTrailing, n.options.SnapshotBytes/4)
	return nil
}

func (n *Node) closeStores() {
	within(closeLimit, func() {
		if n.log != nil {
			n.log.close()
		}
		if n.stable != nil {
			n.stable.file.Close()
		}
	})
}
