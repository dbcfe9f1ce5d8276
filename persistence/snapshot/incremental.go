package snapshot

import "github.com/miniserver-go/miniserver/persistence/rdb"

// WriteBacker is a file that can be written down to the disk before it is complete.
type WriteBacker interface {
	rdb.Target
	// WriteBack begins to write n bytes from an offset on down to the disk, or waits until they are. That makes
	// nothing last, which takes a sync.
	WriteBack(from, n int64, wait bool) error
}

// IncrementalSync has a file written down while it grows, every 4 MB as Redis does: so the sync at its end finds little
// left to do, and others who sync files meanwhile, the journal say, do not wait behind a gigabyte. It is never much
// further ahead of the disk than 32 MB, where Redis has two pieces: waiting for each would cost a small file more
// than the sync. An offset must be counted from the file's begin.
type IncrementalSync struct {
	WriteBacker
	size  int64
	begun int64 // of it, that is being written down
	done  int64 // of it, that was waited for
}

const (
	steadyBytes = 4 << 20
	aheadBytes  = 32 << 20
	pageBytes   = 4 << 10 // one that is being written down is not written to
)

// Write implements io.Writer.
func (s *IncrementalSync) Write(b []byte) (n int, err error) {
	n, err = s.WriteBacker.Write(b)
	s.size += int64(n)
	whole := s.size &^ (pageBytes - 1)
	if err != nil || whole-s.begun < steadyBytes {
		return n, err
	}
	err = s.WriteBack(s.begun, whole-s.begun, false)
	s.begun = whole
	if more := s.begun - s.done - aheadBytes; err == nil && more > 0 {
		err = s.WriteBack(s.done, more, true)
		s.done += more
	}
	return n, err
}
