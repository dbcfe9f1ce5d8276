package main

import (
	"container/list"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// cacheRun is how well a policy kept what was asked for again.
type cacheRun struct {
	Policy string             `json:"policy"`
	Hits   map[string]float64 `json:"hit_ratio"` // by server
	Keys   map[string]int64   `json:"keys"`      // that it held in the end
	Ideal  float64            `json:"ideal"`     // ratio of a cache that knows what is asked for most
	Strict float64            `json:"strict"`    // ratio of strict least recently used
	PerSec map[string]float64 `json:"requests_per_second"`
}

// Shape of the workload: keys drawn by Zipf's law; what is missing is set. It is slow: both servers tell
// the time of an access in seconds, and in a cache that is turned over within one all keys look alike.
const (
	cacheUniverse = 50_000
	cacheHeld     = 5_000 // keys that fit
	cacheSkew     = 0.9
	cacheBatch    = 16
	cacheValue    = 200
)

// runEviction is the subcommand eviction: hit ratios of the policies, or with -soak endurance.
func runEviction(args []string) error {
	o := newOptions("eviction")
	soak := o.flags.Duration("soak", 0, "write at the limit of memory for this long, instead of comparing policies")
	maxmemory := o.flags.String("maxmemory", "100mb", "the limit of the soak")
	seconds := o.flags.Duration("time", 20*time.Second, "how long hits are counted for each policy, after as long a time to warm up")
	rate := o.flags.Int("rate", 2500, "keys to ask for in a second")
	policies := o.flags.String("policies", "allkeys-lru,allkeys-lfu,allkeys-random,volatile-lru,volatile-ttl", "policies to compare")
	if err := o.parse(args); err != nil {
		return err
	}
	servers, clean, err := o.binaries()
	if err != nil {
		return err
	}
	defer clean()
	if *soak > 0 {
		return o.runSoak(servers, *maxmemory, *soak)
	}
	return o.comparePolicies(servers, strings.Split(*policies, ","), *seconds, *rate)
}

func (o *options) runSoak(servers [][2]string, maxmemory string, length time.Duration) error {
	servers = slices.DeleteFunc(servers, func(b [2]string) bool { return !o.filter.MatchString(b[0]) })
	bar := newSteps(len(servers))
	defer bar.End()
	var all []endurance
	for _, b := range servers {
		bar.begin(fmt.Sprintf("%s for %s", b[0], length))
		r, err := o.soak(b[0], b[1], maxmemory, length)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	bar.End()
	if o.json {
		return printJSON(os.Stdout, all)
	}
	return printEndurance(all)
}

// comparePolicies runs each policy on all servers at once.
func (o *options) comparePolicies(servers [][2]string, policies []string, length time.Duration, rate int) error {
	var all []cacheRun
	z := newZipf(cacheUniverse, cacheSkew)
	ideal, strict := z.top(cacheHeld), z.strict(cacheHeld, 1_000_000)
	bar := newSteps(len(policies))
	defer bar.End()
	for _, policy := range policies {
		bar.begin(policy)
		r := cacheRun{Policy: policy, Ideal: ideal, Strict: strict, Hits: map[string]float64{}, Keys: map[string]int64{}, PerSec: map[string]float64{}}
		users, errs := make([]cacheUser, len(servers)), make([]error, len(servers))
		var working sync.WaitGroup
		for i, b := range servers {
			users[i] = cacheUser{zipf: z, rng: rand.New(rand.NewPCG(7, 7)), rate: rate, volatile: strings.HasPrefix(policy, "volatile")}
			working.Go(func() { errs[i] = o.cache(&users[i], policy, b[0], b[1], length) })
		}
		working.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for i, b := range servers {
			u := &users[i]
			r.Hits[b[0]], r.Keys[b[0]], r.PerSec[b[0]] = float64(u.hits)/float64(u.asked), u.keys, float64(u.asked)/length.Seconds()
		}
		all = append(all, r)
	}
	bar.End()
	if o.json {
		return printJSON(os.Stdout, all)
	}
	return printCaches(all)
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

// set adds the command that sets a key. Deadlines are far away, and those of what is asked for often are
// no later than others.
func (u *cacheUser) set(key string) {
	value := strings.Repeat("v", cacheValue)
	if u.volatile {
		u.add("SET", key, value, "EX", strconv.Itoa(10_000+u.rng.IntN(100_000)))
		return
	}
	u.add("SET", key, value)
}

// fill sets as many keys as are to be held, none of which is ever asked for, and makes what they take the
// limit.
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
	_, err = s.do("CONFIG", "SET", "maxmemory-policy", policy, "maxmemory", strconv.FormatInt(infoField(info.Text, "used_memory"), 10))
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

// strict is the hit ratio of a cache of n numbers from which the one used longest ago goes, by simulation.
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

func printCaches(all []cacheRun) error {
	t := table{{"policy", "redis hits", "ours hits", "ratio", "redis keys", "ours keys", "redis req/s", "ours req/s", "strict LRU", "best possible"}}
	for _, r := range all {
		percent := func(f float64) string { return fmt.Sprintf("%.2f%%", 100*f) }
		ratio := "-"
		if r.Hits["redis"] > 0 {
			ratio = fmt.Sprintf("%.3f", r.Hits["ours"]/r.Hits["redis"])
		}
		t = append(t, []string{r.Policy, percent(r.Hits["redis"]), percent(r.Hits["ours"]), ratio,
			strconv.FormatInt(r.Keys["redis"], 10), strconv.FormatInt(r.Keys["ours"], 10),
			fmt.Sprintf("%.0f", r.PerSec["redis"]), fmt.Sprintf("%.0f", r.PerSec["ours"]), percent(r.Strict), percent(r.Ideal)})
	}
	return t.print(os.Stdout)
}
