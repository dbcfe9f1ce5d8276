package consensus

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/raft-wal/fs"
	"github.com/hashicorp/raft-wal/types"
)

// disk is the file system below the log and the vote. Every change goes through it, so that tests can make it slow, full or broken.
type disk struct {
	types.VFS
	sync  bool
	fault func(operation string) error // before each change; nil without a test
}

func newDisk(o Options) *disk {
	return &disk{VFS: fs.New(), sync: o.Sync, fault: o.fault}
}

func (d *disk) before(operation string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(operation)
}

// Create implements types.VFS.
func (d *disk) Create(dir, name string, size uint64) (types.WritableFile, error) {
	if err := d.before("create"); err != nil {
		return nil, err
	}
	return d.wrap(d.VFS.Create(dir, name, size))
}

// OpenWriter implements types.VFS.
func (d *disk) OpenWriter(dir, name string) (types.WritableFile, error) {
	return d.wrap(d.VFS.OpenWriter(dir, name))
}

func (d *disk) wrap(f types.WritableFile, err error) (types.WritableFile, error) {
	if err != nil {
		return nil, err
	}
	return &file{f, d}, nil
}

// file is one that is being written.
type file struct {
	types.WritableFile
	disk *disk
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.before("write"); err != nil {
		return 0, err
	}
	return f.WritableFile.WriteAt(b, at)
}

func (f *file) Sync() error {
	if err := f.disk.before("sync"); err != nil || !f.disk.sync {
		return err
	}
	return f.WritableFile.Sync()
}

// probeSize is more than what Raft writes for an entry without data.
const probeSize = 64 << 10

// probe finds out whether the disk can be written.
func (d *disk) probe(dir string) error {
	if err := os.Remove(filepath.Join(dir, "probe")); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := d.Create(dir, "probe", 0)
	if err != nil {
		return err
	}
	defer os.Remove(filepath.Join(dir, "probe"))
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, probeSize), 0); err != nil {
		return err
	}
	return f.Sync()
}

// record is a small piece of a file that is overwritten in place: a full disk has room for it.
type record struct {
	file types.WritableFile
	at   int64
}

// recordSize is the room for a record.
const recordSize = 4096

// openFile opens a file for writing, and makes it if it does not exist.
func (d *disk) openFile(dir, name string, size uint64) (types.WritableFile, error) {
	f, err := d.OpenWriter(dir, name)
	if errors.Is(err, os.ErrNotExist) {
		return d.Create(dir, name, size)
	}
	return f, err
}

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

// within runs something that may take too long: after the limit it goes on alone.
func within(limit time.Duration, fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return ErrDiskSlow
	}
}
