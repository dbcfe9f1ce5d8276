package server

// endRound sends the replies that the round has left, and before that does what the lists ask for
// if that is ripe: if it was there before the round's input. So when a client publishes messages,
// its next ones can come before its subscribers are woken, and these get many in one write. idle
// says that no connection had input.
func (l *loop) endRound(ripe, idle bool) {
	if ripe && l.due.Swap(false) {
		functions, wakes := l.take()
		for _, fn := range functions {
			fn()
		}
		handleAgain(wakes)
		l.giveBack(wakes)
	}
	l.wakePaced()
	l.group.endRound()
	l.turns.next(idle && !l.due.Load())
}

// wakePaced handles again the connections that have waited for more to send, or sees to it that
// there is a round in time.
func (l *loop) wakePaced() {
	if !l.paced.due.Load() {
		return
	}
	if wait := l.paced.wait(); wait > 0 {
		l.alarm(wait)
		return
	}
	l.mu.Lock()
	conns := l.paced.take()
	l.mu.Unlock()
	handleAgain(conns)
}

func handleAgain(conns []*conn) {
	for _, c := range conns {
		if !c.closed {
			c.handle(nil)
		}
	}
}

// finish does what the lists still ask for, and lets nothing more be added.
func (l *loop) finish() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.endRound(true, true)
	l.turns.finish()
}
