package hll

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// redis is a connection to a redis-server.
type redis struct {
	t      *testing.T
	conn   net.Conn
	reader *resp.Reader
}

func (r redis) send(args ...string) {
	w := resp.NewWriter(2)
	w.Array(len(args))
	for _, a := range args {
		w.BulkString(a)
	}
	_, err := r.conn.Write(w.Bytes())
	require.NoError(r.t, err)
}

func (r redis) do(args ...string) resp.Value {
	r.send(args...)
	v, err := r.reader.Read()
	require.NoError(r.t, err)
	require.False(r.t, v.IsError(), "%s", v)
	return v
}

func startRedis(t *testing.T) redis {
	conn := reference.Start(t).Dial(t)
	return redis{t, conn, resp.NewReader(io.Reader(conn))}
}

// TestBytesAgainstRedis adds the same elements to our sketch and to redis-server's, and compares
// all bytes after each batch.
func TestBytesAgainstRedis(t *testing.T) {
	server := startRedis(t)
	r := rand.New(rand.NewPCG(7, 8))
	for _, limit := range []int{0, 100, 3000, 12000} {
		server.do("CONFIG", "SET", "hll-sparse-max-bytes", strconv.Itoa(limit))
		server.do("DEL", "k")
		s := New()
		for step := range 120 {
			var batch []string
			for range 1 + r.IntN(2+step) {
				batch = append(batch, strconv.FormatUint(r.Uint64N(1e5), r.IntN(35)+2))
			}
			added := int64(0)
			for _, e := range batch {
				var changed bool
				var err error
				s, changed, err = s.Add([]byte(e), limit)
				require.NoError(t, err)
				if changed {
					added = 1
				}
			}
			reply := server.do(append([]string{"PFADD", "k"}, batch...)...)
			require.Equal(t, added, reply.Int)
			require.Equal(t, server.do("GET", "k").Text, string(s), "limit %d, step %d", limit, step)
			if step%10 == 0 {
				n, err := s.Count()
				require.NoError(t, err)
				s.SetCached(n)
				require.Equal(t, server.do("PFCOUNT", "k").Int, n)
			}
		}
		t.Logf("limit %d: %d bytes in the end, dense: %v", limit, len(s), s.Dense())
	}
}

// TestAMillionUsers repeats the example of an article on Redis, one PFADD for each of a million
// users, and gets the estimate that the article shows.
func TestAMillionUsers(t *testing.T) {
	const users = 1000000
	s := New()
	for i := range users {
		s, _, _ = s.Add(fmt.Appendf(nil, "user%d", i), sparseMax)
	}
	n, err := s.Count()
	require.NoError(t, err)
	require.EqualValues(t, 1001788, n)
	require.InEpsilon(t, users, n, 0.02)

	server := startRedis(t)
	for i := 0; i < users; i += 1000 {
		batch := []string{"PFADD", "codehole"}
		for j := range 1000 {
			batch = append(batch, "user"+strconv.Itoa(i+j))
		}
		server.do(batch...)
	}
	require.Equal(t, server.do("PFCOUNT", "codehole").Int, n)
}
