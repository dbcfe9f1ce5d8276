//go:build !linux

package snapshot

import "os"

// WriteBack is WriteBacker's for a file of the operating system, which is synced.
func WriteBack(f *os.File, _, _ int64, wait bool) error {
	if !wait {
		return nil
	}
	return f.Sync()
}
