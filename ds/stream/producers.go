package stream

import (
	"math"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Producers are the clients that add entries idempotently. A producer gives each entry an
// idempotent ID of its own. The stream remembers for some time which entry it was, so that the
// producer can repeat what it has sent, and nothing is added twice.
//
// An ID is forgotten when its entry is old, or when the producer has sent many others since.
// Deleting the entry changes nothing.
type Producers struct {
	added, duplicates int64
	limits            IDLimits
	all               []*Producer // by name; each has at least one ID
	oldest            uint64      // no producer's oldest ID is of an entry with a smaller time; never
	held              int         // bytes
}

// IDLimits are how long, and how many of each producer, a stream remembers idempotent IDs.
type IDLimits struct{ Seconds, Most int }

// Always is a time at which nothing that was remembered is over.
const Always = 0

// never is the time of no entry.
const never = math.MaxUint64

// DefaultIDLimits are the limits that Redis has by default.
var DefaultIDLimits = IDLimits{Seconds: 100, Most: 100}

// MaxIDLimits are the greatest limits that a stream can have; the least are 1.
var MaxIDLimits = IDLimits{Seconds: 86400, Most: 10_000}

// Producer is one producer.
type Producer struct {
	name string
	sent []Sent        // the oldest first
	ids  map[string]ID // the same, by IID
}

// Sent is an idempotent ID and the entry that has it.
type Sent struct {
	IID string
	ID  ID
}

// Name returns the producer's name.
func (p *Producer) Name() string { return p.name }

// Sent returns the idempotent IDs that are remembered, the oldest first. The slice belongs to the
// producer.
func (p *Producer) Sent() []Sent { return p.sent }

const (
	producersSize = int(unsafe.Sizeof(Producers{}))
	producerSize  = int(unsafe.Sizeof(Producer{})) + 48 // with the header of the map
	sentSize      = int(unsafe.Sizeof(Sent{})) * 2      // in the slice and in the map
)

// Producers returns the stream's producers; nil for a stream that never had any and has the default
// limits.
func (s *Stream) Producers() *Producers { return s.producers }

// IDLimits returns the limits for idempotent IDs.
func (s *Stream) IDLimits() IDLimits {
	if s.producers == nil {
		return DefaultIDLimits
	}
	return s.producers.limits
}

// SetIDLimits sets the limits for idempotent IDs, and reports whether they change. All IDs are
// forgotten then.
func (s *Stream) SetIDLimits(limits IDLimits) (changed bool) {
	if s.IDLimits() == limits {
		return false
	}
	ps := s.upsertProducers()
	ps.limits, ps.all, ps.oldest = limits, nil, never
	s.held -= ps.held
	ps.held = 0
	return true
}

func (s *Stream) upsertProducers() *Producers {
	if s.producers == nil {
		s.producers = &Producers{limits: DefaultIDLimits, oldest: never}
		s.held += sizeclass.RoundScanned(producersSize)
	}
	return s.producers
}

// Sent returns the entry that a producer has sent with an idempotent ID; ok is false if none is
// remembered at now, in milliseconds since the epoch. O(log producers).
func (s *Stream) Sent(producer, iid []byte, now int64) (id ID, ok bool) {
	ps := s.producers
	if ps == nil {
		return id, false
	}
	if i, found := search(ps.all, producer, (*Producer).Name); found {
		id, ok = ps.all[i].ids[string(iid)]
	}
	return id, ok && !ps.over(id.Ms, now)
}

// CountDuplicate counts an entry that was sent again.
func (s *Stream) CountDuplicate() { s.producers.duplicates++ }

// Counts returns how many idempotent IDs were ever remembered, and how many were sent again. ps may
// be nil.
func (ps *Producers) Counts() (added, duplicates int64) {
	if ps == nil {
		return 0, 0
	}
	return ps.added, ps.duplicates
}

// SetProducerCounts sets what Counts returns, for a stream that has producers or limits of its own.
func (s *Stream) SetProducerCounts(added, duplicates int64) {
	ps := s.upsertProducers()
	ps.added, ps.duplicates = added, duplicates
}

// Remember remembers the entry that a producer has sent with an idempotent ID, which may be one
// that it used before. It forgets the producer's oldest beyond the limit, and of all producers what
// is over at now. O(log producers), and O(producers) when some is.
func (s *Stream) Remember(producer, iid []byte, id ID, now int64) {
	s.forget(now)
	ps := s.upsertProducers()
	held := ps.held
	p := ps.upsert(producer)
	if _, again := p.ids[string(iid)]; again {
		ps.drop(p, slices.IndexFunc(p.sent, func(sent Sent) bool { return sent.IID == string(iid) }))
	}
	p.sent = append(p.sent, Sent{string(iid), id})
	p.ids[p.sent[len(p.sent)-1].IID] = id
	ps.held += sentBytes(string(iid))
	if ps.added++; len(p.sent) > ps.limits.Most {
		ps.drop(p, 0)
	}
	if len(p.sent) == 1 {
		ps.oldest = min(ps.oldest, id.Ms)
	}
	s.held += ps.held - held
}

func (ps *Producers) upsert(name []byte) *Producer {
	i, found := search(ps.all, name, (*Producer).Name)
	if !found {
		ps.all = slices.Insert(ps.all, i, &Producer{name: string(name), ids: map[string]ID{}})
		ps.held += ps.all[i].fixedBytes()
	}
	return ps.all[i]
}

// drop forgets the idempotent ID at place i.
func (ps *Producers) drop(p *Producer, i int) {
	iid := p.sent[i].IID
	delete(p.ids, iid)
	if i == 0 {
		p.sent[0] = Sent{}
		p.sent = p.sent[1:]
	} else {
		p.sent = slices.Delete(p.sent, i, i+1)
	}
	ps.held -= sentBytes(iid)
}

// forget forgets the idempotent IDs whose time is over at now.
func (s *Stream) forget(now int64) {
	ps := s.producers
	if ps == nil || !ps.over(ps.oldest, now) {
		return
	}
	held := ps.held
	ps.oldest = never
	ps.all = slices.DeleteFunc(ps.all, func(p *Producer) bool {
		for range ps.forgettable(p, now) {
			ps.drop(p, 0)
		}
		if len(p.sent) == 0 {
			ps.held -= p.fixedBytes()
			return true
		}
		ps.oldest = min(ps.oldest, p.sent[0].ID.Ms) // those behind it wait for it
		return false
	})
	s.held += ps.held - held
}

// over reports whether the time to remember an entry is over.
func (ps *Producers) over(ms uint64, now int64) bool {
	since := now - int64(ps.limits.Seconds)*1000
	return since >= 0 && ms <= uint64(since)
}

// forgettable returns how many of a producer's IDs are to be forgotten at now. The first that is
// not keeps those behind it.
func (ps *Producers) forgettable(p *Producer, now int64) int {
	n := slices.IndexFunc(p.sent, func(sent Sent) bool { return !ps.over(sent.ID.Ms, now) })
	if n < 0 {
		n = len(p.sent)
	}
	return n
}

// All returns the producers of which an ID is remembered, ordered by name. The slice belongs to ps,
// which may be nil.
func (ps *Producers) All() []*Producer {
	if ps == nil {
		return nil
	}
	return ps.all
}

// Tracked returns the number of producers, and of their idempotent IDs, that are remembered at now.
// O(producers).
func (ps *Producers) Tracked(now int64) (producers, ids int) {
	for _, p := range ps.All() {
		if n := len(p.sent) - ps.forgettable(p, now); n > 0 {
			producers++
			ids += n
		}
	}
	return producers, ids
}

// copyTo gives a stream without producers a copy of them; ps may be nil.
func (ps *Producers) copyTo(s *Stream) {
	if ps == nil {
		return
	}
	s.upsertProducers().limits = ps.limits
	for _, p := range ps.all {
		for _, sent := range p.sent {
			s.Remember([]byte(p.name), []byte(sent.IID), sent.ID, Always)
		}
	}
	s.SetProducerCounts(ps.added, ps.duplicates)
}

// bytes returns all that the producers hold; ps may be nil. O(IDs).
func (ps *Producers) bytes() int {
	if ps == nil {
		return 0
	}
	n := sizeclass.RoundScanned(producersSize)
	for _, p := range ps.all {
		n += p.fixedBytes()
		for _, sent := range p.sent {
			n += sentBytes(sent.IID)
		}
	}
	return n
}

func (p *Producer) fixedBytes() int {
	return sizeclass.RoundScanned(producerSize) + sizeclass.Round(len(p.name)) + 8
}

func sentBytes(iid string) int { return sentSize + sizeclass.Round(len(iid)) }
