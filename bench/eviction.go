package main

import (
	"container/list"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// Shape of the workload: keys drawn by Zipf's law; what is missing is set. It is slow: both servers
// tell the time of an access in seconds, and in a cache that is turned over within one all keys
// look alike.
const (
	cacheUniverse = 50_000
	cacheHeld     = 5_000 // keys that fit
	cacheSkew     = 0.9
	cacheBatch    = 16
	cacheValue    = 200
)

// runEviction is the subcommand eviction: hit ratios of the policies.
func runEviction(args []string) error {
	o := newOptions("eviction").withServers("redis-server")
	seconds := o.flags.Duration("time", 20*time.Second,
		"how long hits are counted for each policy, after as long a time to warm up")
	rate := o.flags.Int("rate", 2500, "keys to ask for in a second")
	policies := o.flags.String("policies", "allkeys-lru,allkeys-lfu,allkeys-random,volatile-lru,volatile-ttl",
		"policies to compare")
	if err := o.parse(args); err != nil {
		return err
	}
	servers, clean, err := o.binaries()
	if err != nil {
		return err
	}
	defer clean()
	return o.comparePolicies(servers, strings.Split(*policies, ","), *seconds, *rate)
}

// cacheColumns show hit ratios beside those of a cache that is strictly least recently used, and of
// one that knows what is asked for most.
var cacheColumns = []column{
	{"policy", "%s", "name"},
	{"server", "%s", "server"},
	{"hits", "%.2f%%", "hits_percent"},
	{"ours/it", "%.3f", "hits_ratio"},
	{"keys", "%d", "keys"},
	{"req/s", "%.0f", "per_s"},
	{"strict LRU", "%.2f%%", "strict_percent"},
	{"best possible", "%.2f%%", "best_percent"},
}

// comparePolicies runs each policy on all servers at once.
func (o *options) comparePolicies(servers []binary, policies []string, length time.Duration, rate int) error {
	z := newZipf(cacheUniverse, cacheSkew)
	ideal, strict := 100*z.top(cacheHeld), 100*z.strict(cacheHeld, 1_000_000)
	bar := newSteps(len(policies))
	defer bar.End()
	t := &table{columns: cacheColumns}
	for _, policy := range policies {
		bar.begin(policy)
		users, errs := make([]cacheUser, len(servers)), make([]error, len(servers))
		var working sync.WaitGroup
		for i, b := range servers {
			users[i] = cacheUser{zipf: z, rng: rand.New(rand.NewPCG(7, 7)), rate: rate,
				volatile: strings.HasPrefix(policy, "volatile")}
			working.Go(func() { errs[i] = o.cache(&users[i], policy, b.name, b.path, length) })
		}
		working.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		var rows []row
		for i, b := range servers {
			u := &users[i]
			rows = append(rows, row{"name": policy, "server": b.name, "best_percent": ideal, "strict_percent": strict,
				"hits_percent": 100 * float64(u.hits) / float64(u.asked), "keys": u.keys,
				"per_s": float64(u.asked) / length.Seconds()})
		}
		t.rows = append(t.rows, beside(rows, "hits_percent")...)
	}
	bar.End()
	return o.print(t)
}

// cache runs a policy on a fresh server that has memory for as many keys as are to be held.
func (o *options) cache(u *cacheUser, policy, name, path string, length time.Duration) error {
	s, err := startServer(name, path, o.arguments(name))
	if err != nil {
		return err
	}
	defer s.stop()
	if u.client, err = s.dial(); err != nil {
		return err
	}
	defer u.conn.Close()
	if err := u.fill(s, policy); err != nil {
		return err
	}
	if err := u.ask(length); err != nil { // to warm up
		return err
	}
	if err := u.ask(length); err != nil {
		return err
	}
	size, err := s.do("DBSIZE")
	u.keys = size.Int
	return err
}

// cacheUser asks a server for keys and sets those that are missing.
type cacheUser struct {
	*client
	zipf        *zipf
	rng         *rand.Rand
	rate        int // requests a second
	volatile    bool
	hits, asked int64 // of the last time that it asked
	keys        int64 // that the server held in the end
}

// set adds the command that sets a key. Deadlines are far away, and those of what is asked for
// often are no later than others.
func (u *cacheUser) set(key string) {
	value := strings.Repeat("v", cacheValue)
	if u.volatile {
		u.add("SET", key, value, "EX", strconv.Itoa(10_000+u.rng.IntN(100_000)))
		return
	}
	u.add("SET", key, value)
}

// fill sets as many keys as are to be held, none of which is ever asked for, and makes what they
// take the limit.
func (u *cacheUser) fill(s *server, policy string) error {
	for i := range cacheHeld {
		u.set(fmt.Sprintf("old:%07d", i))
		if i%cacheBatch == 0 {
			if err := u.exchange(nil); err != nil {
				return err
			}
		}
	}
	if err := u.exchange(nil); err != nil {
		return err
	}
	info, err := s.do("INFO", "memory")
	if err != nil {
		return err
	}
	_, err = s.do("CONFIG", "SET", "maxmemory-policy", policy, "maxmemory",
		strconv.FormatInt(infoField(info.Text, "used_memory"), 10))
	return err
}

// ask asks in batches for a while, and counts.
func (u *cacheUser) ask(length time.Duration) error {
	var names [cacheBatch]string
	start := time.Now()
	u.hits, u.asked = 0, 0
	for more := true; more; more = time.Since(start) < length {
		for i := range names {
			names[i] = fmt.Sprintf("key:%07d", u.zipf.draw(u.rng))
			u.add("GET", names[i])
		}
		var missing []string
		err := u.exchange(func(i int, reply resp.Value) {
			if reply.IsNull() {
				missing = append(missing, names[i])
			}
		})
		if err != nil {
			return err
		}
		for _, name := range missing {
			u.set(name)
		}
		if err := u.exchange(nil); err != nil {
			return err
		}
		u.asked += cacheBatch
		u.hits += int64(cacheBatch - len(missing))
		time.Sleep(time.Until(start.Add(time.Duration(u.asked) * time.Second / time.Duration(u.rate))))
	}
	return nil
}

// zipf draws numbers below n, i with a probability in proportion to 1/(i+1)^skew.
type zipf struct{ below []float64 } // the probability of a number up to i

func newZipf(n int, skew float64) *zipf {
	z := &zipf{make([]float64, n)}
	sum := 0.0
	for i := range z.below {
		sum += math.Pow(float64(i+1), -skew)
		z.below[i] = sum
	}
	for i := range z.below {
		z.below[i] /= sum
	}
	return z
}

func (z *zipf) draw(rng *rand.Rand) int {
	i, _ := slices.BinarySearch(z.below, rng.Float64())
	return min(i, len(z.below)-1)
}

// top is the hit ratio of a cache that holds the n numbers drawn most often.
func (z *zipf) top(n int) float64 { return z.below[n-1] }

// strict is the hit ratio of a cache of n numbers from which the one used longest ago goes, by
// simulation.
func (z *zipf) strict(n, draws int) float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	order, at := list.New(), map[int]*list.Element{}
	hits := 0
	for i := range draws {
		k := z.draw(rng)
		if e := at[k]; e != nil {
			order.MoveToFront(e)
			if i >= draws/2 {
				hits++
			}
			continue
		}
		at[k] = order.PushFront(k)
		if order.Len() > n {
			delete(at, order.Remove(order.Back()).(int))
		}
	}
	return float64(hits) / float64(draws-draws/2)
}
