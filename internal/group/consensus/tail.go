package consensus

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// tail is what the last file of the log has in whole writes.
type tail struct {
	entries uint64
	index   int64 // where its index begins; 0: it has none, so the file is not full
	end     int64 // of the last whole write
	rest    bool  // something else follows
}

// A file of raft-wal 0.4.2 is a header and frames. A frame has a header of its own, with its kind
// and its length, and ends at a multiple of 8 bytes. A write is some entries, perhaps an index, and
// a commit, which has a checksum of what comes after the commit before it in place of a length.
const (
	fileHeader  = 32
	frameHeader = 8

	entryFrame  = 1
	indexFrame  = 2
	commitFrame = 3
)

// readTail reads the last file of the log. As for raft-wal, a write is whole if its checksum is
// right, or if an entry follows it: then it was synchronized.
func readTail(dir string, info types.SegmentInfo) (tail, error) {
	f, err := os.Open(filepath.Join(dir, segment.FileName(info)))
	if err != nil {
		return tail{}, err
	}
	defer f.Close()
	t := (&frames{file: bufio.NewReaderSize(f, 1<<16), sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}).tail()
	if _, err := f.Seek(t.end, io.SeekStart); err != nil {
		return t, err
	}
	t.rest, err = hasContent(f)
	return t, err
}

// frames reads a file frame by frame.
type frames struct {
	file io.Reader
	at   int64
	sum  hash.Hash32 // of what was read since the last commit
}

// tail reads up to what is no frame.
func (r *frames) tail() tail {
	var now, last, before tail // what has been read, up to the last commit and the one before it
	var valid, follows bool    // the last commit's checksum is right, an entry comes after it
	for err := r.read(fileHeader); err == nil; {
		var kind byte
		var value uint32
		if kind, value, err = r.header(); err != nil {
			break
		}
		switch kind {
		case commitFrame:
			now.end, valid, follows = r.at, value == r.sum.Sum32(), false
			last, before = now, last
			now.index = 0
			r.sum.Reset()
			continue
		case entryFrame:
			now.entries++
			follows = true
		case indexFrame:
			now.index = r.at
		}
		err = r.read((int64(value) + frameHeader - 1) / frameHeader * frameHeader)
	}
	if valid || follows {
		return last
	}
	return before
}

// header reads the header of a frame. That of a commit does not count for its checksum.
func (r *frames) header() (kind byte, value uint32, err error) {
	var b [frameHeader]byte
	if _, err := io.ReadFull(r.file, b[:]); err != nil {
		return 0, 0, err
	}
	kind, value = b[0], binary.LittleEndian.Uint32(b[4:])
	if kind < entryFrame || kind > commitFrame {
		return 0, 0, errNoFrame
	}
	if kind != commitFrame {
		r.sum.Write(b[:])
	}
	r.at += frameHeader
	return kind, value, nil
}

func (r *frames) read(n int64) error {
	r.at += n
	_, err := io.CopyN(r.sum, r.file, n)
	return err
}

// hasContent reports whether there is anything but zeros: a file has room that was never written.
func hasContent(r io.Reader) (bool, error) {
	b, zeros := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := r.Read(b)
		if !bytes.Equal(b[:n], zeros[:n]) {
			return true, nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		}
	}
}
