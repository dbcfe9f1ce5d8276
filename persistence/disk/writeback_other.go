//go:build !linux

package disk

import "os"

// WriteBack implements WriteBacker for a file of the operating system. Without sync_file_range it
// syncs the file.
func WriteBack(f *os.File, _, _ int64, wait bool) error {
	if !wait {
		return nil
	}
	return f.Sync()
}
