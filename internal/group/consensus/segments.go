package consensus

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/hashicorp/raft-wal/metadb"
	"github.com/hashicorp/raft-wal/types"
)

// segments is the list of the files in which raft-wal keeps entries. When the last file, the tail,
// is full raft-wal ends it with an index, in one write with the last entries, and then puts the
// next file on the list. raft-wal 0.4.2 does not go on after a crash or an error within that: if it
// meets an index in the tail, whole or not, it takes the tail for full and refuses all entries,
// since there is no next file. So Load completes the change, or takes it back, before raft-wal
// looks:
//
//	the write with the index is whole    the list gets the next file
//	it is not                            what follows the last whole write is cut off
//
// The latter is done with the rest of any write, so that it is not met again behind what is written
// in its place.
type segments struct {
	metadb.BoltMetaDB
	disk *disk
	mark uint64 // the log had entries up to this one
}

// Load implements types.MetaStore.
func (s *segments) Load(dir string) (types.PersistentState, error) {
	list, err := s.read(dir)
	if err != nil || len(list.Segments) == 0 {
		return list, err
	}
	last := &list.Segments[len(list.Segments)-1]
	if !last.SealTime.IsZero() {
		return list, nil
	}
	t, err := readTail(dir, *last)
	if errors.Is(err, os.ErrNotExist) {
		return list, nil // raft-wal makes it
	}
	if err != nil {
		return list, err
	}
	end := last.BaseIndex + t.entries - 1
	switch {
	case t.index > 0:
		last.MaxIndex, last.IndexStart, last.SealTime = end, uint64(t.index), time.Now()
		next := types.SegmentInfo{ID: list.NextSegmentID, BaseIndex: end + 1, MinIndex: end + 1,
			SizeLimit: last.SizeLimit, Codec: last.Codec, CreateTime: time.Now()}
		list.Segments, list.NextSegmentID = append(list.Segments, next), next.ID+1
		return list, s.CommitState(list)
	case t.rest && s.mark <= end: // else entries have been lost, and the damage stays as it is
		return list, s.disk.cutOff(dir, *last, t.end)
	}
	return list, nil
}

// read tells damage from a disk that fails. bbolt panics at most damage, and reads what is no
// longer there if its file was cut.
func (s *segments) read(dir string) (list types.PersistentState, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errList, p)
		}
	}()
	list, err = s.BoltMetaDB.Load(dir)
	if number := syscall.Errno(0); err != nil && !errors.As(err, &number) {
		err = fmt.Errorf("%w: %w", errList, err)
	}
	return list, err
}

// CommitState implements types.MetaStore.
func (s *segments) CommitState(list types.PersistentState) error {
	if err := s.disk.before("list"); err != nil {
		return s.disk.failed(err)
	}
	return s.disk.failed(s.BoltMetaDB.CommitState(list))
}
