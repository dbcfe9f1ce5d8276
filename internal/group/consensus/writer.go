package consensus

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// writer stores what the loop tells it to, on a goroutine of its own, in order. All that has come
// meanwhile is one write. After an error it tries again until it succeeds: the library waits, and
// is never told that something is stored which is not. So a disk that fails or hangs keeps a member
// from confirming, voting and standing, and from nothing else.
type writer struct {
	node    *Node
	jobs    queue[job]
	since   atomic.Int64 // when the present write began; 0: there is none
	limit   atomic.Int64 // how long it may take
	pending atomic.Int64 // bytes that have not been stored yet
	failed  bool         // the last attempt
}

// job is something to store: a MsgStorageAppend, or something else of this package.
type job struct {
	message pb.Message
	do      func() error
}

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
	// slowest is how many bytes a second a disk must store, so that many bytes have more time.
	slowest = 16 << 20
	// maxTogether is how many bytes are one write, unless it is one message.
	maxTogether = 8 << 20
	// maxPending is how many bytes of entries wait to be stored, beyond which more are refused.
	maxPending = 64 << 20
)

func (w *writer) add(messages []pb.Message) {
	jobs := make([]job, len(messages))
	for i, m := range messages {
		jobs[i] = job{message: m}
		w.pending.Add(int64(size(m.Entries)))
	}
	w.jobs.add(jobs...)
}

func size(entries []pb.Entry) (bytes int) {
	for i := range entries {
		bytes += len(entries[i].Data)
	}
	return bytes
}

func (w *writer) run() {
	w.jobs.run(w.node.closed, func(list []job) {
		for len(list) > 0 {
			n := together(list)
			if !w.store(list[:n]) {
				return
			}
			list = list[n:]
		}
	})
}

// together returns how many jobs are one write.
func together(list []job) (n int) {
	bytes := 0
	for _, j := range list {
		bytes += size(j.message.Entries)
		if n > 0 && (j.do != nil || j.message.Snapshot != nil || bytes > maxTogether) {
			break
		}
		if n++; j.do != nil || j.message.Snapshot != nil {
			break
		}
	}
	return n
}

// store stores jobs, and tells the loop; false: the member is being closed.
func (w *writer) store(list []job) bool {
	bytes := 0
	for _, j := range list {
		bytes += size(j.message.Entries)
	}
	w.limit.Store(int64(w.node.options.StoreLimit) + int64(bytes)*int64(time.Second)/slowest)
	w.since.Store(w.node.clock())
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := w.try(list)
		if err == nil {
			break
		}
		w.failed = true
		w.node.inbox.call(func() { w.node.diskFails(err) })
		if !w.node.sleep(pause) {
			return false
		}
	}
	w.since.Store(0)
	w.failed = false
	w.pending.Add(-int64(bytes))
	w.node.inbox.call(func() {
		w.node.diskWorks()
		for _, j := range list {
			for _, m := range j.message.Responses {
				w.node.core.stored(m)
			}
		}
	})
	return true
}

func (w *writer) try(list []job) error {
	var term, vote uint64
	var entries []pb.Entry
	for _, j := range list {
		if j.do != nil {
			return j.do()
		}
		if j.message.Term != 0 {
			term, vote = j.message.Term, j.message.Vote
		}
		if s := j.message.Snapshot; s != nil {
			if err := w.setTerm(term, vote); err != nil {
				return err
			}
			if err := w.install(*s); err != nil {
				return err
			}
		}
		if entries == nil {
			entries = j.message.Entries
		} else {
			entries = append(entries[:len(entries):len(entries)], j.message.Entries...)
		}
	}
	if err := w.setTerm(term, vote); err != nil {
		return err
	}
	return w.node.log.append(entries)
}

func (w *writer) setTerm(term, vote uint64) error {
	if term == 0 {
		return nil
	}
	return w.node.stable.update(func(c *content) { c.Term, c.Vote = term, vote })
}

// install puts a leader's snapshot, which has come as a file, in place of the log.
func (w *writer) install(s pb.Snapshot) error {
	n := w.node
	path := dataOf(&s).Path
	if newest := n.snapshots.newest(); newest.Index < s.Metadata.Index {
		h, r, err := openSnapshot(path)
		if err == nil {
			err = errors.Join(r.Close(), n.snapshots.keep(h))
		}
		if err != nil {
			return err
		}
	}
	p := position{s.Metadata.Index, s.Metadata.Term}
	if err := n.log.reset(p); err != nil {
		return err
	}
	n.machine.tasks.add(task{restore: n.snapshots.newest().path})
	_ = os.Remove(path) // if it was not needed
	return nil
}

// hangs reports whether the present write takes too long.
func (w *writer) hangs(now int64) bool {
	since := w.since.Load()
	return since != 0 && now-since > w.limit.Load()
}
