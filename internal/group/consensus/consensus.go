// Package consensus keeps one log of entries the same at the members of a group. It knows nothing
// of Redis: an entry is a piece of bytes, and what entries change is a Machine.
//
//	Append ─▶ loop ─▶ core ─┬▶ writer ─▶ log ─▶ disk   the leader stores the entry, and sends it
//	            ▲     Raft  ├▶ peers ─▶ network        most members have stored it: committed
//	            └─ answers ◀┴▶ machine ─▶ Machine      at every member, in the same order
//
// Raft itself is the state machine of go.etcd.io/raft 3.6: no goroutine, clock, disk or network of
// its own; nothing of it is written here. What it gives: one leader a term, elected by most
// members; an entry that most members have stored is in the log of every later leader; members that
// come and go. What is here:
//
//	core               drives Raft: who may vote and stand, the leader's seat
//	loop, node         the goroutine of the core, and what it passes on
//	writer, log, scan  entries on the disk: one write for all that has come, damage
//	stable, disk       the term and the vote on the disk
//	snapshots, compact states of the machine as files; when they are due
//	machine, rebuild   applies entries, answers Appends; makes the state anew from the log
//	transport, wire    TCP and TLS; frames
//	peer, guests       what goes to one member; limits of what others may take
//	lease, verify      knows without a question that this member leads, for a moment; asks
//	damage, salvage    a member that has lost entries comes back empty; a group begins anew
//	newcomer           a member without a vote file asks the others what it may have promised
//	identity           keeps groups apart
//	members, status    Add, Remove, Transfer; what a member knows of the group
//	report             what is said in the log
//
// Invariants:
//  1. A seat is given only when all entries of earlier terms have been applied here: after an entry
//     of the new term.
//  2. Of what is appended in a seat, the entries that get into the log are the first ones, without
//     a gap: the loop appends in order, and ends the seat at the first entry that Raft refuses.
//     This member may take another one in the same term, after another entry.
//  3. done(nil) comes after Apply. ErrNotAppended is certain. What was under way when the seat was
//     lost, or when the disk failed, gets ErrUnknown: it may get into the log.
//  4. Verify counts only answers to calls that were sent after it, by this member's own order of
//     events. Leased reads a clock besides.
//  5. Raft is told that something is stored only when it is, however often that is tried.
//  6. A member whose disk fails does not lead, and does not stand. It goes on by itself when the
//     disk can be written.
//  7. A member that has lost entries or its vote, or found damage, votes only after it has all
//     again. One that starts without a vote file does not know whether it had one, and takes
//     nothing from a leader before it knows: it may have promised to follow a later one.
//
// # Who waits for whom
//
// The loop never blocks, and nothing blocks on the loop. The writer, the machine and one
// goroutine for each other member have queues; messages may be lost, the rest has limits of its
// own. A leader's calls, which keep its seat and its lease, pass the loop by at both ends: the
// goroutine of a connection notes a call, and answers it; the loop looks at the notes before it
// counts a tick. So a process that gets little of a processor keeps its seat as long as its
// connections get some. A tick that comes late is one tick, however late it comes.
//
// # Disks
//
// The writer tries again and again, and Raft waits: a member that cannot store does not confirm,
// and does not vote, which is what the others expect of a failed one. A leader gives up its seat at
// the first error, and when a write takes longer than StoreLimit; it hands it to the member that
// has most. What it had sent may get into the log without it. The vote needs no new room on a full
// disk; it is written in place, twice.
//
// At the start all entries are read. Damage is: a record that is not whole although a later write
// is there, a log that begins after the snapshot's end, a snapshot that cannot be read, and a log
// that ends before the mark, a number that is written after each write.
//
// What is safe: any damage to the log or the snapshots of a minority, at any time, also again while
// a member comes back; see openStores for why. The price is that the seat changes once. With Sync
// off, the loss of the end of a minority's logs is also safe: the mark shows it.
//
// Also safe is the loss of the vote or of the whole directory, in a minority: see newcomer. The
// price is that a group's first start needs all members, and that such a member gets its vote only
// when all others have answered.
//
// When most members have lost entries, no member can be elected, and nothing is deleted: Salvage
// begins the group anew at the member with the longest log. Damage while the server runs shows when
// an entry is read that is no longer in memory; the member does not lead then, and the next start
// repairs it.
//
// # Traps of Raft's library, and what becomes of them here
//
//   - It panics at messages that no member sends: see isSound, and core.step.
//   - It reads entries from the loop. What is not in memory it gets without data, which who sends
//     or applies them reads: see log.
//   - A new member takes no snapshot that does not know it: another one is taken first (storage).
//   - A change of the members counts when it is applied, not when it is appended; one at a time.
//     Most of the members before it must confirm it.
//   - A vote may be on its way through the disk when the leader calls: it is looked at again
//     before it is given (core.stored).
//   - A leader that has lost its followers only finds out after a whole election timeout:
//     hearAnswers ends its seat sooner.
//   - A removed member may not get the entry about it: the others tell it when it asks for votes
//     (TestRemovedWhileAway).
package consensus

import (
	"crypto/tls"
	"io"
	"net"
	"time"
)

// Member is one of the servers of a group.
type Member struct {
	ID      uint64
	Address string // host:port, where the others reach it
}

// Entry is a piece of the log that most members have stored.
type Entry struct {
	Index uint64 // its position in the log; other entries, of Raft's own, lie between, so there are gaps
	Term  uint64
	Seat  uint64 // ID of the seat whose Append it was
	Data  []byte // must not be changed
}

// Seat tells that this member has taken or lost the leader's seat.
type Seat struct {
	Leader bool
	Term   uint64
	ID     uint64 // of the seat, for Append; no two seats of a group have the same, later ones have higher ones
}

// Machine is what entries change. Only one of its functions runs at a time. Open may call Restore
// before it returns.
type Machine interface {
	// Apply gets entries that most members have stored, in order, at every member, also where
	// Append was called.
	Apply(entries []Entry)
	// Snapshot returns the state after the last applied entry. It must be quick: nothing is applied
	// meanwhile.
	Snapshot() (Snapshot, error)
	// Restore replaces all state by that of a snapshot, and by the state before the first entry if
	// r is nil.
	Restore(r io.Reader) error
}

// Snapshot is the state of a Machine at one moment. Write runs while the machine goes on; Release
// is called in any case.
type Snapshot interface {
	Write(w io.Writer) error
	Release()
}

// Options say who a member is, and where it keeps its log. Durations that are zero get the default.
type Options struct {
	ID      uint64
	Members []Member // at the first start: the members that found the group, this one among them
	// At the first start: wait until a group adds this member; Members needs only this one, for its
	// address.
	Join    bool
	Dir     string // made if it does not exist; nothing else may use it
	Machine Machine

	Listener net.Listener // nil: listen at the port of this member's address
	// Nil: plain TCP; else for both directions, so that each member shows and checks a certificate.
	TLS *tls.Config

	Card string // what members that connect to this one learn of it, up to 247 bytes: MemberStatus.Card

	Sync bool // an entry counts as stored when the disk has it; false: when the operating system has it

	Heartbeat time.Duration // a member that hears nothing from a leader for so long asks for votes; default 300 ms
	// A leader that hears nothing from most members for so long gives up its seat; default
	// Heartbeat/2.
	Lease      time.Duration
	StoreLimit time.Duration // how long the disk may take to store entries; default 2 s

	SegmentSize int // bytes of a file of the log, for which room is reserved when it begins; default 64 MB

	SnapshotEvery    uint64 // entries between two snapshots; default 65536
	SnapshotTrailing uint64 // entries that are kept before a snapshot, for members that lag behind; default 16384
	// Bytes of entries after which a snapshot is due earlier, and a fourth of which is kept;
	// default 256 MB.
	SnapshotBytes uint64

	// Salvage begins the group anew at this member, alone, with what it can read, if the number is
	// higher than that of the last time. It is for a group of which most members have lost their
	// entries. What only the others have is lost, and they must come back with empty directories.
	Salvage uint64

	Log func(level, message string) // level is debug, verbose, notice or warning; nil: silence

	fault func(operation string) error // see disk
	cut   func() error                 // see stream

	// With a peer: for an answer, for the rest of a request, for its end of a handshake; default 10
	// s.
	patience time.Duration

	changeLimit time.Duration // how long a change of the members may wait for its turn, and then for most members
}

// Defaults of Options.
const (
	defaultHeartbeat        = 300 * time.Millisecond
	defaultStoreLimit       = 2 * time.Second
	defaultPatience         = 10 * time.Second
	defaultChangeLimit      = 5 * time.Second
	defaultSegmentSize      = 64 << 20
	defaultSnapshotEvery    = 64 << 10
	defaultSnapshotTrailing = 16 << 10
	defaultSnapshotBytes    = 256 << 20
)

func (o *Options) complete() {
	if o.Heartbeat == 0 {
		o.Heartbeat = defaultHeartbeat
	}
	if o.Lease == 0 {
		o.Lease = o.Heartbeat / 2
	}
	if o.StoreLimit == 0 {
		o.StoreLimit = defaultStoreLimit
	}
	if o.patience == 0 {
		o.patience = defaultPatience
	}
	if o.changeLimit == 0 {
		o.changeLimit = defaultChangeLimit
	}
	if o.SegmentSize == 0 {
		o.SegmentSize = defaultSegmentSize
	}
	if o.SnapshotEvery == 0 {
		o.SnapshotEvery = defaultSnapshotEvery
	}
	if o.SnapshotTrailing == 0 {
		o.SnapshotTrailing = defaultSnapshotTrailing
	}
	if o.SnapshotBytes == 0 {
		o.SnapshotBytes = defaultSnapshotBytes
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
}

// address returns where the others reach this member.
func (o *Options) address() (string, error) {
	for _, m := range o.Members {
		if m.ID == o.ID {
			return m.Address, nil
		}
	}
	return "", ErrNotListed
}
