package consensus

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
)

// snapshots are the files with states of the machine:
//
//	magic, length of the head, head, parts of an entry, state, CRC-32C of all that
//
// The first one of a group has no state: it says who the members are that found the group.
type snapshots struct {
	dir  string
	disk *disk

	mu    sync.Mutex
	heads []head // the oldest first
	some  int    // number of the next file that is being written
}

// head is what a snapshot begins with.
type head struct {
	Index, Term uint64
	Members     []member
	Seat        uint64 // of the last entry
	Begun       int    // bytes of parts of a large entry whose last part comes later
	Empty       bool   // there is no state: it is that before the first entry
	path        string
}

const (
	snapshotMagic = "mssnap_1"
	maxHead       = 1 << 20
	keepSnapshots = 2
)

func openSnapshots(dir string, d *disk) (*snapshots, error) {
	s := &snapshots{dir: filepath.Join(dir, "snapshots"), disk: d.always()}
	if err := makeDir(s.dir); err != nil {
		return nil, err
	}
	unfinished, err := filepath.Glob(filepath.Join(s.dir, "*.part"))
	for _, path := range unfinished {
		err = errors.Join(err, os.Remove(path))
	}
	paths, globErr := filepath.Glob(filepath.Join(s.dir, "*.snap"))
	if err := errors.Join(err, globErr); err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		h := head{path: path}
		if _, err := fmt.Sscanf(filepath.Base(path), "%d-%d.snap", &h.Index, &h.Term); err == nil {
			s.heads = append(s.heads, h)
		}
	}
	return s, nil
}

// check reads the newest snapshot, and returns it; its index is 0 if there is none.
func (s *snapshots) check() (h head, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heads) == 0 {
		return head{}, nil
	}
	newest := &s.heads[len(s.heads)-1]
	if *newest, err = checkSnapshot(newest.path); err != nil {
		return *newest, fmt.Errorf("%w: the snapshot %s: %w", errDamage, filepath.Base(newest.path), err)
	}
	return *newest, nil
}

// checkSnapshot reads a file to its end.
func checkSnapshot(path string) (head, error) {
	h, r, err := openSnapshot(path)
	if err != nil {
		return head{path: path}, err
	}
	defer r.Close()
	if _, err = io.Copy(io.Discard, r); err == nil {
		err = r.check()
	}
	return h, err
}

// newest returns the head of the newest snapshot.
func (s *snapshots) newest() head {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heads) == 0 {
		return head{}
	}
	return s.heads[len(s.heads)-1]
}

// list returns all, the newest first.
func (s *snapshots) list() []head {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.heads)
	slices.Reverse(list)
	return list
}

// part creates a temporary file, which becomes a snapshot when keep gives it its name.
func (s *snapshots) part() (*os.File, error) {
	if err := s.disk.before("create"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.some++
	some := s.some
	s.mu.Unlock()
	return os.Create(filepath.Join(s.dir, fmt.Sprint(some, ".part")))
}

// write writes a snapshot, and keeps it.
func (s *snapshots) write(h head, begun []byte, state func(io.Writer) error) error {
	f, err := s.part()
	if err != nil {
		return err
	}
	h.Begun, h.Empty = len(begun), state == nil
	w := &summing{to: bufio.NewWriterSize(f, 256<<10), disk: s.disk, sum: crc32.New(castagnoli)}
	text, err := json.Marshal(h)
	if err == nil {
		_, err = w.Write(append(binary.LittleEndian.AppendUint32([]byte(snapshotMagic), uint32(len(text))), text...))
	}
	if err == nil {
		_, err = w.Write(begun)
	}
	if err == nil && state != nil {
		err = state(w)
	}
	if err == nil {
		err = errors.Join(binary.Write(w.to, binary.LittleEndian, w.sum.Sum32()), w.to.Flush())
	}
	if err == nil {
		err = (&file{f, s.disk}).Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	h.path = f.Name()
	return s.keep(h)
}

// keep gives a file that is on the disk its name, and deletes old ones.
func (s *snapshots) keep(h head) error {
	path := filepath.Join(s.dir, fmt.Sprintf("%020d-%020d.snap", h.Index, h.Term))
	if err := errors.Join(os.Rename(h.path, path), syncDir(s.dir)); err != nil {
		return err
	}
	h.path = path
	s.mu.Lock()
	s.heads = slices.DeleteFunc(s.heads, func(o head) bool { return o.path == path })
	s.heads = append(s.heads, h)
	old := slices.Clone(s.heads[:max(0, len(s.heads)-keepSnapshots)])
	s.heads = s.heads[len(old):]
	s.mu.Unlock()
	for _, o := range old {
		_ = os.Remove(o.path) // else the next start does
	}
	return nil
}

// summing writes, and sums up.
type summing struct {
	to   *bufio.Writer
	disk *disk
	sum  hash.Hash32
}

func (w *summing) Write(b []byte) (int, error) {
	if err := w.disk.before("write"); err != nil {
		return 0, err
	}
	w.sum.Write(b)
	return w.to.Write(b)
}

// snapshotReader reads the state of a snapshot.
type snapshotReader struct {
	file  *os.File
	from  *bufio.Reader
	left  int64 // bytes up to the sum
	sum   hash.Hash32
	begun []byte
}

// openSnapshot opens a file, and reads its head.
func openSnapshot(path string) (h head, r *snapshotReader, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return h, nil, errors.Join(err, f.Close())
	}
	r = &snapshotReader{file: f, from: bufio.NewReaderSize(f, 256<<10), left: info.Size() - 4,
		sum: crc32.New(castagnoli)}
	if h, err = r.head(); err != nil {
		return h, nil, errors.Join(err, f.Close())
	}
	h.path = path
	return h, r, nil
}

func (r *snapshotReader) head() (h head, err error) {
	b := make([]byte, len(snapshotMagic)+4)
	if _, err = io.ReadFull(r, b); err != nil {
		return h, err
	}
	size := binary.LittleEndian.Uint32(b[len(snapshotMagic):])
	if string(b[:len(snapshotMagic)]) != snapshotMagic || size > maxHead {
		return h, errUnsound
	}
	text := make([]byte, size)
	if _, err = io.ReadFull(r, text); err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		return h, err
	}
	if h.Index == 0 || h.Term == 0 || h.Begun < 0 || !soundMembers(h.Members) {
		return h, errUnsound
	}
	r.begun, err = io.ReadAll(io.LimitReader(r, int64(h.Begun)))
	if err == nil && len(r.begun) < h.Begun {
		err = io.ErrUnexpectedEOF
	}
	if h.Begun == 0 {
		r.begun = nil
	}
	return h, err
}

// Read reads what comes before the sum.
func (r *snapshotReader) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n, err := r.from.Read(b[:min(int64(len(b)), r.left)])
	r.left -= int64(n)
	r.sum.Write(b[:n])
	return n, err
}

// check compares the sum, when all else has been read.
func (r *snapshotReader) check() error {
	var sum uint32
	if err := binary.Read(r.from, binary.LittleEndian, &sum); err != nil {
		return err
	}
	if sum != r.sum.Sum32() {
		return errChecksum
	}
	return nil
}

func (r *snapshotReader) Close() error { return r.file.Close() }

// raft returns a snapshot as the library knows it. Its data are the name of the file and the
// members.
func (h head) raft() pb.Snapshot {
	data, _ := json.Marshal(snapshotData{h.path, h.Members})
	return pb.Snapshot{Data: data,
		Metadata: pb.SnapshotMetadata{ConfState: confState(h.Members), Index: h.Index, Term: h.Term}}
}

type snapshotData struct {
	Path    string
	Members []member
}

func dataOf(s *pb.Snapshot) (d snapshotData) {
	_ = json.Unmarshal(s.Data, &d) // it is this process that has written them
	return d
}

// storage is what the library reads. Nothing of it waits.
type storage struct {
	*log
	node  *Node
	begin head // with which this member began
}

// InitialState implements raft.Storage.
func (s storage) InitialState() (pb.HardState, pb.ConfState, error) {
	c := s.node.stable.get()
	commit := max(s.begin.Index, min(c.Alone, s.last().index))
	return pb.HardState{Term: c.Term, Vote: c.Vote, Commit: commit}, confState(s.begin.Members), nil
}

// Snapshot implements raft.Storage. One that does not know all present members is not of use to the
// new ones: then another one is taken first.
func (s storage) Snapshot() (pb.Snapshot, error) {
	h := s.node.snapshots.newest()
	for _, m := range s.node.core.members {
		if _, known := find(h.Members, m.ID); !known {
			notify(s.node.compactor)
			return pb.Snapshot{}, raft.ErrSnapshotTemporarilyUnavailable
		}
	}
	return h.raft(), nil
}
