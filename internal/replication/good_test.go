package replication

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWritesNeedGoodReplicas(t *testing.T) {
	b := newBench(t)
	client := b.NewSession(nil)
	require.Equal(t, "+OK\r\n", b.do(client, "CONFIG SET min-replicas-to-write 1 min-replicas-max-lag 5"))
	require.Equal(t, "-NOREPLICAS Not enough good replicas to write.\r\n", b.do(client, "SET k v"))
	require.Equal(t, "+PONG\r\n", b.do(client, "PING"))

	replica := b.synced()
	require.Equal(t, "+OK\r\n", b.do(client, "SET k v"))
	require.Contains(t, b.do(client, "INFO replication"), "min_slaves_good_slaves:1\r\n")
	b.pass(5)
	require.Equal(t, "+OK\r\n", b.do(client, "SET k v"))
	b.pass(1)
	require.Contains(t, b.do(client, "SET k v"), "NOREPLICAS", "it was silent for too long")
	b.do(replica, "REPLCONF ACK 1")
	b.pass(0)
	require.Equal(t, "+OK\r\n", b.do(client, "SET k v"))
	b.Close(replica)
	require.Contains(t, b.do(client, "SET k v"), "NOREPLICAS", "it has gone")

	require.Equal(t, "+OK\r\n", b.do(client, "CONFIG SET min-replicas-to-write 0"))
	require.Equal(t, "+OK\r\n", b.do(client, "SET k v"))
	require.NotContains(t, b.do(client, "INFO replication"), "min_slaves_good_slaves")
}

func TestDebugReplicateReachesOnlyReplicas(t *testing.T) {
	b := newBench(t)
	replica, client := b.synced(), b.NewSession(nil)
	b.received(replica)
	require.NoError(t, b.Params.Named("enable-debug-command").Set("yes"))
	require.Equal(t, "+OK\r\n", b.do(client, "DEBUG REPLICATE SET a b"))
	require.Equal(t, wire("SET", "a", "b"), b.received(replica))
	require.Equal(t, "$-1\r\n", b.do(client, "GET a"))
}
