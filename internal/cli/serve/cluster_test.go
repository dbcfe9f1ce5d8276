package serve

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/resp"
)

// TestCluster starts a cluster on free ports, and asks each of its nodes.
func TestCluster(t *testing.T) {
	shown, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		args := []string{"--port", "0", "--shards", "2", "--", "--bind", "127.0.0.1", "--ready-json"}
		ended <- Cluster(remoteVerb).Do(ctx, args, nil, out)
	}()
	var ready readyLine
	require.NoError(t, json.NewDecoder(shown).Decode(&ready))
	require.Len(t, ready.Addresses, 4)
	for _, address := range ready.Addresses {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		_, err = conn.Write([]byte("CLUSTER INFO\r\n"))
		require.NoError(t, err)
		reply, err := resp.NewReader(conn).Read()
		require.NoError(t, err)
		require.Contains(t, reply.Text, "cluster_state:ok")
		require.Contains(t, reply.Text, "cluster_known_nodes:4\r\ncluster_size:2\r\n")
		require.NoError(t, conn.Close())
	}
	stop()
	require.NoError(t, <-ended)
	err := Cluster(remoteVerb).Do(t.Context(), []string{"--shards", "0"}, nil, io.Discard)
	require.ErrorAs(t, err, new(subcommand.UsageError))
}

// remoteVerb knows no words.
func remoteVerb(context.Context, string, []string, io.Writer) (known bool, err error) {
	return false, nil
}
