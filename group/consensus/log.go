package consensus

import (
	"os"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	wal "github.com/hashicorp/raft-wal"
)

// log is where a member keeps entries.
type log struct {
	*wal.WAL
}

func openLog(dir string, o Options, logger hclog.Logger) (*log, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	w, err := wal.Open(dir, wal.WithLogger(logger))
	if err != nil {
		return nil, err
	}
	return &log{w}, nil
}

var _ raft.LogStore = (*log)(nil)
