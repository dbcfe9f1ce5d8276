package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
)

// Disk stores snapshots. Its methods may be called from several goroutines at once.
type Disk interface {
	// Create begins a file. Its Commit replaces the file at path.
	Create(path string) (File, error)
	// Open opens the file at path for reading, and returns its size. The error for an absent file wraps
	// fs.ErrNotExist.
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

// Strerror returns the text of an error; that of the operating system if it has one, capitalized as by C's strerror.
func Strerror(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err.Error()
	}
	if text := unixText(errno); text != "" {
		return text
	}
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// Errors of Windows, where package syscall has others under the names of Unix.
const (
	winRefused      = syscall.Errno(10061)
	winNotAvailable = syscall.Errno(10049)
)

// isRefused reports whether an error says that a port is not open.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, winRefused)
}

// unixText returns C's text for errors that Windows words otherwise; "" elsewhere and for all others.
func unixText(errno syscall.Errno) string {
	switch {
	case runtime.GOOS != "windows":
		return ""
	case errors.Is(errno, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(errno, fs.ErrPermission):
		return "Permission denied"
	case errors.Is(errno, fs.ErrExist):
		return "File exists"
	case errno == winRefused:
		return "Connection refused"
	case errno == winNotAvailable:
		return "Cannot assign requested address"
	}
	return ""
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
