package testkit_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

var guests = flag.Int("worlds", 8, "worlds of one engine in which the transcripts run at the same time")

// commandCorpus is the transcripts of all commands.
var commandCorpus = filepath.Join("..", "commands", "testdata")

// host returns an engine with the kit for many worlds.
func host(t *testing.T) *engine.Engine {
	e := engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: 1})
	furnish(e)
	require.NoError(t, e.Params.Named("enable-debug-command").Set("yes"))
	return e
}

func guest(t *testing.T, e *engine.Engine, name string) *transcript.Guest {
	g, err := transcript.NewGuest(transcript.Traits{Name: name}, e, name)
	require.NoError(t, err)
	return g
}

// shared matches commands that look at what all worlds share, or change it: parameters, users,
// figures, logs, the list of clients.
var shared = regexp.MustCompile(`(?mi)^\S*> (CONFIG|ACL|INFO|SLOWLOG|LATENCY|COMMANDLOG|MONITOR|CLIENT (LIST|KILL)|DEBUG SET-ACTIVE-EXPIRE)`)

// ownFiles returns the files that concern only the world in which they run, and whose replies are
// right there when the engine has no other.
func ownFiles(t *testing.T) (files []*transcript.File, others int) {
	g := guest(t, host(t), "alone")
	for _, f := range corpus.Files(t, commandCorpus) {
		text, err := os.ReadFile(f.Name)
		require.NoError(t, err)
		if !shared.Match(text) {
			if out, err := f.Run(g); err == nil && len(out.Mismatches) == 0 {
				files = append(files, f)
				continue
			}
			g = guest(t, host(t), "alone")
		}
		others++
	}
	return files, others
}

// TestManyWorldsAtOnce runs the transcripts in many worlds of one engine, each in an order and with
// a clock of its own. A reply differs from that of a world alone only if worlds disturb each other.
func TestManyWorldsAtOnce(t *testing.T) {
	quick.Skip(t, "runs all transcripts in many worlds")
	files, others := ownFiles(t)
	require.Greater(t, len(files), 2*others, "most files do not depend on what worlds share")
	e := host(t)
	before := heap()
	all := make([]*transcript.Guest, *guests)
	for i := range all {
		all[i] = guest(t, e, fmt.Sprint("w", i))
	}
	t.Logf("%d files in each of %d worlds, %d files left out; an empty world with a client takes %d bytes", len(files),
		len(all), others, (heap()-before)/int64(len(all)))
	most := len(files)
	if testing.Short() { // with the race detector: each file in about two of the worlds
		most = 2 * most / len(all)
	}
	var running sync.WaitGroup
	for i, g := range all {
		running.Go(func() {
			for _, at := range rand.New(rand.NewPCG(uint64(i), 1)).Perm(len(files))[:most] {
				out, err := files[at].Run(g)
				if err != nil {
					t.Errorf("world %d: %v", i, err)
					return
				}
				for _, m := range out.Mismatches {
					t.Errorf("world %d: %s", i, m)
				}
			}
		})
	}
	running.Wait()
}

// heap returns the bytes of Go's heap that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one has released
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
