package engine

import (
	"math"
	"slices"
)

// policy is a value of maxmemory-policy.
type policy struct {
	name     string
	volatile bool
	choice   choice
}

// choice is how the key is chosen that goes.
type choice uint8

// policies are in the order in which Redis tells them.
var policies = []policy{
	{"volatile-lru", true, stalest}, {"volatile-lfu", true, rarest}, {"volatile-random", true, random},
	{"volatile-ttl", true, soonest}, {"allkeys-lru", false, stalest}, {"allkeys-lfu", false, rarest},
	{"allkeys-random", false, random}, {"noeviction", false, none},
}

// eviction is the state of it.
type eviction struct {
	policy    policy
	samples   int
	tenacity  int64
	pool      pool
	last      int   // database of the last key that went at random
	short     bool  // at the last command: more is needed and none may go
	unending  bool  // time ran out before enough went; Tick goes on
	evicted   int64 // keys
	since     int64 // when maxmemory was exceeded for longer than a command takes, microseconds; 0 if it is not
	exceeding int64 // time in which it was, until since
}

func newEviction() eviction {
	return eviction{policy: policies[len(policies)-1], samples: 5, tenacity: 10}
}

// pool is the best candidates seen so far, the best last.
type pool struct {
	list [poolSize]candidate
	n    int
}

const poolSize = 16

type candidate struct {
	db        int
	key       []byte // the candidate's own; its room is used again
	staleness uint32
}

// least returns the staleness from which on the pool takes a candidate in.
func (p *pool) least() uint32 {
	if p.n < poolSize {
		return 0
	}
	return p.list[0].staleness + 1
}

// offer takes a candidate in, if it is better than the worst or there is room, and not in already.
func (p *pool) offer(db int, key string, staleness uint32) {
	full := p.n == poolSize
	if staleness < p.least() {
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
	if full { // the worst goes
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

// take takes the best candidate out. Its key is valid until the next offer.
func (p *pool) take() *candidate {
	p.n--
	return &p.list[p.n]
}

// patience returns how many microseconds a command may wait for its room: 50 for each of the first ten
// degrees of tenacity, 15 percent more for each further one, and for ever at 100.
func (v *eviction) patience() int64 {
	switch {
	case v.tenacity <= 10:
		return 50 * v.tenacity
	case v.tenacity < 100:
		return int64(500 * math.Pow(1.15, float64(v.tenacity-10)))
	}
	return math.MaxInt64
}

const (
	none choice = iota
	stalest
	rarest
	random
	soonest
)
