package consensus

import (
	"bufio"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// peer sends to another member, on a goroutine of its own: messages that wait in a queue with
// limits, and a leader's calls, which go between the chunks of messages. What cannot be sent is
// lost, as the library expects.
type peer struct {
	transport *transport
	id        uint64
	address   string
	wake      chan struct{}
	ended     chan struct{}
	once      sync.Once
	hurry     atomic.Bool  // a call is wanted now
	answered  atomic.Int64 // when the member answered last on this connection

	mu        sync.Mutex
	queue     []pb.Message
	bytes     int
	match     uint64 // entry that it has confirmed
	matchTerm uint64 // in this term
	matchAt   int64
	card      string

	// Of the goroutine alone.
	conn   *conn
	out    *bufio.Writer
	called int64 // when it was called last
	buffer []byte
}

const (
	maxQueue      = 4096
	maxQueueBytes = 64 << 20
	lookEvery     = time.Second     // how often a member that does not lead looks after its connections
	deadAfter     = 3 * time.Second // without an answer another connection is opened
	redialPause   = 50 * time.Millisecond
)

func newPeer(t *transport, id uint64, address string) *peer {
	return &peer{transport: t, id: id, address: address, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

func (p *peer) end() { p.once.Do(func() { close(p.ended) }) }

// put adds a message, if there is room.
func (p *peer) put(m pb.Message) {
	p.mu.Lock()
	if n := size(m.Entries); len(p.queue) < maxQueue && p.bytes+n <= maxQueueBytes {
		p.queue = append(p.queue, m)
		p.bytes += n
	}
	p.mu.Unlock()
	notify(p.wake)
}

func (p *peer) take() (list []pb.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list, p.queue, p.bytes = p.queue, nil, 0
	return list
}

func (p *peer) run() {
	defer p.hangUp()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-p.wake:
		case <-timer.C:
		case <-p.ended:
			return
		}
		pause := p.every()
		if err := p.talk(); err != nil {
			p.hangUp()
			p.transport.node.inbox.call(func() { p.transport.node.unreachable(p.id) })
			pause = redialPause
			select { // what comes meanwhile is lost
			case <-time.After(pause):
			case <-p.ended:
				return
			}
			p.take()
		}
		timer.Reset(pause)
	}
}

// every returns how often the member is called.
func (p *peer) every() time.Duration {
	if p.transport.node.leads() == 0 {
		return lookEvery
	}
	return max(min(p.transport.options.Heartbeat/10, leaseTime/4), time.Millisecond)
}

// talk sends what there is to be sent.
func (p *peer) talk() error {
	list := p.take()
	if p.conn != nil && p.conn.gone.Load() {
		p.hangUp()
	}
	if p.conn == nil {
		if len(list) == 0 && p.transport.node.leads() == 0 {
			return nil
		}
		if err := p.dial(); err != nil {
			return err
		}
	}
	if p.transport.node.clock()-p.answered.Load() > int64(deadAfter) {
		return errSilent
	}
	for ; len(list) > 0; list = p.take() {
		for i := range list {
			if err := p.send(&list[i]); err != nil {
				return err
			}
		}
	}
	if err := p.callIfDue(); err != nil {
		return err
	}
	return p.out.Flush()
}

var errSilent = errors.New("it does not answer")

func (p *peer) dial() error {
	c, err := p.transport.dial(p.address, purposeTalk)
	if err != nil {
		return err
	}
	p.conn, p.out, p.called = c, bufio.NewWriterSize(c, maxChunk), 0
	p.answered.Store(p.transport.node.clock())
	p.mu.Lock()
	p.card = c.card
	p.mu.Unlock()
	p.transport.tasks.Go(func() { p.hear(c) })
	return nil
}

func (p *peer) hangUp() {
	if p.conn != nil {
		p.conn.Close()
		p.conn = nil
	}
}

// send sends a message, and calls between its chunks.
func (p *peer) send(m *pb.Message) error {
	entries, err := p.transport.node.log.fill(m.Entries)
	if errors.Is(err, errDamage) {
		p.transport.node.foundDamage(err)
	}
	if err != nil {
		return nil // it is sent anew when the member asks for it
	}
	whole := *m
	whole.Entries = entries
	p.buffer = appendMessage(p.buffer[:0], &whole)
	for rest := p.buffer; ; {
		if err := p.callIfDue(); err != nil {
			return err
		}
		kind, n := byte(frameEnd), len(rest)
		if n > maxChunk {
			kind, n = frameChunk, maxChunk
		}
		var head [frameHead]byte
		if _, err := p.out.Write(appendFrameHead(head[:0], kind, n)); err != nil {
			return err
		}
		if _, err := p.out.Write(rest[:n]); err != nil {
			return err
		}
		if rest = rest[n:]; kind == frameEnd {
			break
		}
	}
	if cap(p.buffer) > 2*maxPart {
		p.buffer = nil
	}
	return nil
}

// callIfDue sends a leader's call, or looks after the connection. The time of a call is earlier
// than any at which a question may come that it is to answer.
func (p *peer) callIfDue() error {
	n := p.transport.node
	hurry := p.hurry.Swap(false)
	now := n.clock()
	if !hurry && now-p.called < int64(p.every()) {
		return nil
	}
	p.called = now
	var b [frameHead + 16]byte
	if _, err := p.out.Write(appendPair(b[:0], frameCall, n.leads(), uint64(now-1))); err != nil {
		return err
	}
	return p.out.Flush()
}

// hear takes the answers that come on a connection, until it ends.
func (p *peer) hear(c *conn) {
	defer func() {
		c.Close()
		c.gone.Store(true)
		notify(p.wake)
	}()
	r := bufio.NewReader(c)
	n := p.transport.node
	for {
		kind, size, err := readHead(r, 16)
		if err != nil {
			return
		}
		switch kind {
		case frameAnswer:
			term, asked, err := readPair(r, size)
			if err != nil {
				return
			}
			p.answered.Store(n.clock())
			n.answered(p.id, term, int64(asked))
		case frameRemoved:
			n.refused.Store(n.clock())
		default:
			return
		}
	}
}

// answered notes that a member has answered a call: if it is of this member's term, it follows. The
// loop learns of a later term.
func (n *Node) answered(id, term uint64, asked int64) {
	now := n.clock()
	if leads := n.leads(); leads != 0 && term == leads && asked < now {
		n.lease.answered(id, term, asked, now)
		n.verifier.look(term)
	}
	if term > n.view().term {
		n.inbox.message(arrived{Message: pb.Message{Type: pb.MsgHeartbeatResp, From: id, To: n.options.ID, Term: term}})
	}
}
