package snapshot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/debug"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/resp"
)

// frail is a disk in memory that can fill up.
type frail struct {
	disk.Memory
	mu   sync.Mutex
	full bool
}

type frailFile struct {
	disk.File
	disk *frail
}

var errFull = errors.New("no space left on device")

func (d *frail) fill(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

func (d *frail) Create(path string) (disk.File, error) {
	f, err := d.Memory.Create(path)
	return &frailFile{f, d}, err
}

func (f *frailFile) Write(b []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.full && len(b) > 100 {
		return 0, errFull
	}
	return f.File.Write(b)
}

// bench is an engine with a saver, a clock set by hand, and a way to wait for saves.
type bench struct {
	*engine.Engine
	*Saver
	t       *testing.T
	clock   int64
	session *engine.Session
	done    chan struct{}
}

func newBench(t *testing.T, disk disk.Disk) *bench {
	b := &bench{t: t, clock: 1_700_000_000_000_000, done: make(chan struct{}, 10)}
	b.Engine = engine.New(engine.Options{Clock: func() int64 { return b.clock }, Seed: 1})
	b.Engine.Join(engine.Commands(stringcmds.Family, keys.Family, keys.Databases, servercmds.Family, debug.Family),
		shutdown.Part(b.Engine), payload.Part(), configcmds.Part(b.Engine.Release))
	b.Saver = New(b.Engine, Options{Disk: disk, Spawn: func(run func()) {
		go func() {
			run()
			b.done <- struct{}{}
		}()
	}})
	b.Engine.Join(b.Saver.Part())
	b.session = b.Engine.NewSession(nil)
	return b
}

// do runs a command and returns its reply as text.
func (b *bench) do(text string) string {
	b.t.Helper()
	words, ok := resp.Words([]byte(text), nil)
	require.True(b.t, ok)
	o := b.Engine.Do(b.session, [][][]byte{words})
	if len(o.Out) == 0 {
		return ""
	}
	v, err := resp.NewReader(strings.NewReader(string(o.Out))).Read()
	require.NoError(b.t, err)
	return v.Text
}

func (b *bench) wait() { <-b.done }

func (b *bench) pass(seconds int64) {
	b.clock += seconds * 1e6
	b.Engine.Tick()
}

func TestSavePoints(t *testing.T) {
	disk := new(disk.Memory)
	b := newBench(t, disk)
	require.NoError(t, b.Engine.Params.Named("save").Set("60 2"))
	require.NoError(t, b.Engine.Params.Named("save").Set("3600 1"))
	require.NoError(t, b.Load(false))
	require.Equal(t, "60 2 3600 1", b.Engine.Params.Named("save").Get(), "lines of a file add up")
	b.do("SET a 1")
	b.pass(61)
	require.Contains(t, b.do("INFO persistence"), "rdb_changes_since_last_save:1\r\n")
	b.do("SET b 1")
	b.pass(1)
	b.wait()
	info := b.do("INFO persistence")
	require.Contains(t, info, "rdb_changes_since_last_save:0\r\n")
	require.Contains(t, info, "rdb_saves:1\r\n")
	require.Contains(t, info, "rdb_last_bgsave_status:ok\r\n")
	require.Equal(t, "1700000062", fmt.Sprint(b.stats.lastSave))

	copied := newBench(t, disk)
	require.NoError(t, copied.Load(false))
	require.Equal(t, "1", copied.do("GET b"))
	require.NoError(t, b.Engine.Params.Named("save").Set("10 1"))
	require.Equal(t, "10 1", b.Engine.Params.Named("save").Get(), "CONFIG SET replaces")
	require.Error(t, b.Engine.Params.Named("save").Set("10"))
	require.Error(t, b.Engine.Params.Named("save").Set("0 1"))
}

// TestSavePointsWhileTimePasses moves the time over save points: the save is over at its time, and
// one that failed is tried again.
func TestSavePointsWhileTimePasses(t *testing.T) {
	disk := new(frail)
	b := newBench(t, disk)
	require.NoError(t, b.Load(false))
	require.NoError(t, b.Engine.Params.Named("save").Set("60 1"))
	pass := func(seconds int64) {
		b.With(func() {
			engine.Pass(b.Engine.Worlds(), b.clock+seconds*1e6, func(micros int64) { b.clock = micros })
		})
	}
	b.do("SET large " + strings.Repeat("x1y2z", 100))
	pass(60)
	require.Contains(t, b.do("INFO persistence"), "rdb_changes_since_last_save:1\r\n")
	pass(100)
	require.Contains(t, b.do("INFO persistence"), "rdb_changes_since_last_save:0\r\n")
	require.Equal(t, "1700000061", fmt.Sprint(b.stats.lastSave))

	b.do("SET a 1")
	disk.fill(true)
	pass(99)
	require.Equal(t, "1700000256", fmt.Sprint(b.stats.lastTry), "first now, then six seconds later each time")
	require.Equal(t, string(errMisconf), b.do("SET a 2"))
	disk.fill(false)
	pass(99)
	require.Equal(t, "1700000262", fmt.Sprint(b.stats.lastSave))
	require.Equal(t, "OK", b.do("SET a 2"))
}

func TestFullDiskLeavesTheOldFile(t *testing.T) {
	disk := new(frail)
	b := newBench(t, disk)
	b.Engine.Join(engine.Part{Host: engine.Host{Exit: func() {}}})
	require.NoError(t, b.Engine.Params.Named("save").Set("3600 1"))
	require.NoError(t, b.Load(false))
	b.do("SET a old")
	require.Equal(t, "OK", b.do("SAVE"))
	b.wait()
	b.do("SET a new")
	b.do("SET large " + strings.Repeat("x1y2z", 100))
	disk.fill(true)
	require.Equal(t, "Background saving started", b.do("BGSAVE"))
	b.wait()
	require.Equal(t, string(errMisconf), b.do("SET a newer"))
	require.Equal(t, "new", b.do("GET a"))
	require.Contains(t, b.do("INFO persistence"), "rdb_last_bgsave_status:err\r\n")
	require.Equal(t, "ERR", b.do("SAVE"))
	b.wait()
	b.do("BGSAVE")
	require.Equal(t, string(engine.ErrShutdown), b.do("SHUTDOWN"))
	require.Contains(t, b.do("INFO persistence"), "rdb_bgsave_in_progress:0\r\n", "SHUTDOWN ended it")
	b.wait()
	b.wait()

	copied := newBench(t, disk)
	require.NoError(t, copied.Load(false))
	require.Equal(t, "old", copied.do("GET a"))

	require.NoError(t, b.Engine.Params.Named("stop-writes-on-bgsave-error").Set("no"))
	require.Equal(t, "OK", b.do("SET a newer"))
	require.NoError(t, b.Engine.Params.Named("stop-writes-on-bgsave-error").Set("yes"))
	require.Equal(t, string(errMisconf), b.do("SET a newest"))
	disk.fill(false)
	require.Equal(t, "Background saving started", b.do("BGSAVE"))
	b.wait()
	require.Equal(t, "OK", b.do("SET a newest"))
}

func TestWritesGoOnWhileItSaves(t *testing.T) {
	disk := new(disk.Memory)
	b := newBench(t, disk)
	for i := range 20000 {
		b.do(fmt.Sprintf("SET key:%d old", i))
	}
	want := b.Engine.Home().Keyspace.Digest()
	require.Equal(t, "Background saving started", b.do("BGSAVE"))
	for i := range 20000 {
		switch i % 3 {
		case 0:
			b.do(fmt.Sprintf("SET key:%d new", 20000-i))
		case 1:
			b.do(fmt.Sprintf("DEL key:%d", 20000-i))
		case 2:
			b.do(fmt.Sprintf("SET other:%d new", i))
		}
	}
	b.wait()
	copied := newBench(t, disk)
	require.NoError(t, copied.Load(false))
	require.Equal(t, want, copied.Engine.Home().Keyspace.Digest())
	require.NotEqual(t, want, b.Engine.Home().Keyspace.Digest())
}

func TestShutdownAndFlushAll(t *testing.T) {
	disk := new(disk.Memory)
	b := newBench(t, disk)
	b.Engine.Join(engine.Part{Host: engine.Host{Exit: func() {}}})
	require.NoError(t, b.Load(false))
	b.do("SET a 1")
	b.Saver.Close()
	_, _, err := disk.Open(b.path())
	require.Error(t, err, "without save points nothing is saved")
	require.NoError(t, b.Engine.Params.Named("save").Set("3600 1000"))
	b.do("SHUTDOWN")
	b.wait()
	b.session = b.Engine.NewSession(nil)
	_, size, err := disk.Open(b.path())
	require.NoError(t, err)
	b.do("FLUSHALL")
	b.wait()
	_, empty, err := disk.Open(b.path())
	require.NoError(t, err)
	require.Less(t, empty, size, "FLUSHALL saves the emptiness")
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	b := newBench(t, nil)
	require.EqualError(t, b.Engine.Params.Named("dir").Set(filepath.Join(dir, "none")), "No such file or directory")
	require.EqualError(t, b.Engine.Params.Named("dir").Set(os.Args[0]), "Not a directory")
	require.NoError(t, b.Engine.Params.Named("dir").Set(dir))
	require.Error(t, b.Engine.Params.Named("dbfilename").Set("a/b"))
	require.NoError(t, b.Load(false), "there is none")
	b.do("SET a 1")
	require.Equal(t, "OK", b.do("SAVE"))
	b.wait()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)

	path := filepath.Join(dir, "dump.rdb")
	b.do("DEL a")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	good[len(good)-1]++
	require.NoError(t, os.WriteFile(path, good, 0o644))
	require.ErrorContains(t, b.LoadFile(path, nil), "checksum")
	require.NoError(t, os.WriteFile(path, []byte("something"), 0o644))
	require.ErrorContains(t, b.LoadFile(path, nil), "not a snapshot")
	require.Error(t, b.LoadFile(dir, nil))
	require.NoError(t, b.Engine.Params.Named("dbfilename").Set("other"))
	require.NoError(t, b.Load(false))
}

func TestClientsHearThatItLoads(t *testing.T) {
	disk := new(disk.Memory)
	b := newBench(t, disk)
	for i := range 1000 {
		b.do(fmt.Sprintf("SET key:%d %d", i, i))
	}
	require.Equal(t, "OK", b.do("SAVE"))
	b.wait()
	loading := newBench(t, disk)
	heard := ""
	loading.opts.Progress = func(done, total int64) {
		require.LessOrEqual(t, done, total)
		heard = loading.do("GET key:1") + "\n" + loading.do("INFO persistence")
	}
	require.NoError(t, loading.Load(false))
	require.Contains(t, heard, "LOADING Redis is loading the dataset in memory")
	require.Contains(t, heard, "loading:1\r\n")
	require.Contains(t, heard, "loading_total_bytes:")
	require.Equal(t, "1", loading.do("GET key:1"))
	require.Contains(t, loading.do("INFO persistence"), "rdb_last_load_keys_loaded:1000\r\n")
}

// read returns what is in a file.
func read(t *testing.T, disk disk.Disk, path string) []byte {
	f, _, err := disk.Open(path)
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	return text
}

// write replaces a file.
func write(t *testing.T, disk disk.Disk, path string, text []byte) {
	f, err := disk.Create(path)
	require.NoError(t, err)
	_, err = f.Write(text)
	require.NoError(t, err)
	require.NoError(t, f.Commit())
}

// DEBUG RELOAD of a file that cannot be loaded, or not beside the data, changes nothing.
func TestReloadIsAllOrNothing(t *testing.T) {
	disk := new(disk.Memory)
	b := newBench(t, disk)
	require.NoError(t, b.Engine.Params.Named("enable-debug-command").Set("yes"))
	for i := range 500 {
		b.do(fmt.Sprintf("SET key:%d %d PX 100000", i, i))
	}
	require.Equal(t, "OK", b.do("SAVE"))
	b.wait()
	b.do("SET key:7 changed")
	b.do("SET more 1")
	file, before := read(t, disk, b.path()), b.Engine.Home().Keyspace.Digest()
	wrong := append(file[:len(file)-1:len(file)-1], file[len(file)-1]+1)
	for _, damaged := range [][]byte{file[:len(file)-3], file[:len(file)/2], wrong, nil, []byte("REDIS0099")} {
		write(t, disk, b.path(), damaged)
		for _, options := range []string{"", " NOFLUSH", " MERGE", " NOFLUSH MERGE"} {
			require.Equal(t, string(errReload), b.do("DEBUG RELOAD NOSAVE"+options))
			require.Equal(t, before, b.Engine.Home().Keyspace.Digest())
		}
	}
	write(t, disk, b.path(), file)
	require.Equal(t, string(errReload), b.do("DEBUG RELOAD NOSAVE NOFLUSH"), "the keys are there")
	require.Equal(t, before, b.Engine.Home().Keyspace.Digest())
	require.Equal(t, "OK", b.do("DEBUG RELOAD NOSAVE NOFLUSH MERGE"))
	require.Equal(t, "7", b.do("GET key:7"))
	require.Equal(t, "1", b.do("GET more"))
	require.Equal(t, "OK", b.do("DEBUG RELOAD NOSAVE"))
	require.Empty(t, b.do("GET more"))
	require.Equal(t, 500, b.Engine.Home().Keyspace.DB(0).Len())
	require.NoError(t, b.Engine.Home().Keyspace.DB(0).Check())
}

// Keys that are due and not removed are saved, and left out when they are loaded. SAVE counts as
// BGSAVE does.
func TestDueKeysAreSaved(t *testing.T) {
	for _, command := range []string{"SAVE", "BGSAVE"} {
		disk := new(disk.Memory)
		b := newBench(t, disk)
		require.NoError(t, b.Load(false))
		b.do("SET a 1")
		b.do("SET due 1 PX 1")
		b.clock += 2000
		b.do(command)
		b.wait()
		require.Contains(t, b.do("INFO persistence"), "rdb_saves:1\r\n")
		copied := newBench(t, disk)
		copied.clock = b.clock
		require.NoError(t, copied.Load(false))
		info := copied.do("INFO persistence")
		require.Contains(t, info, "rdb_last_load_keys_loaded:1\r\n", command)
		require.Contains(t, info, "rdb_last_load_keys_expired:1\r\n", command)
	}
}
