package keyspace

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/resp"
)

// Digest is a fingerprint of data, the one of Redis' DEBUG DIGEST: equal data have equal digests here
// and there, whatever their encodings and their order.
type Digest [sha1.Size]byte

// String returns the digest as 40 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// xor adds data whose order does not count.
func (d *Digest) xor(data []byte) {
	sum := sha1.Sum(data)
	for i := range d {
		d[i] ^= sum[i]
	}
}

// mix adds data whose order counts.
func (d *Digest) mix(data []byte) {
	d.xor(data)
	*d = sha1.Sum(d[:])
}

// mixNumber adds a number as Redis does, in 32 bits of network order.
func (d *Digest) mixNumber(n int) {
	d.mix(binary.BigEndian.AppendUint32(nil, uint32(n)))
}

// redisTypes are the numbers of the types in Redis.
var redisTypes = map[Type]int{String: 0, List: 1, Set: 2, ZSet: 3, Hash: 4, Bloom: 5, Stream: 6}

// Digest returns the fingerprint of all databases. O(bytes held).
func (ks *Keyspace) Digest() (all Digest) {
	for _, db := range ks.dbs {
		empty := true
		db.Each(func(key string, _ Type) bool {
			if empty {
				empty = false
				all.mixNumber(db.id)
			}
			var d Digest
			d.mix([]byte(key))
			db.digest(&d, []byte(key))
			all.xor(d[:])
			ks.views.reset()
			return true
		})
	}
	return all
}

// ValueDigest returns the fingerprint of the value of key and of whether it has a deadline; zero if
// the key is not visible.
func (db *DB) ValueDigest(key []byte) (d Digest) {
	if db.Exists(key) {
		db.digest(&d, key)
	}
	return d
}

func (db *DB) digest(d *Digest, key []byte) {
	v, _ := db.Peek(key)
	d.mixNumber(redisTypes[v.Type()])
	switch v := v.(type) {
	case *str.Value:
		d.mix(v.Text(nil))
	case *hash.Hash:
		v.Each(func(field, value ziplist.Entry) bool {
			name := field.Text(nil)
			var pair Digest
			pair.mix(name)
			pair.mix(value.Text(nil))
			if deadline, _ := v.Deadline(name); deadline != 0 {
				pair.xor([]byte("!!hexpire!!"))
			}
			d.xor(pair[:])
			return true
		})
	case *zset.Set:
		v.Each(func(member []byte, score float64) bool {
			d.xorPair(member, db.ks.formatScore(score))
			return true
		})
	case *list.List:
		v.Range(0, v.Len(), func(e ziplist.Entry) { d.mix(e.Text(nil)) })
	case *bloom.Filter:
		d.mix(v.AppendHeader(nil))
		for chunk, iter := v.AppendChunk(nil, 1, 1<<20); iter != 0; chunk, iter = v.AppendChunk(chunk[:0], iter, 1<<20) {
			d.mix(chunk)
		}
	case *stream.Stream:
		d.mixEntries(v)
	case *set.Set:
		v.Each(func(member ziplist.Entry) bool {
			d.xor(member.Text(nil))
			return true
		})
	}
	if v, ok := v.(Collection); ok && v.Type() != Hash {
		v.Deadlines(func(element []byte, _ int64) bool { // Redis has no such elements
			d.xorPair(element, []byte("!!hexpire!!"))
			return true
		})
	}
	if deadline, _ := db.Deadline(key); deadline != 0 {
		d.xor([]byte("!!expire!!"))
	}
}

// formatScore returns a score as it counts in digests.
func (ks *Keyspace) formatScore(score float64) []byte {
	if ks.All17 {
		return resp.Format17(nil, score)
	}
	return resp.FormatShortest(nil, score)
}

// mixEntries adds the entries of a stream. As in Redis its groups do not count.
func (d *Digest) mixEntries(s *stream.Stream) {
	var buf []byte
	for w := s.Walk(stream.ID{}, stream.MaxID); w.Next(); {
		buf = strconv.AppendUint(buf[:0], w.ID.Ms, 10)
		buf = strconv.AppendUint(append(buf, '.'), w.ID.Seq, 10)
		d.mix(buf)
		for range w.Len {
			field, value := w.Pair()
			d.mix(field.Text(nil))
			d.mix(value.Text(nil))
		}
	}
}

// xorPair adds an element of a collection.
func (d *Digest) xorPair(a, b []byte) {
	var pair Digest
	pair.mix(a)
	pair.mix(b)
	d.xor(pair[:])
}
