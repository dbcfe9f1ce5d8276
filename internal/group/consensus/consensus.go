// Package consensus keeps one log of entries the same at the members of a group. It knows nothing
// of Redis: an entry is a piece of bytes, and what entries change is a Machine.
//
//	Append ─▶ seat ─▶ Raft ─▶ log ─▶ disk          the leader stores the entry, and sends it
//	                   │ ▲
//	           transport │ answers                 most members have stored it: it is committed
//	                   ▼ │
//	                  Raft ─▶ machine ─▶ Machine   at every member, in the same order
//
// Raft is hashicorp/raft 1.7.3, the log hashicorp/raft-wal 0.4.2; nothing of either is written
// here. Raft 1.8.0 needs go-metrics 0.7.0, which has dropped a package that raft-wal imports; a
// replace in go.mod would break go install.
//
// What Raft gives: one leader a term, elected by most members; an entry that most members have
// stored is in the log of every later leader; snapshots, members that come and go. What is added:
//
//	seat, append      the leader's seat: taken after a barrier, given up at the first entry that
//	                  fails
//	machine, rebuild  drops entries after a gap; makes the state anew from snapshot and log
//	verify            asks whether this member still leads
//	lease             knows without a question that it does, for a moment
//	log, checksum     the entries on the disk: limits of time, recovery, damage
//	segments, tail    the files of the log, and the change to the next one
//	stable, disk      the term and the vote on the disk
//	damage, salvage   a member that has lost entries comes back empty; a group of such begins anew
//	newcomer          a member without a vote file asks the others what it may have promised
//	identity          keeps groups apart
//	transport, stream what may vote and lead, who has answered; TCP and TLS
//	requests, guests  what others ask; limits of what they may take
//	compact           snapshots by bytes
//	report, logger    what is said in the log
//	members, status   Add, Remove, Transfer; what a member knows of the group
//
// Invariants:
//  1. A seat is given only when all entries of earlier terms have been applied here: after a
//     barrier of the new term.
//  2. Of what is appended in a seat, the entries that count are the first ones, without a gap: each
//     carries its number within the seat, and one that does not follow the last that counted is
//     void, at every member. Raft alone may refuse one entry and take the next, while it hands the
//     seat over or loses and regains it. After the first error the seat is given up; this member
//     may take another one in the same term.
//  3. done(nil) comes after Apply. ErrNotAppended is certain. What was under way when the seat was
//     lost, or when the disk failed, gets ErrUnknown: the next leader may have the entry.
//  4. Verify counts only answers to requests that were sent after its call, by this member's own
//     order of events. It reads no clock. Leased does.
//  5. Raft is told that entries are stored only when they are; what is stored after all, after an
//     error or too late, is deleted before anything else is stored.
//  6. A member whose disk fails does not lead, and does not stand. It goes on by itself when the
//     disk can be written.
//  7. A member that has lost entries or its vote, or found damage, votes only after it has all
//     again. One that starts without a vote file does not know whether it had one, and takes
//     nothing from a leader before it knows: it may have promised to follow a later one.
//
// # Disks
//
// A write has a limit of time (StoreLimit), because Raft would keep the seat as long as the disk
// hangs. After an error or at the limit nothing more is stored; the log is closed as soon as the
// write ends, and opened again until that and a probe succeed: raft-wal never goes on after a
// segment that it could not make, and segments repairs what that leaves. The vote needs no new room
// on a full disk; it is written in place, twice. Raft panics when it cannot store its term, and
// when it cannot read an entry, so these wait for the disk. A member that waits answers nobody,
// which is what the others expect of a failed one.
//
// At the start all entries are read. Damage is: a wrong checksum, a log that begins after the
// snapshot's end, a snapshot that cannot be read, and a log that ends before the mark, a number
// that is written after each write. The mark is needed because raft-wal takes damage for the end of
// the log, silently.
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
// an entry is read that is no longer in memory; Raft ends the process then, and the next start
// repairs it.
//
// # Traps of Raft, and what becomes of them here
//
//   - A pipeline of requests stops for good after a follower's disk fails (hashicorp/raft#612), and
//     delays members that lag behind. There is none: one request is under way to each follower
//     (TestFollowersDiskFails).
//   - A request carries up to 256 entries, however large, and must arrive, and be stored, within 10
//     s. So large entries go into the log in parts, and a request carries as many as 8 MB have
//     (TestLargeEntries). raft-wal refuses entries of 64 MB.
//   - A leader whose disk hangs keeps the seat (#503), one whose disk is full takes it again and
//     again (TestHangingDisk, TestFullDisk, TestFullDiskAlone).
//   - A leader that hears of a later term sends heartbeats until it has stored that term, so a disk
//     that hangs then would keep the others from an election. It sends nothing once it is no
//     leader.
//   - ErrLeadershipLost says nothing about the entry (TestLeaderCutOff): invariant 3.
//   - VerifyLeader counts late answers: invariant 4. The time of the last contact is that of an
//     answer, and a restarted follower votes at once: so a lease is counted from when requests were
//     sent, and members make promises (TestPromises).
//   - raft-wal takes a file with an index, whole or not, for full after a crash, and refuses all
//     entries (TestEveryCrashLeavesALog). It leaves the list of files locked if it does not open.
//   - A crash can leave a snapshot of the leader beside a log that ends before it, behind which
//     raft-wal stores nothing (TestSnapshotWithoutItsLog).
//   - raft-wal drops entries without a word (TestDamagedMemberComesBackEmpty), and returns deleted
//     ones as long as their file is there.
//   - A follower that deletes a conflicting end of its log, and then cannot store the new one,
//     believes forever that the old one is there. So storing waits there until it succeeds.
//   - Snapshot keeps Apply waiting, and Write does not: so Machine.Snapshot must be quick.
//   - Heartbeats are handled beside Raft's other work, and can set its term back, in memory and on
//     the disk: it then leads in one term and tells another. Here only those of the present term
//     are handled so (TestHeartbeatsOfOtherTermsWait).
//   - While the seat is handed over Raft refuses entries, and may go on to do so for a moment after
//     it failed (#696): the seat is given up, and taken again when a barrier passes.
//   - raft.NetworkTransport gives each connection 256 KB before its first byte, and waits without a
//     limit for the rest of a request; half a snapshot keeps Raft from all else
//     (TestHalfASnapshot). The codec makes room for what is announced, and Raft panics at
//     configurations that are none (TestUnsoundRequests). So requests are read here.
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
