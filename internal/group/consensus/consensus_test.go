package consensus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fault is what goes wrong below a node at the moment.
type fault struct {
	mu   sync.Mutex
	err  error
	hang chan struct{}
	only string // the operation of a disk; "" for all
	hits int    // how often it was met
}

func (f *fault) met() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hits
}

// at returns what goes wrong with an operation.
func (f *fault) at(operation string) error {
	f.mu.Lock()
	spared := f.only != "" && f.only != operation
	f.mu.Unlock()
	if spared {
		return nil
	}
	return f.get()
}

// limit keeps faults to one operation.
func (f *fault) limit(only string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.only = only
}

func (f *fault) set(err error, hang chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.hang, f.hits = err, hang, 0
}

func (f *fault) get() error {
	f.mu.Lock()
	err, hang := f.err, f.hang
	if err != nil {
		f.hits++
	}
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	return err
}

// list is a Machine that keeps the entries it was given.
type list struct {
	mu      sync.Mutex
	entries []string
	before  func([]Entry) // runs before entries are applied
}

func (l *list) Apply(entries []Entry) {
	if l.before != nil {
		l.before(entries)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		l.entries = append(l.entries, string(e.Data))
	}
}

func (l *list) Snapshot() (Snapshot, error) { return frozen(l.all()), nil }

func (l *list) Restore(r io.Reader) error {
	var entries []string
	for r != nil {
		var size uint32
		if err := binary.Read(r, binary.LittleEndian, &size); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		entries = append(entries, string(b))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = entries
	return nil
}

func (l *list) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.entries...)
}

type frozen []string

func (f frozen) Write(w io.Writer) error {
	for _, e := range f {
		b := append(binary.LittleEndian.AppendUint32(nil, uint32(len(e))), e...)
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func (f frozen) Release() {}

// group is a group of nodes in this process.
type group struct {
	t       testing.TB
	members []Member
	nodes   map[uint64]*running
	options func(*Options)
}

type running struct {
	*Node
	list *list
	dir  string
	disk fault // what its disk does
	net  fault // what its network does

	mu   sync.Mutex
	seat Seat
}

// steady are options of a group whose leader keeps its seat on a busy machine, too.
func steady(o *Options) { o.Heartbeat = 2 * time.Second }

func newGroup(t testing.TB, size int, options func(*Options)) *group {
	g := &group{t: t, nodes: make(map[uint64]*running), options: options}
	var listeners []net.Listener
	for i := range size {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listeners = append(listeners, l)
		g.members = append(g.members, Member{uint64(i + 1), l.Addr().String()})
	}
	for i, l := range listeners {
		g.open(uint64(i+1), t.TempDir(), l)
	}
	t.Cleanup(g.close)
	return g
}

func (g *group) open(id uint64, dir string, l net.Listener) *running {
	m := &running{list: &list{}, dir: dir}
	o := Options{ID: id, Members: g.members, Dir: dir, Machine: m.list, Listener: l, Sync: true,
		Log: func(level, message string) {
			if testing.Verbose() {
				fmt.Println(id, level, message)
			}
		}, fault: m.disk.at, cut: m.net.get}
	if g.options != nil {
		g.options(&o)
	}
	node, err := Open(o)
	require.NoError(g.t, err)
	m.Node = node
	g.nodes[id] = m
	go m.follow()
	return m
}

// stop closes a member; start opens it again with what is on its disk.
func (g *group) stop(m *running) {
	require.NoError(g.t, m.Close())
	delete(g.nodes, m.options.ID)
}

func (g *group) start(m *running) *running {
	g.t.Helper()
	var l net.Listener
	eventually(g.t, "the port", func() (ok bool) {
		var err error
		l, err = net.Listen("tcp", g.address(m.options.ID))
		return err == nil
	})
	return g.open(m.options.ID, m.dir, l)
}

func (g *group) address(id uint64) string {
	for _, m := range g.members {
		if m.ID == id {
			return m.Address
		}
	}
	return ""
}

// another returns a member that is not one of these.
func (g *group) another(not ...*running) *running {
	for id := range uint64(len(g.members)) {
		if m := g.nodes[id+1]; m != nil && !slices.Contains(not, m) {
			return m
		}
	}
	return nil
}

func (m *running) follow() {
	for {
		select {
		case s := <-m.Seats():
			m.mu.Lock()
			m.seat = s
			m.mu.Unlock()
		case <-m.closed:
			return
		}
	}
}

func (m *running) held() Seat {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seat
}

func (g *group) close() {
	for _, m := range g.nodes {
		require.NoError(g.t, m.Close())
	}
}

// eventually waits for a condition; the limit is only there to end a test that fails.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, 2*time.Minute, 2*time.Millisecond, what)
}

// leader waits until one member has the seat.
func (g *group) leader() (leader *running) {
	g.t.Helper()
	eventually(g.t, "a leader", func() bool {
		for _, m := range g.nodes {
			if m.held().Leader {
				leader = m
				return true
			}
		}
		return false
	})
	return leader
}

// founded waits until all members have a vote: the first start needs all of them.
func (g *group) founded() *group {
	g.t.Helper()
	for _, m := range g.nodes {
		eventually(g.t, "its vote", func() bool { return !m.Status().Hole })
	}
	return g
}

// append puts an entry into the log and returns what became of it.
func (m *running) append(data string) error {
	done := make(chan error, 1)
	m.Append(m.held().ID, []byte(data), func(err error) { done <- err })
	return <-done
}

// agree waits until all members have applied these entries.
func (g *group) agree(entries ...string) {
	g.t.Helper()
	want := strings.Join(entries, " ")
	for id, m := range g.nodes {
		eventually(g.t, fmt.Sprintf("the entries at %d", id),
			func() bool { return strings.Join(m.list.all(), " ") == want })
	}
}

// agreeButFor does the same, but does not care whether an entry is among them.
func (g *group) agreeButFor(unknown string, entries ...string) {
	g.t.Helper()
	want := strings.Join(entries, " ")
	for id, m := range g.nodes {
		eventually(g.t, fmt.Sprintf("the entries at %d", id), func() bool {
			has := slices.DeleteFunc(m.list.all(), func(e string) bool { return e == unknown })
			return strings.Join(has, " ") == want
		})
	}
}

func TestEntriesReachAllMembers(t *testing.T) {
	g := newGroup(t, 3, nil)
	leader := g.leader()
	require.NoError(t, leader.append("a"))
	require.NoError(t, leader.append("b"))
	g.agree("a", "b")

	for _, m := range g.nodes {
		if m != leader {
			require.ErrorIs(t, m.append("c"), ErrNotAppended)
		}
	}
	verified := make(chan error, 1)
	leader.Verify(func(err error) { verified <- err })
	require.NoError(t, <-verified)
}

func TestAppendsAreAnsweredInOrder(t *testing.T) {
	leader := newGroup(t, 1, nil).leader()
	var answered []int
	var all sync.WaitGroup
	for i := range 100 {
		all.Add(1)
		leader.Append(leader.held().ID, []byte{byte(i)}, func(err error) {
			if err == nil {
				answered = append(answered, i)
			}
			all.Done()
		})
	}
	all.Wait()
	require.Len(t, answered, 100)
	require.IsIncreasing(t, answered)
}
