package disk

import (
	"os"
	"path/filepath"
)

// Replace writes a file so that a reader finds either all of its new content or the old one. If it
// is durable, so does one after a crash.
func Replace(path string, content []byte, durable bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(content)
	if err == nil && durable {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644) // as of any file; CreateTemp keeps it to its owner
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
