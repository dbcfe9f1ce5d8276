package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// shelf is a value of a type that only this file knows: an order of texts.
type shelf struct{ texts []string }

var shelfType = &value.Type{Name: "shelf", Number: 5, Size: 24, New: func() value.Value { return new(shelf) },
	Module: &value.Module{Name: "toy-shelf", Version: 1, Save: saveShelf, Load: loadShelf}}

func (s *shelf) Type() *value.Type      { return shelfType }
func (s *shelf) Len() int               { return len(s.texts) }
func (s *shelf) Encoding() string       { return "plank" }
func (s *shelf) Clone() value.Value     { return &shelf{slices.Clone(s.texts)} }
func (s *shelf) Packed() ([]byte, bool) { return nil, false }
func (s *shelf) Allocations(int) int    { return len(s.texts) }

func (s *shelf) Bytes() (n int) {
	for _, text := range s.texts {
		n += 16 + len(text)
	}
	return n
}

func (s *shelf) Digest(m *value.Mixer) {
	for _, text := range s.texts {
		m.Mix([]byte(text))
	}
}

// Freeze implements value.Freezer: nothing changes a text.
func (s *shelf) Freeze() (value.Value, func()) {
	return &shelf{s.texts[:len(s.texts):len(s.texts)]}, func() {}
}

func saveShelf(v value.Value, to value.PartWriter) {
	s := v.(*shelf)
	to.Uint(uint64(len(s.texts)))
	for _, text := range s.texts {
		to.Text([]byte(text))
	}
}

func loadShelf(from value.PartReader, _ int) value.Value {
	s := new(shelf)
	for n := from.Uint(); n > 0 && from.OK(); n-- {
		s.texts = append(s.texts, string(from.Text()))
	}
	return s
}

// shelves is the part with the type and its commands.
var shelves = engine.Part{
	Types: []engine.Type{{Type: shelfType,
		Rewrite: func(v keyspace.Value, to engine.Rewriter) {
			for _, text := range v.(*shelf).texts {
				to.Add("SHELF.PUT", []byte(text))
			}
		},
		Explain: func(v keyspace.Value, _ int) []engine.Detail {
			return []engine.Detail{{Name: "first", Value: v.(*shelf).texts[0], Note: "on the left"}}
		}}},
	Families: []command.Family{{Group: "module", Commands: []command.Line{
		{Name: "shelf.put", Arity: -3, Flags: command.Write, Keys: command.Key(1, "RW insert"), Reply: "integer",
			Since: "1.0.0", Run: func(c *engine.Call) {
				key := c.Arg()
				s, ok := engine.Upsert[*shelf](c, key, shelfType)
				if !ok {
					return
				}
				for c.More() {
					s.texts = append(s.texts, string(c.Arg()))
				}
				c.Changed(key, event.Generic("shelf.put"))
				c.Reply.Int(int64(s.Len()))
			}},
		{Name: "shelf.get", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"), Reply: "text?",
			Since: "1.0.0", Run: func(c *engine.Call) {
				if s, ok := engine.Read[*shelf](c, c.Arg()); ok {
					c.Reply.Bulk([]byte(strings.Join(s.texts, ",")))
					return
				}
				c.Reply.Null()
			}},
	}}},
}

// library is a server with shelves.
type library struct {
	*engine.Engine
	parts   assembly.Parts
	session *engine.Session
	now     int64
	sent    [][][]byte
}

func newLibrary(t *testing.T, d disk.Disk, params ...string) *library {
	l := &library{now: 1_700_000_000_000}
	l.Engine = engine.New(engine.Options{Clock: func() int64 { return l.now * 1000 }, Seed: 1})
	l.parts = assembly.Join(l.Engine, assembly.Options{Disk: d})
	l.Join(shelves, engine.Part{Name: "witness", Propagate: func(_ int, args [][]byte) {
		var copied [][]byte
		for _, a := range args {
			copied = append(copied, slices.Clone(a))
		}
		l.sent = append(l.sent, copied)
	}})
	for i := 0; i < len(params); i += 2 {
		require.NoError(t, l.Params.Named(params[i]).Set(params[i+1]), params[i])
	}
	require.NoError(t, l.parts.Load())
	l.session = l.NewSession(nil)
	return l
}

func (l *library) do(line string) string {
	var args [][]byte
	for word := range strings.FieldsSeq(line) {
		args = append(args, []byte(word))
	}
	return string(l.Do(l.session, [][][]byte{args}).Out)
}

// TestTypeOfAPart adds a type, and does with it what is done with those of the server.
func TestTypeOfAPart(t *testing.T) {
	memory := new(disk.Memory)
	l := newLibrary(t, memory, "enable-debug-command", "yes")
	require.Equal(t, ":2\r\n", l.do("SHELF.PUT k a b"))
	require.Equal(t, "+shelf\r\n", l.do("TYPE k"))
	require.Equal(t, "$5\r\nplank\r\n", l.do("OBJECT ENCODING k"))
	require.Contains(t, l.do("GET k"), "WRONGTYPE")
	require.Contains(t, l.do("SCAN 0 TYPE shelf"), "$1\r\nk\r\n")
	require.Contains(t, l.do("MEMORY EXPLAIN k"), "+first              a  (on the left)")
	require.NotContains(t, l.do("DEBUG DIGEST-VALUE k"), strings.Repeat("0", 40))

	require.Equal(t, ":1\r\n", l.do("COPY k c"))
	l.do("SHELF.PUT c z")
	require.Equal(t, "$3\r\na,b\r\n", l.do("SHELF.GET k"))
	require.Equal(t, "$5\r\na,b,z\r\n", l.do("SHELF.GET c"))
	require.Equal(t, ":1\r\n", l.do("PEXPIRE c 1000"))
	l.now += 1000
	require.Equal(t, "$-1\r\n", l.do("SHELF.GET c"))

	digest := l.Home().Keyspace.Digest()
	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	require.Equal(t, "+OK\r\n", l.do("DEBUG RELOAD"))
	require.Equal(t, digest, l.Home().Keyspace.Digest())
	require.Equal(t, digest, newLibrary(t, memory).Home().Keyspace.Digest(), "loaded at the start")
	require.Equal(t, digest, l.Home().Keyspace.Clone().Digest())

	replica := newLibrary(t, new(disk.Memory))
	for _, args := range l.sent {
		replica.Do(replica.session, [][][]byte{args})
	}
	require.Equal(t, digest, replica.Home().Keyspace.Digest(), "from the commands that replicas get")
}

// TestTypeOfAPartIsFrozen: a snapshot has a large value as it was at the start.
func TestTypeOfAPartIsFrozen(t *testing.T) {
	l := newLibrary(t, new(disk.Memory))
	for i := range 2000 {
		l.do(fmt.Sprintf("SHELF.PUT k %040d", i))
	}
	ks := l.Home().Keyspace
	var got value.Value
	s := ks.Snapshot(func(r *keyspace.Record, p *keyspace.Pace) {
		for range 100 {
			p.Yield(1000)
		}
		got = r.Value.Clone()
	})
	for s.Step(1) {
		l.do("SHELF.PUT k more")
	}
	require.Equal(t, 2000, got.Len())
	v, _ := ks.DB(0).Peek([]byte("k"))
	require.Greater(t, v.Len(), 2010)
}

// TestTypeOfAPartIsRewritten: the journal has the commands of the type.
func TestTypeOfAPartIsRewritten(t *testing.T) {
	dir := t.TempDir()
	params := []string{"dir", dir, "appendonly", "yes", "aof-use-rdb-preamble", "no"}
	l := newLibrary(t, new(disk.Memory), params...)
	l.do("SHELF.PUT k a b")
	require.Contains(t, l.do("BGREWRITEAOF"), "started")
	var base []string
	require.Eventually(t, func() bool {
		base, _ = filepath.Glob(filepath.Join(dir, "appendonlydir", "*.2.base.aof"))
		return len(base) == 1 && strings.Contains(l.do("INFO persistence"), "aof_rewrite_in_progress:0")
	}, time.Minute, time.Millisecond)
	text, err := os.ReadFile(base[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "*4\r\n$9\r\nSHELF.PUT\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\nb\r\n")
	require.Equal(t, l.Home().Keyspace.Digest(), newLibrary(t, new(disk.Memory), params...).Home().Keyspace.Digest())
}
