package snapshot

// bgsave is a save in the background.
type bgsave struct {
	*Slicer
	saver   *Saver
	out     *output
	started int64 // seconds since the epoch
	dirty   int64 // changes before it
}

// spike is the event of LATENCY for the slices of saves and of full synchronizations.
const spike = "snapshot"

// startBackground begins a save in the background, and reports whether it could.
func (s *Saver) startBackground() bool {
	s.stats.lastTry = s.seconds()
	o, err := s.create()
	if err != nil {
		s.opts.Log('#', "Can't save in background: %v", err)
		s.stats.lastOK = false
		s.updateDenial()
		return false
	}
	records := s.newRecords()
	j := &bgsave{NewSlicer(s.engine, spike, records), s, o, s.seconds(), s.engine.Dirty()}
	j.Start()
	s.running = j
	s.opts.Log('*', "Background saving started")
	s.opts.Beside(func() {
		_ = j.Run(o.Write) // out keeps the error
		err := o.commit(records.Version())
		s.engine.With(func() { s.finished(j, err) })
	})
	return true
}

// finished notes how a save went.
func (s *Saver) finished(j *bgsave, err error) {
	s.running = nil
	s.stats.lastSeconds = s.seconds() - j.started
	if err != nil {
		s.opts.Log('#', "Background saving error: %v", err)
		s.stats.lastOK = false
		s.updateDenial()
		return
	}
	s.opts.Log('*', "Background saving terminated with success")
	s.stats.saves++
	s.saved(s.engine.Dirty() - j.dirty)
}
