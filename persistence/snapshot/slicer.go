package snapshot

import (
	"errors"
	"runtime"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Slicer writes the data of an engine as they were at one moment, while they change:
//
//	Start ─┬─ lock, encode a slice, unlock ─ write ─ lock, encode a slice, unlock ─ write ─ ...
//	       └─ commands go on; one that changes a key not encoded yet encodes it first
//
// A save in the background, a rewrite of the journal and a full synchronization differ only in what they encode
// and where they write it. There is one Slicer at a time, as there is one keyspace.Snapshot.
type Slicer struct {
	engine   *engine.Engine
	event    string // of LATENCY, for each slice
	encoder  Encoder
	snapshot *keyspace.Snapshot // nil if there is no key left to take
	taken    int                // keys
	total    int
	err      error // of a write; after it keys are passed over and not encoded
}

// Encoder turns keys into bytes. *rdb.Records is one.
type Encoder interface {
	// Record encodes a key under the engine's lock and without I/O, a large value at a pace.
	Record(k *keyspace.Record, pace *keyspace.Pace)
	// Len returns how many bytes Take returns at least.
	Len() int
	// Take returns what was encoded since the last Take, or a part of it if Len is not 0 afterwards. The
	// memory of reuse serves what is encoded next.
	Take(reuse []byte) []byte
}

// A slice is what one hold of the lock encodes: at most so many bytes and so many chains of the tables, a
// handful of keys each, or as many steps of a large value. It takes about a millisecond at most.
const (
	sliceBytes  = 64 << 10
	sliceChains = 128
	stepChains  = 4
)

// NewSlicer returns a slicer that writes what encoder holds already, and all keys from Start on.
func NewSlicer(e *engine.Engine, event string, encoder Encoder) *Slicer {
	return &Slicer{engine: e, event: event, encoder: encoder}
}

// Start fixes the moment. It is called under the engine's lock, while no other snapshot is being taken. Run or
// Abandon must follow.
func (s *Slicer) Start() {
	ks := s.engine.Keyspace
	for i := range ks.Len() {
		s.total += ks.DB(i).Len()
	}
	s.snapshot = ks.Snapshot(s.record)
}

func (s *Slicer) record(k *keyspace.Record, pace *keyspace.Pace) {
	s.taken++
	if s.err == nil {
		s.encoder.Record(k, pace)
	}
}

// slice encodes some keys.
func (s *Slicer) slice() {
	for n := 0; s.snapshot != nil && n < sliceChains && s.encoder.Len() < sliceBytes; n += stepChains {
		if !s.snapshot.Step(stepChains) {
			s.snapshot = nil
		}
	}
}

// Run calls write with everything, one slice after the other, without the lock. It returns the first error of
// write; the snapshot of the keyspace is over in any case.
func (s *Slicer) Run(write func(block []byte) error) error {
	var block []byte
	for more := true; more; {
		s.engine.With(func() {
			began := time.Now()
			s.slice()
			block = s.encoder.Take(block)
			more = s.snapshot != nil || s.encoder.Len() > 0
			s.engine.Spike(s.event, time.Since(began).Microseconds())
		})
		runtime.Gosched() // commands that wait for the lock go first
		if s.err != nil {
			continue
		}
		if err := write(block); err != nil {
			s.engine.With(func() { s.err = err })
		}
	}
	return s.err
}

var errAbandoned = errors.New("the snapshot was abandoned")

// Abandon ends a snapshot that was started but not run. It does nothing after Run.
func (s *Slicer) Abandon() {
	if s.snapshot != nil {
		s.engine.With(func() { s.err = errAbandoned })
		_ = s.Run(nil)
	}
}
