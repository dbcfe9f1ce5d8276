// Package eviction chooses the keys to remove when the data exceed maxmemory. maxmemory-policy says
// which:
//
//	allkeys, volatile   among all keys, or among those with a deadline
//	-lru, -lfu          about the least recently used, or about the least frequently used
//	-lrm                the one that has not changed for longest
//	-random             a random one
//	volatile-ttl        the one with the earliest deadline
//	noeviction          no key: commands that need memory are refused
//
// LRU and LFU are approximate, because an exact order would cost memory for each key and time for
// each access. As in Redis a few keys are sampled (maxmemory-samples), and the best candidates of
// all samples stay in a small pool, from which the best is evicted. Unlike Redis, a candidate that
// was used since it was sampled leaves the pool, and volatile-ttl is exact, since the keyspace
// keeps deadlines in order anyway.
package eviction

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Rules are the parameters of eviction.
type Rules struct {
	policy   policy
	samples  int
	tenacity int64
	lastDB   int // of the last key that was chosen at random
}

// NewRules returns the rules that are the default.
func NewRules() Rules { return Rules{policy: policies[len(policies)-1], samples: 5, tenacity: 10} }

// Params returns the parameters. Access gets what the policy needs to know of each use of a key;
// changed is called when there is another policy.
func (r *Rules) Params(as *release.Release, access *keyspace.Access, changed func()) []config.Param {
	samples := int64(math.MaxInt32)
	if as.Has(fewSamples) {
		samples = 64
	}
	set := func(value string) error {
		err := r.setPolicy(as, value)
		if err == nil {
			access.LFU, access.OnChange = r.policy.strategy == evictLFU, r.policy.strategy == evictLRM
			changed()
		}
		return err
	}
	return []config.Param{
		{Name: "maxmemory-policy", Get: func() string { return r.policy.name }, Set: set},
		config.Int("maxmemory-samples", &r.samples, 1, samples),
		config.Int("maxmemory-eviction-tenacity", &r.tenacity, 0, 100),
	}
}

// fewSamples is when maxmemory-samples was bounded.
var fewSamples = release.From("7.4.0 valkey:8.0.0")

// evictsByChange is when the policies came that evict the keys that have not changed for longest.
var evictsByChange = release.From("8.6.0")

func (r *Rules) setPolicy(as *release.Release, value string) error {
	var names []string
	for _, p := range policies {
		isNew := p.strategy == evictLRM
		if p.name == strings.ToLower(value) && (!isNew || as.Offers(evictsByChange)) {
			r.policy = p
			return nil
		}
		if !isNew || as.Has(evictsByChange) {
			names = append(names, p.name)
		}
	}
	return config.NotOneOf(names...)
}

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

// TimeLimit returns how many microseconds a command may spend on eviction. As in Redis it is 50 for
// each of the first ten degrees of maxmemory-eviction-tenacity, 15 percent more for each further
// one, and unlimited at 100.
func (r *Rules) TimeLimit() int64 {
	switch {
	case r.tenacity <= 10:
		return 50 * r.tenacity
	case r.tenacity < 100:
		return int64(500 * math.Pow(1.15, float64(r.tenacity-10)))
	}
	return math.MaxInt64
}

// Next returns the key to evict next, which is valid until the next call; nil if there is none. The
// pool is that of the keyspace.
func (r *Rules) Next(ks *keyspace.Keyspace, pool *Pool) (db int, key []byte) {
	switch r.policy.strategy {
	case evictLRU, evictLRM, evictLFU:
		return r.best(ks, pool)
	case evictRandom:
		return r.random(ks)
	case evictTTL:
		return earliestDeadline(ks)
	}
	return 0, nil
}

// best samples some keys of each database and returns the best candidate of the pool; a nil key if
// there is none. A candidate that was used since it was sampled is dropped: its staleness has
// decreased.
func (r *Rules) best(ks *keyspace.Keyspace, pool *Pool) (db int, key []byte) {
	for {
		candidates := 0
		for i := range ks.Len() {
			d := ks.DB(i)
			n := d.Len()
			if r.policy.volatile {
				n = d.Expiry().Volatile()
			}
			if n > 0 {
				candidates += n
				d.Eviction().Sample(r.samples, r.policy.volatile, pool.minStaleness(),
					func(key string, staleness uint32) { pool.insert(i, key, staleness) })
			}
		}
		if candidates == 0 {
			return 0, nil
		}
		for pool.n > 0 {
			best := pool.pop()
			now, ok := ks.DB(best.db).Eviction().Staleness(best.key, r.policy.volatile)
			if ok && now >= best.staleness {
				return best.db, best.key
			}
		}
	}
}

// random returns a random key that may be evicted. It takes the databases in turn.
func (r *Rules) random(ks *keyspace.Keyspace) (db int, key []byte) {
	for range ks.Len() {
		r.lastDB = (r.lastDB + 1) % ks.Len()
		if key, ok := ks.DB(r.lastDB).Eviction().Any(r.policy.volatile); ok {
			return r.lastDB, []byte(key)
		}
	}
	return 0, nil
}

// earliestDeadline returns the key with the earliest deadline.
func earliestDeadline(ks *keyspace.Keyspace) (db int, key []byte) {
	first := int64(math.MaxInt64)
	for i := range ks.Len() {
		if k, deadline, ok := ks.DB(i).Eviction().FirstDue(); ok && deadline < first {
			db, key, first = i, []byte(k), deadline
		}
	}
	return db, key
}
