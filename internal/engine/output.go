package engine

import (
	"math"
)

// Output limits. Replies and messages gather in a session's Writer until the connection takes them,
// and then wait in the connection until the client reads. The hard limit of
// client-output-buffer-limit bounds both together, and it bounds a reply while it is made: the
// Writer drops what passes the limit, the command runs to its end, so that no change is torn, and
// the session closes without a further reply.
//
// Without such a limit a reply may be far larger than its data: HRANDFIELD writes as many fields as
// a client asks for. Therefore all clients together share Config.ReplyMemory. A reply that does not
// fit into what is left of it ends like one over the limit of its class.
//
// Redis takes memory for output in blocks. The first one belongs to the client and does not count.

// outputBlock is the size of Redis' blocks of output, in bytes.
const outputBlock = 16 << 10

// unauthedOutput is the hard limit before AUTH, in bytes, as in Redis since 7.2.8 and 7.4.3.
const unauthedOutput = 1 << 10

// leastReplyRoom is the bytes that a reply may always have, so that the server answers while other
// clients hold all of Config.ReplyMemory.
const leastReplyRoom = 64 << 10

// outputClass returns the class by which the output of a session is limited.
func (s *Session) outputClass() Class {
	if !s.everAuthed && s.engine.Users.RequiresAuth() {
		return ClassUnauthed
	}
	return s.Class()
}

// limitReplies sets how many bytes of replies and messages may gather before the connection takes
// them. The replies to a replica contain the snapshot, which has no limit of its own.
func (s *Session) limitReplies() {
	room := s.engine.replyRoom()
	class := s.outputClass()
	if hard := s.engine.Config.OutputLimits[class]; hard > 0 && class != ClassReplica {
		room = min(room, outputBlock+hard/outputBlock*outputBlock-s.Unsent.Load())
	}
	s.Reply.SetLimit(int(room))
}

// replyRoom returns the bytes of replies that the next command may produce.
func (e *Engine) replyRoom() int64 {
	if e.Config.ReplyMemory == 0 {
		return math.MaxInt
	}
	return max(leastReplyRoom, e.Config.ReplyMemory-e.Sessions.held.bytes())
}

// Once a second the engine looks at the buffers of all sessions, as Redis' clientsCron does. It
// notes the largest, for INFO clients. And every few seconds it frees buffers of replies that are
// larger than what was written to them since: an idle session keeps none. (Those of input belong to
// the connection, which does the same.)

// bufferPeaks is the sizes of the largest buffers of one session, recently.
type bufferPeaks struct {
	second  int64 // of the last look
	in, out [recentSeconds]int64
}

const (
	recentSeconds = 8 // for which a peak is remembered
	trimSeconds   = 5 // after which the peak of replies begins anew; both as in Redis
)

// tendBuffers is Tick's part. O(sessions), once a second.
func (w *World) tendBuffers() {
	p, second := &w.engine.Sessions.peaks, w.time.micros/1e6
	if p.second == second {
		return
	}
	p.second = second
	i := uint64(second) % recentSeconds // the clock may stand before 1970
	p.in[i], p.out[i] = 0, 0
	for _, s := range w.engine.Sessions.ByID {
		if second%trimSeconds == 0 {
			s.trimReplies()
		}
		s.countReplies()
		p.in[i] = max(p.in[i], s.Query.Load()+s.inputRoom()+s.Args.Load())
		p.out[i] = max(p.out[i], int64(s.Output()))
	}
}

// trimReplies frees the buffers of replies if they are more than twice as large as the replies
// since the last call.
func (s *Session) trimReplies() {
	if s.running {
		return // its script writes to the buffer
	}
	if s.Reply.Len() == 0 && cap(s.Reply.Bytes()) > 2*s.replyPeak {
		s.Reply.Swap(nil)
	}
	if cap(s.ownBuffer) > 2*s.replyPeak {
		s.ownBuffer = nil // the connection may still be reading it
	}
	s.replyPeak = s.Reply.Len()
}
