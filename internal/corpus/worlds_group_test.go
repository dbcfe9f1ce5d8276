package corpus_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

// tape is a log in memory: what is appended is committed when the test says so.
type tape struct {
	options consensus.Options
	seats   chan consensus.Seat
	waiting []waiting
	index   uint64
}

type waiting struct {
	entry consensus.Entry
	done  func(error)
}

func (l *tape) Append(seat uint64, data []byte, done func(error)) {
	l.index++
	l.waiting = append(l.waiting,
		waiting{consensus.Entry{Index: l.index, Term: 1, Seat: seat, Data: bytes.Clone(data)}, done})
}

func (l *tape) Verify(done func(error))      { go done(nil) }
func (l *tape) Leased() bool                 { return false }
func (l *tape) Seats() <-chan consensus.Seat { return l.seats }
func (l *tape) Rebuild(uint64) error         { return consensus.ErrClosed }
func (l *tape) RebuildAll() error            { return consensus.ErrClosed }
func (l *tape) Transfer(uint64) error        { return consensus.ErrUnknownMember }
func (l *tape) Add(consensus.Member) error   { return consensus.ErrNotLeader }
func (l *tape) Remove(uint64) error          { return consensus.ErrUnknownMember }
func (l *tape) Status() consensus.Status {
	return consensus.Status{State: "leader", Term: 1, Last: l.index}
}
func (l *tape) Close() error { return nil }

// grouped is a world whose engine leads a group. When a file is through, a second member executes
// the log, a third one loads a snapshot, and their data are compared.
type grouped struct {
	*transcript.Memory
	log *tape // of the engine that joined last
}

// join makes an engine the member of a group.
func (w *grouped) join(e *engine.Engine) {
	furnish(e)
	wall := func() int64 { return w.clock() }
	log := &tape{seats: make(chan consensus.Seat)}
	g := group.New(e, group.Options{Wall: wall, Nanos: func() int64 { return wall() * 1000 },
		Open: func(o consensus.Options) (group.Log, error) {
			log.options = o
			return log, nil
		}})
	e.Join(g.Part(), g.Messages())
	for name, value := range map[string]string{"group-members": "1=h:1,2=h:2,3=h:3", "dir": "/"} {
		if err := e.Params.Named(name).Set(value); err != nil {
			panic(err)
		}
	}
	if err := g.Configure(1); err != nil {
		panic(err)
	}
	if err := g.Open(); err != nil {
		panic(err)
	}
	w.log = log
}

// lead gives the engine the seat.
func (w *grouped) lead() {
	w.log.seats <- consensus.Seat{Leader: true, Term: 1, ID: 1}
	for follows := true; follows; runtime.Gosched() {
		w.Engine().With(func() { follows = w.Engine().Role().Replica })
	}
}

func (w *grouped) Reset() error {
	if err := w.Memory.Reset(); err != nil {
		return err
	}
	w.lead()
	return nil
}

// commit commits what was appended, and returns it.
func (w *grouped) commit(log *tape) (entries []consensus.Entry) {
	for len(log.waiting) > 0 {
		first := log.waiting[0]
		log.waiting = log.waiting[1:]
		entries = append(entries, first.entry)
		log.options.Machine.Apply([]consensus.Entry{first.entry})
		first.done(nil)
	}
	return entries
}

func (w *grouped) Check() error {
	leader, log := w.Engine(), w.log
	want := digest(leader)
	leader.Tick() // appends what digest removed
	snapshot, err := log.options.Machine.Snapshot()
	if err != nil {
		return err
	}
	entries := w.commit(log)
	var saved bytes.Buffer
	if err := snapshot.Write(&saved); err != nil {
		return err
	}
	text := contents(leader)

	second := w.Fresh(nil)
	w.log.options.Machine.Apply(entries)
	third := w.Fresh(nil)
	if err := w.log.options.Machine.Restore(&saved); err != nil {
		return err
	}
	w.log = log
	for name, e := range map[string]*engine.Engine{"the log": second, "the snapshot": third} {
		if got := contents(e); got != text {
			return fmt.Errorf("%s gives other data:\n%s\nthan the leader holds:\n%s", name, got, text)
		}
		if got := digest(e); got != want {
			return fmt.Errorf("%s gives data of digest %s, the leader's has %s", name, got, want)
		}
	}
	return w.Memory.Check()
}

func TestTranscriptsInAGroup(t *testing.T) {
	quick.OneGoroutine(t, "runs all transcripts in one more world")
	t.Parallel() // its members wait for each other
	w := &grouped{}
	w.Memory = transcript.NewMemory(transcript.Traits{Name: "an engine that leads a group", Tags: []string{"group"}},
		w.join)
	require.NoError(t, w.Reset())
	corpus.RunFiles(t, w, commandCorpus, slices.DeleteFunc(corpus.Files(t, commandCorpus), isAboutRoles))
}

// isAboutRoles reports whether a transcript is about masters and replicas, or shows that READONLY
// needs a cluster: members of a group reply otherwise.
func isAboutRoles(f *transcript.File) bool {
	return slices.ContainsFunc([]string{"cluster/cluster", "server/failover", "server/psync", "server/replica",
		"server/role", "server/sync"},
		func(name string) bool { return strings.HasSuffix(f.Name, name+".txt") })
}

// clock returns the world's time, which it does not have yet while it is made.
func (w *grouped) clock() int64 {
	if w.Memory == nil {
		return 0
	}
	return w.Now().UnixMicro()
}
