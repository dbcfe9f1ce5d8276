package rdb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// unknown is a value of a module type that no test knows, with parts of each kind.
var unknown = "\x81" + be(moduleID("TestSeris", 7)) + "\x01\x41\x00" + "\x02\x81" + be(math.MaxUint64) + "\x03" +
	le(1, 4) + "\x04" + le(1, 8) + "\x05" + s("text") +
	"\x05\xc1\x39\x30" + "\x05\xc3\x06\x40\x64\x01ab\xe0\x09\x01" + "\x00"

// kept is auxiliary data of another type.
var kept = "\xf7\x81" + be(moduleID("index----", 1)) + "\x02\x01\x05" + s("text") + "\x00"

// mixed is a file in which unknown values lie among others.
var mixed = written{version: 12, body: kept + "\xf5" + s("#!lua name=l") + "\xfe\x00\xfb\x04\x01" +
	"\x00" + s("a") + s("1") + "\xfc" + le(first, 8) + "\xf8\x05\x07" + s("temp") + unknown + "\x00" + s("b") + s("2") +
	"\x07" + s("hot") + unknown + "\xfa" + s(auxDeadline) + s(le(first, 8)+"x") + "\xfe\x03\x07" + s("cold") + unknown +
	"\xfd" + le(first/1000, 4) + "\x00" + s("c") + s("3") + kept}.file()

// itemsOf reads a snapshot into a keyspace, and describes its items.
func itemsOf(r *Reader, ks *keyspace.Keyspace) (items []string) {
	for r.Next() {
		switch r.Item {
		case Key:
			k := r.Record
			items = append(items, fmt.Sprintf("%d %s %d %d", k.DB, k.Key, k.Deadline, k.Idle))
		case Unknown:
			items = append(items, fmt.Sprintf("%d %s unknown", r.DB, r.Name))
		case ModuleAux:
			items = append(items, "auxiliary")
		case Library:
			items = append(items, string(r.Text))
		case Element:
			items = append(items, "element "+string(r.Text))
			r.SetDeadline(ks)
		}
	}
	return items
}

// After a value that it skips a reader goes on, and takes nothing that was said of it for the next
// one. A deadline of its elements is none of another value with its key.
func TestUnknownModuleTypesAreSkipped(t *testing.T) {
	for _, size := range []int64{0, int64(len(mixed))} {
		ks := newKeyspace(4, 7, dice)
		old := set.Set{}
		old.Add([]byte("x"), limits(1).Set)
		ks.DB(0).Set([]byte("hot"), &old, false)
		r := NewReader(bytes.NewReader(mixed), Options{Limits: limits(1), Keyspace: ks, Size: size})
		require.Equal(t, []string{"auxiliary", "#!lua name=l", "0 a 0 -1", "0 temp unknown", "0 b 0 -1",
			"0 hot unknown", "element x", "3 cold unknown", "3 c 1800000000000 -1", "auxiliary"}, itemsOf(r, ks))
		require.NoError(t, r.Err())
		v, _ := ks.DB(0).Peek([]byte("hot"))
		require.Zero(t, v.(keyspace.Collection).Volatile())
		require.EqualValues(t, 3, r.Skipped.Values)
		require.Equal(t, []string{
			"Skipped auxiliary data of the unknown module type index---- (encoding version 1)",
			`Skipped the key "temp" of database 0: a value of the unknown module type TestSeris (encoding version 7)`,
			`Skipped the key "hot" of database 0: a value of the unknown module type TestSeris (encoding version 7)`,
			`Skipped the key "cold" of database 3: a value of the unknown module type TestSeris (encoding version 7)`,
			"Skipped auxiliary data of the unknown module type index---- (encoding version 1)",
			"Skipped of unknown module types: auxiliary data of index---- (encoding version 1); " +
				"3 values of TestSeris (encoding version 7)"}, r.Skipped.Lines())
	}
}

// TestUnknownModuleTypesAreRefused where Options say so. Auxiliary data of a known type are skipped
// all the same, and a payload of an unknown one never restored.
func TestUnknownModuleTypesAreRefused(t *testing.T) {
	refused := func(body string) error {
		file := written{version: 12, body: body}.file()
		r := NewReader(bytes.NewReader(file), Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice),
			RefuseUnknown: true})
		for r.Next() {
		}
		require.Zero(t, r.Skipped)
		return r.Err()
	}
	require.ErrorContains(t, refused("\xfe\x00\x07"+s("k")+unknown),
		"a value of the unknown module type TestSeris (encoding version 7)")
	require.ErrorContains(t, refused(kept), "auxiliary data of the unknown module type index---- (encoding version 1)")
	require.NoError(t, refused("\xf7\x81"+be(moduleID("MBbloom--", 4))+"\x02\x01\x05"+s("text")+"\x00"))
	_, err := ReadPayload(finish([]byte("\x07"+unknown), 0, 12), Options{Keyspace: newKeyspace(1, 1, dice)})
	require.ErrorContains(t, err, "TestSeris")
}

// A skipped value whose parts are not what they say is damage, and ends the reading with a reason.
func TestUnknownModuleTypesWithDamage(t *testing.T) {
	id := "\x81" + be(moduleID("TestSeris", 7))
	for _, c := range []struct{ parts, reason string }{
		{"\x06\x00", "a part of the module type TestSeris (encoding version 7) is of unknown kind 6"},
		{"\xff", "is of unknown kind 63"}, // an opcode is none here
		{"\x02\x82", "a length begins with the byte 0x82"},
		{"\x05\xc4\x00\x00", "a string of unknown encoding 0xc4"},
		{"\x05\x80\xff\xff\xff\xff" + "text\x00", truncated},
		{"\x05\x81" + be(1<<63) + "text\x00", truncated},
		{"\x05\x81" + be(math.MaxUint64) + "text\x00", truncated},
		{"\x05\xc3\x81" + be(math.MaxUint64-1) + "\x01text\x00", truncated},
		{"\x05\xc3\x40\xff\x01text\x00", truncated},
		{"\x02\x01", truncated}, // the checksum is taken for parts
	} {
		file := written{version: 12, body: "\xfe\x00\x07\x01k" + id + c.parts}.file()
		for _, size := range []int64{0, int64(len(file))} {
			_, err := loaded(file, limits(1), size)
			if c.reason == truncated {
				require.Error(t, err, "%q", c.parts)
				continue
			}
			require.ErrorContains(t, err, c.reason, "%q", c.parts)
		}
	}
	for n := range len(mixed) {
		for _, size := range []int64{0, int64(n), int64(len(mixed))} {
			_, err := loaded(mixed[:n], limits(1), size)
			require.Error(t, err, "cut at byte %d", n)
		}
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for range *corruptions {
		if b := corrupted(mixed, rng); !bytes.Equal(b, mixed) {
			_, err := loaded(b, limits(1), int64(len(b)))
			require.Error(t, err)
			copy(b[len(b)-8:], make([]byte, 8)) // no checksum
			ks, _ := loaded(b, limits(1), 0)
			check(t, ks)
		}
	}
}

// zeroes is a source of n zeros.
type zeroes int64

func (z *zeroes) Read(b []byte) (int, error) {
	if *z == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(b)), int64(*z))
	clear(b[:n])
	*z -= zeroes(n)
	return int(n), nil
}

// Skipping takes no memory for what is skipped, nor for how many keys and types there are.
func TestSkippingTakesLittleMemory(t *testing.T) {
	read := func(src io.Reader) *Reader {
		r := NewReader(src, Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
		for r.Next() {
		}
		return r
	}
	const size = 64 << 20
	long := zeroes(size)
	text := "REDIS0012\xfe\x00\x07\x01k\x81" + be(moduleID("TestSeris", 7)) + "\x05\x80"
	head := binary.BigEndian.AppendUint32([]byte(text), size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := read(io.MultiReader(bytes.NewReader(head), &long, strings.NewReader("\x00\xff"+le(0, 8))))
	runtime.ReadMemStats(&after)
	require.NoError(t, r.Err())
	require.EqualValues(t, 1, r.Skipped.Values)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size/16))

	var many strings.Builder
	for i := range 5000 {
		many.WriteString("\x07" + s(strings.Repeat("k", 40)+fmt.Sprint(i%10)) + "\x81" +
			be(moduleID("TestSeris", uint64(i%1000))) + "\x00")
	}
	r = read(bytes.NewReader(written{version: 12, body: "\xfe\x00" + many.String()}.file()))
	require.NoError(t, r.Err())
	lines := r.Skipped.Lines()
	require.Len(t, lines, maxSkippedLines+2)
	require.Equal(t, "... and 4980 more", lines[maxSkippedLines])
	require.Len(t, r.Skipped.Types, maxSkippedTypes)
	require.True(t, strings.HasSuffix(lines[maxSkippedLines+1], "5 values of TestSeris (encoding version 15); "+
		"what is of other types"), lines[maxSkippedLines+1])
}

// A long key is cut in a line, and says nothing to a terminal.
func TestSkippedKeysInLines(t *testing.T) {
	var skipped Skipped
	skipped.value(1, []byte("\x1b[2J\n"), ModuleType{"TestSeris", 1})
	skipped.value(1, bytes.Repeat([]byte("k"), 1<<20), ModuleType{"TestSeris", 1})
	require.Equal(t, `Skipped the key "\x1b[2J\n" of database 1: a value of the unknown module type `+
		`TestSeris (encoding version 1)`, skipped.Lines()[0])
	require.Less(t, len(skipped.Lines()[1]), 250)
}
