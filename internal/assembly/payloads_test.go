package assembly_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
)

// built are the values at k whose payloads are compared, each after its commands. Where the order
// of the elements is not the same, or how many a node of a list has, or the earliest deadline of a
// hash that has none any more, only the type is.
var built = []string{
	"SET k text", "SET k 12345", "SET k " + strings.Repeat("ab", 40), "APPEND k " + strings.Repeat("x", 5000),
	"RPUSH k a 1 -5000 b", "RPUSH k " + strings.Repeat("element ", 200), "type: RPUSH k " + numbers(4000),
	"type: RPUSH k a " + strings.Repeat("x", 9000) + " b",
	"SADD k 1 2 70000", "type: SADD k a 1 b " + strings.Repeat("x", 60), "type: SADD k " + strings.Repeat("x", 65),
	"type: SADD k a " + numbers(200), "HSET k a 1 b " + strings.Repeat("v", 64), "HSET k " + numbers(300),
	"type: HSET k a " + strings.Repeat("v", 65), "ZADD k 1 a 2.5 b -inf c", "ZADD k " + numbers(120), "ZADD k 1 a 2 " +
		strings.Repeat("m", 65), "ZADD k " + numbers(600), "XADD k 1-1 a 1 b 2; XADD k 1-2 a 1 b 3; XADD k 5-0 c d",
	"XADD k 1-1 a 1; XADD k 2-1 a 1; XDEL k 1-1; XGROUP CREATE k g 0", "XGROUP CREATE k g 0 MKSTREAM",
}

// builtWithDeadlines are those of releases whose fields have deadlines.
var builtWithDeadlines = []string{
	"HSET k a 1 b 2 c 3; HPEXPIREAT k 4000000000000 FIELDS 1 b; HPEXPIREAT k 3000000000000 FIELDS 1 c",
	"type: HSET k a 1; HPEXPIREAT k 4000000000000 FIELDS 1 a; HPERSIST k FIELDS 1 a",
	"type: HSET k a " + strings.Repeat("v", 65) + "; HPEXPIREAT k 4000000000000 FIELDS 1 a",
}

// builtInTables are those of Valkey, which keeps fields with deadlines in a table.
var builtInTables = []string{
	"HSET k a 1; HPEXPIREAT k 4000000000000 FIELDS 1 a",
	"type: HSET k a 1 b 2 c 3; HPEXPIREAT k 4000000000000 FIELDS 1 b; HPEXPIREAT k 3000000000000 FIELDS 1 c",
	"HSETEX k EX 1000 FIELDS 1 a 1; HPERSIST k FIELDS 1 a",
}

var fieldDeadlines, valkeyDeadlines = release.From("7.4.0"), release.From("valkey:9.0.0")

// numbers returns n different numbers.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " %d", i*i*31)
	}
	return b.String()[1:]
}

// valuesIn returns the values that a release can have.
func valuesIn(r *release.Release) []string {
	values := slices.Clone(built)
	if r.Has(fieldDeadlines) {
		values = append(values, builtWithDeadlines...)
	}
	if r.Has(valkeyDeadlines) {
		values = append(values, builtInTables...)
	}
	return values
}

// comparedReleases are those whose payloads and snapshots are compared.
var comparedReleases = []reference.Release{
	reference.Redis62, reference.Redis70, "redis:7.2", "redis:7.4", reference.Redis80, reference.Default,
	reference.Valkey81, reference.Valkey91,
}

// TestPayloadsAreThoseOfTheRelease compares what DUMP, DEBUG OBJECT and OBJECT ENCODING tell of a
// value with what each release tells, which restores the payload, too.
func TestPayloadsAreThoseOfTheRelease(t *testing.T) {
	for _, r := range comparedReleases {
		t.Run(string(r), func(t *testing.T) {
			server := r.Start(t)
			traits := corpus.TraitsOf(r)
			traits.Release = server.Release
			theirs, err := transcript.Connect("unix", server.Socket, traits)
			require.NoError(t, err)
			defer theirs.Close()
			ours := transcript.NewMemory(transcript.Traits{Name: "like " + string(r), Release: server.Release},
				func(e *engine.Engine) {
					assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
				})
			for _, v := range valuesIn(server.Release) {
				comparePayload(t, dial(t, theirs), dial(t, ours), v)
			}
		})
	}
}

func comparePayload(t *testing.T, theirs, ours func(args ...string) resp.Value, value string) {
	commands, anyOrder := strings.CutPrefix(value, "type: ")
	var payloads, told [2]string
	for i, do := range []func(args ...string) resp.Value{theirs, ours} {
		do("FLUSHALL")
		for c := range strings.SplitSeq(commands, "; ") {
			require.False(t, do(strings.Fields(c)...).IsError(), c)
		}
		payloads[i] = do("DUMP", "k").Text
		object := do("DEBUG", "OBJECT", "k").Text
		told[i] = strings.Join([]string{do("OBJECT", "ENCODING", "k").Text, word(object, "encoding:")}, " ")
		if !anyOrder {
			told[i] += " " + word(object, "serializedlength:")
		}
	}
	require.Equal(t, told[0], told[1], "%.100s", value)
	const tail = 2 + 8
	if anyOrder {
		version := func(p string) string { return p[len(p)-tail : len(p)-8] }
		require.Equal(t, payloads[0][:1]+version(payloads[0]), payloads[1][:1]+version(payloads[1]), "%.100s", value)
	} else {
		require.Equal(t, []byte(payloads[0]), []byte(payloads[1]), "%.100s", value)
	}
	require.Equal(t, "OK", theirs("RESTORE", "copy", "0", payloads[1]).Text, "%.100s", value)
	digests := theirs("DEBUG", "DIGEST-VALUE", "k", "copy")
	require.Equal(t, digests.Elems[0].Text, digests.Elems[1].Text, "%.100s", value)
}

// word returns the word of a text that begins so.
func word(text, prefix string) string {
	for w := range strings.FieldsSeq(text) {
		if strings.HasPrefix(w, prefix) {
			return w
		}
	}
	return ""
}

func dial(t *testing.T, w transcript.World) func(args ...string) resp.Value {
	conn, err := w.Dial("c")
	require.NoError(t, err)
	return func(args ...string) resp.Value {
		require.NoError(t, conn.Send(args))
		v, ok, err := conn.Next(true)
		require.NoError(t, err)
		require.True(t, ok)
		return v
	}
}
