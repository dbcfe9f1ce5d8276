package engine

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Session is one client's state: a connection, a script, or a caller in process.
type Session struct {
	ID    int64
	Reply *resp.Writer
	Peer  Peer // the connection; nil for a session without a socket

	Name, LibName, LibVer string

	Endpoint
	holdings
	replies
	scriptRun

	Debug    DebugMode // of the next script: SCRIPT DEBUG
	Monitors bool      // sees the commands of others: MONITOR

	engine     *Engine
	world      *World
	db         int
	user       *acl.User
	tx         *transaction
	blocked    *Blocked
	delay      *delay
	debugger   Debugger          // gets the requests while a script is debugged; nil otherwise
	reserve    *keyspace.Reserve // for the copy of the next script that is debugged; nil for none
	reserved   int               // its bytes, which count from before it is there
	ofParts    []any             // see PerSession
	replica    Replica           // nil if it never sent a command of replication
	created    int64
	lastActive int64 // microseconds: the last command, or reply or message that came later
	commands   int64 // that it has run, with those of its scripts
	last       *command.Command
	failure    error // the first error in the reply to a loader or a master

	// Small ones, side by side: there may be ten thousand idle sessions.
	subs       Subscriptions
	slot       int32 // of the keys of the last command that was checked for it; noSlot for none
	authed     bool
	everAuthed bool  // authenticated at any time, or connected when that was not required
	loggedIn   bool  // at any time
	asking     uint8 // how many commands ASKING counts for yet
	closing    bool  // close once the replies are out
	dropped    bool  // close at once
	modes      Modes
	loader     bool // a loader's: see Loader
	master     bool // of this server's master: see Apply
	postponed  bool // its next command waits for the end of CLIENT PAUSE, or of delay
	operator   bool // the program's own: see NewOperator
	hung       bool // nothing arrives from it, and nothing is sent to it: Hang
	running    bool // its slow script, one that is debugged, or its gradual command has begun, or waits
}

// Endpoint is where a connection comes from and where it arrived, as CLIENT LIST shows it.
type Endpoint struct {
	Addr, LocalAddr string
	FD              int
	Loop            int // number of the event loop that serves it
	// Refuses the commands that change something beyond the session, also in scripts; nil if they
	// may run.
	OnlyLooks error
	World     *World // to which it leads; nil for the home world
	Unix, TLS bool
}

// scriptRun is what a script's session knows of the run.
type scriptRun struct {
	caller       *Session // whose script it is
	maxReply     int      // bytes of a reply to a command
	script       bool     // it is a script's session: cannot block or begin a transaction
	detached     bool     // the script is debugged: its commands take the lock
	readOnly     bool
	startedOOM   bool // it began over maxmemory
	wrote        bool
	unsent       Target // does not receive what its commands change
	crossesSlots bool   // its keys may lie in several slots
}

// EnterScript prepares a script's session for a run on behalf of caller. In a readOnly run commands
// that write are refused. With oom set, commands that need memory are refused until the script has
// written. A reply of more than maxReply bytes is replaced by an error.
func (s *Session) EnterScript(caller *Session, readOnly, short bool, maxReply int64) {
	s.caller, s.world, s.db, s.user = caller, caller.world, caller.db, caller.user
	s.readOnly, s.OnlyLooks, s.startedOOM, s.wrote, s.unsent = readOnly, caller.OnlyLooks, short, false, 0
	s.maxReply = int(min(maxReply, s.engine.replyRoom()))
	s.RestartReply()
	s.Reply.SetProto(2)
}

// SetReadOnly makes commands of a script that write be refused, or not, and returns what was
// before.
func (s *Session) SetReadOnly(readOnly bool) (before bool) {
	before, s.readOnly = s.readOnly, readOnly
	return before
}

// RestartReply discards the reply in a script's session.
func (s *Session) RestartReply() { s.Reply.Restart(s.maxReply) }

// Mute keeps what a script's commands change from reaching a target, until the run ends. In a group
// all changes reach the others.
func (s *Session) Mute(target Target) {
	if s.world.Topology == nil {
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

// Obeyed reports whether the session's commands run in any state of the server, since they were
// allowed elsewhere or before: those of the master, those of the journal, and of their scripts
// (Redis' mustObeyClient).
func (s *Session) Obeyed() bool {
	client := s.Client()
	return client.master || client.loader
}

// Operator reports whether the session is the program's own: see NewOperator.
func (s *Session) Operator() bool { return s.operator }

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

// Blocked returns the blocked command; nil for none.
func (s *Session) Blocked() *Blocked { return s.blocked }

// Subscriptions are the numbers of names that a session subscribed to.
type Subscriptions struct{ Channels, Patterns, Shards int32 }

// All returns their sum.
func (n Subscriptions) All() int { return int(n.Channels + n.Patterns + n.Shards) }

// Subscriptions returns the numbers.
func (s *Session) Subscriptions() Subscriptions { return s.subs }

// SetSubscriptions changes the numbers.
func (s *Session) SetSubscriptions(n Subscriptions) {
	s.subs = n
	s.world.blocked.stir()
}

// Listens reports whether the session has any subscription. Then it is of the class ClassPubSub.
func (s *Session) Listens() bool { return s.subs != Subscriptions{} }

// PerSession returns the session's only T, at first a zero T. A part keeps there what commands set
// up in a session. It is gone after Part.Detach.
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

// Keep counts bytes that a command makes a part keep for the session, or fewer of them: n may be
// negative.
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
	return s.closing || s.blocked != nil || s.running || s.postponed || s.hung || s.Reply.Full()
}

// AllowedBy reports whether a parameter with the values yes, local and no allows the session
// something.
func (s *Session) AllowedBy(who string) bool {
	switch who {
	case "yes":
		return true
	case "local":
		return s.Unix || s.Addr == "" || strings.HasPrefix(s.Addr, "127.") || strings.HasPrefix(s.Addr, "[::1]:")
	}
	return false
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

// Replica is what the replication part keeps in a session that is or becomes a replica. It is
// called under the lock.
type Replica interface {
	// Attached reports whether the session has asked for the data. Then it is of the class
	// Replicating, and may only run commands of replication.
	Attached() bool
	// Detach ends that, because the session ends or is reset.
	Detach()
	// Next takes the next piece of the output that replicas share; nothing if there is none now. It
	// may be read without the lock.
	Next() []byte
	// Pending returns the bytes of it that are still to come. They are in memory once for all
	// replicas, see ReplicaTally.
	Pending() int64
}

// NextShared takes the next piece of the output that the session shares with others, for its
// connection; nothing if there is none now.
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

// Attach counts the session as a replica. A command of the session calls it when Attached has
// become true.
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

// InOrder returns the sessions, the oldest first. O(n log n).
func (ss *sessions) InOrder() []*Session { return inOrder(ss.ByID) }

// recordFailure keeps the first error among the replies to a loader or a master.
func (s *Session) recordFailure(reply []byte) {
	if len(reply) > 0 && reply[0] == '-' && s.failure == nil {
		s.failure = command.Error(bytes.TrimSpace(reply[1:]))
	}
}

// Description is what is shown of a session beside what it tells itself.
type Description struct {
	Created, LastActive int64 // microseconds
	Commands            int64 // that it has run, with those of its scripts
	Last                *command.Command
	User                string
	Master              bool // the master of this server
	Waits               bool // is blocked or held back by a pause
}

// Describe describes the session.
func (s *Session) Describe() Description {
	d := Description{Created: s.created, LastActive: s.lastActive, Commands: s.commands, Last: s.last,
		User: s.user.Name, Master: s.master, Waits: s.blocked != nil || s.postponed && s.delay == nil}
	if s.master {
		d.User = "(superuser)" // it may do anything
	}
	return d
}

// Info describes the session in a line, for the log.
func (s *Session) Info() string {
	for _, p := range s.engine.Parts.List {
		if p.Describe != nil {
			return p.Describe(s)
		}
	}
	return ""
}

// Holdings are the bytes that a session makes the server hold, as CLIENT LIST shows them.
type Holdings struct {
	Input, InputRoom   int64 // what is not parsed, and the room behind it
	Args, Queued       int64 // arguments of the command that is read, blocked or runs; those in the queue
	Buffer, BufferPeak int64 // of replies: its size, its recent peak
	Replies            int64 // its use
	Output, Blocks     int64 // behind it, and in how many blocks
	Total              int64
}

// forgetsInput is when the command that runs stopped to count as input.
var forgetsInput = release.From("valkey:8.0.0")

// Holdings returns what the session holds while it runs a command with some arguments, or none.
func (s *Session) Holdings(args [][]byte) Holdings {
	s.countReplies()
	query := s.Query.Load() // before the others, see Session.Query
	wire := resp.WireBytes(args)
	if s.engine.Release.Has(forgetsInput) {
		wire = 0
	}
	output := s.Unsent.Load() + s.shared()
	h := Holdings{Input: max(query, wire), InputRoom: s.inputRoom(), Args: int64(argsBytes(args)) + s.Args.Load(),
		Buffer: s.waiting.Load(), BufferPeak: int64(max(s.replyPeak, s.Reply.Len())), Replies: int64(s.Reply.Len()),
		Output: output, Blocks: (output + outputBlock - 1) / outputBlock,
		Total: s.memory() + s.shared() + wire + int64(len(args)*argBytes)}
	if s.blocked != nil {
		h.Args += int64(argsBytes(s.blocked.args))
	}
	if s.tx != nil {
		h.Queued = int64(s.tx.argsBytes())
	}
	return h
}

// Clients returns the sessions that are in the world, the oldest first. O(n log n).
func (w *World) Clients() []*Session { return inOrder(w.clients) }

// inOrder returns the sessions, the oldest first. O(n log n).
func inOrder(sessions map[int64]*Session) []*Session {
	return slices.SortedFunc(maps.Values(sessions), func(a, b *Session) int { return cmp.Compare(a.ID, b.ID) })
}
