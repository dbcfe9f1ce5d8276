package snapshot

import (
	"runtime"
	"time"

	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// job is a save in the background.
type job struct {
	saver   *Saver
	picture *keyspace.Snapshot
	records *rdb.Records
	marks   rdb.Access
	out     *output
	started int64 // seconds since the epoch
	dirty   int64 // changes before it
	keys    int   // taken
	total   int
	err     error
}

// start begins a save in the background, and reports whether it could.
func (s *Saver) start() bool {
	s.facts.lastTry = s.seconds()
	o, err := s.open()
	if err != nil {
		s.opts.Log('#', "Can't save in background: %v", err)
		s.facts.lastOK = false
		s.judge()
		return false
	}
	j := &job{saver: s, out: o, records: s.begin(), marks: Marks(s.engine), started: s.seconds(), dirty: s.engine.Dirty()}
	for i := range s.engine.Keyspace.Len() {
		j.total += s.engine.Keyspace.DB(i).Len()
	}
	j.picture = s.engine.Keyspace.Snapshot(j.take)
	s.running = j
	s.opts.Log('*', "Background saving started")
	s.opts.Beside(j.run)
	return true
}

// take encodes a key.
func (j *job) take(k *keyspace.Record, pace *keyspace.Pace) {
	j.keys++
	if j.err == nil {
		j.records.Picture(k, j.marks, pace)
	}
}

// A slice of the work is done in one hold of the lock: so many bytes, or so many chains of the tables, a
// handful of keys each, or as many steps of a large value. That is about a millisecond at most.
const (
	spike       = "snapshot" // event of LATENCY
	sliceBytes  = 64 << 10
	sliceChains = 128
	stepChains  = 4
)

// slice takes some keys of a picture, none if it is nil, and reports whether there are more.
func slice(picture *keyspace.Snapshot, to *rdb.Records) (more bool) {
	more = picture != nil
	for n := 0; more && n < sliceChains && to.Len() < sliceBytes; n += stepChains {
		more = picture.Step(stepChains)
	}
	return more
}

// run does the work.
func (j *job) run() {
	var block []byte
	for more := true; more; {
		j.saver.engine.With(func() {
			began := time.Now()
			more = slice(j.picture, j.records)
			block = j.records.Take(block)
			more = more || j.records.Len() > 0
			j.saver.engine.Spike(spike, time.Since(began).Microseconds())
		})
		runtime.Gosched() // whoever waits for the lock has it first
		if err := j.out.Write(block); err != nil && j.err == nil {
			j.saver.engine.With(func() { j.err = err })
		}
	}
	err := j.out.commit(j.records.Version())
	j.saver.engine.With(func() { j.saver.finished(j, err) })
}

// finished notes how a save went.
func (s *Saver) finished(j *job, err error) {
	s.running = nil
	s.facts.lastSeconds = s.seconds() - j.started
	if err != nil {
		s.opts.Log('#', "Background saving error: %v", err)
		s.facts.lastOK = false
		s.judge()
		return
	}
	s.opts.Log('*', "Background saving terminated with success")
	s.facts.saves++
	s.saved(s.engine.Dirty() - j.dirty)
}
