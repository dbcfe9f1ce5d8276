package commands_test

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// counted are commands with the number of changes that Redis 8.6 counts for each:
// rdb_changes_since_last_save, by which save points go.
const counted = `
1 SET a 1
1 SET a 1 EX 100
1 SET a 1 KEEPTTL
1 SET a 1 GET
1 SETEX a 100 v
1 GETSET a 1
1 APPEND a 1
1 APPEND a ""
1 SETRANGE a 0 xy
0 SETRANGE a 0 ""
3 MSET a 1 b 2 c 3
2 MSETNX x 1 y 2
2 MSETEX 2 a 1 b 2 EX 100
2 MSETEX 2 a 1 b 2
1 INCR n
1 INCRBYFLOAT n 1.5
1 GETEX a EX 100
1 GETEX a PERSIST
1 GETDEL y
1 EXPIRE a 100
1 EXPIRE a -1
1 SET a 1 PXAT 1
0 PERSIST a
1 DEL a b
1 UNLINK c
1 RENAME x z
1 RENAMENX z x
0 RENAME x x
1 COPY x zz
1 MOVE x 1
4 RPUSH l a b c d
2 LPUSHX l a b
0 LPUSHX nol a b
2 LPOP l 2
0 LPOP l 0
1 LREM l 0 a
3 RPUSH l a a a
3 LREM l 0 a
2 LTRIM l 0 0
0 LTRIM l 0 0
5 RPUSH l a b c d e
5 LTRIM l 5 9
3 RPUSH l a b c
4 LPOP l 100
3 RPUSH l a b c
1 LINSERT l BEFORE c x
1 LSET l 0 q
1 LMOVE l l2 LEFT LEFT
1 RPOPLPUSH l l2
2 LMPOP 1 l LEFT COUNT 5
1 BLPOP l2 0
1 BRPOPLPUSH l2 l3 1
2 RPUSH l2 a b
2 BLMPOP 1 1 l2 LEFT COUNT 2
3 SADD s a b c
0 SADD s a b c
3 SADD s 1 2 3
1 SREM s a zz
0 SREM s zz
2 SMOVE s s2 b
1 SADD s2 c
1 SMOVE s s2 c
2 SPOP s 2
1 SPOP s 100
3 SADD s a b c
1 SPOP s
1 SINTERSTORE s3 s
1 SUNIONSTORE s3 s s2
1 SDIFFSTORE s3 nokey
0 SDIFFSTORE s3 nokey
2 ZADD z1 1 a 2 b
1 ZADD z1 1 a 3 b
0 ZADD z1 1 a
1 ZINCRBY z1 1 a
0 ZINCRBY z1 0 a
1 ZADD z1 INCR 1 a
2 ZREM z1 a b
4 ZADD z1 1 a 2 b 3 c 4 d
2 ZPOPMIN z1 2
2 ZPOPMAX z1 9
4 ZADD z1 1 a 2 b 3 c 4 d
2 ZMPOP 1 z1 MIN COUNT 2
1 BZPOPMIN z1 1
3 ZADD z1 1 a 2 b 3 c 4 d
2 ZREMRANGEBYSCORE z1 1 2
2 ZREMRANGEBYLEX z1 - +
0 ZREMRANGEBYRANK z1 0 -1
4 ZADD z1 1 a 2 b 3 c 4 d
1 ZUNIONSTORE z2 1 z1
1 ZINTERSTORE z2 1 z1
1 ZRANGESTORE z3 z1 0 -1
1 ZRANGESTORE z3 nokey 0 -1
2 HSET h a 1 b 2
2 HSET h a 1 b 2
1 HMSET h a 3
1 HSETNX h c 1
1 HINCRBY h n 1
1 HINCRBYFLOAT h n 1
2 HDEL h a b
3 HSET h a 1 b 2 d 4
2 HEXPIRE h 100 FIELDS 2 c d
1 HPEXPIREAT h 1 FIELDS 1 d
1 HPERSIST h FIELDS 1 c
0 HPERSIST h FIELDS 1 c
2 HGETEX h EX 100 FIELDS 2 a b
2 HGETEX h PERSIST FIELDS 2 a b
0 HGETEX h FIELDS 2 a b
2 HSETEX h EX 100 FIELDS 2 a 1 b 2
2 HSETEX h FIELDS 2 a 1 b 2
2 HSETEX h PXAT 1 FIELDS 2 a 1 b 2
3 HSETEX h EX 100 FIELDS 3 a 1 b 2 e 5
3 HSETEX h KEEPTTL FIELDS 3 a 1 b 2 e 5
3 HSETEX h PXAT 1 FIELDS 3 a 1 b 2 e 5
2 HGETEX h PXAT 1 FIELDS 2 c n
2 HSET h a 1 b 2
2 HGETDEL h FIELDS 2 a b
0 HGETDEL h FIELDS 2 a b
1 XADD st 1-1 a 1
1 XADD st 1-2 a 1
1 XADD st 1-3 a 1
1 XADD st MAXLEN 2 1-4 a 1
1 XTRIM st MAXLEN 1
0 XTRIM st MAXLEN 1
1 XADD st 1-5 a 1
1 XADD st 1-6 a 1
1 XADD st 1-7 a 1
1 XGROUP CREATE st g 0
1 XGROUP CREATECONSUMER st g c0
2 XREADGROUP GROUP g c STREAMS st >
0 XREADGROUP GROUP g c STREAMS st 0
1 XREADGROUP GROUP g cc NOACK STREAMS st >
3 XCLAIM st g d 0 1-5 1-6
1 XCLAIM st g d 0 1-5 JUSTID
5 XAUTOCLAIM st g e 0 0
2 XACK st g 1-5 1-6
1 XADD st 1-8 a 1
2 XREADGROUP GROUP g c2 STREAMS st >
2 XDEL st 1-5 1-6
1 XDELEX st IDS 1 1-7
1 XACKDEL st g IDS 1 1-8
1 XGROUP SETID st g 0
1 XGROUP DELCONSUMER st g c
1 XGROUP DESTROY st g
1 XSETID st 9-9
3 PFADD hll a b
0 PFADD hll a b
0 PFADD hll
1 PFADD hllx
1 PFMERGE hll2 hll
1 PFCOUNT hll
2 GEOADD geo 1 1 a 2 2 b
1 GEOADD geo 1 1 a 2 2 c
3 GEOSEARCHSTORE geo2 geo FROMMEMBER a BYRADIUS 9000 km
1 GEOSEARCHSTORE geo2 geo FROMLONLAT 100 50 BYRADIUS 1 m
1 SETBIT bit 1 1
0 SETBIT bit 1 1
1 BITOP NOT bit2 bit
1 BITOP NOT bit2 nokey
2 BITFIELD bit SET u8 0 1 SET u8 8 2
0 BITFIELD bit SET u8 0 1 SET u8 8 2
1 BITFIELD bit SET u8 0 1 SET u8 8 3
3 RPUSH so 3 1 2
3 SORT so STORE so2
1 SORT nokey STORE so2
0 SORT nokey STORE so2
3 EVAL "redis.call('set','q',1) redis.call('rpush','qq',1,2)" 0
0 MULTI
0 SET a 1
0 RPUSH tx 1 2 3
4 EXEC
1 FUNCTION LOAD "#!lua name=lib\nredis.register_function('f', function() return 1 end)"
1 FUNCTION DELETE lib
1 FUNCTION FLUSH
1 SET f 1
0 SELECT 1
1 SET f 1
0 SELECT 0
1 SWAPDB 0 1
1 SWAPDB 0 1
1 SWAPDB 0 0
1 SET a 1 EX 100
19 FLUSHDB
0 FLUSHDB
1 SET a 1
3 FLUSHALL
0 FLUSHALL
1 SET a 1
0 PUBLISH c x
0 SCRIPT FLUSH
0 SCRIPT LOAD "return 1"
`

func TestChanges(t *testing.T) {
	of, err := release.Parse("redis:8.6")
	require.NoError(t, err)
	e, s := newCompleteLike(of)
	eachCounted(func(n int64, words [][]byte, line string) {
		before := e.Home().Unsaved
		e.Do(s, [][][]byte{words})
		require.Equal(t, n, e.Home().Unsaved-before, line)
	})
}

func TestRedisCountsTheSameChanges(t *testing.T) {
	server := reference.Default.Start(t)
	conn, other := server.Dial(t), server.Dial(t)
	dirty := func() (n int64) {
		text := asked(t, other, [][]byte{[]byte("INFO"), []byte("persistence")}).Text
		_, rest, _ := strings.Cut(text, "rdb_changes_since_last_save:")
		number, _, _ := strings.Cut(rest, "\r")
		n, err := strconv.ParseInt(number, 10, 64)
		require.NoError(t, err)
		return n
	}
	eachCounted(func(n int64, words [][]byte, line string) {
		before := dirty()
		asked(t, conn, words)
		require.Equal(t, n, dirty()-before, line)
	})
}

// eachCounted calls do for each command of counted.
func eachCounted(do func(n int64, words [][]byte, line string)) {
	for line := range strings.Lines(strings.TrimSpace(counted)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseInt(number, 10, 64)
		words, _ := resp.Words([]byte(command), nil)
		do(n, words, command)
	}
}

// asked sends a command, and returns the reply.
func asked(t *testing.T, conn net.Conn, words [][]byte) resp.Value {
	w := resp.NewWriter(2)
	w.Array(len(words))
	for _, word := range words {
		w.Bulk(word)
	}
	_, err := conn.Write(w.Bytes())
	require.NoError(t, err)
	v, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	return v
}
