package journal

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

const errReload = command.Error("ERR Error trying to load the AOF files, check server logs.")

// DEBUG LOADAOF
//
// The client waits while a goroutine loads the files. All others get LOADING meanwhile, as at the
// start. Without files the data are gone, as in Redis since 7.2; older releases crash.
func (j *Journal) debugLoad(c *engine.Call) {
	result := error(errReload)
	blocked := c.Block(0, func(s *engine.Session) {
		if result != nil {
			s.Reply.Error(result)
			return
		}
		s.Reply.Status("OK")
	})
	if blocked == nil {
		return
	}
	j.opts.Spawn(func() {
		err := j.reload()
		j.engine.With(func() {
			if result = nil; err != nil {
				j.log('#', "DEBUG LOADAOF: %v", err)
				result = errReload
			}
			blocked.End()
		})
	})
}

// reload replaces the data by those in the files.
func (j *Journal) reload() error {
	j.files.Lock()
	defer j.files.Unlock()
	j.engine.StartLoading()
	defer j.engine.StopLoading()
	written := j.commitLocked(false)
	size := j.otherSize
	defer func() { j.otherSize = size }()
	j.engine.With(j.empty)
	if !written {
		return errors.New("the last changes cannot be written")
	}
	if err := j.find(); err != nil {
		return err
	}
	j.otherSize = 0
	if err := j.loadAll(); err != nil {
		return err
	}
	j.engine.With(func() { j.engine.Home().Unsaved = 0 })
	return nil
}

// empty removes the data and the libraries of functions.
func (j *Journal) empty() {
	j.engine.Home().FlushAll()
	_ = j.engine.Parts.Libraries.Restore(j.engine.Home(), nil, engine.Flush) // without libraries there is no error
}

// find reads the manifest of files that another journal left, if this one has written none.
func (j *Journal) find() error {
	if j.manifest == nil {
		m, err := readManifest(j.disk, j.path(j.set.fileName+".manifest"))
		if err != nil {
			return err
		}
		j.manifest = m
	}
	if len(j.manifest.data()) == 0 {
		return errors.New("there are no append-only files")
	}
	return nil
}
