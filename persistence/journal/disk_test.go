package journal

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// faultyDisk is a disk in memory that can fail, fill up, and lose power.
type faultyDisk struct {
	mu      sync.Mutex
	files   map[string]*content // as the system shows them
	lasting map[string]*content // as found if changes of directories since their last sync are lost
	steps   int                 // changes so far
	power   int                 // changes after which nothing works any more; 0 for never
	room    int                 // bytes left; negative for no limit
	broken  error               // of every change
	deaf    error               // of every sync, which loses the data to be synced
	vague   error               // of every sync of a directory, whose changes may be durable or not
	clear   int                 // how many of those syncs succeed first
	stuck   error               // of every rename
	during  func()              // called before each change
	look    time.Duration       // that Size takes
}

// content holds a file's bytes, and those that survive a loss of power.
type content struct {
	text, safe []byte
	lost       int // 1 plus the offset of the first byte that a failed sync lost; 0 for none
}

var errPower = errors.New("the power is gone")

func newFaultyDisk() *faultyDisk { return &faultyDisk{files: make(map[string]*content), room: -1} }

// change runs a change, unless it fails.
func (p *faultyDisk) change(fn func() error) error {
	if p.during != nil {
		p.during()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.power > 0 && p.steps >= p.power {
		return errPower
	}
	if p.broken != nil {
		return p.broken
	}
	p.steps++
	return fn()
}

// restart returns the disk as it is after a loss of power: with all that was written, or if lossy
// without what was not synced, in files and in directories.
func (p *faultyDisk) restart(lossy bool) *faultyDisk {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := newFaultyDisk()
	files := p.files
	if lossy {
		files = p.lasting
	}
	for path, c := range files {
		text := c.text
		if lossy {
			text = c.safe
		}
		next.files[path] = &content{slices.Clone(text), slices.Clone(text), c.lost}
	}
	next.lasting = maps.Clone(next.files)
	return next
}

// damaged reports whether a file that must be loaded lost bytes in a failed sync.
func (p *faultyDisk) damaged() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, files := range []map[string]*content{p.files, p.lasting} {
		for path, c := range files {
			if filepath.Ext(path) == ".manifest" && damagedIn(files, filepath.Dir(path), c.text) {
				return true
			}
		}
	}
	return false
}

func damagedIn(files map[string]*content, dir string, text []byte) bool {
	m, err := parseManifest(text)
	return err == nil && slices.ContainsFunc(m.data(), func(part part) bool {
		c := files[filepath.Join(dir, part.name)]
		return c != nil && c.lost > 0
	})
}

// names returns the names of all files.
func (p *faultyDisk) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for path := range p.files {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	return names
}

func (p *faultyDisk) open(path string) (*content, error) {
	c := p.files[path]
	if c == nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
	}
	return c, nil
}

func (p *faultyDisk) Read(path string) (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, err := p.open(path)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(slices.Clone(c.text))), nil
}

func (p *faultyDisk) Size(path string) (int64, error) {
	time.Sleep(p.look)
	p.mu.Lock()
	defer p.mu.Unlock()
	c, err := p.open(path)
	if err != nil {
		return 0, err
	}
	return int64(len(c.text)), nil
}

func (p *faultyDisk) Create(path string) (File, error) {
	c := new(content)
	err := p.change(func() error {
		p.files[path] = c
		return nil
	})
	return &handle{p, c}, err
}

func (p *faultyDisk) Append(path string) (File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, err := p.open(path)
	return &handle{p, c}, err
}

func (p *faultyDisk) Rename(from, to string) error {
	return p.change(func() error {
		c, err := p.open(from)
		if p.stuck != nil {
			return p.stuck
		}
		if err == nil {
			p.files[to] = c
			delete(p.files, from)
		}
		return err
	})
}

func (p *faultyDisk) Remove(path string) error {
	return p.change(func() error {
		_, err := p.open(path)
		delete(p.files, path)
		return err
	})
}

// MakeDir does not call during: the journal may hold the engine's lock.
func (p *faultyDisk) MakeDir(string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken
}

func (p *faultyDisk) Names(dir string) (names []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for path := range p.files {
		if filepath.Dir(path) == dir {
			names = append(names, filepath.Base(path))
		}
	}
	return names, p.broken
}

func (p *faultyDisk) SyncDir(string) error {
	return p.change(func() error {
		if p.clear--; p.clear >= 0 || p.vague == nil {
			p.lasting = maps.Clone(p.files)
			return nil
		}
		return p.vague
	})
}

// handle is an open file.
type handle struct {
	disk *faultyDisk
	*content
}

func (h *handle) Write(b []byte) (n int, err error) {
	err = h.disk.change(func() error {
		n = len(b)
		if h.disk.room >= 0 && n > h.disk.room {
			n = h.disk.room
			err = syscall.ENOSPC
		}
		if h.disk.room >= 0 {
			h.disk.room -= n
		}
		h.text = append(h.text, b[:n]...)
		if n < len(b) {
			return &os.PathError{Op: "write", Err: syscall.ENOSPC}
		}
		return nil
	})
	return n, err
}

func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	return len(b), h.disk.change(func() error {
		copy(h.text[at:], b)
		return nil
	})
}

func (h *handle) Sync() error {
	return h.disk.change(func() error {
		if h.disk.deaf != nil {
			if h.lost == 0 && len(h.text) > len(h.safe) {
				h.lost = len(h.safe) + 1
			}
			h.text = append(h.text[:len(h.safe):len(h.safe)], bytes.Repeat([]byte{0}, len(h.text)-len(h.safe))...)
			h.safe = slices.Clone(h.text)
			return h.disk.deaf
		}
		h.safe = slices.Clone(h.text)
		return nil
	})
}

func (h *handle) Truncate(size int64) error {
	return h.disk.change(func() error {
		h.text = h.text[:size]
		if h.lost > int(size) {
			h.lost = 0
		}
		h.safe = h.safe[:min(len(h.safe), int(size))]
		return nil
	})
}

func (h *handle) WriteBack(int64, int64, bool) error { return nil }

func (h *handle) Close() error { return nil }

// dump returns the files' texts, for messages.
func (p *faultyDisk) dump() string {
	var b bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		b.WriteString(path + ": " + string(p.files[path].text) + "\n")
	}
	return b.String()
}
