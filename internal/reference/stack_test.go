package reference

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/resp"
)

// TestRedisStackIsARedisWithModules: the script that starts it passes arguments on, and leaves
// nothing behind when it is stopped.
func TestRedisStackIsARedisWithModules(t *testing.T) {
	var s *Server
	t.Run("runs", func(t *testing.T) {
		s = RedisStack74.Start(t, "--maxmemory", "10mb")
		require.True(t, s.Release.Stack)
		conn := s.Dial(t)
		in, out := resp.NewReader(conn), resp.NewWriter(2)
		out.Command("CONFIG", "GET", "maxmemory")
		out.Command("MODULE", "LIST")
		_, err := conn.Write(out.Bytes())
		require.NoError(t, err)
		v, err := in.Read()
		require.NoError(t, err)
		require.Equal(t, map[string]string{"maxmemory": "10485760"}, v.StringMap())
		v, err = in.Read()
		require.NoError(t, err)
		versions := map[string]int64{}
		for _, module := range v.Elems {
			versions[module.Elems[1].Text] = module.Elems[3].Int
		}
		require.Equal(t, []int64{20803, 20802}, []int64{versions["ReJSON"], versions["bf"]})
	})
	if s == nil {
		return
	}
	_, err := net.Dial("unix", s.Socket)
	require.Error(t, err)
	require.NoDirExists(t, s.Dir)
}
