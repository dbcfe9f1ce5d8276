package engine

// endDelays runs the commands whose delay is over, in the order of their times. While clients are paused, or a slow script
// runs, they go on waiting.
func (w *World) endDelays() {
	for next := w.nextDelay(); next != 0 && next <= w.Keyspace.Now && !w.isMidScript(); next = w.nextDelay() {
		w.endDelay(w.faults.delays[0])
	}
}

// endDelay runs a delayed command as if it arrived now. Its connection offers what follows once it is awake.
func (w *World) endDelay(d *delay) {
	s := d.session
	w.faults.remove(d)
	s.postponed, s.lastActive = false, w.time.micros
	s.limitReplies()
	w.execute(s, d.args)
	s.delay = nil
	w.stopTimer()
	if w.blocked.ready != nil {
		w.serveBlocked()
	}
	s.Wake()
}
