package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Load loads the snapshot, if there is one, and starts to save at the save points. Meanwhile
// clients get LOADING errors. Load must be called once. With elsewhere it loads nothing, because
// the data come from another source.
func (s *Saver) Load(elsewhere bool) error {
	err := error(nil)
	if !elsewhere {
		err = s.LoadFile(s.path(), nil)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	s.engine.With(func() {
		s.serving = true
		s.engine.Home().Unsaved = 0
	})
	return nil
}

// LoadFile adds the keys of a snapshot in a file to the data. It does not change the file. follow,
// if not nil, loads what follows the snapshot in the file. As that may change deadlines, expired
// keys are removed only afterwards.
func (s *Saver) LoadFile(path string, follow func(rest io.Reader) error) error {
	f, size, err := s.opts.Disk.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.LoadFrom(f, size, path, follow)
}

// LoadFrom is LoadFile for what is already open.
func (s *Saver) LoadFrom(f io.Reader, size int64, path string, follow func(rest io.Reader) error) (err error) {
	s.engine.StartLoading()
	defer s.engine.StopLoading()
	s.engine.With(func() {
		s.stats.loading, s.stats.loadStart, s.stats.loadTotal = true, s.seconds(), size
	})
	l := s.read(f, size, follow != nil)
	defer l.Close()
	LogSkipped(s.opts.Log, &l.Skipped)
	switch {
	case l.err != nil:
		err = fmt.Errorf("can't load the snapshot %s: %w", path, l.err)
	case follow != nil:
		err = follow(&following{l.Rest(), l, s})
	}
	s.engine.With(func() {
		if s.stats.loading = false; err == nil && l.history.ID != "" && follow == nil && !s.serving {
			s.opts.Resume(l.history)
		}
	})
	if behind := size - l.Offset(); err == nil && behind > 0 && follow == nil {
		s.opts.Log('#', "%d bytes follow the snapshot in %s, and are not loaded", behind, path)
	}
	if err != nil {
		return err
	}
	s.opts.Log('*', "DB loaded from disk: %s, keys loaded: %d, keys expired: %d", path, s.stats.loaded, s.stats.expired)
	return nil
}

// sliceItems is how many items one hold of the lock loads.
const sliceItems = 256

// read loads a snapshot up to its end or an error, in slices between which clients are answered.
func (s *Saver) read(src io.Reader, size int64, keepExpired bool) (l *loading) {
	s.engine.With(func() {
		l = s.newLoading(src, size, s.engine.Home().Keyspace)
		l.keepExpired = keepExpired || s.engine.Role().Replica
		s.stats.loaded, s.stats.expired, s.stats.skipped = 0, 0, 0
	})
	for more := true; more; {
		before := l.items
		s.engine.With(func() {
			more = l.slice(sliceItems)
			s.stats.loadBytes = l.Offset()
			s.count(l)
		})
		if s.opts.Progress != nil {
			s.opts.Progress(l.Offset(), size)
		}
		Delay(s.engine, l.items-before, LoadDelay(s.engine))
	}
	return l
}

// count sets how many keys were loaded last.
func (s *Saver) count(l *loading) {
	s.stats.loaded, s.stats.expired, s.stats.skipped = l.loaded, l.expired, l.Skipped.Values
}

// LogSkipped writes warnings to a log about what a Reader has skipped.
func LogSkipped(log func(mark byte, format string, args ...any), skipped *rdb.Skipped) {
	lines := skipped.Lines()
	for _, line := range lines {
		log('#', "%s", line)
	}
	if len(lines) > 0 {
		log('#', "What is saved from now on lacks what was skipped. With unknown-module-types error it is not loaded.")
	}
}

// following is what follows a snapshot in its file. Reading it advances the progress of loading.
type following struct {
	io.Reader
	*loading
	saver *Saver
}

func (f *following) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	f.saver.engine.With(func() { f.saver.stats.loadBytes = f.Offset() })
	return n, err
}

// CountLoaded sets how many keys were loaded last, and how many skipped, from a snapshot that
// another part has loaded. It is called under the lock.
func (s *Saver) CountLoaded(keys, skipped int64) {
	s.stats.loaded, s.stats.expired, s.stats.skipped = keys, 0, skipped
}

// Loading returns the bytes loaded so far and their total; 0 and 0 if nothing is being loaded.
func (s *Saver) Loading() (done, total int64) {
	s.engine.With(func() {
		if s.stats.loading {
			done, total = s.stats.loadBytes, s.stats.loadTotal
		}
	})
	return done, total
}

// loading is a snapshot being loaded.
type loading struct {
	*rdb.Reader
	engine *engine.Engine
	into   *keyspace.Keyspace
	bulk   *keyspace.BulkLoad
	size   int64 // of the source; 0 if unknown
	now    int64
	err    error
	items  int // so far

	loaded, expired int64 // keys so far, and those that were left out because their deadline had passed

	merge       bool               // keys of the snapshot replace existing ones
	existing    *keyspace.Keyspace // a key that exists here is an error; nil for no check
	keepExpired bool               // keys whose deadline has passed are loaded, too

	history   History
	gather    bool // libraries of functions, and what parts keep, are collected, and not loaded
	libraries [][]byte
	kept      []engine.Kept
}

func (s *Saver) newLoading(src io.Reader, size int64, into *keyspace.Keyspace) *loading {
	o := payload.Options(s.engine.Home(), size, !s.checksum)
	o.Keyspace, o.Spawn = into, s.opts.Spawn
	return newLoading(s.engine, src, o)
}

// newLoading returns the loading of a snapshot into the keyspace of the options.
func newLoading(e *engine.Engine, src io.Reader, o rdb.Options) *loading {
	into := o.Keyspace
	return &loading{Reader: rdb.NewReader(src, o), engine: e, into: into, bulk: into.BulkLoad(), size: o.Size,
		now: into.Now}
}

// slice loads up to n items, and reports whether there are more.
func (l *loading) slice(n int) (more bool) {
	for ; n > 0 && l.err == nil; n-- {
		if more = l.Next(); !more {
			l.err = l.Err()
			break
		}
		l.err = l.item()
		l.items++
	}
	if l.err == nil {
		l.err = l.flush()
	}
	return more && l.err == nil
}

// flush adds pending keys to the keyspace.
func (l *loading) flush() error {
	if twice, ok := l.bulk.Flush(); !ok {
		return fmt.Errorf("the key %q appears twice", twice)
	}
	return nil
}

// item loads the current item.
func (l *loading) item() error {
	if l.Item == rdb.Key {
		return l.key()
	}
	if err := l.flush(); err != nil {
		return err
	}
	switch l.Item {
	case rdb.Aux:
		l.history.note(l.Name, l.Text)
	case rdb.Element:
		l.SetDeadline(l.into)
		return l.Err()
	case rdb.Sizes:
		if db := l.into.DB(l.DB); db.Len() == 0 {
			// A key takes a few bytes at least. The bound keeps a false number from reserving much
			// memory.
			db.Keys().Reserve(int(min(l.Keys, uint64(l.size)/4)))
		}
	case rdb.Library:
		if !l.gather {
			return l.engine.Parts.Libraries.Restore(l.engine.Home(), [][]byte{l.Text}, engine.Append)
		}
		l.libraries = append(l.libraries, bytes.Clone(l.Text))
	case rdb.ModuleData:
		kept := KeptIn(l.engine, &l.Auxiliary)
		if !l.gather {
			return l.engine.Home().LoadAuxiliary(kept)
		}
		l.kept = append(l.kept, kept)
	}
	return nil
}

// KeptIn returns auxiliary data of a snapshot as what a part of an engine keeps.
func KeptIn(e *engine.Engine, a *rdb.Auxiliary) engine.Kept {
	return engine.Kept{Auxiliary: e.AuxiliaryOf(a.Name), Version: a.Version, Parts: a.Parts}
}

// key loads the current key.
func (l *loading) key() error {
	r := &l.Record
	if r.Deadline != 0 && r.Deadline <= l.now && !l.keepExpired {
		if l.expired++; l.history.ID == "" {
			return nil
		}
		// Its removal goes to the replicas: they may go on from this snapshot, and have the key.
	} else {
		l.loaded++
	}
	if l.merge {
		l.into.DB(r.DB).Delete([]byte(r.Key))
	}
	if l.existing != nil && l.existing.DB(r.DB).Exists([]byte(r.Key)) {
		return fmt.Errorf("the key %q of database %d exists already", r.Key, r.DB)
	}
	if full := l.bulk.Add(r); full || l.merge {
		return l.flush()
	}
	return nil
}
