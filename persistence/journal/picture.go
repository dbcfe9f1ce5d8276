package journal

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// picture is the data at one moment on their way into a file.
type picture struct {
	journal  *Journal
	temp     string // name of the file
	suffix   string // of the name that it will have
	file     File
	base     base
	snapshot *keyspace.Snapshot
	whole    bool // all keys were taken
}

// Chains of the tables that are pictured in one hold of the engine's lock, and bytes after which the
// system is asked to write them down.
const (
	chainsAtOnce = 64
	syncAfter    = 32 << 20
)

// open makes the file.
func (p *picture) open() (err error) {
	j := p.journal
	if p.file, err = j.disk.Create(j.path(p.temp)); err != nil {
		return err
	}
	preamble := false
	j.engine.With(func() { preamble = j.set.preamble })
	if preamble {
		p.suffix, p.base = "rdb", newSnapshotBase(p.file, time.Now().Unix())
	} else {
		p.suffix, p.base = "aof", newCommandBase(p.file)
	}
	return nil
}

// begin takes the moment. It is called under the engine's lock.
func (p *picture) begin() {
	p.snapshot = p.journal.engine.Keyspace.Snapshot(func(r *keyspace.Record) { p.base.record(r) })
}

// save writes the picture, while the data change.
func (p *picture) save() error {
	var text []byte
	unsynced := 0
	for !p.whole {
		p.journal.engine.With(func() {
			p.whole = !p.snapshot.Step(chainsAtOnce)
			text = p.base.take(text)
		})
		if err := p.base.write(text); err != nil {
			return err
		}
		if unsynced += len(text); unsynced >= syncAfter {
			unsynced = 0
			if err := p.file.Sync(); err != nil {
				return err
			}
		}
		runtime.Gosched() // to the event loop, if there is one processor
	}
	if err := p.base.end(); err != nil {
		return err
	}
	return p.file.Sync()
}

// drop ends what is left of a picture: its file, unless that got its name, and the marks of the keys
// that were not taken.
func (p *picture) drop() {
	if p.file != nil {
		_ = p.file.Close()
		_ = p.journal.disk.Remove(p.journal.path(p.temp))
	}
	for p.snapshot != nil && !p.whole {
		p.journal.engine.With(func() {
			p.whole = !p.snapshot.Step(chainsAtOnce)
			p.base.take(nil)
		})
		runtime.Gosched()
	}
}

// loadSnapshot takes in the snapshot that src begins with. It returns what follows it, and from which
// offset on.
func (j *Journal) loadSnapshot(src io.Reader) (rest io.Reader, offset int64, err error) {
	e, c := j.engine, j.engine.Config
	r := rdb.NewReader(src, rdb.Options{Keyspace: e.Keyspace,
		Limits: rdb.Limits{Hash: c.Hash, ZSet: c.ZSet, Set: c.Set, List: c.List, Dice: e.Dice}})
	for more := true; more && err == nil; {
		e.With(func() {
			for n := 0; n < atOnce && more; n++ {
				if more = r.Next(); more {
					err = j.loadItem(r)
				}
			}
		})
		j.loaded.Store(r.Offset())
	}
	if err == nil {
		err = r.Err()
	}
	return r.Rest(), r.Offset(), err
}

// loadItem takes in one item of a snapshot. A key whose deadline has passed is one like any other: what
// follows tells when it went.
func (j *Journal) loadItem(r *rdb.Reader) error {
	switch r.Item {
	case rdb.Sizes:
		if db := j.engine.Keyspace.DB(r.DB); db.Len() == 0 {
			db.Reserve(int(min(r.Keys, maxReserve)))
		}
	case rdb.Key:
		if !j.engine.Keyspace.Restore(&r.Record) {
			return fmt.Errorf("the key %q is twice in the snapshot", r.Record.Key)
		}
	case rdb.Element:
		r.Date(j.engine.Keyspace)
	case rdb.Library:
		return errors.New("the snapshot holds a library of functions, which this server does not have")
	}
	return nil
}

// maxReserve bounds the memory that is taken because a snapshot says so.
const maxReserve = 1 << 20
