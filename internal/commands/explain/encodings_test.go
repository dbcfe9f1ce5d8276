package explain

import (
	"fmt"
	"math/rand/v2"
	gostrings "strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/sets"
	"github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// workbench is an engine with families of data commands and a session.
type workbench struct {
	t *testing.T
	e *engine.Engine
	s *engine.Session
}

func newWorkbench(t *testing.T) *workbench { return newWorkbenchLike(t, nil) }

func newWorkbenchLike(t *testing.T, like *release.Release) *workbench {
	e := engine.New(engine.Options{Clock: func() int64 { return 1e15 }, Seed: 1, Release: like})
	e.Join(engine.Commands(strings.Family, keys.Family, hashes.Family, lists.Family, sets.Family, zsets.Family,
		servercmds.Family), Part(),
		engine.Part{Types: []engine.Type{strings.Type, lists.Type, sets.Type, zsets.Type, hashes.Type}})
	return &workbench{t, e, e.NewSession(nil)}
}

func (b *workbench) do(words ...string) string {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	out := string(b.e.Do(b.s, [][][]byte{args}).Out)
	require.NotEqual(b.t, byte('-'), out[0], "%v: %s", words, out)
	return out
}

// TestWhatIfPredicts writes random data and predicts their encoding and size under other
// thresholds. It then sets those, writes the same data again and compares.
func TestWhatIfPredicts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 300 {
		b := newWorkbench(t)
		kind, n := round%4, 1+r.IntN(40)
		write := func(key string) {
			r := rand.New(rand.NewPCG(uint64(round), 1))
			for i := range n {
				text := fmt.Sprint(i * 37)
				if round%8 >= 4 && r.IntN(3) == 0 {
					text = fmt.Sprintf("%0*d", 1+r.IntN(20), i)
				}
				b.do([][]string{{"ZADD", key, fmt.Sprint(i), text}, {"HSET", key, text, "v"}, {"SADD", key, text},
					{"RPUSH", key, text}}[kind]...)
			}
		}
		write("k")
		params := thresholds[[]keyspace.Type{keyspace.ZSet, keyspace.Hash, keyspace.Set, keyspace.List}[kind]]
		name, value := params[r.IntN(len(params))], fmt.Sprint(1+r.IntN(45))
		v, _ := b.e.Home().Keyspace.DB(0).Peek([]byte("k"))
		encodings, chosen := possibleEncodings(b.e.Home(), []byte("k"), v)
		require.NoError(t, b.e.Params.Named(name).Set(value))
		then := chosen()
		rebuild(encodings)
		write("l")
		w, _ := b.e.Home().Keyspace.DB(0).Peek([]byte("l"))
		require.Equal(t, w.Encoding(), then, "%d of type %d with %s %s", n, kind, name, value)
		for _, e := range encodings {
			if e.name == then && then != "skiplist" && then != "hashtable" {
				require.Equal(t, b.e.Home().Keyspace.DB(0).Usage().Key([]byte("l")), e.cost(), "%d of type %d as %s",
					n, kind, then)
			}
		}
	}
}

// TestExplainNamesTheEncodingOfTheRelease compares what MEMORY EXPLAIN and OBJECT ENCODING call the
// encoding of small and large values.
func TestExplainNamesTheEncodingOfTheRelease(t *testing.T) {
	for _, like := range append([]release.Release{release.Default}, release.Known...) {
		b := newWorkbenchLike(t, &like)
		names := map[string]bool{}
		for i := range 700 {
			b.do("ZADD", "z", "1", fmt.Sprint("m", i))
			b.do("HSET", "h", fmt.Sprint("f", i), "v")
			b.do("SADD", "s", fmt.Sprint("m", i))
			b.do("SADD", "i", fmt.Sprint(i))
			b.do("RPUSH", "l", fmt.Sprintf("%0100d", i))
			b.do("SET", "n", fmt.Sprint(i))
			b.do("APPEND", "r", "x")
			for _, key := range []string{"z", "h", "s", "i", "l", "n", "r"} {
				encoding := gostrings.Fields(b.do("OBJECT", "ENCODING", key))[1]
				names[encoding] = true
				require.Regexp(t, `\+encoding +`+encoding+`\b`, b.do("MEMORY", "EXPLAIN", key), "%s like %s",
					key, like.Name)
			}
		}
		require.Greater(t, len(names), 5, "%v like %s", names, like.Name)
	}
}

func TestWhatIfLeavesTheSettings(t *testing.T) {
	b := newWorkbench(t)
	b.do("ZADD", "z", "1", "a")
	before := *b.e.Config
	require.Contains(t, b.do("MEMORY", "WHATIF", "z", "zset-max-ziplist-entries", "0"), "skiplist")
	require.Equal(t, before.ZSet, b.e.Config.ZSet)
}

// TestPartsAddUp checks for values of every encoding that the bytes of the parts sum up to MEMORY
// USAGE.
func TestPartsAddUp(t *testing.T) {
	b := newWorkbench(t)
	for i := range 700 {
		b.do("ZADD", "z", fmt.Sprint(i), fmt.Sprintf("member%0*d", i%90, i))
		b.do("HSET", "h", fmt.Sprintf("field%d", i), fmt.Sprintf("%0*d", i%150, i))
		b.do("SADD", "s", fmt.Sprintf("member%0*d", i%90, i))
		b.do("RPUSH", "l", fmt.Sprintf("element%0*d", i%90, i))
		for _, key := range []string{"z", "h", "s", "l"} {
			l, ok := b.e.Home().Keyspace.DB(0).Usage().Layout([]byte(key))
			require.True(t, ok)
			require.Equal(t, b.e.Home().Keyspace.DB(0).Usage().Key([]byte(key)), l.Bytes())
			v, _ := b.e.Home().Keyspace.DB(0).Peek([]byte(key))
			if i%100 == 99 && !l.Packed {
				require.Equal(t, v.Bytes(), sum(b.e.Parts.Types.Of(v.Type()).Explain(v, 0)), "%s of %d", key, i)
			}
		}
	}
}

// sum returns the bytes of all parts of a value.
func sum(r report) (n int) {
	bytes := map[string]bool{"head": true, "levels": true,
		"members": true, "rounding": true, "bytes": true, "fixed": true,
		"texts": true, "header": true, "lengths": true, "data": true, "end": true, "spare": true, "blocks": true}
	for _, f := range r {
		switch v := f.Value.(type) {
		case report:
			if f.Name == "skiplist" {
				n += v[1].Value.(int) // nodes, which in a quicklist are a number
			}
			if f.Name == "quicklist" {
				return sumList(v)
			}
			n += sum(v)
		case int:
			if bytes[f.Name] {
				n += v
			}
		}
	}
	return n
}

func sumList(v report) int { return v[0].Value.(int)*list.NodeBytes + v[1].Value.(int) + 96 }
