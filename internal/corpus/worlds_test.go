package corpus_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/server"
)

// commandCorpus is the transcripts; every world runs all of them.
var commandCorpus = filepath.Join("..", "commands", "testdata")

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // tests leave thousands of engines behind
	os.Exit(m.Run())
}

func memory(name string, proto int, tags ...string) *transcript.Memory {
	return transcript.NewMemory(transcript.Traits{Name: name, Proto: proto, Tags: tags}, furnish)
}

// memoryLike is memory with an engine that behaves as a release.
func memoryLike(t *testing.T, r reference.Release, name string, tags ...string) *transcript.Memory {
	like, err := release.Find(string(r))
	require.NoError(t, err)
	return transcript.NewMemory(transcript.Traits{Name: name, Release: like, Tags: tags}, furnish)
}

// furnish puts into an engine what the program's has.
func furnish(e *engine.Engine) {
	furnishWith(e, new(disk.Memory))
}

func furnishWith(e *engine.Engine, disk disk.Disk) {
	assembly.Join(e, assembly.Options{Disk: disk})
}

func TestTranscriptsInProcess(t *testing.T) {
	quick.Unraced(t, "runs all transcripts twice")
	w := memory("an engine in process", 2)
	if corpus.Updating(t, commandCorpus, func() transcript.World { return w }) {
		return
	}
	corpus.RunFiles(t, w, commandCorpus, corpus.Files(t, commandCorpus))
	checked := transcript.NewMemory(w.Traits(), func(e *engine.Engine) {
		furnish(e)
		family.CheckLines(t, e)
	})
	family.CheckJournal(t, checked)
	corpus.RunFiles(t, checked, commandCorpus, corpus.Files(t, commandCorpus))
}

// TestOurOwnCommandsAreNotAskedOfRedis finds transcripts that forget to say whose command they are
// about, also where there is no redis-server.
func TestOurOwnCommandsAreNotAskedOfRedis(t *testing.T) {
	commands := memory("an engine in process", 2).Engine().Commands
	for _, f := range corpus.Files(t, commandCorpus) {
		for _, at := range f.SentTo(corpus.TraitsOf(reference.Default)) {
			cmd, _ := commands.Resolve([][]byte{[]byte(at.Args[0])})
			if cmd != nil && release.From(cmd.Since).Foreign() {
				t.Errorf("%s:%d: redis-server has no %s: the second line of a transcript about it is @ only miniserver",
					f.Name, at.Line, cmd.Name)
			}
		}
	}
}

func TestTranscriptsInRESP3(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	corpus.RunFiles(t, memory("an engine in process, RESP3", 3), commandCorpus, corpus.Files(t, commandCorpus))
}

// TestTranscriptsWithoutSmallEncodings runs them with every threshold at 0, so that no value is a
// ziplist, and with an element in each node of a list.
func TestTranscriptsWithoutSmallEncodings(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	w := transcript.NewMemory(transcript.Traits{Name: "an engine without small encodings", Tags: []string{"large"}},
		func(e *engine.Engine) {
			furnish(e)
			for _, name := range e.Params.Names() {
				if strings.HasSuffix(name, "-max-listpack-entries") || strings.HasSuffix(name, "-max-intset-entries") {
					require.NoError(t, e.Params.Named(name).Set("0"), name)
				}
				if strings.HasSuffix(name, "-max-listpack-size") {
					require.NoError(t, e.Params.Named(name).Set("1"), name)
				}
			}
		})
	corpus.RunFiles(t, w, commandCorpus, corpus.Files(t, commandCorpus))
}

// replayed is a world that, when a file is through, replays its journal into a fresh engine and
// compares the data.
type replayed struct {
	*transcript.Memory
	journal []journaled
}

type journaled struct {
	db   int
	args [][]byte
}

func (w *replayed) record(db int, args [][]byte) {
	line := journaled{db: db}
	for _, a := range args {
		line.args = append(line.args, bytes.Clone(a))
	}
	w.journal = append(w.journal, line)
}

func (w *replayed) Reset() error {
	w.journal = nil
	return w.Memory.Reset()
}

// later is how long after the last command the journal is replayed: every deadline has passed by
// then, so that a line whose effect depends on the time gives other data.
const later = 100 * 365 * 24 * time.Hour

func (w *replayed) Check() error {
	want, digest := contents(w.Engine()), digest(w.Engine())
	copied, err := w.replay(slices.Clone(w.journal))
	if err != nil {
		return err
	}
	if got := contents(copied); want != got {
		return fmt.Errorf("the journal gives other data:\n%s\nthan the engine holds:\n%s", got, want)
	}
	if got := copied.Home().Keyspace.Digest(); digest != got {
		return fmt.Errorf("the journal gives data of digest %s, the engine's has %s", got, digest)
	}
	return w.Memory.Check()
}

// replay runs a journal in a fresh engine, later.
func (w *replayed) replay(journal []journaled) (*engine.Engine, error) {
	if err := w.Advance(later); err != nil {
		return nil, err
	}
	copied := w.Fresh(nil)
	s := copied.NewSession(nil)
	copied.Home().Keyspace.Replaying = true
	for _, line := range journal {
		if line.db != engine.AnyDB {
			s.Select(line.db)
		}
		if o := copied.Do(s, [][][]byte{line.args}); bytes.HasPrefix(o.Out, []byte("-")) {
			return nil, fmt.Errorf("journal line %q: %s", line.args, o.Out)
		}
	}
	return copied, nil
}

// digest returns the digest of an engine's data without what is due.
func digest(e *engine.Engine) (d keyspace.Digest) {
	e.Tick()
	e.With(func() { d = e.Home().Keyspace.Digest() })
	return d
}

func TestTranscriptsReplayedFromTheJournal(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	w := &replayed{Memory: memory("an engine with a journal", 2, "journal")}
	w.Journal = w.record
	require.NoError(t, w.Reset())
	corpus.RunFiles(t, w, commandCorpus, corpus.Files(t, commandCorpus))
}

// reloaded is a world that, when a file is through, saves a snapshot, loads it into a fresh engine
// and compares the data.
type reloaded struct {
	*transcript.Memory
	shelf *disk.Memory
}

// reload runs commands and returns the first error.
func reload(e *engine.Engine, commands ...string) error {
	s := e.NewSession(nil)
	for _, text := range commands {
		words, _ := resp.Words([]byte(text), nil)
		if o := e.Do(s, [][][]byte{words}); bytes.HasPrefix(o.Out, []byte("-")) {
			return fmt.Errorf("%s: %s", text, o.Out)
		}
	}
	return nil
}

func (w *reloaded) Check() error {
	copied := w.Fresh(nil)
	for _, e := range []*engine.Engine{w.Engine(), copied} {
		for name, value := range map[string]string{"dir": "/", "dbfilename": "kept", "enable-debug-command": "yes",
			"requirepass": ""} {
			if failure := e.Params.Named(name).Set(value); failure != nil {
				return fmt.Errorf("%s: %s", name, failure)
			}
		}
	}
	if err := reload(w.Engine(), "SAVE"); err != nil {
		return err
	}
	if err := reload(copied, "DEBUG RELOAD NOSAVE"); err != nil {
		return err
	}
	if want, got := contents(w.Engine()), contents(copied); want != got {
		return fmt.Errorf("the snapshot gives other data:\n%s\nthan the engine holds:\n%s", got, want)
	}
	if want, got := w.Engine().Home().Keyspace.Digest(), copied.Home().Keyspace.Digest(); want != got {
		return fmt.Errorf("the snapshot's digest is %s, the engine's %s", got, want)
	}
	return w.Memory.Check()
}

func TestTranscriptsReloadedFromASnapshot(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	w := &reloaded{shelf: new(disk.Memory)}
	w.Memory = transcript.NewMemory(transcript.Traits{Name: "an engine with a snapshot", Tags: []string{"snapshot"}},
		func(e *engine.Engine) {
			furnishWith(e, w.shelf)
		})
	corpus.RunFiles(t, w, commandCorpus, corpus.Files(t, commandCorpus))
}

// contents returns all keys of an engine with their values and deadlines, in order, and its
// libraries.
func contents(e *engine.Engine) string {
	var lines []string
	e.With(func() {
		for i := range e.Home().Keyspace.Len() {
			db := e.Home().Keyspace.DB(i)
			db.Keys().Each(func(key string, t keyspace.Type) bool {
				e.Home().Keyspace.Begin()
				v, _ := db.Peek([]byte(key))
				deadline, _ := db.Deadline([]byte(key))
				lines = append(lines, fmt.Sprintf("%d %q %s %d %s%s", i, key, t, deadline, elements(v), deadlines(v)))
				return true
			})
		}
	})
	slices.Sort(lines)
	e.With(func() {
		for _, source := range e.Parts.Libraries.Sources(e.Home()) {
			lines = append(lines, fmt.Sprintf("library %q", source))
		}
	})
	return strings.Join(lines, "\n")
}

// elements returns a value's elements as text, in an order that does not depend on how they lie.
func elements(v keyspace.Value) string {
	var parts []string
	switch v := v.(type) {
	case *str.Value:
		return strconv.Quote(string(v.Text(nil)))
	case *hash.Hash:
		v.Each(func(field, value ziplist.Entry) bool {
			parts = append(parts, fmt.Sprintf("%q:%q", field.Append(nil), value.Append(nil)))
			return true
		})
	case *set.Set:
		v.Each(func(member ziplist.Entry) bool {
			parts = append(parts, fmt.Sprintf("%q", member.Append(nil)))
			return true
		})
	case *zset.Set:
		v.Each(func(member []byte, score float64) bool {
			parts = append(parts, fmt.Sprintf("%q:%v", member, score))
			return true
		})
	case *list.List:
		v.Range(0, v.Len(), func(e ziplist.Entry) { parts = append(parts, strconv.Quote(string(e.Append(nil)))) })
		return strings.Join(parts, " ")
	case *stream.Stream:
		return streamText(v)
	case *json.Doc:
		return string(json.AppendText(nil, v.Root()))
	default:
		var m value.Mixer
		v.Digest(&m)
		return m.Digest.String()
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// deadlines returns those of a value's elements as text.
func deadlines(v keyspace.Value) string {
	var parts []string
	if v, ok := v.(keyspace.Collection); ok {
		v.Deadlines(func(element []byte, deadline int64) bool {
			parts = append(parts, fmt.Sprintf(" %q until %d", element, deadline))
			return true
		})
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// TestTranscriptsOverTCP sends each command one byte at a time.
func TestTranscriptsOverTCP(t *testing.T) {
	quick.Skip(t, "waits for time that passes")
	t.Parallel()
	e := engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: 1})
	furnish(e)
	require.NoError(t, e.Params.Named("enable-debug-command").Set("yes"))
	// So that it takes commands in their order.
	s := server.New(e, server.Options{Bind: []string{"127.0.0.1"}, Loops: 1})
	require.NoError(t, s.Listen())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	defer func() {
		cancel()
		require.NoError(t, <-ended)
	}()
	w, err := transcript.Connect("tcp", s.Addrs()[0], transcript.Traits{
		Name: "miniserver over TCP", Tags: []string{"miniserver", "tcp"}, Sleep: 50 * time.Millisecond})
	require.NoError(t, err)
	defer w.Close()
	w.OneByte = true
	corpus.RunFiles(t, w, commandCorpus, corpus.Files(t, commandCorpus))
}

// TestTranscriptsOnRedis runs there what the default release can run of them.
func TestTranscriptsOnRedis(t *testing.T) { runOn(t, reference.Default) }

func TestTranscriptsOnRedis80(t *testing.T) { runOn(t, reference.Redis80) }

func TestTranscriptsOnRedis70(t *testing.T) { runOn(t, reference.Redis70) }

func TestTranscriptsOnValkey(t *testing.T) { runOn(t, reference.Valkey81) }

func TestTranscriptsOnValkey91(t *testing.T) { runOn(t, reference.Valkey91) }

// TestReachedServers: a server that a user names is the release that it says, or Redis Stack.
func TestReachedServers(t *testing.T) {
	for _, r := range []reference.Release{reference.RedisStack74, reference.Default, reference.Valkey81} {
		w, err := transcript.Reach(r.Start(t).Socket, false, time.Minute)
		require.NoError(t, err, r)
		require.True(t, w.Traits().Release.Is(r.Product()), r)
		require.Equal(t, r.Product() == "redis-stack", w.Traits().Release.Stack, r)
		require.NoError(t, w.Close(), r)
	}
}

func TestTranscriptsOnRedisStack(t *testing.T) { runOn(t, reference.RedisStack74) }

func runOn(t *testing.T, r reference.Release) {
	quick.Outside(t)
	t.Parallel() // they wait for time that passes
	corpus.RunFiles(t, corpus.Real(t, r, 2), commandCorpus, corpus.Files(t, commandCorpus), todo(t, r)...)
}

// TestTranscriptsLikeOthers runs what a server of another release can run of them in an engine that
// behaves as that release.
func TestTranscriptsLikeOthers(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	for _, r := range []reference.Release{reference.Redis80, reference.Redis70, reference.Valkey81,
		reference.Valkey91, reference.RedisStack74} {
		t.Run(string(r), func(t *testing.T) {
			w := memoryLike(t, r, "an engine like "+string(r))
			corpus.RunFiles(t, w, commandCorpus, corpus.Files(t, commandCorpus), todo(t, "like-"+r)...)
		})
	}
}

// TestTranscriptsOfRedis62 runs what was recorded from redis-server 6.2, which the other
// transcripts are too new for, there and in an engine that behaves as that release.
func TestTranscriptsOfRedis62(t *testing.T) {
	dir := filepath.Join("testdata", "redis-6.2")
	t.Run("ours", func(t *testing.T) {
		w := memoryLike(t, reference.Redis62, "an engine like redis:6.2")
		corpus.RunFiles(t, w, dir, corpus.Files(t, dir), todo(t, "like-redis:6.2")...)
	})
	t.Run("theirs", func(t *testing.T) {
		corpus.RunFiles(t, corpus.Real(t, reference.Redis62, 2), dir, corpus.Files(t, dir))
	})
}

// todo returns the transcripts that still differ from the release. Each line of its file is the
// path of one.
func todo(t *testing.T, r reference.Release) []string {
	text, err := os.ReadFile(filepath.Join("testdata", "todo", strings.ReplaceAll(string(r), ":", "-")+".txt"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Fields(string(text))
}
