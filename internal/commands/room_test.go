package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/bitmaps"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/json"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/sketches"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// What a value may take is accounted when it is announced, and refused if maxmemory does not leave
// it. A dump contains all of it.
func TestAnnouncedMemory(t *testing.T) {
	e, session := frozen(keys.Family, bitmaps.Family, servercmds.Family)
	e.Join(sketches.Bloom(), configcmds.Part(e.Release))
	do := func(line string) string { return string(e.Do(session, commands(line)).Out) }
	used := func() int { return e.Home().MemoryUsage().Used }
	const oom = "-" + string(engine.ErrOOM) + "\r\n"

	require.Equal(t, "+OK\r\n", do("BF.RESERVE large 0.000000001 1000000000"))
	require.Greater(t, used(), 5_000_000_000)
	reply := do("BF.SCANDUMP large 0")
	_, header, _ := strings.Cut(reply, "$73\r\n")
	load := [][][]byte{{[]byte("BF.LOADCHUNK"), []byte("loaded"), []byte("1"), []byte(header[:73])}}
	do("DEL large")

	before := used()
	require.Equal(t, "+OK\r\n", do("CONFIG SET maxmemory 100mb"))
	require.Equal(t, oom, do("BF.RESERVE large 0.000000001 1000000000"))
	require.Equal(t, oom, do("BF.INSERT large ERROR 0.000000001 CAPACITY 1000000000 ITEMS a"))
	require.Equal(t, oom, string(e.Do(session, load).Out))
	require.Equal(t, before, used())

	require.Equal(t, "+OK\r\n", do("BF.RESERVE growing 0.01 3000 EXPANSION 32768"))
	items := ""
	for i := range 3600 {
		items += fmt.Sprint(" ", i)
	}
	require.True(t, strings.HasSuffix(do("BF.MADD growing"+items), oom))
	require.Less(t, used(), before+10_000)
	require.Equal(t, ":0\r\n", do("SETBIT bits 500000000 1"))
	require.Greater(t, used(), 62_500_000)
}

// A command that would put a large value into many places of a document is refused before it
// changes the first one.
func TestJSONInManyPlaces(t *testing.T) {
	e, session := frozenWith(json.Part())
	e.Join(configcmds.Part(e.Release))
	do := func(line string) string { return string(e.Do(session, commands(line)).Out) }
	const oom = "-" + string(engine.ErrOOM) + "\r\n"
	value := `"` + strings.Repeat("x", 100_000) + `"`
	require.Equal(t, "+OK\r\n", do("JSON.SET k $ ["+strings.Repeat(`["x"],`, 2000)+"[]]"))
	require.Equal(t, "+OK\r\n", do("CONFIG SET maxmemory 100mb"))
	before := do("JSON.GET k")
	for _, line := range []string{"JSON.SET k $[*] " + value, "JSON.MERGE k $[*] " + value,
		`JSON.MERGE k $[*] {` + value + `:1}`, "JSON.MSET k $[*] " + value + " other $ 1",
		"JSON.ARRAPPEND k $[*] " + value, "JSON.ARRINSERT k $[*] 0 " + value, "JSON.STRAPPEND k $[*][0] " + value} {
		require.Equal(t, oom, do(line), line[:20])
		require.Equal(t, before, do("JSON.GET k"), line[:20])
	}
	require.Equal(t, "$-1\r\n", do("JSON.GET other"))
	require.Equal(t, "+OK\r\n", do("JSON.SET k $[0] "+value))
}

// A text that is longer than a reply may be is not written to its end: a document may have a name
// many times that takes memory once.
func TestJSONThatIsTooLongForAReply(t *testing.T) {
	e, session := frozenWith(json.Part())
	e.Config.ReplyMemory = 1 << 20
	do := func(line string) engine.Outcome { return e.Do(session, commands(line)) }
	require.Equal(t, "+OK\r\n", string(do("JSON.SET k $ ["+strings.Repeat(`{},`, 3000)+"{}]").Out))
	require.Equal(t, "+OK\r\n", string(do(`JSON.MERGE k $[*] {"`+strings.Repeat("n", 60_000)+`":1}`).Out))
	for _, line := range []string{"JSON.GET k", "JSON.GET k $..*", "JSON.GET k $ $..*", "JSON.MGET k k $",
		"JSON.RESP k", "JSON.OBJKEYS k $[*]"} {
		require.True(t, do(line).Overflow, line)
	}
}
