package assembly

import (
	"io"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/server"
)

// Keepers are what keeps the data on disk.
type Keepers struct {
	Journal   *journal.Journal
	Snapshots *snapshot.Saver
}

// Surroundings are what keepers need from outside.
type Surroundings struct {
	Disk   snapshot.Disk    // where snapshots go; that of the system if nil
	Log    io.Writer        // one line for each event worth telling; nil for silence
	Beside func(run func()) // runs what takes long beside the commands; go run() if nil
}

// Keep adds to an engine what keeps its data, with its commands.
func Keep(e *engine.Engine, s Surroundings) Keepers {
	if s.Beside == nil {
		s.Beside = func(run func()) { go run() }
	}
	if s.Log == nil {
		s.Log = io.Discard
	}
	note := func(mark byte, format string, args ...any) { server.Log(s.Log, mark, format, args...) }
	return Keepers{
		Snapshots: snapshot.New(e, snapshot.Options{Disk: s.Disk, Log: note, Beside: s.Beside}),
		Journal:   journal.New(e, journal.Options{Log: note, Beside: s.Beside}),
	}
}

// Load takes in what was kept: the journal if there is to be one, else the snapshot.
func (k Keepers) Load() error {
	if err := k.Snapshots.Load(k.Journal.Enabled()); err != nil {
		return err
	}
	return k.Journal.Load()
}

// Loading returns how many bytes of how many Load has read; 0 of 0 if it does not run.
func (k Keepers) Loading() (done, total int64) {
	if done, total = k.Snapshots.Loading(); total == 0 {
		done, total = k.Journal.Loading()
	}
	return done, total
}
