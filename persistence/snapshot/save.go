package snapshot

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// output is a snapshot file being written.
type output struct {
	*rdb.Writer
	file disk.File
}

// create begins the snapshot file.
func (s *Saver) create() (*output, error) {
	file, err := s.opts.Disk.Create(s.path())
	if err != nil {
		return nil, err
	}
	var to rdb.Target = file
	if s.incrementalFsync {
		to = &disk.IncrementalSync{WriteBacker: file}
	}
	o := &output{rdb.NewWriter(to, 0), file}
	o.NoChecksum = !s.checksum
	return o, nil
}

// commit completes the file and replaces the former one. It removes the file if that fails.
func (o *output) commit(version int) error {
	err := o.End(version)
	if err == nil {
		err = o.file.Commit()
	}
	if err != nil {
		o.file.Abandon()
	}
	return err
}

// newRecords returns an encoder for dump.rdb. It holds what comes before the keys.
func (s *Saver) newRecords() *rdb.Records {
	var aux []string
	if h, ok := s.opts.History(); ok {
		aux = h.Aux()
	}
	return NewRecords(s.engine, Content{Compress: s.compress}, append(aux, "aof-base", "0")...)
}

// Content selects what a snapshot holds.
type Content struct {
	Compress    bool
	NoData      bool
	NoFunctions bool
}

// NewRecords returns an encoder for a snapshot. It holds what comes before the keys: aux fields,
// including those given as names and values, libraries of functions, and the sizes of the
// databases. It is called under the lock.
func NewRecords(e *engine.Engine, c Content, aux ...string) *rdb.Records {
	r := rdb.NewRecords(c.Compress)
	r.Marks = marks(e)
	r.Format = payload.Format(e)
	r.Aux(e.Release.Product+"-ver", e.Release.Version)
	r.Aux("redis-bits", strconv.Itoa(strconv.IntSize))
	r.Aux("ctime", strconv.FormatInt(e.Home().Micros()/1e6, 10))
	r.Aux("used-mem", strconv.Itoa(e.Home().Keyspace.Bytes()))
	for i := 0; i+1 < len(aux); i += 2 {
		r.Aux(aux[i], aux[i+1])
	}
	if !c.NoFunctions {
		addLibraries(r, e)
	}
	if !c.NoData {
		addAuxiliary(r, e)
		addSizes(r, e)
	}
	return r
}

func addLibraries(r *rdb.Records, e *engine.Engine) {
	for _, source := range e.Parts.Libraries.Sources(e.Home()) {
		r.Library(source)
	}
}

// addAuxiliary adds what parts keep beside the keys.
func addAuxiliary(r *rdb.Records, e *engine.Engine) {
	for _, k := range e.Home().SaveAuxiliary() {
		when := uint64(1)
		if k.Behind {
			when = 2
		}
		r.Auxiliary(&rdb.Auxiliary{ModuleType: rdb.ModuleType{Name: k.Type, Version: k.Version}, When: when,
			Parts: k.Parts})
	}
}

// addSizes adds the number of keys in each database.
func addSizes(r *rdb.Records, e *engine.Engine) {
	for i := range e.Home().Keyspace.Len() {
		if db := e.Home().Keyspace.DB(i); db.Len() > 0 {
			r.Sizes(i, db.Len(), db.Expiry().Volatile())
		}
	}
}

// marks returns the access data that a snapshot holds: those that the eviction policy uses.
func marks(e *engine.Engine) rdb.Access {
	policy := e.Params.Named("maxmemory-policy").Get()
	switch {
	case strings.HasSuffix(policy, "lru"):
		return rdb.IdleTimes
	case strings.HasSuffix(policy, "lfu"):
		return rdb.Frequencies
	}
	return rdb.NoMarks
}

// blockBytes is the size of the blocks in which SAVE writes.
const blockBytes = 256 << 10

// save writes a snapshot under the lock. This goroutine encodes while another one writes.
func (s *Saver) save() error {
	o, err := s.create()
	if err != nil {
		s.opts.Log('#', "Failed opening the temp RDB file for saving: %v", err)
		return err
	}
	full, empty, written := make(chan []byte, 2), make(chan []byte, 3), make(chan struct{})
	for range cap(empty) {
		empty <- nil
	}
	s.opts.Spawn(func() {
		for block := range full {
			_ = o.Write(block) // commit returns the error
			empty <- block
		}
		close(written)
	})
	r := s.newRecords()
	s.engine.Home().Keyspace.Records(func(k *keyspace.Record) bool {
		r.Record(k, nil)
		if r.Len() >= blockBytes {
			full <- r.Take(<-empty)
		}
		return true
	})
	full <- r.Take(<-empty)
	close(full)
	<-written
	if err = o.commit(r.Version()); err != nil {
		s.opts.Log('#', "Write error saving DB on disk: %v", err)
		return err
	}
	s.opts.Log('*', "DB saved on disk")
	s.saved(0)
	return nil
}

// saved records that a save succeeded. dirty is the number of changes made since it began.
func (s *Saver) saved(dirty int64) {
	s.engine.Home().Unsaved = dirty
	s.stats.lastSave, s.stats.lastOK = s.seconds(), true
	s.updateDenial()
}
