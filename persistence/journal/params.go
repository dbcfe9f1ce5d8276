package journal

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/config"
)

// params are the journal's parameters.
func (j *Journal) params() []config.Param {
	s := &j.set
	list := []config.Param{
		{Name: "appendonly", Get: func() string { return config.YesNo(s.enabled) }, Set: j.setEnabled},
		config.Enum("appendfsync", &s.fsync, everysec, always, never),
		fileNameParam("appenddirname", &s.dirName),
		fileNameParam("appendfilename", &s.fileName),
		config.Bool("aof-load-truncated", &s.loadTruncated),
		config.Int("aof-load-corrupt-tail-max-size", &s.corruptTail, 0, math.MaxInt64),
		config.Bool("aof-timestamp-enabled", &s.timestamps),
		config.Bool("aof-use-rdb-preamble", &s.preamble),
		config.Int("auto-aof-rewrite-percentage", &s.growth, 0, math.MaxInt32),
		config.Memory("auto-aof-rewrite-min-size", &s.minSize, 0),
		config.Bool("no-appendfsync-on-rewrite", &s.noFsyncOnRewrite),
		config.Bool("aof-rewrite-incremental-fsync", &s.incrementalFsync),
	}
	for i := 1; i < len(list); i++ {
		list[i] = list[i].Then(j.applySettings)
	}
	return list
}

func (j *Journal) setEnabled(v string) error {
	var yes bool
	p := config.Bool("appendonly", &yes)
	if err := p.Set(v); err != nil {
		return err
	}
	return j.enable(yes)
}

// fileNameParam returns a parameter for the name of a file or directory, which must not be a path.
func fileNameParam(name string, p *string) config.Param {
	param := config.Text(name, p).AtStart()
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
