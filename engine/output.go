package engine

import "math"

// Output limits. Replies and messages gather in a session's Writer until the connection takes them, and then wait in
// the connection until the client reads. The hard limit of client-output-buffer-limit bounds both together, and it
// bounds a reply while it is made: the Writer drops what passes the limit, the command runs to its end, so that no
// change is torn, and the session closes without a further reply.
//
// Without such a limit a reply may be far larger than its data: HRANDFIELD writes as many fields as a client asks for.
// Therefore all clients together share Config.ReplyMemory. A reply that does not fit into what is left of it ends like
// one over the limit of its class.
//
// Redis takes memory for output in blocks. The first one belongs to the client and does not count.

// outputBlock is the size of Redis' blocks of output, in bytes.
const outputBlock = 16 << 10

// unauthedOutput is the hard limit before AUTH, in bytes, as in Redis since 7.2.8 and 7.4.3.
const unauthedOutput = 1 << 10

// leastReplyRoom is the bytes that a reply may always have, so that the server answers while other clients hold all of
// Config.ReplyMemory.
const leastReplyRoom = 64 << 10

// outputClass returns the class by which the output of a session is limited.
func (s *Session) outputClass() Class {
	if !s.everAuthed && s.engine.Users.RequiresAuth() {
		return ClassUnauthed
	}
	return s.Class()
}

// limitReplies sets how many bytes of replies and messages may gather before the connection takes them. The replies to
// a replica contain the snapshot, which has no limit of its own.
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
