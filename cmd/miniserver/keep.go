package main

import (
	"io"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/server"
)

// keepers are what keeps the data on disk.
type keepers struct {
	journal   *journal.Journal
	snapshots *snapshot.Saver
}

// keep adds to an engine what keeps its data, with its commands. Snapshots go to the disk, that of the
// system if it is nil.
func keep(e *engine.Engine, disk snapshot.Disk, log io.Writer) keepers {
	note := func(mark byte, format string, args ...any) { server.Log(log, mark, format, args...) }
	return keepers{
		snapshots: snapshot.New(e, snapshot.Options{Disk: disk, Log: note, Beside: beside}),
		journal:   journal.New(e, journal.Options{Log: note, Beside: beside}),
	}
}

// load takes in what was kept: the journal if there is to be one, else the snapshot.
func (k keepers) load() error {
	if err := k.snapshots.Load(k.journal.Enabled()); err != nil {
		return err
	}
	return k.journal.Load()
}

// load takes in what was kept, and the fixture.
func (p *program) load() error {
	if err := p.kept.load(); err != nil {
		return err
	}
	return p.loadFixture()
}
