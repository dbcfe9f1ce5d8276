package engine

import (
	"bytes"
	"strings"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Session is one client's state: a connection, a script, or a caller in process.
type Session struct {
	ID    int64
	Reply *resp.Writer
	Peer  Peer // the connection; nil for a session without a socket

	Name, LibName, LibVer string

	Addr, LocalAddr string

	// The bytes that the connection holds and keeps up to date: input that is not parsed, the room behind it, arguments
	// that wait for the rest of their command, and unsent output. Query is stored last.
	Query, QueryFree, Args, Unsent Tally

	Received, Sent atomic.Int64 // bytes, since the connection was opened; the connection counts them

	// Announced is what the connection does not hold yet of a large argument whose length it knows. maxmemory-clients counts
	// it, as in Redis; used_memory and maxmemory do not, else a few bytes would evict keys and end the replies of others.
	Announced Tally

	kept    Tally // what commands made the engine keep: queued, watched, subscribed ...
	waiting Tally // the buffers of replies and messages, when they were last counted

	engine       *Engine
	group        *group // whose totals the tallies belong to
	world        *World
	db           int
	user         *acl.User
	onlyLooks    error // refuses commands that change something: see Endpoint
	tls          bool
	caller       *Session // whose script it is
	failure      error    // the first error in the reply to a loader or a master
	maxReply     int      // bytes of a reply to a script's command
	certain      int      // length of replies in Reply that tell of settled keys only: see certainty
	settled      int      // length of the part of Reply that CLIENT REPLY does not silence any more
	late         *inbox   // messages that wait for the end of the reply; nil for none
	tx           *transaction
	blocked      *Blocked
	delay        *delay
	debugger     Debugger          // gets the requests while a script is debugged; nil otherwise
	reserve      *keyspace.Reserve // for the copy of the next script that is debugged; nil for none
	reserved     int               // its bytes, which count from before it is there
	subs         Subscriptions
	ofParts      []any   // see PerSession
	replica      Replica // nil if it never sent a command of replication
	created      int64
	lastActive   int64 // microseconds: the last command, or reply or message that came later
	commands     int64 // that it has run, with those of its scripts
	last         *command.Command
	ownBuffer    []byte // the buffer for the replies after those being sent, if none is lent
	lentBuffer   []byte // what Lend provided for the next Do
	replyPeak    int    // bytes of the largest replies that were taken since trimReplies
	earlyReplies []byte // the replies before a slow script's

	// Small ones, side by side: there may be ten thousand idle sessions.
	fd           int32
	loop         int32     // number of its event loop
	slot         int32     // of the keys of the last command that was checked for it; noSlot for none
	Debug        DebugMode // of the next script: SCRIPT DEBUG
	detached     bool      // a script's that is debugged: its commands take the lock
	authed       bool
	everAuthed   bool // authenticated at any time, or connected when that was not required
	closing      bool // close once the replies are out
	dropped      bool // close at once
	modes        Modes
	Monitors     bool   // sees the commands of others: MONITOR
	unix         bool   // connected through a unix socket
	script       bool   // a script's session: cannot block or begin a transaction
	loader       bool   // a loader's: see Loader
	master       bool   // of this server's master: see Apply
	readOnly     bool   // a read-only script's
	startedOOM   bool   // a script's that began over maxmemory
	wrote        bool   // a script's that has written
	unsent       Target // does not receive what a script's commands change
	crossesSlots bool   // a script's whose keys may lie in several slots
	reply        ReplyMode
	postponed    bool // its next command waits for the end of CLIENT PAUSE, or of delay
	running      bool // its slow script, or one that is debugged, runs on a goroutine of the host
	wakePending  bool // Peer.Wake was called, and Collect not yet
	soonPending  bool // PatientPeer.WakeSoon was, and Collect not yet
	borrows      bool
}

// EnterScript prepares a script's session for a run on behalf of caller. In a readOnly run commands that
// write are refused. With oom set, commands that need memory are refused until the script has written.
// A reply of more than maxReply bytes is replaced by an error.
func (s *Session) EnterScript(caller *Session, readOnly, short bool, maxReply int64) {
	s.caller, s.world, s.db, s.user = caller, caller.world, caller.db, caller.user
	s.readOnly, s.onlyLooks, s.startedOOM, s.wrote, s.unsent = readOnly, caller.onlyLooks, short, false, 0
	s.maxReply = int(min(maxReply, s.engine.replyRoom()))
	s.RestartReply()
	s.Reply.SetProto(2)
}

// SetReadOnly makes commands of a script that write be refused, or not, and returns what was before.
func (s *Session) SetReadOnly(readOnly bool) (before bool) {
	before, s.readOnly = s.readOnly, readOnly
	return before
}

// RestartReply discards the reply in a script's session.
func (s *Session) RestartReply() { s.Reply.Restart(s.maxReply) }

// Mute keeps what a script's commands change from reaching a target, until the run ends. In a group all changes reach the others.
func (s *Session) Mute(target Target) {
	if s.engine.topology == nil {
		s.unsent = target
	}
}

// Wrote reports whether the script's run executed a command that writes.
func (s *Session) Wrote() bool { return s.wrote }

// InScript reports whether the session is a script's.
func (s *Session) InScript() bool { return s.script }

// Client returns the session of the client whose script the session runs, or the session itself.
func (s *Session) Client() *Session {
	if s.caller != nil {
		return s.caller
	}
	return s
}

// Obeyed reports whether the session's commands run in any state of the server, since they were allowed elsewhere or before: those of
// the master, those of the journal, and of their scripts (Redis' mustObeyClient).
func (s *Session) Obeyed() bool {
	client := s.Client()
	return client.master || client.loader
}

// Modes are what a client chooses for its session. RESET ends them.
type Modes struct {
	NoEvict      bool // is not evicted by maxmemory-clients: CLIENT NO-EVICT
	NoTouch      bool // leaves the access times of keys alone: CLIENT NO-TOUCH
	Imports      bool // a tool that copies a dataset: CLIENT IMPORT-SOURCE
	Redirects    bool // follows redirections: CLIENT CAPA
	ReadsReplica bool // READONLY in a cluster
}

// Modes returns the session's modes.
func (s *Session) Modes() Modes { return s.modes }

// SetModes changes the session's modes.
func (s *Session) SetModes(change func(m *Modes)) {
	change(&s.modes)
	s.regroup()
}

// OverUnix reports whether the session's connection is a unix socket.
func (s *Session) OverUnix() bool { return s.unix }

// OverTLS reports whether the session's connection has TLS.
func (s *Session) OverTLS() bool { return s.tls }

// Blocked returns the blocked command; nil for none.
func (s *Session) Blocked() *Blocked { return s.blocked }

// Subscriptions are the numbers of names that a session subscribed to.
type Subscriptions struct{ Channels, Patterns, Shards int }

// All returns their sum.
func (n Subscriptions) All() int { return n.Channels + n.Patterns + n.Shards }

// Subscriptions returns the numbers.
func (s *Session) Subscriptions() Subscriptions { return s.subs }

// SetSubscriptions changes the numbers.
func (s *Session) SetSubscriptions(n Subscriptions) {
	s.subs = n
	s.world.blocked.stir()
}

// Listens reports whether the session has any subscription. Then it is of the class ClassPubSub.
func (s *Session) Listens() bool { return s.subs != Subscriptions{} }

// PerSession returns the session's only T, at first a zero T. A part keeps there what commands set up in a
// session. It is gone after Part.Detach.
func PerSession[T any](s *Session) *T {
	if t := KeptBy[T](s); t != nil {
		return t
	}
	kept := new(T)
	s.ofParts = append(s.ofParts, kept)
	return kept
}

// KeptBy returns what PerSession has returned before; nil for nothing.
func KeptBy[T any](s *Session) *T {
	for _, kept := range s.ofParts {
		if t, ok := kept.(*T); ok {
			return t
		}
	}
	return nil
}

// Keep counts bytes that a command makes a part keep for the session, or fewer of them: n may be negative.
func (s *Session) Keep(n int) { s.kept.Add(n) }

// DB returns the number of the selected database.
func (s *Session) DB() int { return s.db }

// Select selects a database by number.
func (s *Session) Select(db int) { s.db = db }

// Authed reports whether the session may run commands beyond AUTH and HELLO. It is for the
// session's own event loop.
func (s *Session) Authed() bool { return s.authed }

// Closing reports whether the connection is to be closed once the replies are out.
func (s *Session) Closing() bool { return s.closing }

// CloseAfterReply marks the session for closing.
func (s *Session) CloseAfterReply() { s.closing = true }

// isStopped reports whether the session must not run its next command now.
func (s *Session) isStopped() bool {
	return s.closing || s.blocked != nil || s.running || s.postponed || s.Reply.Full()
}

// Lend gives the session a buffer for the replies of its next Do, which returns it in Outcome.Out. So an
// idle session holds no buffer. A session without an event loop, to which nothing is lent, keeps its own.
// Only the session's event loop calls Lend.
func (s *Session) Lend(buf []byte) { s.lentBuffer, s.borrows = buf, true }

// useLentBuffer directs replies to the lent buffer, unless Reply already holds some.
func (s *Session) useLentBuffer() {
	if s.Reply.Len() == 0 && s.lentBuffer != nil {
		s.Reply.Swap(s.lentBuffer)
	}
	s.lentBuffer = nil
}

// maxOwnBuffer is the largest reply buffer, in bytes, that a session keeps for the next replies.
const maxOwnBuffer = 1 << 20

// maxPushBuffers are the largest buffers, in bytes, that a subscriber keeps for the next messages, and a replica for the next piece of its stream, even if an
// event loop lends them buffers for replies.
var maxPushBuffers = [Classes]int{ClassReplica: 256 << 10, ClassPubSub: 16 << 10}

// Peer is the session's connection, as the engine reaches it outside of Do.
type Peer interface {
	// Wake reports that replies were added, or that the session was unblocked or marked for closing,
	// outside of the session's own Do. It must not block and is called under the lock.
	Wake()
}

// PatientPeer is a connection that can wait for more to send.
type PatientPeer interface {
	Peer
	// WakeSoon is Wake for replies that may wait up to a millisecond for others.
	WakeSoon()
}

// Wake asks the connection to send what was written to Reply outside of the session's own Do. One call
// serves everything until Collect, so a burst of messages wakes the event loop once. It is called under the
// lock.
func (s *Session) Wake() {
	if s.Peer != nil && !s.wakePending {
		s.wakePending = true
		s.noteReplies()
		s.Peer.Wake()
	}
}

// WakeSoon is Wake for replies that may wait for others. A connection that cannot wait is woken at once.
func (s *Session) WakeSoon() {
	if s.wakePending || s.soonPending {
		return
	}
	peer, patient := s.Peer.(PatientPeer)
	if !patient {
		s.Wake()
		return
	}
	s.soonPending = true
	s.noteReplies()
	peer.WakeSoon()
}

// noteReplies notes that there are replies which were written outside of the session's own Do.
func (s *Session) noteReplies() {
	s.lastActive = s.world.time.micros
	s.limitReplies()
	s.countWaiting()
}

// countWaiting counts the buffer of replies that the connection has not taken, if it is more than one block: as most
// are taken at once, counting each would cost more than sending it.
func (s *Session) countWaiting() {
	if cap(s.Reply.Bytes()) > outputBlock || s.waiting.Load() > 0 {
		s.countReplies()
	}
}

// countReplies counts the session's buffers of replies.
func (s *Session) countReplies() { s.waiting.Store(int64(cap(s.Reply.Bytes()) + cap(s.ownBuffer))) }

// ReplyMode says which replies are suppressed.
type ReplyMode uint8

const (
	ReplyOn ReplyMode = iota
	ReplyOff
	ReplySkipNext // CLIENT REPLY SKIP was just executed
	replySkip     // the current command's reply is skipped
	replyLost     // it is lost, and the connection with it: see CutReply
	replyHalf     // its second half is
)

// Muted reports whether replies are suppressed now.
func (s *Session) Muted() bool {
	return s.reply == ReplyOff || s.reply == replySkip || s.reply == replyLost
}

// Silent reports whether what comes next gets no reply, after CLIENT REPLY OFF or SKIP.
func (s *Session) Silent() bool { return s.reply != ReplyOn }

// SetReply changes which replies are suppressed: ReplyOn, ReplyOff, or ReplySkipNext, which means nothing after ReplyOff. A
// reply that is to be lost stays so.
func (s *Session) SetReply(mode ReplyMode) {
	if !s.isCut() && !(mode == ReplySkipNext && s.reply == ReplyOff) {
		s.reply = mode
	}
}

// settle removes what was written to Reply since the last call if replies are suppressed now. EXEC settles each
// reply on its own, because a queued CLIENT REPLY applies to those after it; but half of a reply is half of all of it.
func (s *Session) settle() {
	switch {
	case s.reply == replyHalf:
		return
	case s.Muted():
		s.Reply.Truncate(s.settled)
	}
	s.settled = s.Reply.Len()
}

// endReply settles a command's reply and ends the effect of CLIENT REPLY SKIP. That command itself passes through
// here, so its mode counts from the next command on.
func (s *Session) endReply() {
	s.settle()
	switch s.reply {
	case replySkip:
		s.reply = ReplyOn
	case ReplySkipNext:
		s.reply = replySkip
	case replyHalf:
		s.Reply.Truncate((s.settled + s.Reply.Len()) / 2)
	}
}

// isAllowedBy reports whether a parameter with the values yes, local and no allows the session something.
func (s *Session) isAllowedBy(who string) bool {
	switch who {
	case "yes":
		return true
	case "local":
		return s.unix || s.Addr == "" || strings.HasPrefix(s.Addr, "127.") || strings.HasPrefix(s.Addr, "[::1]:")
	}
	return false
}

// KeepReply keeps CLIENT REPLY from silencing what the command has replied so far, because it is a message.
func (s *Session) KeepReply() { s.settled = s.Reply.Len() }

// Push appends a message to the session's replies and wakes its event loop.
func (s *Session) Push(form []byte) {
	s.Messages().Raw(form)
	s.countWaiting()
}

// inbox holds the messages to a session whose own command caused them.
type inbox struct {
	messages      *resp.Writer
	invalidations *resp.Writer // of what the session itself read
}

// Messages returns the writer for a message to the session, and wakes its connection. While a command of the
// session runs the message waits for the end of the reply, as in Redis since 7.2: a client expects the reply first,
// and cannot read a message that stands inside of an array. CLIENT REPLY does not silence messages.
func (s *Session) Messages() *resp.Writer {
	if !s.engine.stack.runs(s) {
		s.Wake()
		return s.Reply
	}
	return s.inbox().messages
}

// LastMessages is Messages for the invalidation of a key that the session itself read. Those follow all other
// messages.
func (s *Session) LastMessages() *resp.Writer {
	if !s.engine.stack.runs(s) {
		return s.Messages()
	}
	return s.inbox().invalidations
}

// inbox returns the session's inbox for messages in its version of the protocol.
func (s *Session) inbox() *inbox {
	if s.late == nil {
		s.late = &inbox{resp.NewWriter(2), resp.NewWriter(2)}
	}
	s.late.messages.SetProto(s.Reply.Proto())
	s.late.invalidations.SetProto(s.Reply.Proto())
	return s.late
}

// MessagesFirst sends the messages that the command has caused for its own session before its reply, as where Redis replies
// when they are sent.
func (c *Call) MessagesFirst() {
	if c.Session.late != nil && c.Session.reply == ReplyOn {
		c.Session.takeLate()
	}
}

// takeLate adds the messages that waited for the end of the reply.
func (s *Session) takeLate() {
	s.Reply.Raw(s.late.messages.Bytes())
	s.Reply.Raw(s.late.invalidations.Bytes())
	s.late = nil
}

// Class is the kind of a client.
type Class int

// The classes of clients, in the order of client-output-buffer-limit.
const (
	ClassNormal   Class = iota
	ClassReplica        // a replica
	ClassPubSub         // to channels
	ClassUnauthed       // before AUTH: a class that only limits output
	Classes             // their number
)

// Class returns the kind of the session's client.
func (s *Session) Class() Class {
	switch {
	case s.attached():
		return ClassReplica
	case s.Listens():
		return ClassPubSub
	}
	return ClassNormal
}

// Replica is what the replication part keeps in a session that is or becomes a replica. It is called under
// the lock.
type Replica interface {
	// Attached reports whether the session has asked for the data. Then it is of the class Replicating, and may
	// only run commands of replication.
	Attached() bool
	// Detach ends that, because the session ends or is reset.
	Detach()
	// Next takes the next piece of the output that replicas share; nothing if there is none now. It may be read without the
	// lock.
	Next() []byte
	// Pending returns the bytes of it that are still to come. They are in memory once for all replicas, see ReplicaTally.
	Pending() int64
}

// NextShared takes the next piece of the output that the session shares with others, for its connection; nothing if there is
// none now.
func (e *Engine) NextShared(s *Session) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.replica == nil {
		return nil
	}
	return s.replica.Next()
}

// shared returns the bytes of output that the session shares with others and has not taken.
func (s *Session) shared() int64 {
	if s.replica == nil {
		return 0
	}
	return s.replica.Pending()
}

// Replica returns what SetReplica set, nil if it never did.
func (s *Session) Replica() Replica { return s.replica }

// SetReplica keeps r with the session until it ends or is reset.
func (s *Session) SetReplica(r Replica) { s.replica = r }

// Attach counts the session as a replica. A command of the session calls it when Attached has become true.
func (s *Session) Attach() { s.regroup() }

// attached reports whether the session is an attached replica.
func (s *Session) attached() bool { return s.replica != nil && s.replica.Attached() }

// sessions is the register of connected sessions. A script's session is not in it.
type sessions struct {
	ByID    map[int64]*Session
	next    int64
	held    held
	evicted int64 // by maxmemory-clients
	peaks   bufferPeaks
}

func newSessions() sessions { return sessions{ByID: make(map[int64]*Session), next: 1} }

// recordFailure keeps the first error among the replies to a loader or a master.
func (s *Session) recordFailure(reply []byte) {
	if len(reply) > 0 && reply[0] == '-' && s.failure == nil {
		s.failure = command.Error(bytes.TrimSpace(reply[1:]))
	}
}
