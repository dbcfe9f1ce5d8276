package snapshot

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/commands/hashes"
	"github.com/miniserver-go/miniserver/commands/keys"
	"github.com/miniserver-go/miniserver/commands/lists"
	"github.com/miniserver-go/miniserver/commands/sets"
	"github.com/miniserver-go/miniserver/commands/sketches"
	"github.com/miniserver-go/miniserver/commands/streams"
	"github.com/miniserver-go/miniserver/commands/zsets"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// converted returns a bench with data of many types, saved.
func converted(t *testing.T) (*bench, *MemDisk) {
	disk := new(MemDisk)
	b := newBench(t, disk)
	b.Engine.Join(engine.Commands(hashes.Family(), lists.Family(), sets.Family(), zsets.Family(), streams.Family(), keys.Selection()), sketches.Bloom())
	for _, command := range []string{
		`SET text "hello \"world\""`, `SET bytes "\xff\x00\x01"`, `SET int 42 PX 100000`, `RPUSH list a b 3`,
		`SADD ints 1 2 3`, `SADD words a b`, `HSET hash f v g 2`, `HSET dated f v g 2`, `HPEXPIRE dated 5000 FIELDS 1 f`,
		`ZADD zset 1 a 2.5 b inf c`, `XADD stream 1-1 f v`, `BF.ADD bloom x`, `SELECT 3`, `SET "other <db>" 1`,
		`SADD members a b`, `SEXPIRE members 50 MEMBERS 1 b`, `RPUSH elements a b a`, `LEXPIRE elements 50 ELEMENTS 1 a`,
	} {
		require.NotContains(t, b.do(command), "ERR", command)
	}
	require.Equal(t, "OK", b.do("SAVE"))
	b.wait()
	return b, disk
}

func TestConvertToJSONAndBack(t *testing.T) {
	b, disk := converted(t)
	file := disk.files[b.path()]
	var text bytes.Buffer
	require.NoError(t, Convert(bytes.NewReader(file), int64(len(file)), "json", &text))
	require.Contains(t, text.String(), `{"db":0,"key":"text","type":"string","value":"hello \"world\""}`+"\n")
	require.Contains(t, text.String(), `{"db":0,"key":"bytes","type":"string","value":{"base64":"/wAB"}}`+"\n")
	require.Contains(t, text.String(), `{"db":0,"key":"int","type":"string","deadline":1700000100000,"value":"42"}`+"\n")
	require.Contains(t, text.String(), `"type":"zset","value":[["a","1"],["b","2.5"],["c","+Inf"]]}`+"\n")
	require.Contains(t, text.String(), `"deadlines":[{"element":"b","deadline":1700000050000}]`)

	back := &memFile{disk: disk, path: b.path()}
	require.NoError(t, FromJSON(&text, back))
	require.NoError(t, back.Commit())
	copied := newBench(t, disk)
	require.NoError(t, copied.Load(false))
	require.Equal(t, b.Engine.Keyspace.Digest(), copied.Engine.Keyspace.Digest())
	require.Equal(t, 2, copied.Engine.Keyspace.DB(3).Subexpiry())

	for _, bad := range []string{`{"db":0`, `{"key":"k","type":"hash","value":"x"}`, `{"key":"k","type":"list","value":[]}`,
		`{"key":"k","type":"zset","value":[["a","x"]]}`, `{"key":"k","type":"foo","value":1}`, `{"key":"k","type":"set","payload":"AAAA"}`} {
		require.Error(t, FromJSON(strings.NewReader(bad), &memFile{disk: disk}), bad)
	}
	require.Error(t, Convert(bytes.NewReader(file[:50]), 50, "json", &text))
	require.Error(t, Convert(bytes.NewReader(file), 0, "xml", &text))
	longer := append(file[:len(file):len(file)], "*1\r\n"...)
	require.ErrorContains(t, Convert(bytes.NewReader(longer), int64(len(longer)), "resp", &text), "4 bytes follow the snapshot")
}

func TestConvertToCommands(t *testing.T) {
	b, disk := converted(t)
	file := disk.files[b.path()]
	var out bytes.Buffer
	require.NoError(t, Convert(bytes.NewReader(file), int64(len(file)), "resp", &out))
	copied := newBench(t, disk)
	copied.Engine.Join(engine.Commands(hashes.Family(), lists.Family(), sets.Family(), keys.Selection()))
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
		require.Equal(t, want, string(copied.Engine.Do(copied.session, [][][]byte{args}).Out))
	}
	require.Equal(t, b.Engine.Keyspace.Digest(), copied.Engine.Keyspace.Digest())
	require.Equal(t, 1, copied.Engine.Keyspace.DB(0).Subexpiry())
	require.Equal(t, 2, copied.Engine.Keyspace.DB(3).Subexpiry())
	copied.do("SELECT 3")
	b.clock += 50e6
	copied.clock += 50e6
	require.Equal(t, b.Engine.Keyspace.Digest(), copied.Engine.Keyspace.Digest(), "without the elements that went")
}
