package corpus_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/difftest"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

var randomJournal = flag.Int("random", 4000, "random commands for each family whose journal is replayed")

// talk is two sessions that take turns; a new session replaces a blocked one.
type talk struct {
	engine   *engine.Engine
	sessions [2]*engine.Session
}

func (k *talk) say(c difftest.Command) {
	s := k.sessions[c.Conn]
	if s == nil {
		s = k.engine.NewSession(nil)
		k.sessions[c.Conn] = s
	}
	args := make([][]byte, len(c.Args))
	for i, arg := range c.Args {
		args[i] = []byte(arg)
	}
	if o := k.engine.Do(s, [][][]byte{args}); o.Blocked || o.Closing {
		k.engine.Close(s)
		k.sessions[c.Conn] = nil
	}
}

// hangUp ends both, with the transactions that are open.
func (k *talk) hangUp() {
	for _, s := range k.sessions {
		if s != nil {
			k.engine.Close(s)
		}
	}
}

// TestRandomCommandsReplayedFromTheJournal runs random commands of each family, and of all
// together, while time passes, and replays their journal a hundred years later.
func TestRandomCommandsReplayedFromTheJournal(t *testing.T) {
	quick.Unraced(t, "replays what ran in the same goroutine")
	replayRandom(t, func() *transcript.Memory { return memory("an engine with a journal", 2, "journal") })
}

// TestRandomCommandsReplayedLikeOlder does the same as each older release.
func TestRandomCommandsReplayedLikeOlder(t *testing.T) {
	quick.OneGoroutine(t, "does for each release what TestRandomCommandsReplayedFromTheJournal does")
	for i := range release.Known {
		name := reference.Release(release.Known[i].Name)
		t.Run(string(name), func(t *testing.T) {
			replayRandom(t, func() *transcript.Memory {
				return memoryLike(t, name, "an engine with a journal, like "+string(name), "journal")
			})
		})
	}
}

func replayRandom(t *testing.T, world func() *transcript.Memory) {
	for i, names := range append(difftest.Families(), strings.Join(difftest.Families(), ",")) {
		t.Run(names, func(t *testing.T) {
			g, err := difftest.NewGenerator(uint64(i+1), strings.Split(names, ","))
			require.NoError(t, err)
			w := &replayed{Memory: world()}
			w.Journal = w.record
			require.NoError(t, w.Reset())
			k := &talk{engine: w.Engine()}
			for n, c := range g.Take(*randomJournal) {
				if n%100 == 0 {
					require.NoError(t, w.Advance(time.Duration(n%7)*50*time.Millisecond))
				}
				if !strings.EqualFold(c.Args[0], "config") { // the same parameters count when the journal is replayed
					k.say(c)
				}
			}
			k.hangUp()
			changed := k.engine.Home().Unsaved > 0
			require.NoError(t, w.Check())
			require.Equal(t, changed, len(w.journal) > 0, "what changes the data, and nothing else, is in the journal")
		})
	}
}
