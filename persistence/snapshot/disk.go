package snapshot

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// Disk is where snapshots lie. Its methods may be called from several goroutines at once.
type Disk interface {
	// Create begins a file that is to replace the one at path.
	Create(path string) (File, error)
	// Open opens the file at path for reading; the error is fs.ErrNotExist if there is none.
	Open(path string) (io.ReadCloser, int64, error)
}

// File is a file that is written, and takes its place only when it is complete.
type File interface {
	WriteBacker
	Commit() error // makes it last, and puts it in the place of the one before
	Abandon()      // removes it; also after a Commit that failed, and while it is written
}

// OS is the disk of the operating system.
type OS struct{}

// temporary is a file beside the one that it is to replace.
type temporary struct {
	*os.File
	path string
}

var created atomic.Int64

// Create implements Disk.
func (OS) Create(path string) (File, error) {
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf("temp-%d-%d.rdb", os.Getpid(), created.Add(1)))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	return &temporary{f, path}, nil
}

// WriteBack implements WriteBacker.
func (t *temporary) WriteBack(from, n int64, wait bool) error {
	return WriteBack(t.File, from, n, wait)
}

// Commit implements File.
func (t *temporary) Commit() error {
	err := t.Sync()
	if failed := t.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(t.Name(), t.path)
	}
	if err == nil {
		syncDir(filepath.Dir(t.path))
	}
	return err
}

// Abandon implements File.
func (t *temporary) Abandon() {
	_ = os.Remove(t.Name())
	_ = t.Close()
}

// syncDir makes a rename lasting. Where directories cannot be synced, that is as lasting as it gets.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// Open implements Disk.
func (OS) Open(path string) (io.ReadCloser, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &os.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
