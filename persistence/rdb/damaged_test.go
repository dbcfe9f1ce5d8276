package rdb

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/stretchr/testify/require"
)

var damages = flag.Int("damages", 4000, "damaged payloads to restore beside redis-server")

// Redis with sanitize-dump-payload refuses the same damaged payloads, and reads the others as the
// same values.
func TestDamagedPayloadsBesideRedis(t *testing.T) {
	c := dial(t, reference.Release("redis:8.6").Start(t, "--sanitize-dump-payload", "yes"))
	c.do(t, "DEBUG", "SET-ACTIVE-EXPIRE", "0")
	sound := c.samples(t)
	rng := rand.New(rand.NewPCG(7, 7))
	for left := *damages; left > 0; left -= 500 {
		var batch [][]byte
		for range min(left, 500) {
			if b := damaged(rng, sound[rng.IntN(len(sound))]); !announcesMuch(b) {
				batch = append(batch, b)
			}
		}
		for i, theirs := range c.restored(t, batch) {
			ours, err := restored(batch[i])
			if ours != theirs && (err == nil || !onPurpose.MatchString(err.Error())) {
				t.Errorf("type %d: ours %q, %v; theirs %q: %x", batch[i][0], ours, err, theirs, batch[i])
			}
		}
	}
}

// onPurpose are the reasons for which a payload is refused here that Redis takes: it reads such a
// length as 2^64-1 where it does not look whether there is one, keeps deadlines that no command
// sets, takes any text for a score, and does not count the elements of a stream's node.
var onPurpose = regexp.MustCompile("a length begins with the byte|a deadline of a field is out of range|a score is " +
	"not a number|stream: damaged node")

// samples returns payloads of all types: of values that redis-server holds, and of the same as
// older releases wrote them.
func (c *client) samples(t *testing.T) (all [][]byte) {
	for _, line := range sampleCommands {
		c.do(t, strings.Fields(line)...)
	}
	for _, key := range c.do(t, "KEYS", "*").Elems {
		all = append(all, []byte(c.do(t, "DUMP", key.Text).Text))
	}
	for _, body := range olderSamples {
		all = append(all, finish([]byte(body), 0, 12))
	}
	rng := rand.New(rand.NewPCG(8, 8))
	var e Encoder
	for range 200 {
		ks := newKeyspace(1, 1, dice)
		v := randomValue(ks, rng, limits(rng.IntN(2)))
		if payload := e.Payload(nil, v); len(payload) < 400 && v.Type() != bloom.Type {
			all = append(all, payload)
		}
	}
	return all
}

var sampleCommands = []string{"SET s text", "SET i 70000", "RPUSH l a 1 200 70000 b", "SADD ints 1 2 300 70000",
	"SADD words a b 12 long", "HSET h f v g 1 12 13",
	"ZADD z 1 a 2.5 b 3 12", "HSET he f v g 1 h 2 k 4", "HPEXPIREAT he 4000000000000 FIELDS 2 g h",
	"HPEXPIREAT he 4000000000500 FIELDS 1 f",
	"XADD x 1-1 f v", "XADD x 2-1 f w g x", "XADD x 2-2 f w", "XGROUP CREATE x grp 0",
	"XREADGROUP GROUP grp me COUNT 2 STREAMS x >", "XDEL x 2-1",
	"CONFIG SET hash-max-listpack-entries 0 zset-max-listpack-entries 0 set-max-listpack-entries 0 " +
		"set-max-intset-entries 0 list-max-listpack-size 2",
	"RPUSH l2 a b c 1 2 3", "SADD ints2 1 2 300", "SADD words2 a b 12", "HSET h2 f v g 1 12 13",
	"ZADD z2 1 a 2.5 b 3 12", "HSET he2 f v g 1 h 2",
	"HPEXPIREAT he2 4000000000000 FIELDS 2 g h", "PFADD p a b", "DEBUG QUICKLIST-PACKED-THRESHOLD 10b",
	"RPUSH plain a longer-than-ten b", "XADD idem IDMP pr i1 * f v",
	"CONFIG SET hash-max-listpack-entries 512 zset-max-listpack-entries 128 set-max-listpack-entries 128 " +
		"set-max-intset-entries 512 list-max-listpack-size -2"}

// olderSamples are bodies of payloads of the types that no release writes any more: list, set,
// zset, hash, zipmap, list in a ziplist, and hashes with deadlines of release candidates of 7.4.
var olderSamples = []string{
	"\x01\x03\x01a\xc0\x0c\x02bc", "\x02\x03\x01a\xc0\x0c\x02bc", "\x03\x03\x01a\x031.5\x01b\x012\x01c\xfe", "\x04\x02\x01f\x01v\x01g\xc0\x0c", "\x09\x0e\x02\x01f\x01\x00v\x01g\x02\x01vw\x00\xff", "\x0a\x11\x11\x00\x00\x00\x0d\x00\x00\x00\x02\x00\x00\x01a\x03\xfe\x0c\xff", "\x16\x02\x81\x00\x00\x03\xa3\x52\x94\x40\x00\x01f\x01v\x00\x01g\x01w", "\x17\x1e\x1e\x00\x00\x00\x06\x00\x81f\x02\x81v\x02\xf4\x00\x40\x94\x52\xa3\x03\x00\x00\x09\x81g\x02\x01\x01\x00\x01\xff"}

// damaged returns a payload with a few changes and a valid checksum.
func damaged(rng *rand.Rand, payload []byte) []byte {
	b := bytes.Clone(payload[:len(payload)-payloadTail])
	for range 1 + rng.IntN(2) {
		i := rng.IntN(len(b))
		switch rng.IntN(8) {
		case 0:
			b = append(b[:i], b[min(i+1, len(b)-1):]...)
		case 1:
			b = append(b[:i+1], b[i:]...)
		case 2:
			b = append(b, byte(rng.Uint32()))
		case 3:
			b[i] ^= 1 << rng.IntN(8)
		case 4:
			b[i]++
		case 5:
			b[i]--
		case 6:
			b[i] = b[rng.IntN(len(b))]
		default:
			b[i] = []byte{0, 1, 2, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xc0, 0xc3, 0xfe, 0xff}[rng.IntN(12)]
		}
	}
	return finish(b, 0, 13)
}

// announcesMuch reports whether a collection begins with a number of elements of 32 or 64 bits:
// Redis reserves memory for all.
func announcesMuch(b []byte) bool {
	at := 1
	if b[0] == typeHashTTL {
		at = 9
	}
	return b[0] != typeString && len(b) > at && b[at]&^1 == len32
}

// restored returns the digest of the value of a payload; "" and why if it is refused.
func restored(payload []byte) (digest string, err error) {
	ks := newKeyspace(1, 1, dice)
	v, err := ReadPayload(payload,
		Options{Limits: limits(1), Keyspace: ks, Versions: Versions{newest: 13}, Sanitize: true})
	if err != nil {
		return "", err
	}
	ks.DB(0).Set([]byte("k"), v, false)
	return ks.DB(0).ValueDigest([]byte("k")).String(), nil
}

// restored restores payloads, and returns for each the digest of its value; "" if it is refused.
func (c *client) restored(t *testing.T, payloads [][]byte) (digests []string) {
	t.Helper()
	var b bytes.Buffer
	send := func(args ...string) {
		fmt.Fprintf(&b, "*%d\r\n", len(args))
		for _, a := range args {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
		}
	}
	for i, p := range payloads {
		key := "k" + strconv.Itoa(i)
		send("DEL", key)
		send("RESTORE", key, "0", string(p))
		send("DEBUG", "DIGEST-VALUE", key)
	}
	go c.conn.Write(b.Bytes())
	for i := range payloads {
		var v [3]resp.Value
		for j := range v {
			var err error
			v[j], err = c.in.Read()
			require.NoError(t, err, "%x", payloads[i])
		}
		if v[1].IsError() {
			digests = append(digests, "")
		} else {
			digests = append(digests, v[2].Elems[0].Text)
		}
	}
	return digests
}
