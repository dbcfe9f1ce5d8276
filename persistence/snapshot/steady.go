package snapshot

import "github.com/miniserver-go/miniserver/persistence/rdb"

// Drain is a file that can be written down to the disk before it is complete.
type Drain interface {
	rdb.Target
	// WriteBack begins to write n bytes from an offset on down to the disk, or waits until they are. That makes
	// nothing last, which takes a sync.
	WriteBack(from, n int64, wait bool) error
}

// Steady has a file written down while it grows, every 4 MB as Redis does: so the sync at its end finds little
// left to do, and others who sync files meanwhile, the journal say, do not wait behind a gigabyte. It is never
// further ahead of the disk than two of these pieces. An offset must be counted from the file's begin.
type Steady struct {
	Drain
	size  int64
	begun int64 // of it, that is being written down
	piece int64 // the last that was begun
}

const steadyBytes = 4 << 20

// Write implements io.Writer.
func (s *Steady) Write(b []byte) (n int, err error) {
	n, err = s.Drain.Write(b)
	s.size += int64(n)
	if err != nil || s.size-s.begun < steadyBytes {
		return n, err
	}
	last, from := s.piece, s.begun
	s.piece, s.begun = s.size-from, s.size
	if err = s.WriteBack(from, s.piece, false); err == nil && last > 0 {
		err = s.WriteBack(from-last, last, true)
	}
	return n, err
}
