package engine

import "github.com/miniserver-go/miniserver/resp"

// replies is what a session has to send: replies in Reply, which a connection takes, and messages.
type replies struct {
	certain      int    // length of replies in Reply that tell of settled keys only: see certainty
	settled      int    // length of the part of Reply that CLIENT REPLY does not silence any more
	late         *inbox // messages that wait for the end of the reply; nil for none
	ownBuffer    []byte // the buffer for the replies after those being sent, if none is lent
	lentBuffer   []byte // what Lend provided for the next Do
	replyPeak    int    // bytes of the largest replies that were taken since trimReplies
	earlyReplies []byte // the replies before a slow script's
	reply        ReplyMode
	wakePending  bool // Peer.Wake was called, and Collect not yet
	soonPending  bool // PatientPeer.WakeSoon was, and Collect not yet
	borrows      bool
}

// Lend gives the session a buffer for the replies of its next Do, which returns it in Outcome.Out.
// So an idle session holds no buffer. A session without an event loop, to which nothing is lent,
// keeps its own. Only the session's event loop calls Lend.
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

// maxPushBuffers are the largest buffers, in bytes, that a subscriber keeps for the next messages,
// and a replica for the next piece of its stream, even if an event loop lends them buffers for
// replies.
var maxPushBuffers = [Classes]int{ClassReplica: 256 << 10, ClassPubSub: 16 << 10}

// Peer is the session's connection, as the engine reaches it outside of Do.
type Peer interface {
	// Wake reports that replies were added, or that the session was unblocked or marked for
	// closing, outside of the session's own Do. It must not block and is called under the lock.
	Wake()
}

// PatientPeer is a connection that can wait for more to send.
type PatientPeer interface {
	Peer
	// WakeSoon is Wake for replies that may wait up to a millisecond for others.
	WakeSoon()
}

// Wake asks the connection to send what was written to Reply outside of the session's own Do. One
// call serves everything until Collect, so a burst of messages wakes the event loop once. It is
// called under the lock.
func (s *Session) Wake() {
	if s.Peer != nil && !s.wakePending {
		s.wakePending = true
		s.noteReplies()
		s.Peer.Wake()
	}
}

// WakeSoon is Wake for replies that may wait for others. A connection that cannot wait is woken at
// once.
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

// countWaiting counts the buffer of replies that the connection has not taken, if it is more than
// one block: as most are taken at once, counting each would cost more than sending it.
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

// SetReply changes which replies are suppressed: ReplyOn, ReplyOff, or ReplySkipNext, which means
// nothing after ReplyOff. A reply that is to be lost stays so.
func (s *Session) SetReply(mode ReplyMode) {
	if !s.isCut() && !(mode == ReplySkipNext && s.reply == ReplyOff) {
		s.reply = mode
	}
}

// settle removes what was written to Reply since the last call if replies are suppressed now. EXEC
// settles each reply on its own, because a queued CLIENT REPLY applies to those after it; but half
// of a reply is half of all of it.
func (s *Session) settle() {
	switch {
	case s.reply == replyHalf:
		return
	case s.Muted():
		s.Reply.Truncate(s.settled)
	}
	s.settled = s.Reply.Len()
}

// endReply settles a command's reply and ends the effect of CLIENT REPLY SKIP. That command itself
// passes through here, so its mode counts from the next command on.
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

// KeepReply keeps CLIENT REPLY from silencing what the command has replied so far, because it is a
// message.
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

// Messages returns the writer for a message to the session, and wakes its connection. While a
// command of the session runs the message waits for the end of the reply, as in Redis since 7.2: a
// client expects the reply first, and cannot read a message that stands inside of an array. CLIENT
// REPLY does not silence messages.
func (s *Session) Messages() *resp.Writer {
	if !s.engine.stack.runs(s) {
		s.Wake()
		return s.Reply
	}
	return s.inbox().messages
}

// LastMessages is Messages for the invalidation of a key that the session itself read. Those follow
// all other messages.
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

// MessagesFirst sends the messages that the command has caused for its own session before its
// reply, as where Redis replies when they are sent.
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
