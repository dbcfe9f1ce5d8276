package commands_test

import (
	"bytes"
	"container/list"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/defrag"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// evictor is an engine with maxmemory, a clock that a test moves, and a journal.
type evictor struct {
	*engine.Engine
	session *engine.Session
	now     int64
	cost    int64 // microseconds that each reading of the clock takes
	journal []string
}

func newEvictor() *evictor {
	v := &evictor{now: 1_700_000_000_000_000}
	v.Engine = engine.New(engine.Options{Seed: 1, Clock: func() int64 { v.now += v.cost; return v.now }})
	v.Join(configcmds.Part(v.Release), defrag.Part(v.Engine), transactions.Part(), engine.Part{
		Families:  []command.Family{stringcmds.Family, keys.Family, keys.Selection, keys.Databases, servercmds.Family},
		Propagate: func(_ int, args [][]byte) { v.journal = append(v.journal, string(bytes.Join(args, []byte(" ")))) },
	})
	v.session = v.NewSession(nil)
	return v
}

// do executes commands and returns their replies as RESP.
func (v *evictor) do(lines ...string) string { return string(v.Do(v.session, commands(lines...)).Out) }

// fill sets n keys that begin with prefix, and sets maxmemory to the memory used then.
func (v *evictor) fill(prefix string, n int) {
	for i := range n {
		v.do("SET " + prefix + strconv.Itoa(i) + " " + strings.Repeat("x", 200))
	}
	v.do("CONFIG SET maxmemory " + v.field("used_memory"))
}

// field returns the value of a field of INFO.
func (v *evictor) field(name string) string {
	_, rest, _ := strings.Cut(v.do("INFO"), "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

func (v *evictor) number(name string) int {
	n, _ := strconv.Atoi(v.field(name))
	return n
}

func TestWritesStayWithinMaxmemory(t *testing.T) {
	for _, policy := range []string{"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
		"volatile-random", "volatile-ttl"} {
		v := newEvictor()
		v.do("CONFIG SET maxmemory-policy " + policy)
		v.fill("old:", 500)
		volatile := strings.HasPrefix(policy, "volatile")
		if volatile {
			for i := range 500 {
				v.do("EXPIRE old:" + strconv.Itoa(i) + " 1000")
			}
		}
		v.do("CONFIG SET maxmemory " + v.field("used_memory"))
		for i := range 5000 {
			key := "new:" + strconv.Itoa(i)
			set := "SET " + key + " " + strings.Repeat("x", 200)
			if volatile {
				set += " EX 1000"
			}
			require.Equal(t, "+OK\r\n", v.do(set), policy)
		}
		require.LessOrEqual(t, v.number("used_memory"), v.number("maxmemory")+400, policy)
		require.Greater(t, v.number("evicted_keys"), 4900, policy)
		require.NoError(t, v.Home().Keyspace.DB(0).Check())
	}
}

// An eviction is journaled before the command that needs its memory.
func TestEvictedKeysAreJournaled(t *testing.T) {
	v := newEvictor()
	v.do("CONFIG SET maxmemory-policy volatile-ttl")
	v.do("SET a 1 EX 10", "SET b 2 EX 20", "SET c 3 EX 5", "SELECT 1", "SET d 4 EX 7", "SELECT 0")
	v.do("CONFIG SET maxmemory " + v.field("used_memory"))
	v.do("SET e " + strings.Repeat("x", 10))
	v.journal = nil
	v.do("SET f " + strings.Repeat("y", 40))
	require.Equal(t, []string{"DEL c", "SET f " + strings.Repeat("y", 40)}, v.journal)
	v.do("GET f")
	require.Equal(t, []string{"DEL c", "SET f " + strings.Repeat("y", 40), "DEL d"}, v.journal)
	require.Equal(t, "2", v.field("evicted_keys"))
	require.Equal(t, "+OK\r\n", v.do("CONFIG RESETSTAT"))
	require.Equal(t, "0", v.field("evicted_keys"))
}

// A command spends half a millisecond on eviction at most, and Tick continues it.
func TestALargeSurplusIsEvictedInSteps(t *testing.T) {
	v := newEvictor()
	v.do("CONFIG SET maxmemory-policy allkeys-random")
	v.fill("k:", 2000)
	v.cost = 200
	v.do("CONFIG SET maxmemory 1000")
	v.do("GET k:0")
	left := v.Home().Keyspace.DB(0).Len()
	require.Less(t, left, 2000)
	require.Greater(t, left, 1000, "ten degrees of tenacity are half a millisecond")
	require.Equal(t, "+OK\r\n", v.do("SET k v"), "it does not wait for the rest")
	require.NotEqual(t, "0", v.field("current_eviction_exceeded_time"))
	for range 200 {
		if v.Tick() == 0 {
			break
		}
	}
	require.Zero(t, v.Home().Keyspace.DB(0).Len())
	require.NotEqual(t, "0", v.field("total_eviction_exceeded_time"))

	v = newEvictor()
	v.do("CONFIG SET maxmemory-policy allkeys-random maxmemory-eviction-tenacity 100")
	v.fill("k:", 2000)
	v.cost = 200
	v.do("CONFIG SET maxmemory 1000")
	v.do("GET k:0")
	require.Zero(t, v.Home().Keyspace.DB(0).Len())
}

func TestNothingIsEvictedWhileWritesArePaused(t *testing.T) {
	v := newEvictor()
	v.Join(clients.Parts(v.Engine)...)
	v.do("CONFIG SET maxmemory-policy allkeys-lru")
	v.fill("k:", 100)
	v.do("CLIENT PAUSE 1000 WRITE", "CONFIG SET maxmemory 1000", "PING")
	require.Equal(t, 100, v.Home().Keyspace.DB(0).Len())
	v.now += 2_000_000
	v.do("PING")
	v.Tick()
	v.do("PING")
	require.Zero(t, v.Home().Keyspace.DB(0).Len())
}

// cacheQuality returns the hit ratio of a cache that holds 500 of 5,000 keys, requested by Zipf's
// law, under a policy.
func cacheQuality(policy string, requests []int) float64 {
	v := newEvictor()
	v.do("CONFIG SET maxmemory-policy " + policy)
	v.fill("old:", 500)
	hits, value := 0, " "+strings.Repeat("x", 200)
	for i, k := range requests {
		v.now += 20_000 // fifty requests a second
		key := "key:" + strconv.Itoa(1000+k)
		if v.do("GET "+key) == "$-1\r\n" {
			v.do("SET " + key + value)
		} else if i >= len(requests)/2 {
			hits++
		}
	}
	return float64(hits) / float64(len(requests)-len(requests)/2)
}

// strictQuality is the hit ratio of a cache that evicts exactly the least recently used key.
func strictQuality(requests []int) float64 {
	order, at, hits := list.New(), map[int]*list.Element{}, 0
	for i, k := range requests {
		if e := at[k]; e != nil {
			order.MoveToFront(e)
			if i >= len(requests)/2 {
				hits++
			}
			continue
		}
		at[k] = order.PushFront(k)
		if order.Len() > 500 {
			delete(at, order.Remove(order.Back()).(int))
		}
	}
	return float64(hits) / float64(len(requests)-len(requests)/2)
}

func TestQualityOfEviction(t *testing.T) {
	below, sum := make([]float64, 5000), 0.0
	for i := range below {
		sum += math.Pow(float64(i+1), -0.9)
		below[i] = sum
	}
	rng := rand.New(rand.NewPCG(3, 4))
	requests := make([]int, 40_000)
	for i := range requests {
		requests[i], _ = slices.BinarySearch(below, rng.Float64()*sum)
	}
	strict, best := strictQuality(requests), below[499]/sum
	lru, lfu, any := cacheQuality("allkeys-lru", requests), cacheQuality("allkeys-lfu", requests),
		cacheQuality("allkeys-random", requests)
	t.Logf("lru %.3f, strictly %.3f; lfu %.3f, at best %.3f; random %.3f", lru, strict, lfu, best, any)
	require.Greater(t, lru, strict-0.02)
	require.Greater(t, lru, any+0.02)
	require.Greater(t, lfu, lru, "the frequencies do not change")
	require.Greater(t, lfu, best-0.1)
}
