package consensus

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"
)

// disk is the file system below the log and the vote. Every change goes through it, so that tests
// can make it slow, full or broken.
type disk struct {
	sync  bool                         // Options.Sync: without it only the operating system has what is written
	fault func(operation string) error // before each change; nil without a test
}

// always is the same disk with synchronization, whatever Options.Sync says.
func (d *disk) always() *disk { return &disk{sync: true, fault: d.fault} }

func (d *disk) before(operation string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(operation)
}

// create makes a file with room for so many bytes, in place of one of that name.
func (d *disk) create(path string, size int64) (*file, error) {
	if err := d.before("create"); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	err = reserve(f, size)
	if err == nil && d.sync {
		err = errors.Join(f.Sync(), syncDir(filepath.Dir(path)))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return &file{f, d}, nil
}

// open opens a file for writing, and makes it if it does not exist. The process that made it may
// have ended before it had synchronized the directory.
func (d *disk) open(path string, size int64) (*file, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return d.create(path, size)
	}
	if err == nil && d.sync {
		err = syncDir(filepath.Dir(path))
	}
	return &file{f, d}, err
}

// file is one that is being written.
type file struct {
	*os.File
	disk *disk
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.before("write"); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, at)
}

func (f *file) Sync() error {
	if err := f.disk.before("sync"); err != nil || !f.disk.sync {
		return err
	}
	return syncData(f.File)
}

// makeDir makes a directory, which stays if the machine crashes.
func makeDir(path string) error {
	return errors.Join(os.MkdirAll(path, 0o755), syncDir(filepath.Dir(path)))
}

func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// record is a small piece of a file that is overwritten in place: a full disk has room for it.
type record struct {
	file *file
	at   int64
}

// recordSize is the room for a record.
const recordSize = 4096

func (r record) write(content []byte) error {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(content)))
	b = append(b, content...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	if len(b) > recordSize {
		return errRecordSize
	}
	_, err := r.file.WriteAt(b, r.at)
	return err
}

// read returns nil if there is no record, or a damaged one.
func (r record) read() []byte {
	b := make([]byte, recordSize)
	n, _ := r.file.ReadAt(b, r.at)
	if n < 8 {
		return nil
	}
	size := int(binary.LittleEndian.Uint32(b))
	if size <= 0 || size > n-8 || crc32.ChecksumIEEE(b[:4+size]) != binary.LittleEndian.Uint32(b[4+size:]) {
		return nil
	}
	return b[4 : 4+size]
}

// blank reports whether a record was never written.
func (r record) blank() bool {
	b := make([]byte, recordSize)
	n, _ := r.file.ReadAt(b, r.at)
	for _, c := range b[:n] {
		if c != 0 {
			return false
		}
	}
	return true
}

// within runs something that may take too long: after the limit it goes on alone. An operation on a
// disk cannot be given up, so its goroutine stays until the disk answers. It returns whether it
// has ended.
func within(limit time.Duration, fn func()) bool {
	done := make(chan struct{})
	go func() { fn(); close(done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
