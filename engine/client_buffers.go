package engine

// Once a second the engine looks at the buffers of all sessions, as Redis' clientsCron does. It notes the largest, for
// INFO clients. And every few seconds it frees buffers of replies that are larger than what was written to them since:
// an idle session keeps none. (Those of input belong to the connection, which does the same.)

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

// trimReplies frees the buffers of replies if they are more than twice as large as the replies since the last call.
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
