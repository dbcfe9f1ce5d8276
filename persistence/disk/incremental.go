package disk

import "github.com/miniserver-go/miniserver/persistence/rdb"

// WriteBacker is a file whose pages can be written to the disk before it is complete.
type WriteBacker interface {
	rdb.Target
	// WriteBack starts to write n bytes at an offset to the disk, or with wait returns when they
	// are written. They are durable only after a sync.
	WriteBack(from, n int64, wait bool) error
}

// IncrementalSync writes a file back to the disk while it grows, every 4 MB as Redis does. So the
// sync at the end has little left to do, and a sync of another file, such as the journal, does not
// wait for a gigabyte. The file is never more than about 32 MB ahead of the disk. Redis allows two
// pieces, 8 MB; that would cost a small file more than its final sync. The file must be empty at
// first.
type IncrementalSync struct {
	WriteBacker
	size  int64
	begun int64 // bytes whose write-back was started
	done  int64 // bytes whose write-back has ended
}

const (
	steadyBytes = 4 << 20
	aheadBytes  = 32 << 20
	pageBytes   = 4 << 10 // only full pages are written back, since a page under write-back blocks writes to it
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
