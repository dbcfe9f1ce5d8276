package journal

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/miniserver-go/miniserver/engine"
)

// params are the journal's parameters.
func (j *Journal) params() []engine.Param {
	s := &j.set
	list := []engine.Param{
		{Name: "appendonly", Get: func() string { return engine.YesNo(s.enabled) }, Set: j.setEnabled},
		engine.EnumParam("appendfsync", &s.fsync, everysec, always, never),
		fileNameParam("appenddirname", &s.dirName),
		fileNameParam("appendfilename", &s.fileName),
		engine.BoolParam("aof-load-truncated", &s.loadTruncated),
		engine.BoolParam("aof-timestamp-enabled", &s.timestamps),
		engine.BoolParam("aof-use-rdb-preamble", &s.preamble),
		engine.IntParam("auto-aof-rewrite-percentage", &s.growth, 0, math.MaxInt32),
		engine.MemoryParam("auto-aof-rewrite-min-size", &s.minSize, 0),
		engine.BoolParam("no-appendfsync-on-rewrite", &s.noFsyncOnRewrite),
		engine.BoolParam("aof-rewrite-incremental-fsync", &s.incrementalFsync),
	}
	for i := 1; i < len(list); i++ {
		set := list[i].Set
		list[i].Set = func(v string) error {
			err := set(v)
			j.applySettings()
			return err
		}
	}
	return list
}

func (j *Journal) setEnabled(v string) error {
	var yes bool
	p := engine.BoolParam("appendonly", &yes)
	if err := p.Set(v); err != nil {
		return err
	}
	return j.enable(yes)
}

// fileNameParam returns a parameter for the name of a file or directory, which must not be a path.
func fileNameParam(name string, p *string) engine.Param {
	param := engine.StringParam(name, p).AtStart()
	param.Set = func(v string) error {
		switch {
		case v == "":
			return fmt.Errorf("%s can't be empty", name)
		case filepath.Base(v) != v:
			return fmt.Errorf("%s can't be a path, just a filename", name)
		}
		*p = v
		return nil
	}
	return param
}
