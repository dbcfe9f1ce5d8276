package rdb

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

var corruptions = flag.Int("corruptions", 3000, "random corruptions of snapshots to read")

// TestTruncation cuts a snapshot of all types at every byte.
func TestTruncation(t *testing.T) {
	file := smallSnapshot(t)
	for n := range len(file) {
		for _, size := range []int64{0, int64(n)} {
			ks, err := loaded(file[:n], limits(1), size)
			require.Error(t, err, "cut at byte %d", n)
			check(t, ks)
		}
	}
	_, err := loaded(file, limits(1), 0)
	require.NoError(t, err)
}

// smallSnapshot returns a snapshot of some kilobytes with a few values of each type.
func smallSnapshot(t *testing.T) []byte {
	rng := rand.New(rand.NewPCG(4, 4))
	ks := newKeyspace(4, 1, dice)
	ks.Now = 1_700_000_000_000
	for i := 0; i < 60; i++ {
		ks.Begin()
		if v := randomValue(ks, rng, limits(i%2)); v.Len() < 20 && v.Bytes() < 600 {
			ks.DB(i%4).SetUntil(fmt.Appendf(nil, "key:%d", i), v, int64(i%3)*2e12)
		}
	}
	return saved(t, ks, true)
}

// Reading a damaged snapshot returns an error, because of the checksum. Without a checksum it may
// return other data, but these data satisfy all invariants.
func TestCorruption(t *testing.T) {
	file := smallSnapshot(t)
	rng := rand.New(rand.NewPCG(5, 5))
	for range *corruptions {
		b := corrupted(file, rng)
		if bytes.Equal(b, file) {
			continue
		}
		_, err := loaded(b, limits(1), int64(len(b)))
		require.Error(t, err)
		copy(b[len(b)-8:], make([]byte, 8)) // no checksum
		ks, _ := loaded(b, limits(1), int64(len(b)))
		check(t, ks)
	}
}

// corrupted returns a copy of a snapshot with a few changed bytes after the header.
func corrupted(file []byte, rng *rand.Rand) []byte {
	b := bytes.Clone(file)
	body := b[9 : len(b)-8]
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(body))
		switch rng.IntN(3) {
		case 0:
			body[i] ^= 1 << rng.IntN(8)
		case 1:
			body[i] = []byte{0, 1, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xc0, 0xc3, 0xfe, 0xff}[rng.IntN(11)]
		default:
			copy(body[i:], body[rng.IntN(len(body)):][:rng.IntN(8)%(len(body)-i)])
		}
	}
	return b
}

// Reading damaged payloads with a valid checksum returns an error or a valid value.
func TestDamagedPayloads(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var e Encoder
	for range *corruptions / 10 {
		ks := newKeyspace(1, 1, dice)
		v := randomValue(ks, rng, limits(rng.IntN(2)))
		if v.Bytes() > 5000 {
			continue
		}
		if rng.IntN(2) == 0 {
			v = withDeadlines(rng, ks, v)
		}
		payload := e.Payload(nil, v)
		for range 10 {
			b := bytes.Clone(payload)
			data := b[:len(b)-payloadTail]
			for range 1 + rng.IntN(3) {
				data[rng.IntN(len(data))] = byte(rng.Uint32())
			}
			seal(b)
			readDamaged(t, b)
		}
	}
}

func seal(b []byte) { binary.LittleEndian.PutUint64(b[len(b)-8:], Sum(0, b[:len(b)-8])) }

func readDamaged(t *testing.T, b []byte) {
	ks := newKeyspace(1, 1, dice)
	if !ValidPayload(b, Versions{}) {
		return
	}
	v, err := ReadPayload(b, Options{Limits: limits(1), Keyspace: ks})
	if err != nil {
		return
	}
	ks.DB(0).Set([]byte("k"), v, false)
	require.NoError(t, ks.DB(0).Check(), "%q", b)
}

// FuzzPayload runs readDamaged on the fuzzer's input.
func FuzzPayload(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 7))
	var e Encoder
	for range 40 {
		f.Add(e.Payload(nil, randomValue(newKeyspace(1, 1, dice), rng, limits(rng.IntN(2)))))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= payloadTail {
			b = bytes.Clone(b)
			binary.LittleEndian.PutUint16(b[len(b)-payloadTail:], oldest)
			seal(b)
			readDamaged(t, b)
		}
	})
}

// An announced length costs no memory unless the bytes are there.
func TestAnnouncedLengthsTakeNoMemory(t *testing.T) {
	for name, body := range map[string]string{
		"a text":                 "\x00\x01k\x81\x00\x00\x00\x10\x00\x00\x00\x00",
		"a text of 2 GiB":        "\x00\x01k\x80\x7f\xff\xff\xff",
		"a compressed text":      "\x00\x01k\xc3\x04\x80\x7f\xff\xff\xff\x00a\x00b",
		"a list":                 "\x01\x01k\x81\x00\x00\x00\x10\x00\x00\x00\x00\x01a",
		"a set":                  "\x02\x01k\x80\x7f\xff\xff\xff\x01a",
		"a hash":                 "\x04\x01k\x80\x7f\xff\xff\xff\x01a\x01b",
		"a sorted set":           "\x05\x01k\x80\x7f\xff\xff\xff\x01a12345678",
		"a stream":               "\x0f\x01k\x80\x7f\xff\xff\xff",
		"the keys of a database": "\xfb\x81\x00\x00\x00\x10\x00\x00\x00\x00\x01",
	} {
		file := "REDIS0009\xfe\x00" + body
		for _, size := range []int64{0, int64(len(file))} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := loaded([]byte(file), limits(1), size)
			runtime.ReadMemStats(&after)
			require.Error(t, err, name)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), name)
		}
	}
}
