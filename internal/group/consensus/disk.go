package consensus

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/raft-wal/fs"
	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// disk is the file system below the log and the vote. Every change goes through it, so that tests
// can make it slow, full or broken.
type disk struct {
	types.VFS
	sync  bool                         // Options.Sync: without it only the operating system has what is written
	fault func(operation string) error // before each change; nil without a test
	mu    sync.Mutex                   // of cause; raft-wal makes files on a goroutine of its own
	cause error                        // of the last failure to make a file, or to put it on the list of files
}

func newDisk(o Options) *disk {
	return &disk{VFS: fs.New(), sync: o.Sync, fault: o.fault}
}

// always is the same disk with synchronization, whatever Options.Sync says.
func (d *disk) always() *disk {
	return &disk{VFS: d.VFS, sync: true, fault: d.fault}
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
		return nil, d.failed(err)
	}
	f, err := d.wrap(d.VFS.Create(dir, name, size))
	return f, d.failed(err)
}

// failed notes why the log cannot begin its next file: raft-wal does not say it when it refuses the
// next entry.
func (d *disk) failed(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cause = cmp.Or(err, d.cause)
	return err
}

// explain tells more than that a file is full, which is all that raft-wal says if there is no next
// one.
func (d *disk) explain(err error) error {
	if !errors.Is(err, types.ErrSealed) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Errorf("%w: %w", errNextFile, cmp.Or(d.cause, err))
}

// OpenWriter implements types.VFS. The process that made the file may have ended before it had
// synchronized the directory.
func (d *disk) OpenWriter(dir, name string) (types.WritableFile, error) {
	f, err := d.wrap(d.VFS.OpenWriter(dir, name))
	if err == nil && d.sync {
		err = syncDir(dir)
	}
	return f, err
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

// cutOff shortens a file of the log.
func (d *disk) cutOff(dir string, info types.SegmentInfo, size int64) error {
	if err := d.before("cut"); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, segment.FileName(info)), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
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

// within runs something that may take too long: after the limit it goes on alone. An operation on a
// disk cannot be given up, so its goroutine stays until the disk answers.
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
