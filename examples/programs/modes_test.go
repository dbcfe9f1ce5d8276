package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// go-redis in cluster mode and in Sentinel mode: a pipeline, a script, a subscription.

func TestClusterMode(t *testing.T) {
	s := miniserver.Run(t, "cluster-enabled yes")
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{s.Addr()}})
	defer client.Close()
	use(t, client)
	require.Equal(t, "7", s.Do("GET", "key:7").Text)
	masters := 0
	require.NoError(t,
		client.ForEachMaster(t.Context(), func(context.Context, *redis.Client) error { masters++; return nil }))
	require.Equal(t, 1, masters)
	require.ErrorContains(t, client.MSet(t.Context(), "a", 1, "b", 2).Err(), "CROSSSLOT")
}

func TestSentinelMode(t *testing.T) {
	s := miniserver.Run(t)
	options := redis.FailoverOptions{MasterName: "mymaster", SentinelAddrs: []string{s.Addr()}}
	client := redis.NewFailoverClient(&options)
	defer client.Close()
	use(t, client)
	require.Equal(t, "7", s.Do("GET", "key:7").Text)

	options.MasterName = "other"
	lost := redis.NewFailoverClient(&options)
	defer lost.Close()
	require.Error(t, lost.Ping(t.Context()).Err())
}

func use(t *testing.T, client redis.UniversalClient) {
	ctx := t.Context()
	pipe := client.Pipeline()
	for n := range 10 {
		pipe.Set(ctx, fmt.Sprint("key:", n), n, 0)
	}
	seven := pipe.Get(ctx, "key:7")
	_, err := pipe.Exec(ctx)
	require.NoError(t, err)
	require.Equal(t, "7", seven.Val())

	add := redis.NewScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")
	for _, want := range []int64{5, 10} {
		got, err := add.Run(ctx, client, []string{"{alice}:visits"}, 5).Int64()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	messages := client.Subscribe(ctx, "news")
	defer messages.Close()
	_, err = messages.Receive(ctx) // the confirmation
	require.NoError(t, err)
	require.NoError(t, client.Publish(ctx, "news", "hello").Err())
	message, err := messages.ReceiveMessage(ctx)
	require.NoError(t, err)
	require.Equal(t, "hello", message.Payload)
}
