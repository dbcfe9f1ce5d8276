package main

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// The recipes of docs/recipes/go.md, which shows these functions as they are. The packages for
// other languages have the same tests.

const (
	dump   = "../../clients/testdata/production.rdb"
	golden = "../../clients/testdata/checkout.txt"
)

func TestASessionExpires(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w)
	client.Set(t.Context(), "session", "alice", time.Hour)
	w.Advance(time.Hour)
	require.Zero(t, client.Exists(t.Context(), "session").Val())
}

func clientOf(t *testing.T, w *miniserver.World) *redis.Client {
	options, err := redis.ParseURL(w.URL())
	require.NoError(t, err)
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestADayOfALimiter(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w)
	w.Freeze(time.Now())
	passed := 0
	for range 24 * 60 {
		for range 3 {
			if mayPass(t.Context(), client, "alice") {
				passed++
			}
		}
		w.Advance(time.Minute)
	}
	require.Equal(t, 24*100, passed)
}

// mayPass lets a user pass 100 times an hour.
func mayPass(ctx context.Context, client *redis.Client, user string) bool {
	count := client.Incr(ctx, "visits:"+user).Val()
	if count == 1 {
		client.Expire(ctx, "visits:"+user, time.Hour)
	}
	return count <= 100
}

func TestALostReply(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w) // sends a command up to four times
	require.NoError(t, w.AddFault("incr", "ON", "COMMAND", "incr", "DO", "LOST-REPLY", "TIMES", "1"))
	require.EqualValues(t, 2, client.Incr(t.Context(), "orders").Val())

	require.NoError(t, w.AddFault("sadd", "ON", "COMMAND", "sadd", "DO", "LOST-REPLY", "TIMES", "1"))
	client.SAdd(t.Context(), "order-ids", "17")
	require.EqualValues(t, 1, client.SCard(t.Context(), "order-ids").Val())
}

func TestAServerThatIsGone(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w)
	client.Set(t.Context(), "price:shoes", "80", 0)
	require.NoError(t, w.BeginOutage("CUT"))
	require.Equal(t, "unknown", price(t.Context(), client, "shoes"))
	require.NoError(t, w.EndOutage())
	require.Equal(t, "80", price(t.Context(), client, "shoes"))
}

// price returns what goods cost if the cache can be reached.
func price(ctx context.Context, client *redis.Client, goods string) string {
	if text, err := client.Get(ctx, "price:"+goods).Result(); err == nil {
		return text
	}
	return "unknown"
}

func TestSideBySide(t *testing.T) {
	s := miniserver.Run(t)
	for day := range 20 {
		t.Run(fmt.Sprint("day ", day), func(t *testing.T) {
			t.Parallel()
			w := s.NewWorld(t)
			client := clientOf(t, w)
			client.Set(t.Context(), "session", "alice", 10*24*time.Hour)
			w.Advance(time.Duration(day) * 24 * time.Hour)
			require.Equal(t, day < 10, client.Exists(t.Context(), "session").Val() == 1)
		})
	}
}

func TestAFailover(t *testing.T) {
	old, fresh := miniserver.Run(t, "cluster-enabled yes"), miniserver.Run(t, "cluster-enabled yes")
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{old.Addr()}})
	t.Cleanup(func() { _ = client.Close() })
	client.Set(t.Context(), "cart:7", "shoes", 0)

	require.NoError(t, old.AddFault("failover", "ON", "KEY", "*", "DO", "MOVED", fresh.Addr()))
	client.Set(t.Context(), "cart:7", "hats", 0)
	require.Equal(t, "hats", fresh.Do("GET", "cart:7").Text)
}

func TestCheckout(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	w.Freeze(time.Now())
	checkOut(t.Context(), clientOf(t, w), "alice", "shoes")
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), w.Dump())
}

func checkOut(ctx context.Context, client *redis.Client, user, goods string) {
	client.RPush(ctx, "orders:"+user, goods)
	client.Incr(ctx, "sales")
	client.Set(ctx, "session:"+user, "paid", 10*time.Minute)
}

func TestProductionData(t *testing.T) {
	production := miniserver.Run(t, "load "+dump)
	w := production.Fork(t) // a copy for this test
	client := clientOf(t, w)
	require.EqualValues(t, 11, client.HIncrBy(t.Context(), "stock", "shoes", -1).Val())
	require.Equal(t, "12", production.Do("HGET", "stock", "shoes").Text)
}
