package files

import (
	"bytes"
	"flag"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/resp"
	_ "github.com/miniserver-go/miniserver/search" // suggestions
)

var randomConversions = flag.Int("conversions", 30, "random datasets that are converted and loaded again")

// TestConvertRandomData converts snapshots of random data of every type and encoding, and compares
// what loads with them.
func TestConvertRandomData(t *testing.T) {
	for seed := range quick.Rounds(uint64(*randomConversions)) {
		shelf := new(disk.Memory)
		s := newMemoryServer(t, shelf)
		runAll(t, s.engine, dataset.New(seed).Keys(1+int(seed)%40))
		s.run("SAVE")
		file := s.readDump(t, shelf)
		digest := s.engine.Home().Keyspace.Digest()

		var json, commands bytes.Buffer
		require.NoError(t, conversion{}.snapshot(bytes.NewReader(file), int64(len(file)), "json", &json))
		require.NoError(t, conversion{}.snapshot(bytes.NewReader(file), int64(len(file)), "resp", &commands))
		require.Equal(t, digest, s.loadJSON(t, &json), "seed %d, through JSON", seed)
		require.Equal(t, digest, executeCommands(t, &commands), "seed %d, through commands", seed)
	}
}

// readDump returns the snapshot that was saved.
func (s *memoryServer) readDump(t *testing.T, shelf *disk.Memory) []byte {
	f, _, err := shelf.Open(s.engine.Params.Named("dir").Get() + "/" + dump)
	require.NoError(t, err)
	file, err := io.ReadAll(f)
	require.NoError(t, err)
	return file
}

// loadJSON loads lines of JSON as a snapshot, and returns the digest of the data.
func (s *memoryServer) loadJSON(t *testing.T, lines io.Reader) any {
	shelf := new(disk.Memory)
	file, err := shelf.Create(s.engine.Params.Named("dir").Get() + "/" + dump)
	require.NoError(t, err)
	require.NoError(t, jsonlines.Snapshot(lines, file, maxDatabases, commands.Types))
	require.NoError(t, file.Commit())
	copied := newMemoryServer(t, shelf)
	require.NoError(t, copied.parts.Load())
	return copied.engine.Home().Keyspace.Digest()
}

// executeCommands runs commands, and returns the digest of the data.
func executeCommands(t *testing.T, commands io.Reader) any {
	copied := newMemoryServer(t, new(disk.Memory))
	session, in := copied.engine.NewSession(nil), resp.NewReader(commands)
	for {
		v, err := in.Read()
		if err == io.EOF {
			return copied.engine.Home().Keyspace.Digest()
		}
		require.NoError(t, err)
		var args [][]byte
		for _, e := range v.Elems {
			args = append(args, []byte(e.Text))
		}
		reply := copied.engine.Do(session, [][][]byte{args}).Out
		require.NotEqual(t, byte('-'), reply[0], "%s", reply)
	}
}

// runAll runs commands, none of which may fail.
func runAll(t *testing.T, e *engine.Engine, commands []dataset.Command) {
	session := e.NewSession(nil)
	for _, c := range commands {
		args := make([][]byte, len(c))
		for i, arg := range c {
			args[i] = []byte(arg)
		}
		reply := e.Do(session, [][][]byte{args}).Out
		require.NotEqual(t, byte('-'), reply[0], "%.80q: %s", c, reply)
	}
}
