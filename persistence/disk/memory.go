package disk

import (
	"bytes"
	"io"
	"io/fs"
	"sync"
)

// Memory is a Disk in memory, for servers that must not leave files behind.
type Memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

// Create implements Disk.
func (s *Memory) Create(path string) (File, error) { return &memFile{disk: s, path: path}, nil }

// Open implements Disk.
func (s *Memory) Open(path string) (io.ReadCloser, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.files[path]
	if !ok {
		return nil, 0, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return io.NopCloser(bytes.NewReader(b)), int64(len(b)), nil
}

// memFile is a File of a Memory.
type memFile struct {
	bytes.Buffer
	disk *Memory
	path string
}

// WriteAt implements io.WriterAt. It replaces bytes that were written before.
func (f *memFile) WriteAt(b []byte, at int64) (int, error) { return copy(f.Bytes()[at:], b), nil }

// WriteBack implements WriteBacker.
func (f *memFile) WriteBack(int64, int64, bool) error { return nil }

// Commit implements File.
func (f *memFile) Commit() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.files == nil {
		f.disk.files = make(map[string][]byte)
	}
	f.disk.files[f.path] = f.Bytes()
	return nil
}

// Abandon implements File.
func (f *memFile) Abandon() {}
