package rdb

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

var datasets = flag.Int("datasets", 12, "random datasets to exchange with redis-server")

// client is a connection to a redis-server.
type client struct {
	conn net.Conn
	in   *resp.Reader
}

func dial(t *testing.T, s *reference.Server) *client {
	conn := s.Dial(t)
	return &client{conn, resp.NewReader(conn)}
}

// do runs a command and returns its reply, which must not be an error.
func (c *client) do(t *testing.T, args ...string) resp.Value {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	_, err := c.conn.Write(b.Bytes())
	require.NoError(t, err)
	v, err := c.in.Read()
	require.NoError(t, err)
	require.False(t, v.IsError(), "%.60q: %s", args, v.Text)
	return v
}

// encodings sets redis-server's thresholds so that it uses all encodings in turn.
func (c *client) encodings(t *testing.T, seed int) {
	entries := []string{"0", "3", "128", "100000"}[seed%4]
	for _, name := range []string{"hash-max-listpack-entries", "zset-max-listpack-entries", "set-max-intset-entries"} {
		c.do(t, "CONFIG", "SET", name, entries)
	}
	c.do(t, "CONFIG", "SET", "list-max-listpack-size", []string{"-2", "5", "-1", "-5"}[seed%4])
	c.do(t, "CONFIG", "SET", "list-compress-depth", strconv.Itoa(seed%3))
	c.do(t, "CONFIG", "SET", "rdbcompression", []string{"yes", "no"}[seed%2])
	c.do(t, "CONFIG", "SET", "maxmemory-policy", []string{"noeviction", "allkeys-lru", "allkeys-lfu"}[seed%3])
}

// stock returns random data of the types that a redis-server without modules has, and that do not expire
// during the test.
func stock(rng *rand.Rand, lim Limits) *keyspace.Keyspace {
	ks := keyspace.New(4, rng.Uint64(), dice)
	ks.Now = 1_700_000_000_000
	for i := range 10 + rng.IntN(60) {
		ks.Begin()
		v := randomValue(ks, rng, lim)
		if v.Type() == keyspace.Bloom {
			continue
		}
		key, db := fmt.Appendf(nil, "key:%d", i), ks.DB(rng.IntN(4))
		db.Set(key, v, false)
		if rng.IntN(3) == 0 {
			db.SetDeadline(key, 4e12+rng.Int64N(1e9))
		}
	}
	return ks
}

// Each server reads snapshots and payloads of the other as the same data.
func TestExchangeWithRedis(t *testing.T) {
	server := reference.Start(t, "--dbfilename", "dump.rdb")
	c := dial(t, server)
	path := filepath.Join(server.Dir, "dump.rdb")
	for seed := range *datasets {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		c.encodings(t, seed)
		ks := stock(rng, limits(seed/4%2))
		require.NoError(t, os.WriteFile(path, saved(t, ks, seed%2 == 0), 0o644))
		c.do(t, "DEBUG", "RELOAD", "NOSAVE")
		want := ks.Digest().String()
		require.Equal(t, want, c.do(t, "DEBUG", "DIGEST").Text, "seed %d: ours, read there", seed)

		c.do(t, "SAVE")
		theirs, err := os.ReadFile(path)
		require.NoError(t, err)
		got, err := loaded(theirs, limits(seed%2), int64(len(theirs)))
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, want, got.Digest().String(), "seed %d: theirs, read here", seed)
		check(t, got)
		exchangePayloads(t, c, ks)
		require.Equal(t, want, c.do(t, "DEBUG", "DIGEST").Text, "seed %d: our payloads, read there", seed)
	}
}

// Redis reads when a consumer was last active, and writes it as we do.
func TestExchangeOfActivity(t *testing.T) {
	c := dial(t, reference.Start(t))
	ours := new(Encoder).Payload(nil, idle())
	c.do(t, "RESTORE", "s", "0", string(ours))
	theirs := c.do(t, "DUMP", "s").Text
	require.Equal(t, string(ours[:len(ours)-payloadTail]), theirs[:len(theirs)-payloadTail])
}

// exchangePayloads reads each key of redis-server by DUMP, and restores it there from our payload.
func exchangePayloads(t *testing.T, c *client, ks *keyspace.Keyspace) {
	other := keyspace.New(4, 3, dice)
	var e Encoder
	ks.Records(func(r *keyspace.Record) bool {
		c.do(t, "SELECT", strconv.Itoa(r.DB))
		payload := []byte(c.do(t, "DUMP", r.Key).Text)
		require.True(t, ValidPayload(payload, Newest))
		v, err := ReadPayload(payload, Options{Limits: limits(1), Keyspace: other})
		require.NoError(t, err)
		other.DB(r.DB).SetUntil([]byte(r.Key), v, r.Deadline)
		other.Begin()
		ours := string(e.Payload(nil, r.Value))
		c.do(t, "RESTORE", r.Key, strconv.FormatInt(r.Deadline, 10), ours, "REPLACE", "ABSTTL")
		return true
	})
	require.Equal(t, ks.Digest(), other.Digest(), "their payloads, read here")
	check(t, other)
}
