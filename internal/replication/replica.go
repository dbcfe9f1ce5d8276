package replication

import (
	"net"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// replica is a session that has introduced itself as a replica. It receives a snapshot and then the
// stream.
//
//	none ─SYNC, PSYNC─▶ waitBgsaveStart ─▶ sendBulk ─▶ waitAck ─REPLCONF ACK─▶ online
//	  └─────────── PSYNC, if the backlog reaches back far enough ────────────────▶
//
// The stream is held back in sendBulk and waitAck. All methods are called under the engine's lock.
type replica struct {
	master  *Master
	session *engine.Session
	state   state
	request request
	psync2  bool // it knows that the id of a history may change
	sync    bool // it called SYNC and not PSYNC, and may never acknowledge anything

	bulk []byte   // the piece of the snapshot that is sent next
	more [][]byte // those behind it, which all replicas of the transfer share
	wait int64    // bytes of these
	at   int64    // offset of the last byte of the stream that the connection has taken

	lateSince int64 // when the bytes that wait have passed the soft limit; microseconds, 0 if they have not

	acked, fsynced int64 // offsets that it acknowledged as received and as synced
	ackedAt        int64 // time of the last acknowledgement; microseconds

	port    int64 // on which it listens, as REPLCONF says
	ip      string
	ours    bool             // it is a miniserver
	release *release.Release // nil if unknown, see older.go
}

// request is what a replica has requested by REPLCONF.
type request struct {
	EOF          bool // it knows the format that ends with a mark, see transfer
	OnlySnapshot bool // without the stream
	NoData       bool
	NoFunctions  bool
}

// state is the stage of a replica, with Redis' names. Later stages are greater.
type state int

const (
	none            state = iota // it has not asked for the data yet
	waitBgsaveStart              // it waits for a snapshot to begin
	sendBulk                     // the snapshot is being sent
	waitAck                      // the snapshot is sent; the stream follows when the replica has acknowledged it
	online
)

// stateNames are the names of the states in INFO.
var stateNames = [...]string{none: "", waitBgsaveStart: "wait_bgsave", sendBulk: "send_bulk", waitAck: "online",
	online: "online"}

// Attached implements engine.Replica.
func (r *replica) Attached() bool { return r.state != none }

// follows reports whether the replica has a position in the stream.
func (r *replica) follows() bool { return r.state >= sendBulk && !r.request.OnlySnapshot }

// Pending implements engine.Replica.
func (r *replica) Pending() int64 { return r.wait + r.behind() }

// behind returns how many bytes of the stream the connection has not taken.
func (r *replica) behind() int64 {
	if !r.follows() {
		return 0
	}
	return r.master.stream.offset - r.at
}

// name returns the replica's address for the log.
func (r *replica) name() string { return net.JoinHostPort(r.host(), strconv.FormatInt(r.port, 10)) }

// host returns the address on which the replica listens: that of its connection unless REPLCONF
// gave another.
func (r *replica) host() string {
	if r.ip != "" {
		return r.ip
	}
	host, _, err := net.SplitHostPort(r.session.Addr)
	if err != nil {
		return r.session.Addr
	}
	return host
}

// gone reports whether the connection has ended or is closing.
func (r *replica) gone() bool { return r.session.Closing() || !r.Attached() }

// send sends raw text.
func (r *replica) send(text []byte) {
	r.master.traffic.out += int64(len(text))
	r.session.Reply.Raw(text)
	r.session.Wake()
}

// unsent returns the number of bytes of the snapshot not sent yet. It also wakes the connection to
// send them.
func (r *replica) unsent() int64 {
	r.session.Wake()
	return int64(r.session.Reply.Len()) + r.session.Unsent.Load() + r.wait
}
