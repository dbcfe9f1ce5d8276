package snapshot

import (
	"errors"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Slicer writes the data of an engine as they are at one moment, while commands go on:
//
//	Start ─┬─ lock, encode a slice, unlock ─ write ─ lock, encode a slice, unlock ─ write ─ ...
//	       └─ commands go on; one that changes a key not encoded yet encodes it first
//
// A save in the background, a rewrite of the journal and a full synchronization differ only in the
// encoding and the destination. Only one Slicer can run at a time, as there is only one
// keyspace.Snapshot.
type Slicer struct {
	engine   *engine.Engine
	event    string // LATENCY event of each slice
	encoder  Encoder
	snapshot *keyspace.Snapshot // nil if all keys are encoded
	encoded  int                // keys
	total    int                // keys at Start
	err      error              // of a write; after it keys are skipped
}

// Encoder encodes keys. *rdb.Records is one.
type Encoder interface {
	// Record encodes a key. It is called under the engine's lock and does no I/O. For a large value
	// it yields to the pace.
	Record(k *keyspace.Record, pace *keyspace.Pace)
	// Len returns the least number of bytes that Take returns.
	Len() int
	// Take returns what was encoded since the last Take, or the first part of it; then Len is not 0
	// afterwards. The encoder may use the memory of reuse for what it encodes next.
	Take(reuse []byte) []byte
}

const (
	// Of the tables, with a few keys each, or a step of a large value, between two looks at the
	// clock.
	stepChains = 2
	sliceBytes = 64 << 10 // that are written together
)

// NewSlicer returns a slicer. It writes what encoder already holds, and then all keys that exist at
// Start.
func NewSlicer(e *engine.Engine, event string, encoder Encoder) *Slicer {
	return &Slicer{engine: e, event: event, encoder: encoder}
}

// Start starts the snapshot: Run writes the data as they are now. It is called under the engine's
// lock while no other snapshot is being taken. Run or Abandon must follow.
func (s *Slicer) Start() {
	ks := s.engine.Home().Keyspace
	for i := range ks.Len() {
		s.total += ks.DB(i).Len()
	}
	s.snapshot = ks.Snapshot(s.record)
}

func (s *Slicer) record(k *keyspace.Record, pace *keyspace.Pace) {
	s.encoded++
	if s.err == nil {
		s.encoder.Record(k, pace)
	}
}

// slice encodes the next slice, until a time or until there is enough to write, and reports whether
// there is.
func (s *Slicer) slice(until time.Time) (full bool) {
	for s.snapshot != nil && s.encoder.Len() < sliceBytes {
		if !s.snapshot.Step(stepChains) {
			s.snapshot = nil
		}
		if !time.Now().Before(until) {
			break
		}
	}
	return s.snapshot == nil || s.encoder.Len() >= sliceBytes
}

// Run encodes slice after slice in turns with the requests, and calls write with some together. It
// returns the first error of write. The keyspace's snapshot has ended when Run returns, with or
// without an error.
func (s *Slicer) Run(write func(block []byte) error) (failed error) {
	var block []byte
	for more := true; more; {
		keys, delay, full := 0, 0, false
		s.engine.InTurns(func(length time.Duration) bool {
			began, before := time.Now(), s.encoded
			if full = s.slice(began.Add(length)); full {
				block = s.encoder.Take(block)
			}
			keys, delay, failed = s.encoded-before, s.delay(), s.err
			more = s.snapshot != nil || s.encoder.Len() > 0
			s.engine.Home().AddLatency(s.event, time.Since(began).Microseconds())
			return !full && delay == 0
		})
		if delay != 0 {
			Delay(s.engine, keys, s.delay)
		}
		if failed != nil || !full {
			continue
		}
		if failed = write(block); failed != nil {
			s.engine.With(func() { s.err = failed })
		}
	}
	return failed
}

// delay returns rdb-key-save-delay until the run is to end.
func (s *Slicer) delay() int {
	if s.err != nil {
		return 0
	}
	return s.engine.Config.SaveDelay
}

var errAbandoned = errors.New("the snapshot was abandoned")

// Cancel makes Run end soon, with an error. It is called under the lock.
func (s *Slicer) Cancel() { s.err = errAbandoned }

// Abandon ends a snapshot that was started but not run. It does nothing after Run.
func (s *Slicer) Abandon() {
	if s.snapshot != nil {
		s.engine.With(func() { s.err = errAbandoned })
		_ = s.Run(nil)
	}
}
