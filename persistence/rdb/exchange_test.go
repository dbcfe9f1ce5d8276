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

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/stretchr/testify/require"
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

// stock returns random data of the types that a redis-server without modules has, and that do not
// expire during the test.
func stock(rng *rand.Rand, lim Limits) *keyspace.Keyspace {
	ks := newKeyspace(4, rng.Uint64(), dice)
	ks.Now = 1_700_000_000_000
	for i := range 10 + rng.IntN(60) {
		ks.Begin()
		v := randomValue(ks, rng, lim)
		if v.Type() == bloom.Type {
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

// Valkey 9 reads what is written in its format, and its snapshots are read: fields with deadlines,
// in a packed hash and in a table, too.
func TestExchangeWithValkey(t *testing.T) {
	server := reference.Valkey91.Start(t, "--dbfilename", "dump.rdb")
	c := dial(t, server)
	path := filepath.Join(server.Dir, "dump.rdb")
	for seed := range *datasets / 2 {
		ks := stock(rand.New(rand.NewPCG(uint64(seed), 2)), limits(1))
		for key, lim := range map[string]hash.Limits{"packed": limits(1).Hash, "table": limits(2).Hash} {
			h := &hash.Hash{}
			for i := range 20 {
				field := fmt.Appendf(nil, "f%d", i)
				h.Set(field, field, lim)
				h.SetDeadline(field, int64(i%2)*(4e12+int64(i)), dice)
			}
			ks.DB(0).Set([]byte(key), h, false)
		}
		format := FormatOf(release.Exactly("valkey", "9.1.2"), seed%2 == 0)
		require.NoError(t, os.WriteFile(path, savedAs(t, ks, seed%2 == 0, format), 0o644))
		c.do(t, "DEBUG", "RELOAD", "NOSAVE")
		for _, key := range []string{"packed", "table"} {
			require.Equal(t, int64(4e12+7), c.do(t, "HPEXPIRETIME", key, "FIELDS", "2", "f7", "f8").Elems[0].Int)
		}

		c.do(t, "SAVE")
		theirs, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "VALKEY080", string(theirs[:9]))
		got, err := loaded(theirs, limits(1), int64(len(theirs)))
		require.NoError(t, err)
		require.Equal(t, ks.Digest(), got.Digest(), "seed %d", seed)
		check(t, got)
	}
}

// Redis reads when a consumer was last active, and writes it as we do.
func TestExchangeOfActivity(t *testing.T) {
	c := dial(t, reference.Redis80.Start(t))
	ours := new(Encoder).Payload(nil, idle())
	c.do(t, "RESTORE", "s", "0", string(ours))
	theirs := c.do(t, "DUMP", "s").Text
	require.Equal(t, string(ours[:len(ours)-payloadTail]), theirs[:len(theirs)-payloadTail])
}

// exchangePayloads reads each key of redis-server by DUMP, and restores it there from our payload.
func exchangePayloads(t *testing.T, c *client, ks *keyspace.Keyspace) {
	other := newKeyspace(4, 3, dice)
	var e Encoder
	ks.Records(func(r *keyspace.Record) bool {
		c.do(t, "SELECT", strconv.Itoa(r.DB))
		payload := []byte(c.do(t, "DUMP", r.Key).Text)
		require.True(t, ValidPayload(payload, Versions{}))
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
