//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"
)

// diskSize is more than the files that a log prepares for entries.
const diskSize = 400 << 20

// disk is a small file system of a member, which can be full and stand still.
type disk struct {
	image, dir string
}

// newDisk mounts a file system at a directory. It returns nil if only root may.
func newDisk(dir string) *disk {
	d := &disk{dir + ".img", dir}
	if os.WriteFile(d.image, nil, 0o600) != nil || os.Truncate(d.image, diskSize) != nil ||
		exec.Command("mkfs.ext4", "-q", "-F", d.image).Run() != nil ||
		exec.Command("mount", "-o", "loop", d.image, dir).Run() != nil {
		os.Remove(d.image)
		return nil
	}
	return d
}

// filler is a file that takes all space.
func (d *disk) filler() string { return filepath.Join(d.dir, "filler") }

func (d *disk) fill() error {
	f, err := os.Create(d.filler())
	if err != nil {
		return err
	}
	defer f.Close()
	for size := int64(diskSize); size >= 4096; {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if syscall.Fallocate(int(f.Fd()), 0, info.Size(), size) != nil {
			size /= 2
		}
	}
	return nil
}

func (d *disk) empty() error { return os.Remove(d.filler()) }

// freeze makes all who write wait.
func (d *disk) freeze() error { return exec.Command("fsfreeze", "-f", d.dir).Run() }

func (d *disk) thaw() error { return exec.Command("fsfreeze", "-u", d.dir).Run() }

// shutDown is the request to a file system that fstests cuts the power with, and how: without
// writing anything more.
const (
	shutDown = 0x8004587d // EXT4_IOC_SHUTDOWN
	noFlush  = 2          // EXT4_GOING_FLAGS_NOLOGFLUSH
)

// cutPower ends the file system: nothing reaches the disk any more, and all who use files get
// errors.
func (d *disk) cutPower() error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	how := uint32(noFlush)
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), shutDown,
		uintptr(unsafe.Pointer(&how))); failed != 0 {
		return failed
	}
	return nil
}

// mountAgain mounts the file system as a machine does that starts again.
func (d *disk) mountAgain() error {
	return errors.Join(execute("umount", d.dir), execute("mount", "-o", "loop", d.image, d.dir))
}

func (d *disk) readOnly() error { return execute("mount", "-o", "remount,ro", d.dir) }

func (d *disk) writable() error { return execute("mount", "-o", "remount,rw", d.dir) }

// change sets attributes of a directory.
func (d *disk) change(attributes, dir string) error { return execute("chattr", attributes, dir) }

func execute(command ...string) error {
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w: %s", command, err, out)
	}
	return nil
}

func (d *disk) close() {
	if d == nil {
		return
	}
	d.thaw() // if it still stands
	exec.Command("umount", d.dir).Run()
	os.Remove(d.image)
}

// tear damages the end of the newest file of a log, as a write that was cut off does: the last
// bytes that were written become zero.
func tear(dir string, n int) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.wal"))
	if err != nil || len(files) == 0 {
		return err
	}
	newest := files[len(files)-1] // they have numbers in order
	f, err := os.OpenFile(newest, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := os.ReadFile(newest)
	if err != nil {
		return err
	}
	end := len(bytes.TrimRight(data, "\x00"))
	_, err = f.WriteAt(make([]byte, min(n, end)), int64(end-min(n, end)))
	return err
}
