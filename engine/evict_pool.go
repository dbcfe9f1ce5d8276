package engine

import (
	"math"
	"slices"
)

// policy is a value of maxmemory-policy.
type policy struct {
	name     string
	volatile bool
	strategy strategy
}

// strategy says which key to evict.
type strategy uint8

const (
	evictNone strategy = iota
	evictLRU
	evictLRM // the least recently modified
	evictLFU
	evictRandom
	evictTTL
)

// policies are in the order in which Redis lists them.
var policies = []policy{
	{"volatile-lru", true, evictLRU}, {"volatile-lfu", true, evictLFU}, {"volatile-random", true, evictRandom},
	{"volatile-ttl", true, evictTTL}, {"volatile-lrm", true, evictLRM}, {"allkeys-lru", false, evictLRU},
	{"allkeys-lfu", false, evictLFU}, {"allkeys-random", false, evictRandom}, {"allkeys-lrm", false, evictLRM},
	{"noeviction", false, evictNone},
}

// eviction is the state of eviction: see evict.go.
type eviction struct {
	clients       clientLimit
	strict        bool // see Options
	policy        policy
	samples       int
	tenacity      int64
	lastDB        int   // of the last key evicted at random
	oom           bool  // at the last command: maxmemory is exceeded, and no key may be evicted
	unfinished    bool  // time was up before enough was free; Tick continues
	evicted       int64 // keys
	exceededSince int64 // start of the present excess, in microseconds; 0 if there is none
	exceededTime  int64 // total of the excesses before it, in microseconds
}

func newEviction() eviction {
	return eviction{policy: policies[len(policies)-1], samples: 5, tenacity: 10}
}

// timeLimit returns how many microseconds a command may spend on eviction. As in Redis it is 50 for each of
// the first ten degrees of maxmemory-eviction-tenacity, 15 percent more for each further one, and unlimited
// at 100.
func (v *eviction) timeLimit() int64 {
	switch {
	case v.tenacity <= 10:
		return 50 * v.tenacity
	case v.tenacity < 100:
		return int64(500 * math.Pow(1.15, float64(v.tenacity-10)))
	}
	return math.MaxInt64
}

// evictionPool is the best candidates seen so far, the best last. It is Redis' pool and has its size. With
// it a few samples for each eviction approach exact LRU, since good candidates of earlier samples are
// remembered.
type evictionPool struct {
	list [poolSize]candidate
	n    int
}

const poolSize = 16

type candidate struct {
	db        int
	key       []byte // the candidate's own; its room is used again
	staleness uint32
}

// minStaleness returns the staleness from which on the pool takes a candidate in.
func (p *evictionPool) minStaleness() uint32 {
	if p.n < poolSize {
		return 0
	}
	return p.list[0].staleness + 1
}

// insert adds a candidate, unless the pool has it already, or is full of better ones.
func (p *evictionPool) insert(db int, key string, staleness uint32) {
	full := p.n == poolSize
	if staleness < p.minStaleness() {
		return
	}
	in := p.list[:p.n]
	if slices.ContainsFunc(in, func(c candidate) bool { return c.db == db && string(c.key) == key }) {
		return
	}
	better := slices.IndexFunc(in, func(c candidate) bool { return c.staleness > staleness })
	if better < 0 {
		better = p.n
	}
	var room []byte
	if full { // in place of the worst
		better--
		room = p.list[0].key
		copy(p.list[:better], p.list[1:better+1])
	} else {
		room = p.list[p.n].key
		copy(p.list[better+1:p.n+1], p.list[better:p.n])
		p.n++
	}
	p.list[better] = candidate{db, append(room[:0], key...), staleness}
}

// pop removes and returns the best candidate. Its key is valid until the next insert.
func (p *evictionPool) pop() *candidate {
	p.n--
	return &p.list[p.n]
}

// clientLimit is maxmemory-clients: bytes, or a percentage of maxmemory.
type clientLimit struct {
	amount  int64
	percent bool
}
