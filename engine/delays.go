package engine

// endDelays runs the commands whose delay is over, in the order of their times. While clients are paused, or a slow script
// runs, they go on waiting.
func (e *Engine) endDelays() {
	for next := e.nextDelay(); next != 0 && next <= e.Keyspace.Now && !e.isMidScript(); next = e.nextDelay() {
		e.endDelay(e.faults.delays[0])
	}
}

// endDelay runs a delayed command as if it arrived now. Its connection offers what follows once it is awake.
func (e *Engine) endDelay(d *delay) {
	s := d.session
	e.faults.remove(d)
	s.postponed, s.lastActive = false, e.time.micros
	s.limitReplies()
	e.execute(s, d.args)
	s.delay = nil
	e.stopTimer()
	if e.blocked.ready != nil {
		e.serveBlocked()
	}
	s.Wake()
}
