package snapshot

import (
	"errors"

	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// bgsave is a running BGSAVE.
type bgsave struct {
	*Slicer
	out     *output // nil if the file could not be created
	started int64   // seconds since the epoch
	dirty   int64   // unsaved changes when it started
}

// spike is the LATENCY event of a slice. Full synchronizations use the same name.
const spike = "snapshot"

// startBackground starts a save in the background. As in Redis, that no file can be created is an
// error of the background.
func (s *Saver) startBackground() {
	s.stats.lastTry = s.seconds()
	s.stats.saves++
	o, err := s.create()
	records := s.newRecords()
	j := &bgsave{NewSlicer(s.engine, spike, records), o, s.seconds(), s.engine.Home().Unsaved}
	j.Start()
	s.running = j
	s.opts.Log('*', "Background saving started")
	s.opts.Background(func() {
		if err != nil {
			j.Abandon()
		} else {
			err = j.write(records)
		}
		s.engine.With(func() { s.finished(j, err) })
	})
}

// write writes the data, and replaces the file.
func (j *bgsave) write(records *rdb.Records) error {
	if err := j.Run(j.out.Write); err != nil {
		j.out.file.Abandon()
		return err
	}
	return j.out.commit(records.Version())
}

// failed records that a save in the background failed.
func (s *Saver) failed() {
	s.stats.lastOK = false
	s.stats.failures++
	s.updateDenial()
}

// finished records the result of a save in the background.
func (s *Saver) finished(j *bgsave, err error) {
	if s.running != j {
		return // SHUTDOWN ended it
	}
	s.running = nil
	s.stats.lastSeconds = s.seconds() - j.started
	switch {
	case errors.Is(err, errAbandoned):
		s.opts.Log('*', "Background saving was cancelled")
		return
	case err != nil:
		s.opts.Log('#', "Background saving error: %v", err)
		s.failed()
		return
	}
	s.stats.failures = 0
	s.opts.Log('*', "Background saving terminated with success")
	if j.err != nil && len(s.points) > 0 { // cancelled by FLUSHALL when all was written: the file has what came before
		_ = s.save()
		return
	}
	s.saved(max(0, s.engine.Home().Unsaved-j.dirty))
}
