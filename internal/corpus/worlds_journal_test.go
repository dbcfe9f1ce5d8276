package corpus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/resp"
)

// handed is a world that, when a file is through, hands its journal to a redis-server and compares
// the data.
type handed struct {
	replayed
	file  string // the commands that redis-server loads
	ask   func(words ...string) resp.Value
	given int // files
}

func (w *handed) Check() error {
	want := digest(w.Engine())
	out := resp.NewWriter(2)
	db := -1
	for _, line := range w.journal {
		if family.IsBeyondRedis(line.args[0]) {
			return nil
		}
		if line.db != db {
			db = line.db
			writeCommand(out, [][]byte{[]byte("SELECT"), strconv.AppendInt(nil, int64(db), 10)})
		}
		writeCommand(out, line.args)
	}
	if err := os.WriteFile(w.file, out.Bytes(), 0o644); err != nil {
		return err
	}
	if v := w.ask("DEBUG", "LOADAOF"); v.Text != "OK" {
		return fmt.Errorf("redis-server did not load the journal: %s\n%s", v, out.Bytes())
	}
	w.given++
	if got := w.ask("DEBUG", "DIGEST").Text; got != want.String() {
		return fmt.Errorf("redis-server has data of digest %s, the engine has %s\n%s\n%s", got, want,
			contents(w.Engine()), out.Bytes())
	}
	return w.compareLibraries()
}

// compareLibraries compares the libraries of functions, which redis-server lists in an order of its
// own.
func (w *handed) compareLibraries() error {
	var ours, theirs []string
	w.Engine().With(func() {
		for _, source := range w.Engine().Parts.Libraries.Sources(w.Engine().Home()) {
			ours = append(ours, string(source))
		}
	})
	for _, library := range w.ask("FUNCTION", "LIST", "WITHCODE").Elems {
		theirs = append(theirs, library.Elems[len(library.Elems)-1].Text)
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	if !slices.Equal(ours, theirs) {
		return fmt.Errorf("redis-server has the libraries %q, the engine %q", theirs, ours)
	}
	return nil
}

func writeCommand(out *resp.Writer, args [][]byte) {
	out.Array(len(args))
	for _, arg := range args {
		out.Bulk(arg)
	}
}

// TestTranscriptsHandedToRedis has a redis-server load the journal of every file.
func TestTranscriptsHandedToRedis(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	server := reference.Start(t, "--appendonly", "yes", "--databases", "16")
	conn := server.Dial(t)
	in := resp.NewReader(conn)
	like, err := release.Find(string(reference.Default)) // a redis-server knows no commands of later releases
	require.NoError(t, err)
	traits := transcript.Traits{Name: "an engine whose journal redis-server loads", Release: like,
		Tags: []string{"journal"}}
	w := &handed{replayed: replayed{Memory: transcript.NewMemory(traits, func(e *engine.Engine) {
		furnish(e)
		require.NoError(t, e.Params.Named("encodings").Set("ziplist"))
	})},
		file: filepath.Join(server.Dir, "appendonlydir", "appendonly.aof.1.incr.aof")}
	w.ask = func(words ...string) resp.Value {
		out := resp.NewWriter(2)
		out.Command(words...)
		_, err := conn.Write(out.Bytes())
		require.NoError(t, err)
		v, err := in.Read()
		if err != nil {
			log, _ := os.ReadFile(filepath.Join(server.Dir, "log"))
			lines := strings.Split(strings.TrimSpace(string(log)), "\n")
			require.NoError(t, err, "redis-server ended: %s", lines[len(lines)-1])
		}
		return v
	}
	require.Equal(t, "OK", w.ask("DEBUG", "SET-ACTIVE-EXPIRE", "0").Text)
	w.Journal = w.record
	require.NoError(t, w.Reset())
	files := corpus.Files(t, commandCorpus)
	corpus.RunFiles(t, w, commandCorpus, files)
	require.Greater(t, w.given, len(files)/2)
}
