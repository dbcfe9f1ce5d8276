package laboratory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
)

func TestFormsAreWhatTheyAreCalled(t *testing.T) {
	for form, encodings := range map[string]map[string]string{
		Default: {"zset": "ziplist", "hash": "ziplist", "set": "intset", "list": "ziplist"},
		Ziplist: {"zset": "ziplist", "hash": "ziplist", "set": "ziplist", "list": "ziplist"},
		Table:   {"zset": "skiplist", "hash": "hashtable", "set": "hashtable"},
		Intset:  {"set": "intset"},
	} {
		for kind, encoding := range encodings {
			r := Measure(Case{kind, "times", form, 100}, time.Microsecond)
			require.Equal(t, encoding, r.Encoding, "%s", r.Case)
			require.Positive(t, r.Insert, "%s", r.Case)
			require.Positive(t, r.Delete, "%s", r.Case)
		}
	}
}

// TestAccountsAreThoseOfTheHeap compares the two byte figures for every type, form and shape.
func TestAccountsAreThoseOfTheHeap(t *testing.T) {
	quick.Skip(t, "weighs the heap hundreds of times")
	for _, c := range (Selection{Shapes: []string{"ints", "times", "65 bytes"}, Counts: []int{1, 60, 300}}).Cases() {
		r := Result{Case: c}
		r.weigh(elements(shape(c.Shape), c.N))
		require.Positive(t, r.Heap, "%s", c)
		require.True(t, r.Agrees(), "%s: account %.0f, heap %.0f", c, r.Account, r.Heap)
	}
}

// TestSkiplistOfTimes is the promise about large sorted sets: Redis 6.2.6 needs 105 bytes a member.
func TestSkiplistOfTimes(t *testing.T) {
	r := Result{Case: Case{"zset", "times", Default, 10_000}}
	r.weigh(elements(shape("times"), 10_000))
	require.Equal(t, "skiplist", r.Encoding)
	require.Less(t, r.PerElement(), 105.0)
}

// TestZiplistOfTimes compares with what MEMORY USAGE of redis-server 6.2.6 tells of the same data;
// there the object, the key and its slot take 48 bytes beside the ziplist.
func TestZiplistOfTimes(t *testing.T) {
	for n, usage := range map[int]int{1: 79, 8: 219, 64: 1339, 128: 2619} {
		r := Result{Case: Case{"zset", "times", Default, n}}
		r.weigh(elements(shape("times"), n))
		require.Equal(t, usage-48, r.Payload, "%d members", n)
	}
}

func TestRedisIsAskedAndLeftAsItWas(t *testing.T) {
	path := reference.Require(t, "redis-server")
	server, err := launch.Start(launch.Spec{Path: path})
	require.NoError(t, err)
	defer server.Stop()
	redis, err := DialRedis(server.Address)
	require.NoError(t, err)
	before := redis.saved
	for form, encodings := range map[string][]string{Default: {"ziplist", "listpack"}, Table: {"skiplist"}} {
		ref, err := redis.Ask(Case{"zset", "times", form, 100})
		require.NoError(t, err)
		require.Contains(t, encodings, ref.Encoding)
		require.Greater(t, ref.Usage, 1000)
	}
	require.NoError(t, redis.Close())
	redis, err = DialRedis(server.Address)
	require.NoError(t, err, "the key is gone")
	require.Equal(t, before, redis.saved)
	require.NoError(t, redis.Close())
}

func TestSelection(t *testing.T) {
	cases := Selection{Types: []string{"zset"}, Shapes: []string{"uuids"}, Counts: []int{5, 100_000}}.Cases()
	require.Len(t, cases, 4, "100,000 are measured for time stamps only")
	require.Empty(t, Selection{Types: []string{"zset"}, Forms: []string{Intset}, Counts: []int{5}}.Cases())
	require.Greater(t, len(Short()), 200)
	require.NotZero(t, repeat(time.Microsecond, 1, func() {}))
}
