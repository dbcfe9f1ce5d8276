package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/cluster"
)

// clusterClient returns a client of a cluster.
func clusterClient(t *testing.T, c *cluster.Cluster) *redis.ClusterClient {
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// TestClusterFailover ends a master. A replica takes its place after the timeout of 15 seconds, and
// has what was confirmed. The master is started again, as a supervisor would.
func TestClusterFailover(t *testing.T) {
	c := cluster.Run(t, 3, 1)
	client := clusterClient(t, c)
	for i := range 100 {
		require.NoError(t, client.Set(t.Context(), fmt.Sprint("key:", i), i, 0).Err())
	}
	require.NoError(t, c.Kill(c.Addrs()[1]))
	c.Advance(16 * time.Second)
	require.NoError(t, c.Cont(c.Addrs()[1]))
	for i := range 100 {
		got, err := client.Get(t.Context(), fmt.Sprint("key:", i)).Int()
		require.NoError(t, err)
		require.Equal(t, i, got)
	}
}

// TestClusterResharding moves slots while a client uses them.
func TestClusterResharding(t *testing.T) {
	c := cluster.Run(t, 3, 1)
	client := clusterClient(t, c)
	for i := range 100 {
		require.NoError(t, client.Set(t.Context(), fmt.Sprint("key:", i), i, 0).Err())
	}
	require.NoError(t, c.Move(c.Addrs()[2], "0-5000"))
	for i := range 100 {
		got, err := client.Get(t.Context(), fmt.Sprint("key:", i)).Int()
		require.NoError(t, err)
		require.Equal(t, i, got)
	}
}

// TestClusterLosesWrite confirms a write that a failover loses.
func TestClusterLosesWrite(t *testing.T) {
	c := cluster.Run(t, 3, 1)
	client := clusterClient(t, c)
	require.NoError(t, client.Set(t.Context(), "kept", "yes", 0).Err())
	require.NoError(t, client.Set(t.Context(), "{kept}too", "yes", 0).Err())
	master, err := client.MasterForKey(t.Context(), "kept")
	require.NoError(t, err)
	require.NoError(t, c.Lose(master.Options().Addr))
	require.NoError(t, client.Set(t.Context(), "{kept}lost", "yes", 0).Err())
	require.NoError(t, c.Failover(master.Options().Addr))
	require.Equal(t, "yes", client.Get(t.Context(), "kept").Val())
	require.ErrorIs(t, client.Get(t.Context(), "{kept}lost").Err(), redis.Nil)
}
