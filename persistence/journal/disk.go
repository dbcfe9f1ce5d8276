package journal

import (
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/miniserver-go/miniserver/persistence/disk"
)

// Disk is the part of a file system that a journal uses. The error for an absent file wraps
// os.ErrNotExist.
type Disk interface {
	Read(path string) (io.ReadCloser, error)
	Size(path string) (int64, error)
	Create(path string) (File, error) // truncates an existing file
	Append(path string) (File, error) // writes go to the end of an existing file
	Rename(from, to string) error
	Remove(path string) error
	MakeDir(path string) error           // does nothing if the directory exists
	Names(path string) ([]string, error) // of what is in a directory
	SyncDir(path string) error           // makes creations, renames and removals in it durable
}

// File is an open file. Write appends to it.
type File interface {
	io.Closer
	disk.WriteBacker
	Sync() error
	Truncate(size int64) error
}

// OS is the machine's file system.
type OS struct{}

// Read implements Disk.
func (OS) Read(path string) (io.ReadCloser, error) { return os.Open(path) }

// Size implements Disk.
func (OS) Size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Create implements Disk.
func (OS) Create(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Append implements Disk.
func (OS) Append(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekEnd)
	return osFile{f}, err
}

// osFile is a file that is positioned at its end.
type osFile struct{ *os.File }

// WriteBack implements disk.WriteBacker.
func (f osFile) WriteBack(from, n int64, wait bool) error {
	return disk.WriteBack(f.File, from, n, wait)
}

// Truncate implements File.
func (f osFile) Truncate(size int64) error {
	if err := f.File.Truncate(size); err != nil {
		return err
	}
	_, err := f.Seek(size, io.SeekStart)
	return err
}

// Rename implements Disk.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements Disk.
func (OS) Remove(path string) error { return os.Remove(path) }

// MakeDir implements Disk.
func (OS) MakeDir(path string) error { return os.MkdirAll(path, 0o755) }

// Names implements Disk.
func (OS) Names(path string) (names []string, err error) {
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

// SyncDir implements Disk.
func (OS) SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil // it cannot sync directories
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// writeWhole replaces a file in one step: a reader sees either the old text or the new one. It
// calls ready just before. placed reports that the new file is in place. If there is an error
// nevertheless, the file may be lost with the power.
func writeWhole(disk Disk, path string, text []byte, ready func() error) (placed bool, err error) {
	temp := filepath.Join(filepath.Dir(path), "temp-"+filepath.Base(path))
	if err = writeSynced(disk, temp, text); err == nil {
		err = ready()
	}
	if err == nil {
		err = disk.Rename(temp, path)
	}
	if err != nil {
		_ = disk.Remove(temp)
		return false, err
	}
	return true, disk.SyncDir(filepath.Dir(path))
}

// writeSynced creates a file with a text, and syncs it.
func writeSynced(disk Disk, path string, text []byte) error {
	f, err := disk.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
