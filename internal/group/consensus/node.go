package consensus

import (
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// Settings of Raft; facts about them are in the package comment.
const (
	maxAppendEntries = 256
	logCacheSize     = 512
	keepSnapshots    = 2
)

// Node is one member's part in the group.
type Node struct {
	options   Options
	raft      *raft.Raft
	log       *log
	stable    *stable
	snapshots raft.SnapshotStore
	transport *transport
	machine   *machine
	seat      seat
	verifier  verifier
	lease     lease
	newcomer  newcomer
	report    report
	latency   histogram

	seats  chan Seat
	closed chan struct{}
	once   sync.Once
	tasks  sync.WaitGroup
}

// Open starts this member: it loads the newest snapshot and takes part in the group. The entries
// after the snapshot are applied when a leader has confirmed them.
func Open(options Options) (*Node, error) {
	options.complete()
	n := &Node{options: options, seats: make(chan Seat), closed: make(chan struct{})}
	n.machine = newMachine(n)
	n.verifier.node = n
	n.lease.begin()
	n.seat.init()
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

func (n *Node) start() error {
	address, err := n.options.address()
	if err != nil {
		return err
	}
	logger := newLogger(n.options.Log)
	if n.transport, err = openTransport(address, n.options, logger); err != nil {
		return err
	}
	n.transport.node, n.transport.mayVote, n.transport.mayLead = n, n.mayVote, n.mayLead
	n.transport.isMember = n.isMember
	n.transport.stream.dialed, n.transport.stream.identity = n.report.dialed, n.identity
	n.stable.own, n.stable.refuseOwn = address, n.mayElectSelf
	notify := make(chan bool, 16)
	config := n.config(notify)
	config.Logger = logger
	cache, err := raft.NewLogCache(logCacheSize, n.log)
	if err != nil {
		return err
	}
	if n.raft, err = raft.NewRaft(config, n.machine, cache, n.stable, n.snapshots, n.transport); err != nil {
		return err
	}
	n.transport.serve()
	n.tasks.Go(func() { n.watch(notify) })
	n.tasks.Go(n.answer)
	n.tasks.Go(n.compact)
	n.tasks.Go(n.report.run)
	if n.hole() == unknownHole {
		n.tasks.Go(n.newcomer.run)
	}
	return nil
}

func (n *Node) config(notify chan<- bool) *raft.Config {
	c := raft.DefaultConfig()
	c.LocalID = serverID(n.options.ID)
	c.HeartbeatTimeout = n.options.Heartbeat
	c.ElectionTimeout = n.options.Heartbeat
	c.LeaderLeaseTimeout = n.options.Lease
	c.MaxAppendEntries = maxAppendEntries
	c.BatchApplyCh = true
	c.ShutdownOnRemove = false
	c.SnapshotThreshold = n.options.SnapshotEvery
	c.TrailingLogs = n.options.SnapshotTrailing
	c.SnapshotInterval = snapshotCheck
	c.NotifyCh = notify
	c.NoLegacyTelemetry = true
	return c
}

// snapshotCheck is how often Raft looks whether a snapshot is due.
const snapshotCheck = 5 * time.Second

// closeLimit is how long Close waits for entries under way, if a disk keeps Raft waiting.
const closeLimit = 5 * time.Second

// Close gives up the seat, stops, and answers what is under way.
func (n *Node) Close() error {
	n.once.Do(func() {
		n.seat.close()
		n.verifier.close()
		within(closeLimit, func() error { n.tasks.Wait(); return nil })
		n.log.stop()
		n.stable.stop()
		n.transport.Close()
		n.raft.Shutdown().Error()
		n.closeStores()
	})
	return nil
}

// Snapshot takes a snapshot now, and drops entries before it.
func (n *Node) Snapshot() error {
	return n.raft.Snapshot().Error()
}

func (n *Node) closeStores() {
	if n.transport != nil {
		n.transport.end()
	}
	if n.log != nil {
		n.log.Close()
	}
	if n.stable != nil {
		n.stable.Close()
	}
}

func serverID(id uint64) raft.ServerID {
	return raft.ServerID(strconv.FormatUint(id, 10))
}

func memberID(id raft.ServerID) uint64 {
	n, _ := strconv.ParseUint(string(id), 10, 64)
	return n
}
