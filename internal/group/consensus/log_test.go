package consensus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/raft/v3/raftpb"
)

// notebook is a log of its own, without a member.
type notebook struct {
	*log
	t      testing.TB
	dir    string
	size   int
	broken fault
}

func newNotebook(t testing.TB, size int) *notebook {
	n := &notebook{t: t, dir: t.TempDir(), size: size}
	n.open()
	require.NoError(t, n.reset(position{1, 1}))
	t.Cleanup(func() { n.close() })
	return n
}

// open opens it again, as a start does.
func (n *notebook) open() {
	require.NoError(n.t, n.tryOpen(position{1, 1}))
}

func (n *notebook) tryOpen(snapshot position) (err error) {
	d := &disk{sync: false, fault: n.broken.at}
	if n.log, err = openLog(n.dir, Options{SegmentSize: n.size}, d, false); err != nil {
		return err
	}
	return n.startAfter(snapshot)
}

func (n *notebook) files() []string {
	paths, err := filepath.Glob(filepath.Join(n.dir, "log", "*.wal"))
	require.NoError(n.t, err)
	return paths
}

func entries(from, to, term uint64, size int) (list []pb.Entry) {
	for i := from; i <= to; i++ {
		text := strings.Repeat(fmt.Sprint(i, ":", term, " "), size)
		list = append(list, pb.Entry{Index: i, Term: term, Data: []byte(text)})
	}
	return list
}

// all returns the entries of a log, with their data.
func (n *notebook) all() []pb.Entry {
	last := n.last().index
	if last < n.first() {
		return nil
	}
	list, err := n.Entries(n.first(), last+1, 1<<60)
	require.NoError(n.t, err)
	list, err = n.fill(list)
	require.NoError(n.t, err)
	return list
}

func TestLogKeepsEntries(t *testing.T) {
	n := newNotebook(t, 64<<10)
	want := entries(2, 3000, 1, 20)
	for i := 0; i < len(want); i += 100 {
		require.NoError(t, n.append(want[i:min(i+100, len(want))]))
	}
	require.Equal(t, want, n.all())
	require.Greater(t, len(n.files()), 3)
	old, err := n.Entries(2, 10, 1<<20)
	require.NoError(t, err)
	require.True(t, isAbsent(&old[0]), "it is not in memory")
	n.close()
	n.open()
	require.Equal(t, want, n.all())

	require.NoError(t, n.append(entries(2000, 2500, 2, 20)))
	want = append(want[:1998], entries(2000, 2500, 2, 20)...)
	require.Equal(t, want, n.all(), "they replace all behind them")
	n.close()
	n.open()
	require.Equal(t, want, n.all())

	files := len(n.files())
	n.compact(2400, 100, 1<<20)
	require.Equal(t, want[2299:], n.all())
	require.Less(t, len(n.files()), files)
	require.NoError(t, n.append(entries(2501, 2501, 2, 1)))
	n.close()
	require.NoError(t, n.tryOpen(position{2400, 2}))
	all := n.all()
	require.Equal(t, append(want, entries(2501, 2501, 2, 1)...)[len(want)+1-len(all):], all)
}

// TestLogAfterASnapshot: a leader's snapshot takes the place of the log, or of what is in its way
// after a crash.
func TestLogAfterASnapshot(t *testing.T) {
	n := newNotebook(t, 64<<10)
	require.NoError(t, n.append(entries(2, 10, 1, 1)))
	require.NoError(t, n.reset(position{100, 3}))
	require.NoError(t, n.append(entries(101, 102, 3, 1)))
	n.close()
	require.NoError(t, n.tryOpen(position{100, 3}))
	require.Equal(t, entries(101, 102, 3, 1), n.all())
	n.close()
	require.NoError(t, n.tryOpen(position{102, 4}), "the snapshot came, and its record did not")
	require.Empty(t, n.all())
	require.Equal(t, position{102, 4}, n.last())
	n.close()
	require.NoError(t, n.tryOpen(position{200, 4}))
	require.Equal(t, position{200, 4}, n.last())
}

// TestLogAfterEveryCrash cuts a log off at every byte of its last write: what was written before is
// there, and it goes on.
func TestLogAfterEveryCrash(t *testing.T) {
	n := newNotebook(t, 64<<10)
	require.NoError(t, n.append(entries(2, 5, 1, 3)))
	before := n.next
	mark, _ := n.readMark()
	require.NoError(t, n.append(entries(6, 8, 1, 3)))
	end := n.next
	n.close()
	path := n.files()[0]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := before; at <= end; at++ {
		cut := append([]byte{}, whole...)
		clear(cut[at:])
		require.NoError(t, os.WriteFile(path, cut, 0o644))
		n.open()
		require.NoError(t, n.writeMark(mark))
		all := n.all()
		require.GreaterOrEqual(t, len(all), 4)
		require.Equal(t, entries(2, 1+uint64(len(all)), 1, 3), all)
		next := n.last().index + 1
		require.NoError(t, n.append(entries(next, next+1, 2, 2)))
		n.close()
		n.open()
		require.Equal(t, append(all, entries(next, next+1, 2, 2)...), n.all())
		n.close()
	}
	for range 300 { // pages of the last write come to the disk in any order
		cut := append([]byte{}, whole...)
		a := before + rand.Int64N(end-before)
		clear(cut[a : a+rand.Int64N(end-a)])
		require.NoError(t, os.WriteFile(path, cut, 0o644))
		n.open()
		require.Equal(t, entries(2, 1+uint64(len(n.all())), 1, 3), n.all())
		n.close()
	}
	n.open()
}

// TestLogDamage: what was synchronized and is broken is damage, wherever it is.
func TestLogDamage(t *testing.T) {
	n := newNotebook(t, 64<<10)
	for i := uint64(2); i < 2000; i++ {
		require.NoError(t, n.append(entries(i, i, 1, 10)))
	}
	last := n.next
	n.close()
	for i, path := range n.files() {
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		end := len(whole)
		if i == len(n.files())-1 {
			end = int(last) - 400
		}
		for range 100 {
			b := append([]byte{}, whole...)
			b[rand.IntN(end)] ^= byte(1 + rand.IntN(255))
			require.NoError(t, os.WriteFile(path, b, 0o644))
			err := n.tryOpen(position{1, 1})
			if err == nil { // padding, or the room behind the records
				require.Equal(t, uint64(1999), n.last().index)
				n.close()
			} else {
				require.ErrorIs(t, err, errDamage)
			}
		}
		require.NoError(t, os.WriteFile(path, whole, 0o644))
	}
	n.open()
}

// TestLogTriesAgain: after an error the same entries are stored, at any step.
func TestLogTriesAgain(t *testing.T) {
	n := newNotebook(t, 64<<10)
	want := []pb.Entry(nil)
	for i, step := range []string{"write", "sync", "create", "write", "sync"} {
		n.broken.limit(step)
		n.broken.set(syscall.ENOSPC, nil)
		more := entries(uint64(2+1000*i), uint64(1001+1000*i), uint64(i+1), 10)
		require.ErrorIs(t, n.append(more), syscall.ENOSPC)
		n.broken.set(nil, nil)
		require.NoError(t, n.append(more))
		want = append(want, more...)
		require.Equal(t, want, n.all())
	}
	n.close()
	n.open()
	require.Equal(t, want, n.all())
}

// FuzzLog opens files with any content: it never panics.
func FuzzLog(f *testing.F) {
	record := appendRecord([]byte(magic+"\x01\x00\x00\x00\x00\x00\x00\x00"), kindEntry, 0, segmentHead, position{2, 1},
		[]byte("data"))
	f.Add(record, true)
	f.Add(record[:len(record)-3], false)
	f.Fuzz(func(t *testing.T, b []byte, salvage bool) {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "log"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "log", fmt.Sprintf("%020d.wal", 1)), b, 0o644))
		l, err := openLog(dir, Options{SegmentSize: 64 << 10}, &disk{}, salvage)
		if err != nil {
			require.False(t, salvage, "%v", err)
			return
		}
		n := &notebook{log: l, t: t}
		_ = n.startAfter(position{1, 1})
		n.all()
		n.close()
	})
}
