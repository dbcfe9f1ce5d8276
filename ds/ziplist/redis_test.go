package ziplist

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// contents is how many lists are compared with Redis'.
const contents = 10_000

// recorded is the digest of the ziplists of all contents as redis-server 6.2.6 wrote them into
// DUMP's replies. It was taken from there and not from here: TestBytesOfRedis takes it again.
const recorded = "3ff9297e8f984480961fd4bb5cd1e0090c7f83aff42bf6dd59949a01e7454afc"

// act is one change of a list: a command of Redis and what it does to ours.
type act struct {
	command []string
	do      func(l List) List
}

// someValue returns a text of one of the kinds that are encoded differently: integers of all widths
// and their borders, texts that look like integers, texts around the lengths where encodings
// and prevlens change.
func someValue(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return strconv.Itoa(r.IntN(16))
	case 1:
		border := int64(1) << []int{7, 8, 15, 16, 23, 24, 31, 32, 52, 62}[r.IntN(10)]
		return strconv.FormatInt((border+r.Int64N(5)-2)*(1-2*r.Int64N(2)), 10)
	case 2:
		return []string{"", "-0", "007", "+1", "-", "1.5", " 1", "9223372036854775807", "-9223372036854775808",
			"9223372036854775808"}[r.IntN(10)]
	case 3:
		return strconv.FormatInt(1_700_000_000_000+r.Int64N(1e9), 10)
	case 4:
		return someText(r, 240+r.IntN(20))
	case 5:
		return someText(r, 60+r.IntN(8))
	case 6:
		if r.IntN(20) == 0 {
			return someText(r, 16380+r.IntN(8))
		}
	}
	return someText(r, r.IntN(30))
}

func someText(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// content returns the changes that make list i, and their outcome.
func content(i int) (acts []act, l List) {
	r := rand.New(rand.NewPCG(uint64(i), 62))
	key, l := strconv.Itoa(i), New()
	for range 1 + r.IntN(24) {
		a := someAct(r, key, l)
		if grown := a.do(own(l)); len(grown) < 60_000 && !grown.Empty() {
			acts, l = append(acts, a), grown
		}
	}
	if l.Empty() {
		l = l.Append([]byte("x"))
		acts = append(acts, act{command: []string{"RPUSH", key, "x"}})
	}
	return acts, l
}

func someAct(r *rand.Rand, key string, l List) act {
	v := someValue(r)
	if n := l.Len(); n > 0 {
		i := r.IntN(n)
		switch e, _ := l.Get(l.Index(i)); r.IntN(9) {
		case 0:
			pivot := e.Append(nil)
			return act{[]string{"LINSERT", key, "BEFORE", string(pivot), v}, func(l List) List {
				return l.Insert(l.Find(pivot, l.First(), 0), []byte(v))
			}}
		case 1:
			pivot := e.Append(nil)
			return act{[]string{"LINSERT", key, "AFTER", string(pivot), v}, func(l List) List {
				return l.Insert(l.Next(l.Find(pivot, l.First(), 0)), []byte(v))
			}}
		case 2:
			return act{[]string{"LSET", key, strconv.Itoa(i), v},
				func(l List) List { return l.Replace(l.Index(i), []byte(v)) }}
		case 3:
			text := e.Append(nil)
			return act{[]string{"LREM", key, "1", string(text)},
				func(l List) List { return l.Delete(l.Find(text, l.First(), 0), 1) }}
		case 4:
			return act{[]string{"LPOP", key}, func(l List) List { return l.Delete(l.First(), 1) }}
		}
	}
	if r.IntN(2) == 0 {
		return act{[]string{"LPUSH", key, v}, func(l List) List { return l.Prepend([]byte(v)) }}
	}
	return act{[]string{"RPUSH", key, v}, func(l List) List { return l.Append([]byte(v)) }}
}

// own returns a copy to change, so that a change that is not taken has no effect.
func own(l List) List { return append(List(nil), l...) }

// TestBytesAreThoseOfRedis compares the bytes of ten thousand random lists, each made by random
// changes, with those that redis-server 6.2.6 wrote.
func TestBytesAreThoseOfRedis(t *testing.T) {
	sum := sha256.New()
	for i := range contents {
		_, l := content(i)
		require.NoError(t, l.Check())
		sum.Write(l)
	}
	require.Equal(t, recorded, hex.EncodeToString(sum.Sum(nil)))
}

// TestBytesOfRedis makes the same lists in a redis-server that still has ziplists.
func TestBytesOfRedis(t *testing.T) {
	path := reference.Release("redis:6.2").Path(t) // Redis 7.0 has no ziplists
	process, err := launch.Start(launch.Spec{Path: path, Unix: true,
		Args: []string{"--rdbcompression", "no", "--list-max-ziplist-size", "-5"}})
	require.NoError(t, err)
	defer process.Stop()
	conn, err := net.Dial(process.Network, process.Address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	in, sum := resp.NewReader(conn), sha256.New()
	for i := range contents {
		acts, l := content(i)
		theirs := remake(t, conn, in, append(acts, act{command: []string{"DUMP", strconv.Itoa(i)}}))
		require.True(t, bytes.Equal(theirs, l), "list %d\n%s\ntheirs %x\nours   %x", i, told(acts), theirs, []byte(l))
		sum.Write(theirs)
	}
	require.Equal(t, recorded, hex.EncodeToString(sum.Sum(nil)))
}

func told(acts []act) string {
	var b strings.Builder
	for _, a := range acts {
		fmt.Fprintf(&b, "%q\n", a.command)
	}
	return b.String()
}

// remake sends the commands and returns the ziplist in the last one's reply.
func remake(t *testing.T, conn net.Conn, in *resp.Reader, acts []act) List {
	w := resp.NewWriter(2)
	for _, a := range acts {
		w.Array(len(a.command))
		for _, word := range a.command {
			w.BulkString(word)
		}
	}
	_, err := conn.Write(w.Bytes())
	require.NoError(t, err)
	var v resp.Value
	for _, a := range acts {
		v, err = in.Read()
		require.NoError(t, err)
		require.False(t, v.IsError(), "%q: %s", a.command, v.Text)
	}
	return payload([]byte(v.Text))
}

// payload cuts the one ziplist out of a DUMP of a list: 0e, 01 for one node, its length in 6, 14 or
// 32 bits, the ziplist, and ten bytes of version and checksum.
func payload(dump []byte) List {
	if len(dump) < 13 || dump[0] != 14 || dump[1] != 1 {
		return nil
	}
	n, body := 0, dump[2:len(dump)-10]
	switch body[0] >> 6 {
	case 0:
		n, body = int(body[0]), body[1:]
	case 1:
		n, body = int(binary.BigEndian.Uint16(body)&0x3fff), body[2:]
	default:
		n, body = int(binary.BigEndian.Uint32(body[1:])), body[5:]
	}
	if n != len(body) {
		return nil
	}
	return List(body)
}
