// Package disk is where snapshots lie: files that replace those of the same name as a whole. One
// disk is the operating system's, one is in memory, for servers that must not leave files behind.
//
//	Create ─▶ Write, WriteAt ... ─▶ Commit    the file is complete and durable, and has its name
//	                             └▶ Abandon   nothing has happened
//
// An IncrementalSync writes a large file back while it grows, so that its sync at the end is short.
package disk

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// Disk stores snapshots. Its methods may be called from several goroutines at once.
type Disk interface {
	// Create begins a file. Its Commit replaces the file at path.
	Create(path string) (File, error)
	// Open opens the file at path for reading, and returns its size. The error for an absent file
	// wraps fs.ErrNotExist.
	Open(path string) (io.ReadCloser, int64, error)
}

// File is a file being written. It is visible under its path only after Commit.
type File interface {
	WriteBacker
	Commit() error // syncs it, and replaces the former file
	Abandon()      // removes it; also after a failed Commit, and while it is being written
}

// OS is the disk of the operating system.
type OS struct{}

// temporary is a file in the directory of the one that it will replace.
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

// syncDir makes a rename durable. It ignores errors, since some systems cannot sync directories.
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
