package rdb

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Files of all versions, byte by byte as Redis wrote them then.

// s is a string with its length in front, num a u64, le a number of some bytes, little endian.
func s(text string) string {
	if len(text) >= 64 {
		return string([]byte{0x40 | byte(len(text)>>8), byte(len(text))}) + text
	}
	return string([]byte{byte(len(text))}) + text
}

func le(n uint64, bytes int) string {
	return string(binary.LittleEndian.AppendUint64(nil, n)[:bytes])
}

func be(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// ziplistOf returns a ziplist of entries given as bytes.
func ziplistOf(entries ...string) string {
	zl := ziplist.New()
	for _, e := range entries {
		zl = zl.Append([]byte(e))
	}
	return string(zl)
}

// listpackOf encodes short texts as strings of 6 bits of length.
func listpackOf(entries ...string) string {
	body := ""
	for _, e := range entries {
		body += string([]byte{0x80 | byte(len(e))}) + e + string([]byte{byte(len(e) + 1)})
	}
	return le(uint64(len(body)+7), 4) + le(uint64(len(entries)), 2) + body + "\xff"
}

// written is a file of one version with what it contains.
type written struct {
	name    string
	version int
	body    string // between the header and the end
	want    string // result of describeAll
}

// describeAll returns the value and deadline of each key as text.
func describeAll(ks *keyspace.Keyspace) string {
	var lines []string
	ks.Records(func(r *keyspace.Record) bool {
		line := fmt.Sprintf("%d %s %s", r.DB, r.Key, told(r.Value))
		if r.Deadline != 0 {
			line += fmt.Sprintf(" until %d", r.Deadline)
		}
		if v, ok := r.Value.(keyspace.Collection); ok {
			v.Deadlines(func(e []byte, deadline int64) bool {
				line += fmt.Sprintf(" (%s until %d)", e, deadline)
				return true
			})
		}
		lines = append(lines, line)
		return true
	})
	return strings.Join(lines, "\n")
}

func told(v keyspace.Value) string {
	var parts []string
	add := func(e ziplist.Entry) { parts = append(parts, string(e.Append(nil))) }
	switch v := v.(type) {
	case *str.Value:
		return string(v.Text(nil))
	case *list.List:
		v.Range(0, v.Len(), add)
	case *set.Set:
		v.Each(func(e ziplist.Entry) bool { add(e); return true })
	case *hash.Hash:
		v.Each(func(field, value ziplist.Entry) bool { add(field); add(value); return true })
	case *zset.Set:
		v.Each(func(member []byte, score float64) bool {
			parts = append(parts, fmt.Sprintf("%s=%v", member, score))
			return true
		})
	default:
		return fmt.Sprintf("%T of %d", v, v.Len())
	}
	return fmt.Sprintf("%s%q", v.Type(), parts)
}

const first = 1_800_000_000_000 // a deadline in the future

var versions = []written{
	{"text", 1, "\xfe\x00\x00" + s("k") + s("v"), `0 k v`},
	{"a deadline in seconds", 1,
		"\xfe\x00\xfd" + le(first/1000, 4) + "\x00" + s("k") + s("v"), `0 k v until 1800000000000`},
	{"integers", 1, "\xfe\x00\x00\x01a\xc0\x85\x00\x01b\xc1\x39\x30", "0 a -123\n0 b 12345"},
	{"an integer of 32 bits", 1, "\xfe\x03\x00\x01k\xc2\x15\xcd\x5b\x07", `3 k 123456789`},
	{"a compressed text", 1, "\xfe\x00\x00\x01k\xc3\x06\x14\x01ab\xe0\x09\x01", `0 k abababababababababab`},
	{"a list", 1, "\xfe\x00\x01\x01k\x02" + s("a") + s("b"), `0 k list["a" "b"]`},
	{"a set", 1, "\xfe\x00\x02\x01k\x02" + s("a") + s("b"), `0 k set["a" "b"]`},
	{"a sorted set with scores as text", 1, "\xfe\x00\x03\x01k\x03" + s("a") + s("1.5") + s("b") + "\xfe" +
		s("c") + "\xff", `0 k zset["c=-Inf" "a=1.5" "b=+Inf"]`},
	{"a hash", 1, "\xfe\x00\x04\x01k\x01" + s("f") + s("v"), `0 k hash["f" "v"]`},
	{"a zipmap", 2, "\xfe\x00\x09\x01k" + s("\x02\x01f\x01\x00v\x01g\x02\x02wxzz\xff"), `0 k hash["f" "v" "g" "wx"]`},
	{"a zipmap with a long value", 2,
		"\xfe\x00\x09\x01k" + s("\x01\x01f\xfe\x02\x00\x00\x00\x00vw\xff"), `0 k hash["f" "vw"]`},
	{"a list in a ziplist", 2, "\xfe\x00\x0a\x01k" + s(ziplistOf("a", "12", "c")), `0 k list["a" "12" "c"]`},
	{"an intset", 2, "\xfe\x00\x0b\x01k" + s(le(2, 4)+le(3, 4)+le(1, 2)+le(5, 2)+le(700, 2)), `0 k set["1" "5" "700"]`},
	{"a sorted set in a ziplist", 2,
		"\xfe\x00\x0c\x01k" + s(ziplistOf("a", "1", "b", "2.5")), `0 k zset["a=1" "b=2.5"]`},
	{"a sorted set in disorder", 2,
		"\xfe\x00\x0c\x01k" + s(ziplistOf("b", "2.5", "a", "1")), `0 k zset["a=1" "b=2.5"]`},
	{"a deadline in milliseconds", 3,
		"\xfe\x00\xfc" + le(first, 8) + "\x00" + s("k") + s("v"), `0 k v until 1800000000000`},
	{"a hash in a ziplist", 4, "\xfe\x00\x0d\x01k" + s(ziplistOf("f", "v", "n", "-7")), `0 k hash["f" "v" "n" "-7"]`},
	{"a checksum", 5, "\xfe\x00\x00" + s("k") + s("v"), `0 k v`},
	{"a quicklist", 7, "\xfa" + s("redis-ver") + s("3.2.0") + "\xfe\x00\xfb\x01\x00\x0e\x01k\x02" +
		s(ziplistOf("a", "b")) + s(ziplistOf("c")), `0 k list["a" "b" "c"]`},
	{"a sorted set with binary scores", 8,
		"\xfe\x00\x05\x01k\x01" + s("a") + le(math.Float64bits(-2.5), 8), `0 k zset["a=-2.5"]`},
	{"a length of 64 bits", 8, "\xfe\x00\x00\x01k\x81" + be(1) + "v", `0 k v`},
	{"access marks and auxiliary data of a module", 9,
		"\xf7\x81" + be(moduleID("other----", 3)) + "\x02\x01\x05" + s("text") + "\x02\x07\x04" + le(0, 8) +
			"\x00\xfe\x00\xf8\x0a\x00" + s("k") + s("v") + "\xf9\x07\x00" + s("l") + s("w"), "0 k v\n0 l w"},
	{"a stream", 9, "\xfe\x00\x0f\x01k\x00\x00\x05\x01\x00", `0 k *stream.Stream of 0`},
	{"a hash, sorted set and list in listpacks", 10, "\xfe\x00\x10\x01h" + s(listpackOf("f", "v")) + "\x11\x01z" +
		s(listpackOf("a", "1.5")) + "\x12\x01l\x02\x02" + s(listpackOf("a", "b")) + "\x01" + s("plain"),
		"0 h hash[\"f\" \"v\"]\n0 l list[\"a\" \"b\" \"plain\"]\n0 z zset[\"a=1.5\"]"},
	{"a stream of 7.0", 10, "\xfe\x00\x13\x01k\x00\x00\x05\x01\x00\x00\x04\x02\x09\x01" + s("g") +
		"\x05\x01\x03\x00\x00", `0 k *stream.Stream of 0`},
	{"a set in a listpack", 11, "\xfe\x00\x14\x01k" + s(listpackOf("a", "b")), `0 k set["a" "b"]`},
	{"a stream of 7.2", 11, "\xfe\x00\x15\x01k\x00\x00\x05\x01\x00\x00\x04\x02\x09\x01" + s("g") +
		"\x05\x01\x03\x00\x01" + s("c") + le(5, 8) + le(6, 8) + "\x00", `0 k *stream.Stream of 0`},
	{"a hash with deadlines", 12, "\xfe\x00\x18\x01k" + le(first, 8) + "\x02\x01" + s("f") + s("v") + "\x00" +
		s("g") + s("w"), `0 k hash["f" "v" "g" "w"] (f until 1800000000000)`},
	{"the same in a listpack", 12,
		"\xfe\x00\x19\x01k" + le(first, 8) + s(listpackTriples), `0 k hash["f" "v" "g" "w"] (f until 1800000000000)`},
	{"the same of a release candidate", 12, "\xfe\x00\x16\x01k\x02\x81" + be(first) + s("f") + s("v") + "\x00" +
		s("g") + s("w"), `0 k hash["f" "v" "g" "w"] (f until 1800000000000)`},
	{"that in a listpack", 12,
		"\xfe\x00\x17\x01k" + s(listpackTriples), `0 k hash["f" "v" "g" "w"] (f until 1800000000000)`},
	{"that of Valkey 9", 80, "\xfe\x00\x16\x01k\x02" + s("f") + s("v") + le(first, 8) + s("g") + s("w") +
		le(math.MaxUint64, 8), `0 k hash["f" "v" "g" "w"] (f until 1800000000000)`},
	{"slots of a cluster", 12, "\xfe\x00\xf4\x01\x01\x00\x00" + s("k") + s("v"), `0 k v`},
}

// listpackTriples holds f v until the first deadline, and g w without.
var listpackTriples = func() string {
	body := "\x81f\x02\x81v\x02\xf4" + le(first, 8) + "\x09\x81g\x02\x81w\x02\x00\x01"
	return le(uint64(len(body)+7), 4) + le(6, 2) + body + "\xff"
}()

// file returns the bytes of the file.
func (w written) file() []byte {
	magic := fmt.Sprintf("REDIS%04d", w.version)
	if w.version >= oldestValkey {
		magic = fmt.Sprintf("VALKEY%03d", w.version)
	}
	b := append([]byte(magic+w.body), opEnd)
	if w.version >= 5 {
		b = binary.LittleEndian.AppendUint64(b, Sum(0, b))
	}
	return b
}

func TestEveryVersionIsRead(t *testing.T) {
	for _, w := range versions {
		for _, lim := range []Limits{limits(1), limits(0)} {
			file := w.file()
			ks, err := loaded(file, lim, int64(len(file)))
			require.NoError(t, err, w.name)
			check(t, ks)
			if lim.Hash.MaxEntries > 0 && w.want != "" {
				require.Equal(t, w.want, sorted(describeAll(ks)), w.name)
			}
			again, err := loaded(saved(t, ks, true), lim, 0)
			require.NoError(t, err, w.name)
			require.Equal(t, ks.Digest(), again.Digest(), w.name)
		}
	}
}

func sorted(lines string) string {
	list := strings.Split(lines, "\n")
	for i := range list { // a handful
		for j := i + 1; j < len(list); j++ {
			if list[j] < list[i] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return strings.Join(list, "\n")
}

// Unreadable data are refused with a reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ body, reason string }{
		{"\x06\x01k\x81" + be(moduleID("ReJSON-RL", 2)), "ReJSON-RL"},
		{"\x63\x01k", "unknown type 99"},
		{"\xf6\x01k", "release candidates"},
		{"\xfe\x40\x64\x00" + s("k") + s("v"), "database 100, of 4"},
		{"\x00" + s("k") + s("v") + "\x00" + s("k") + s("v"), "twice"},
		{"\x02\x01k\x02" + s("a") + s("a"), "twice"},
		{"\x05\x01k\x01" + s("a") + le(math.Float64bits(math.NaN()), 8), "not a number"},
		{"\x0d\x01k" + s(ziplistOf("f")), "second part"},
		{"\x0d\x01k" + s("\x0b\x00\x00\x00\x0a\x00\x00\x00\x05\x00\xff"), "ziplist"},
		{"\x10\x01k" + s("\x07\x00\x00\x00\x03\x00\xff"), "listpack"},
	} {
		file := written{version: 9, body: "\xfe\x00" + c.body}.file()
		_, err := loaded(file, limits(1), int64(len(file)))
		require.ErrorContains(t, err, c.reason, "%q", c.body)
	}
	for _, head := range []string{"", "REDIS", "REDIS0000", "REDIS0013", "REDISabcd", "RADIS0009"} {
		_, err := loaded([]byte(head), limits(1), 0)
		require.Error(t, err, head)
	}
}

// The header has the oldest version that can hold what is in the file.
func TestVersionIsAsOldAsPossible(t *testing.T) {
	for want, body := range map[string]string{
		"REDIS0009": versions[0].body, "REDIS0010": "\xfe\x00\x13\x01k\x00\x00\x05\x01\x00\x00\x04\x02\x09\x00",
		"REDIS0012": "\xfe\x00\x18\x01k" + le(first, 8) + "\x01\x01" + s("f") + s("v"),
	} {
		ks, err := loaded(written{version: 12, body: body}.file(), limits(1), 0)
		require.NoError(t, err)
		require.Equal(t, want, string(saved(t, ks, true)[:9]))
	}
}

// A type of Valkey's is not taken for the one that has its number in Redis, nor the other way
// round.
func TestValkeysTypesAreItsOwn(t *testing.T) {
	body := "\x16\x01" + s("f") + s("v") + le(first, 8)
	v, err := ReadPayload(finish([]byte(body), 0, newestValkey),
		Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
	require.NoError(t, err)
	deadline, _ := v.(*hash.Hash).Deadline([]byte("f"))
	require.EqualValues(t, first, deadline)
	_, err = ReadPayload(finish([]byte(body), 0, Newest),
		Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
	require.Error(t, err)
	_, err = ReadPayload(finish([]byte("\x18"+body), 0, newestValkey),
		Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
	require.ErrorContains(t, err, "a value of unknown type 24")
	_, err = loaded(written{version: newestValkey + 1}.file(), limits(1), 0)
	require.ErrorContains(t, err, `format version "081" is not supported; 80 to 80 are`)
}
