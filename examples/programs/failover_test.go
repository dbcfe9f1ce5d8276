package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// TestFailover kills a master that Sentinels of Redis supervise, under a client that must find the
// next one: it writes and reads again, and gets the messages of the channel to which it had
// subscribed.
func TestFailover(t *testing.T) {
	sentinel := reference.Require(t, "redis-sentinel")
	master, replica := replicated(t)
	var sentinels []string
	for range 3 {
		sentinels = append(sentinels, supervise(t, sentinel, master))
	}
	await(t, "the Sentinels know all", func() bool { return informed(t, sentinels) })

	client := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "mymaster", SentinelAddrs: sentinels,
		ContextTimeoutEnabled: true})
	defer client.Close()
	messages := client.Subscribe(t.Context(), "news")
	defer messages.Close()
	received := messages.Channel()
	exchange(t, client, "before", received)
	require.EqualValues(t, 1, client.Wait(t.Context(), 1, patience).Val())

	require.NoError(t, master.Stop()) // kill -9
	exchange(t, client, "after", received)
	require.Equal(t, "before", client.Get(t.Context(), "before").Val())
	next := redis.NewClient(&redis.Options{Addr: replica.Address})
	defer next.Close()
	require.Equal(t, "after", next.Get(t.Context(), "after").Val())
	require.Contains(t, next.Info(t.Context(), "replication").Val(), "role:master")
}

// replicated starts a master and its replica.
func replicated(t *testing.T) (master, replica *launch.Server) {
	path, err := launch.Build(filepath.Join("..", ".."), "./cmd/miniserver")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
	start := func(args ...string) *launch.Server {
		s, err := launch.Start(launch.Spec{Path: path, Args: args})
		require.NoError(t, err)
		t.Cleanup(func() { s.Stop() })
		return s
	}
	master = start()
	return master, start("--replicaof", "127.0.0.1 "+master.Port())
}

// supervise starts a Sentinel and returns its address.
func supervise(t *testing.T, path string, master *launch.Server) (addr string) {
	port, err := launch.FreePort()
	require.NoError(t, err)
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor mymaster 127.0.0.1 %s 2\n"+
		"sentinel down-after-milliseconds mymaster 500\nsentinel failover-timeout mymaster 2000\n", port, master.Port())
	require.NoError(t, os.WriteFile(conf, []byte(text), 0o600))
	process := exec.Command(path, conf)
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait()
	})
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// informed reports whether all Sentinels know each other and the replica. It also makes them look
// more often than once in ten seconds.
func informed(t *testing.T, sentinels []string) bool {
	for _, addr := range sentinels {
		c := redis.NewSentinelClient(&redis.Options{Addr: addr})
		defer c.Close()
		hasten := redis.NewCmd(t.Context(), "SENTINEL", "DEBUG", "info-period", "200", "publish-period", "200",
			"ask-period", "100")
		if c.Process(t.Context(), hasten) != nil {
			return false
		}
		master := c.Master(t.Context(), "mymaster").Val()
		replicas := c.Replicas(t.Context(), "mymaster").Val()
		if master["num-other-sentinels"] != "2" || len(replicas) != 1 || replicas[0]["master-link-status"] != "ok" ||
			replicas[0]["flags"] != "slave" {
			return false
		}
	}
	return true
}

// exchange writes a key, reads it, and publishes its name until the subscriber has received it.
func exchange(t *testing.T, client redis.UniversalClient, name string, received <-chan *redis.Message) {
	await(t, "writes reach a master "+name, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return client.Set(ctx, name, name, 0).Err() == nil && client.Get(ctx, name).Val() == name
	})
	await(t, "messages arrive "+name, func() bool {
		client.Publish(t.Context(), "news", name)
		select {
		case m := <-received:
			return m.Payload == name
		case <-time.After(100 * time.Millisecond):
			return false
		}
	})
}

// await waits for what must come.
func await(t *testing.T, what string, ok func() bool) {
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "it takes too long until "+what)
	}
}
