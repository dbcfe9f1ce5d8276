package consensus

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/hashicorp/raft-wal/fs"
	"github.com/hashicorp/raft-wal/metadb"
	"github.com/hashicorp/raft-wal/types"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestEveryCrashLeavesALog makes the directories that a killed process and a power cut may leave at
// every change below a log that changes its file again and again. Each opens, has all entries that
// were stored, and takes new ones. One of them is the log that goes on.
func TestEveryCrashLeavesALog(t *testing.T) {
	quick.OneGoroutine(t, "opens a thousand logs")
	t.Log("seed", *seed)
	rng := rand.New(rand.NewPCG(*seed, 0))
	left, first := map[string][]byte{}, uint64(1)
	images := 0
	for range crashes {
		now, events := recordChanges(t, left, first, rng, true)
		chosen := rng.IntN(len(events))
		for i, e := range events {
			for k, image := range []map[string][]byte{now.killed(e, rng), now.cut(e, rng), now.cut(e, rng)} {
				checkImage(t, now, image, fmt.Sprintf("image %d before %s of %s", k, e.kind, e.name))
				if images++; i == chosen {
					left, first = image, now.first
				}
			}
			now.apply(e)
		}
	}
	t.Log(images, "images")
}

// TestEveryCrashLeavesALogOrDamage does so without synchronization. A killed process leaves
// everything. What a power cut leaves opens, with the right entries, or shows that it is damaged,
// so that the member gets the entries from the others: no directory stops a member for good, and
// none has wrong entries.
func TestEveryCrashLeavesALogOrDamage(t *testing.T) {
	quick.OneGoroutine(t, "opens a thousand logs")
	t.Log("seed", *seed)
	rng := rand.New(rand.NewPCG(*seed, 1))
	left, first := map[string][]byte{}, uint64(1)
	whole, damaged := 0, 0
	for range crashes {
		now, events := recordChanges(t, left, first, rng, false)
		chosen := rng.IntN(len(events))
		for i, e := range events {
			what := fmt.Sprintf("before %s of %s", e.kind, e.name)
			killed := now.killed(e, rng)
			checkImage(t, now, killed, what)
			for range 2 {
				if checkRemains(t, now, now.cut(e, rng), what) {
					whole++
				} else {
					damaged++
				}
			}
			if i == chosen {
				left, first = killed, now.first
			}
			now.apply(e)
		}
	}
	t.Log(whole, "whole,", damaged, "damaged")
}

// crashes is how many are survived one after the other.
const crashes = 4

// recorder is a file system that notes what changes below a log.
type recorder struct {
	types.VFS
	list   string // path of the list of files
	mu     sync.Mutex
	events []event
}

// event is one change.
type event struct {
	// Create, write, sync (done), delete, list (of the files), stored (done), or dropped: entries
	// at an end will be deleted.
	kind string
	name string
	at   int64
	data []byte // of write; of list: the whole file after the change
	size uint64 // of a new file

	first, last uint64 // of stored and dropped: the entries that must be there
}

func (r *recorder) note(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// fault is called before changes.
func (r *recorder) fault(operation string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if operation == "list" {
		r.noteList()
		r.events = append(r.events, event{kind: "list", name: metadb.FileName})
	}
	return nil
}

// noteList adds to the last change of the list what it was: the file is as it has left it until the
// next one.
func (r *recorder) noteList() {
	for i := range slices.Backward(r.events) {
		if r.events[i].kind == "list" {
			r.events[i].data, _ = os.ReadFile(r.list)
			return
		}
	}
}

func (r *recorder) Create(dir, name string, size uint64) (types.WritableFile, error) {
	r.note(event{kind: "create", name: name, size: size})
	f, err := r.VFS.Create(dir, name, size)
	return recorded{f, name, r}, err
}

func (r *recorder) OpenWriter(dir, name string) (types.WritableFile, error) {
	f, err := r.VFS.OpenWriter(dir, name)
	return recorded{f, name, r}, err
}

func (r *recorder) Delete(dir, name string) error {
	r.note(event{kind: "delete", name: name})
	return r.VFS.Delete(dir, name)
}

// recorded is a file whose changes are noted.
type recorded struct {
	types.WritableFile
	name string
	r    *recorder
}

func (f recorded) WriteAt(b []byte, at int64) (int, error) {
	f.r.note(event{kind: "write", name: f.name, at: at, data: bytes.Clone(b)})
	return f.WritableFile.WriteAt(b, at)
}

func (f recorded) Sync() error {
	err := f.WritableFile.Sync()
	f.r.note(event{kind: "sync", name: f.name})
	return err
}

const testSegment = 8 << 10

// recordChanges stores entries in the log that a crash has left, and deletes some at both ends.
func recordChanges(t *testing.T, left map[string][]byte, first uint64, rng *rand.Rand, sync bool) (*model, []event) {
	dir := writeFiles(t, left)
	r := &recorder{VFS: fs.New(), list: filepath.Join(dir, metadb.FileName)}
	l := openTestLog(t, dir, &disk{VFS: r, sync: sync, fault: r.fault})
	last := l.last
	start := newModel(t, dir)
	start.first, start.last = first, last
	r.events = nil
	for range 15 {
		batch := testEntries(last+1, 1+rng.Uint64N(3))
		require.NoError(t, l.StoreLogs(batch))
		last += uint64(len(batch))
		r.note(event{kind: "stored", first: first, last: last})
		switch rng.IntN(10) {
		case 0:
			last--
			r.note(event{kind: "dropped", first: first, last: last})
			require.NoError(t, l.DeleteRange(last+1, last+1))
		case 1:
			first += (last - first) / 2
			r.note(event{kind: "dropped", first: first, last: last})
			require.NoError(t, l.DeleteRange(l.first(), first-1))
		}
	}
	l.Close()
	r.noteList()
	return start, r.events
}

// writeFiles makes the directory of a log.
func writeFiles(t *testing.T, files map[string][]byte) string {
	dir := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for name, b := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
	}
	return dir
}

func openTestLog(t *testing.T, dir string, d *disk) *log {
	o := Options{SegmentSize: testSegment}
	o.complete()
	l, err := openLog(filepath.Dir(dir), o, d, newLogger(o.Log))
	require.NoError(t, err)
	return l
}

// testEntries returns entries, each with contents of its own.
func testEntries(first, n uint64) (list []*raft.Log) {
	for i := first; i < first+n; i++ {
		list = append(list, &raft.Log{Index: i, Term: 1, Data: bytes.Repeat([]byte{byte(i)}, 1+int(i*i*761%2500))})
	}
	return list
}

// model is a directory: what a process sees, and what is on the disk.
type model struct {
	seen, disk  map[string][]byte // the contents of files
	named       map[string]bool   // whether the directory on the disk has them
	waiting     []event           // what is not on the disk yet
	list        []byte
	first, last uint64 // entries that must be there
}

// newModel returns a directory that is on the disk.
func newModel(t *testing.T, dir string) *model {
	m := &model{seen: map[string][]byte{}, disk: map[string][]byte{}, named: map[string]bool{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, path := range paths {
		name := filepath.Base(path)
		m.seen[name], err = os.ReadFile(path)
		require.NoError(t, err)
		m.disk[name], m.named[name] = m.seen[name], true
	}
	m.list = m.seen[metadb.FileName]
	return m
}

func (m *model) apply(e event) {
	switch e.kind {
	case "create":
		m.seen[e.name], m.disk[e.name] = make([]byte, e.size), make([]byte, e.size)
	case "write":
		m.seen[e.name] = written(m.seen[e.name], e)
		m.waiting = append(m.waiting, e)
	case "sync":
		m.disk[e.name] = bytes.Clone(m.seen[e.name])
		m.waiting = slices.DeleteFunc(m.waiting, func(w event) bool { return w.name == e.name })
		for name := range m.seen {
			m.named[name] = true
		}
	case "delete":
		delete(m.seen, e.name)
		delete(m.disk, e.name)
	case "list":
		m.list = e.data
	default:
		m.first, m.last = e.first, e.last
	}
}

func written(b []byte, e event) []byte {
	b = bytes.Clone(b)
	if need := int(e.at) + len(e.data) - len(b); need > 0 {
		b = append(b, make([]byte, need)...)
	}
	copy(b[e.at:], e.data)
	return b
}

// killed returns what is there when the process ends in the midst of an event.
func (m *model) killed(e event, rng *rand.Rand) map[string][]byte {
	image := maps.Clone(m.seen)
	switch e.kind {
	case "create":
		image[e.name] = make([]byte, rng.Uint64N(2)*e.size)
	case "write":
		e.data = e.data[:rng.IntN(len(e.data)+1)]
		image[e.name] = written(image[e.name], e)
	}
	image[metadb.FileName] = m.listAt(e, rng)
	return image
}

// cut returns what is there when the power fails in the midst of an event: of what is not on the
// disk any sectors.
func (m *model) cut(e event, rng *rand.Rand) map[string][]byte {
	image := map[string][]byte{}
	for name, b := range m.disk {
		if m.named[name] || rng.IntN(2) == 0 {
			image[name] = b
		}
	}
	waiting := m.waiting
	if e.kind == "write" {
		waiting = append(slices.Clone(waiting), e)
	}
	for _, w := range waiting {
		if b, ok := image[w.name]; ok {
			image[w.name] = someSectors(b, written(b, w), w, rng)
		}
	}
	if e.kind == "delete" && rng.IntN(2) == 0 {
		delete(image, e.name)
	}
	image[metadb.FileName] = m.listAt(e, rng)
	return image
}

const sector = 512

// someSectors returns a file of which some sectors have been written.
func someSectors(before, after []byte, w event, rng *rand.Rand) []byte {
	b := bytes.Clone(before)
	if rng.IntN(2) == 0 {
		b = append(b, make([]byte, len(after)-len(b))...)
	}
	some := rng.Float64()
	for at := int(w.at) / sector * sector; at < min(int(w.at)+len(w.data), len(b)); at += sector {
		if rng.Float64() < some {
			copy(b[at:], after[at:min(at+sector, len(b))])
		}
	}
	return b
}

// listAt returns the list of files in the midst of an event: bbolt writes some pages, and then one
// of the first two, which makes them count.
func (m *model) listAt(e event, rng *rand.Rand) []byte {
	if e.kind != "list" {
		return m.list
	}
	if rng.IntN(3) == 0 {
		return e.data
	}
	b := append(bytes.Clone(m.list), make([]byte, max(0, len(e.data)-len(m.list)))...)
	page := os.Getpagesize()
	for at := 2 * page; at < len(e.data); at += page {
		if rng.IntN(2) == 0 {
			copy(b[at:], e.data[at:min(at+page, len(e.data))])
		}
	}
	return b
}

// checkImage opens a log with these files.
func checkImage(t *testing.T, m *model, files map[string][]byte, what string) {
	dir := writeFiles(t, files)
	defer os.RemoveAll(dir)
	d := &disk{VFS: fs.New()}
	l := openTestLog(t, dir, d)
	require.NoError(t, (&Node{log: l, stable: &stable{}}).inspect(m.first-1), what)
	require.GreaterOrEqual(t, l.last, m.last, what)
	for _, want := range testEntries(m.first, m.last+1-m.first) {
		var got raft.Log
		require.NoError(t, l.GetLog(want.Index, &got), what)
		require.Equal(t, want.Data, got.Data, what)
	}
	more := testEntries(l.last+1, 6)
	require.NoError(t, l.StoreLogs(more[:1]), what)
	require.NoError(t, l.StoreLogs(more[1:]), what)
	l.Close()

	l = openTestLog(t, dir, d)
	defer l.Close()
	require.Equal(t, more[5].Index, l.last, what)
	require.NoError(t, (&Node{log: l, stable: &stable{}}).inspect(m.first-1), what)
}

// checkRemains opens what a power cut has left of a log that is not synchronized. It reports
// whether the log is whole as far as it goes, and not damaged.
func checkRemains(t *testing.T, m *model, files map[string][]byte, what string) bool {
	dir := writeFiles(t, files)
	defer os.RemoveAll(dir)
	o := Options{SegmentSize: testSegment}
	o.complete()
	l, err := openLog(filepath.Dir(dir), o, &disk{VFS: fs.New()}, newLogger(o.Log))
	if err != nil {
		require.True(t, isDamage(err), "%s: %v", what, err)
		return false
	}
	defer l.Close()
	if (&Node{log: l, stable: &stable{}}).inspect(m.first-1) != nil {
		return false
	}
	require.NoError(t, l.startAfter(m.first-1), what)
	first, err := l.FirstIndex()
	require.NoError(t, err, what)
	if l.last > 0 {
		for _, want := range testEntries(first, l.last+1-first) {
			var got raft.Log
			require.NoError(t, l.GetLog(want.Index, &got), what)
			require.Equal(t, want.Data, got.Data, what)
		}
	}
	require.NoError(t, l.StoreLogs(testEntries(max(l.last, m.first-1)+1, 1)), what)
	return true
}
