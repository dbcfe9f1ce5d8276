package journal

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// picture is the data at one moment on their way into a file.
type picture struct {
	journal  *Journal
	temp     string // name of the file
	suffix   string // of the name that it will have
	preamble bool
	file     File
	to       rdb.Target // the file, written down steadily or not
	base     base
	taking   *keyspace.Snapshot
	whole    bool // all keys were taken
}

// A slice of the picture is taken in one hold of the engine's lock: so many chains of the tables, steps of a large
// value, or bytes.
const (
	chainsAtOnce = 128
	stepChains   = 4
	bytesAtOnce  = 64 << 10
)

// open makes the file.
func (p *picture) open() (err error) {
	j := p.journal
	if p.file, err = j.disk.Create(j.path(p.temp)); err != nil {
		return err
	}
	p.to = p.file
	j.engine.With(func() {
		p.preamble = j.set.preamble
		if j.set.steady {
			p.to = &snapshot.Steady{Drain: p.file}
		}
	})
	if p.suffix = "aof"; p.preamble {
		p.suffix = "rdb"
	}
	return nil
}

// begin takes the moment. It is called under the engine's lock, and does no I/O.
func (p *picture) begin() {
	j := p.journal
	if p.preamble {
		p.base = &snapshotBase{Records: snapshot.Begin(j.engine, true, "aof-base", "1"), marks: snapshot.Marks(j.engine)}
	} else {
		stamp := int64(0)
		if j.set.timestamps {
			stamp = j.engine.Micros() / 1e6
		}
		p.base = newCommandBase(stamp, j.engine.Libraries().Sources())
	}
	p.taking = p.journal.engine.Keyspace.Snapshot(p.base.record)
}

// slice takes some keys.
func (p *picture) slice() {
	for n := 0; !p.whole && n < chainsAtOnce && p.base.size() < bytesAtOnce; n += stepChains {
		p.whole = !p.taking.Step(stepChains)
	}
}

// save writes the picture, while the data change.
func (p *picture) save() error {
	var text []byte
	p.base.open(p.to)
	for more := true; more; {
		p.journal.engine.With(func() {
			began := time.Now()
			p.slice()
			text = p.base.take(text)
			more = !p.whole || p.base.size() > 0
			p.journal.engine.Spike("aof-rewrite", time.Since(began).Microseconds())
		})
		runtime.Gosched() // whoever waits for the lock has it first
		if err := p.base.write(text); err != nil {
			return err
		}
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
	for p.taking != nil && !p.whole {
		p.journal.engine.With(func() {
			p.whole = !p.taking.Step(chainsAtOnce)
			p.base.take(nil)
		})
		runtime.Gosched()
	}
}

// snapshotReader returns the reader of the snapshot that src, of so many bytes, begins with. It knows what
// follows it, and is to be closed.
func (j *Journal) snapshotReader(src io.Reader, size int64) (r *rdb.Reader) {
	j.engine.With(func() {
		o := snapshot.ReaderOptions(j.engine, size, false)
		o.Beside = j.opts.Beside
		r = rdb.NewReader(src, o)
	})
	return r
}

// loadSnapshot takes a snapshot in.
func (j *Journal) loadSnapshot(r *rdb.Reader) (err error) {
	e := j.engine
	for more := true; more && err == nil; {
		e.With(func() {
			for n := 0; n < atOnce && more && err == nil; n++ {
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
	return err
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
		return r.Err()
	case rdb.Library:
		return j.engine.Libraries().Restore([][]byte{r.Text}, engine.Append)
	}
	return nil
}

// maxReserve bounds the memory that is taken because a snapshot says so.
const maxReserve = 1 << 20
