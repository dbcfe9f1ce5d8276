// Package consensus keeps one log of entries the same in the members of a group. It knows nothing of Redis: an entry is a piece
// of bytes, and what entries change is a Machine.
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

// Machine is what entries change. Only one of its functions runs at a time. Open may call Restore before it returns.
type Machine interface {
	// Apply gets entries that most members have stored, in order, at every member, also where Append was called.
	Apply(entries []Entry)
	// Snapshot returns the state after the last applied entry. It must be quick: nothing is applied meanwhile.
	Snapshot() (Snapshot, error)
	// Restore replaces all state by that of a snapshot, and by the state before the first entry if r is nil.
	Restore(r io.Reader) error
}

// Snapshot is the state of a Machine at one moment. Write runs while the machine goes on; Release is called in any case.
type Snapshot interface {
	Write(w io.Writer) error
	Release()
}

// Options say who a member is, and where it keeps its log. Durations that are zero get the default.
type Options struct {
	ID      uint64
	Members []Member // at the first start: the members that found the group, this one among them
	Join    bool     // at the first start: wait until a group adds this member; Members is only asked for its own address
	Dir     string   // made if it does not exist; nothing else may use it
	Machine Machine

	Listener net.Listener // nil: listen at the port of this member's address
	TLS      *tls.Config  // nil: plain TCP; else for both directions, so that each member shows and checks a certificate

	Sync bool // an entry counts as stored when the disk has it; false: when the operating system has it

	Heartbeat  time.Duration // a member that hears nothing from a leader for so long asks for votes; default 300 ms
	Lease      time.Duration // a leader that hears nothing from most members for so long gives up its seat; default Heartbeat/2
	StoreLimit time.Duration // how long the disk may take to store entries; default 2 s

	SnapshotEvery    uint64 // entries between two snapshots; default 65536
	SnapshotTrailing uint64 // entries that are kept before a snapshot, for members that lag behind; default 16384
	SnapshotBytes    uint64 // bytes of entries after which a snapshot is due earlier, and a fourth of which is kept; default 256 MB

	// Salvage takes a damaged log as far as it can be read. It is for a group of which no member has a log without damage, and may lose entries.
	Salvage bool

	Log func(level, message string) // level is debug, verbose, notice or warning; nil: silence

	fault func(operation string) error // see disk
	cut   func() error                 // see stream
}

// Defaults of Options.
const (
	defaultHeartbeat        = 300 * time.Millisecond
	defaultStoreLimit       = 2 * time.Second
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
