package files

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/resp"
)

const dump = "dump.rdb"

// memoryServer is an engine with a clock of its own whose snapshots stay in memory.
type memoryServer struct {
	t       *testing.T
	engine  *engine.Engine
	parts   assembly.Parts
	session *engine.Session
	clock   int64 // microseconds since the epoch
}

// run runs lines of commands, none of which may fail.
func (s *memoryServer) run(lines ...string) {
	for _, line := range lines {
		words, _ := resp.Words([]byte(line), nil)
		reply := s.engine.Do(s.session, [][][]byte{words}).Out
		require.NotEqual(s.t, byte('-'), reply[0], "%s: %s", line, reply)
	}
}

func newMemoryServer(t *testing.T, shelf *disk.Memory) *memoryServer {
	s := &memoryServer{t: t, clock: 1_700_000_000_000_000}
	made := assembly.New(assembly.Options{Engine: engine.Options{Clock: func() int64 { return s.clock }, Seed: 1},
		Disk: shelf})
	s.engine, s.parts = made.Engine, made.Parts
	s.session = s.engine.NewSession(nil)
	return s
}

// saved returns a server with data of many types, and the snapshot of them.
func saved(t *testing.T, shelf *disk.Memory) (s *memoryServer, file []byte) {
	s = newMemoryServer(t, shelf)
	s.run(`SET text "hello \"world\""`, `SET bytes "\xff\x00\x01"`, `SET int 42 PX 100000`, `RPUSH list a b 3`,
		`SADD ints 1 2 3`, `SADD words a b`, `HSET hash f v g 2`, `HSET dated f v g 2`, `HPEXPIRE dated 5000 FIELDS 1 f`, `ZADD zset 1 a 2.5 b inf c`, `XADD stream 1-1 f v`, `BF.ADD bloom x`,
		`JSON.SET doc $ "{\"a\":[1.0,null]}"`, `SELECT 3`, `SET "other <db>" 1`, `SADD members a b`, `SEXPIRE members 50 MEMBERS 1 b`, `RPUSH elements a b a`, `LEXPIRE elements 50 ELEMENTS 1 a`, `SAVE`)
	return s, s.readDump(t, shelf)
}

func TestConvertToJSONAndBack(t *testing.T) {
	shelf := new(disk.Memory)
	b, file := saved(t, shelf)
	var text bytes.Buffer
	require.NoError(t, conversion{}.snapshot(bytes.NewReader(file), int64(len(file)), "json", &text))
	require.Contains(t, text.String(), `{"db":0,"key":"text","type":"string","value":"hello \"world\""}`+"\n")
	require.Contains(t, text.String(), `{"db":0,"key":"bytes","type":"string","value":{"base64":"/wAB"}}`+"\n")
	require.Contains(t, text.String(), `{"db":0,"key":"int","type":"string","deadline":1700000100000,"value":"42"}`+"\n")
	require.Contains(t, text.String(), `{"db":0,"key":"doc","type":"json","value":{"a":[1.0,null]}}`+"\n")
	require.Contains(t, text.String(), `"type":"zset","value":[["a","1"],["b","2.5"],["c","+Inf"]]}`+"\n")
	require.Contains(t, text.String(), `"deadlines":[{"element":"b","deadline":1700000050000}]`)

	back, err := shelf.Create(b.engine.Params.Named("dir").Get() + "/" + dump)
	require.NoError(t, err)
	require.NoError(t, jsonlines.Snapshot(&text, back, maxDatabases, commands.Types))
	require.NoError(t, back.Commit())
	copied := newMemoryServer(t, shelf)
	require.NoError(t, copied.parts.Load())
	require.Equal(t, b.engine.Home().Keyspace.Digest(), copied.engine.Home().Keyspace.Digest())
	require.Equal(t, 2, copied.engine.Home().Keyspace.DB(3).Expiry().Subexpiry())

	for _, bad := range []string{`{"db":0`, `{"key":"k","type":"hash","value":"x"}`, `{"key":"k","type":"list","value":[]}`, `{"key":"k","type":"zset","value":[["a","x"]]}`, `{"key":"k","type":"foo","value":1}`, `{"key":"k","type":"set","payload":"AAAA"}`} {
		back, err := shelf.Create("bad")
		require.NoError(t, err)
		require.Error(t, jsonlines.Snapshot(strings.NewReader(bad), back, maxDatabases, commands.Types), bad)
	}
	require.Error(t, conversion{}.snapshot(bytes.NewReader(file[:50]), 50, "json", &text))
	require.Error(t, conversion{}.snapshot(bytes.NewReader(file), 0, "xml", &text))
	longer := append(file[:len(file):len(file)], "*1\r\n"...)
	require.ErrorContains(t, conversion{}.snapshot(bytes.NewReader(longer), int64(len(longer)), "resp", &text),
		"4 bytes follow the snapshot")
}

func TestConvertToCommands(t *testing.T) {
	b, file := saved(t, new(disk.Memory))
	var out bytes.Buffer
	require.NoError(t, conversion{}.snapshot(bytes.NewReader(file), int64(len(file)), "resp", &out))
	copied := newMemoryServer(t, new(disk.Memory))
	session := copied.engine.NewSession(nil)
	in := resp.NewReader(&out)
	for n := 0; ; n++ {
		v, err := in.Read()
		if err != nil {
			require.Greater(t, n, 12)
			break
		}
		var args [][]byte
		for _, e := range v.Elems {
			args = append(args, []byte(e.Text))
		}
		want := "+OK\r\n"
		if strings.HasSuffix(v.Elems[0].Text, "PEXPIREAT") {
			want = "*1\r\n:1\r\n"
		}
		require.Equal(t, want, string(copied.engine.Do(session, [][][]byte{args}).Out))
	}
	require.Equal(t, b.engine.Home().Keyspace.Digest(), copied.engine.Home().Keyspace.Digest())
	require.Equal(t, 1, copied.engine.Home().Keyspace.DB(0).Expiry().Subexpiry())
	require.Equal(t, 2, copied.engine.Home().Keyspace.DB(3).Expiry().Subexpiry())
	copied.run("SELECT 3")
	b.clock += 50e6
	copied.clock += 50e6
	require.Equal(t, b.engine.Home().Keyspace.Digest(), copied.engine.Home().Keyspace.Digest(),
		"without the elements that went")
}
