package consensus

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// transport opens and accepts connections between members, and closes all of them at the end.
type transport struct {
	node     *Node
	listener net.Listener
	address  string
	options  *Options
	guests   guests
	opens    context.Context // until the end
	end      context.CancelFunc
	tasks    sync.WaitGroup
	incoming chan struct{} // has room for the snapshots that may come at once

	mu     sync.RWMutex
	peers  map[uint64]*peer
	conns  map[*conn]bool // that this member has opened
	closed bool
}

const (
	maxStrangers = 16 // of those that are no members, to whom answers are sent
	maxSnapshots = 2
)

func openTransport(n *Node, address string) (*transport, error) {
	t := &transport{node: n, listener: n.options.Listener, address: address, options: &n.options,
		peers: make(map[uint64]*peer), conns: make(map[*conn]bool), incoming: make(chan struct{}, maxSnapshots)}
	t.guests.patience = n.options.patience
	t.opens, t.end = context.WithCancel(context.Background())
	if t.listener != nil {
		return t, nil
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	// This machine may have another address, behind a translation say.
	t.listener, err = net.Listen("tcp", net.JoinHostPort("", port))
	return t, err
}

// serve begins to accept connections.
func (t *transport) serve() { t.tasks.Go(t.accept) }

func (t *transport) broken() error {
	if t.options.cut == nil {
		return nil
	}
	return t.options.cut()
}

// setMembers begins to talk to members, and ends what was with others.
func (t *transport) setMembers(members []member) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, p := range t.peers {
		if m, ok := find(members, id); !ok || m.Address != p.address {
			p.end()
			delete(t.peers, id)
		}
	}
	for _, m := range members {
		if m.ID != t.options.ID && t.peers[m.ID] == nil {
			t.addPeer(m.ID, m.Address)
		}
	}
}

func (t *transport) addPeer(id uint64, address string) {
	if t.closed {
		return
	}
	p := newPeer(t, id, address)
	t.peers[id] = p
	t.tasks.Go(p.run)
}

// meet lets answers go to one who is no member, as far as this one knows.
func (t *transport) meet(h hello) {
	if t.peer(h.id) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if h.id == t.options.ID || h.id == 0 || t.peers[h.id] != nil {
		return
	}
	if len(t.peers) < len(t.node.view().members)+maxStrangers {
		t.addPeer(h.id, h.address)
	}
}

func (t *transport) peer(id uint64) *peer {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.peers[id]
}

// send hands a message over to the member's own goroutine. It never waits.
func (t *transport) send(m pb.Message) {
	p := t.peer(m.To)
	switch {
	case p == nil:
	case m.Type == pb.MsgSnap:
		t.tasks.Go(func() { t.sendSnapshot(p, m) })
	default:
		p.put(m)
	}
}

// beatNow has all members called at once.
func (t *transport) beatNow() {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, p := range t.peers {
		p.hurry.Store(true)
		notify(p.wake)
	}
}

// matched notes how much of the log a follower has confirmed in a term.
func (t *transport) matched(id, term, index uint64, now int64) {
	if p := t.peer(id); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if term != p.matchTerm {
			p.matchTerm, p.match = term, 0
		}
		p.match, p.matchAt = max(p.match, index), now
	}
}

// matched returns that, and when it was.
func (n *Node) matched(id, term uint64) (index uint64, at int64) {
	p := n.transport.peer(id)
	if p == nil {
		return 0, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.matchTerm != term {
		return 0, 0
	}
	return p.match, p.matchAt
}

// cardOf returns the card of another member; "" while this member has not connected to it.
func (t *transport) cardOf(id uint64) string {
	p := t.peer(id)
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.card
}

// accept accepts connections.
func (t *transport) accept() {
	for {
		c, err := t.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			t.node.report.rarely("Connections of other members cannot be accepted", err)
			if !t.node.sleep(acceptPause) {
				return
			}
			continue
		}
		if g := t.guests.add(c); g != nil {
			t.tasks.Go(func() {
				defer g.leave()
				if err := t.attend(g); err != nil && !isEnd(err) {
					t.node.report.rarely("A connection to the port for members was not one of a member", err)
				}
			})
		}
	}
}

const acceptPause = 100 * time.Millisecond

// isEnd reports whether an error says no more than that a connection has ended.
func isEnd(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// attend handles what comes on a connection until it ends.
func (t *transport) attend(g *guest) error {
	c := &conn{Conn: g.raw, raw: g.raw, transport: t}
	if g.Conn = c; t.options.TLS != nil {
		c.Conn = tls.Server(g.raw, t.options.TLS)
	}
	if err := g.SetDeadline(time.Now().Add(t.options.patience)); err != nil {
		return err
	}
	card := t.options.Card[:min(len(t.options.Card), maxCard)]
	told := binary.BigEndian.AppendUint64([]byte{byte(identitySize + len(card))}, t.node.identity())
	if _, err := g.Write(append(told, card...)); err != nil {
		return err
	}
	r := bufio.NewReader(g)
	h, err := readHello(r)
	if err != nil {
		return err
	}
	if !isSame(h.identity, t.node.identity()) {
		return errOtherGroup
	}
	if err := g.SetDeadline(time.Time{}); err != nil {
		return err
	}
	switch h.purpose {
	case purposeTalk:
		return t.listen(g, h, r)
	case purposeSnapshot:
		return t.takeSnapshot(g, h, r)
	case purposeAsk:
		return t.tell(g, h, r)
	}
	return errUnsound
}

// listen takes the messages of a member. It does not wait for the loop.
func (t *transport) listen(g *guest, h hello, r *bufio.Reader) error {
	var message []byte
	for {
		if _, err := r.Peek(1); err != nil {
			return err
		}
		if message == nil {
			if err := g.limit(); err != nil {
				return err
			}
		}
		kind, size, err := readHead(r, maxChunk)
		if err != nil {
			return err
		}
		switch kind {
		case frameCall:
			err = t.answer(g, h, r, size)
		case frameChunk, frameEnd:
			if message, err = chunk(g, r, message, size); err == nil && kind == frameEnd {
				err = t.arrive(g, h, message)
				message = nil
			}
		default:
			err = errUnsound
		}
		if err != nil {
			return err
		}
		if message == nil {
			if err := g.SetReadDeadline(time.Time{}); err != nil {
				return err
			}
			g.spoke()
		}
	}
}

// chunk reads a piece of a message.
func chunk(g *guest, r io.Reader, message []byte, size int) ([]byte, error) {
	if len(message)+size > maxIncoming {
		return nil, errLongTalk
	}
	if err := g.brings(size); err != nil {
		return nil, err
	}
	if message == nil {
		message = make([]byte, 0, size)
	}
	at := len(message)
	message = append(message, make([]byte, size)...)
	_, err := io.ReadFull(r, message[at:])
	return message, err
}

// answer answers a call.
func (t *transport) answer(g *guest, h hello, r io.Reader, size int) error {
	term, at, err := readPair(r, size)
	if err != nil {
		return err
	}
	_, err = g.Write(appendPair(nil, frameAnswer, t.node.called(h.id, term), at))
	return err
}

// called notes a leader's call, and returns this member's term, which says whether it counts: see
// lease. The loop learns of a later term.
func (n *Node) called(from, term uint64) uint64 {
	if before := n.view(); term >= before.term && term != 0 && !n.newcomer.isOne() {
		n.lease.hear(from, term, n.clock())
	}
	own := n.view().term
	if term > own {
		n.inbox.message(arrived{Message: pb.Message{Type: pb.MsgHeartbeat, From: from, To: n.options.ID, Term: term}})
	}
	return own
}

// arrive hands a message over to the loop.
func (t *transport) arrive(g *guest, h hello, b []byte) error {
	m, err := parseMessage(b)
	if err == nil && !isSound(&m, h.id, t.options.ID) {
		err = errUnsound
	}
	if err != nil {
		return err
	}
	n := t.node
	if n.newcomer.isOne() {
		n.newcomer.meet(h.id, h.address)
		g.taken(len(b))
		return nil
	}
	switch m.Type {
	case pb.MsgApp, pb.MsgHeartbeat:
		n.called(h.id, m.Term)
	case pb.MsgPreVote:
		if n.hasRemoved(h.id) {
			g.taken(len(b))
			_, err := g.Write(appendFrame(nil, frameRemoved))
			return err
		}
	}
	t.meet(h)
	n.inbox.message(arrived{m, g, len(b)})
	return nil
}

// hasRemoved reports whether one who asks for votes is no member any more. While there are entries
// that have not been applied, one of them may make it a member.
func (n *Node) hasRemoved(id uint64) bool {
	v := n.view()
	_, is := find(v.members, id)
	return !is && len(v.members) > 0 && v.applied == v.last
}

// takeSnapshot takes a leader's snapshot into a file.
func (t *transport) takeSnapshot(g *guest, h hello, r *bufio.Reader) error {
	if err := g.limit(); err != nil {
		return err
	}
	m, err := t.snapshotHead(h, r)
	if err != nil {
		return err
	}
	select {
	case t.incoming <- struct{}{}:
		defer func() { <-t.incoming }()
	default:
		return errManyGuests
	}
	if t.node.newcomer.isOne() || t.node.view().term > m.Term {
		return io.EOF
	}
	f, err := t.node.snapshots.part()
	if err != nil {
		return err
	}
	_, err = io.Copy(f, &patient{io.LimitReader(r, int64(m.RejectHint)), g})
	err = errors.Join(err, (&file{f, t.node.snapshots.disk}).Sync(), f.Close())
	var s head
	if err == nil {
		s, err = checkSnapshot(f.Name())
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	snapshot := s.raft()
	m.Snapshot, m.RejectHint = &snapshot, 0
	t.meet(h)
	t.node.inbox.message(arrived{Message: m})
	_, err = g.Write(appendFrame(nil, frameTaken))
	return err
}

func (t *transport) snapshotHead(h hello, r io.Reader) (m pb.Message, err error) {
	kind, size, err := readHead(r, maxChunk)
	if err != nil {
		return m, err
	}
	b := make([]byte, size)
	if _, err = io.ReadFull(r, b); err == nil {
		m, err = parseMessage(b)
	}
	if err == nil && (kind != frameSnapshot || m.Type != pb.MsgSnap || m.From != h.id || m.To != t.options.ID ||
		m.Term == 0 || len(m.Entries) > 0 || m.RejectHint > 1<<62) {
		err = errUnsound
	}
	return m, err
}

// patient gives each piece of a snapshot patience.
type patient struct {
	io.Reader
	guest *guest
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.guest.limit(); err != nil {
		return 0, err
	}
	n, err := p.Reader.Read(b)
	p.guest.spoke()
	return n, err
}

// sendSnapshot sends a file, and tells the loop what became of it.
func (t *transport) sendSnapshot(p *peer, m pb.Message) {
	err := t.trySnapshot(p, m)
	if err != nil && t.opens.Err() == nil {
		t.node.report.rarely("A snapshot could not be handed over", err)
	}
	t.node.inbox.call(func() { t.node.core.snapshotSent(m.To, err == nil) })
}

func (t *transport) trySnapshot(p *peer, m pb.Message) error {
	f, err := os.Open(dataOf(m.Snapshot).Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	c, err := t.dial(p.address, purposeSnapshot)
	if err != nil {
		return err
	}
	defer c.Close()
	m.RejectHint = uint64(info.Size())
	if _, err := c.Write(appendFrame(nil, frameSnapshot, appendMessage(nil, &m)...)); err != nil {
		return err
	}
	if _, err := io.Copy(writerOnly{c}, f); err != nil {
		return err
	}
	kind, _, err := readHead(c, 0)
	if err == nil && kind != frameTaken {
		err = errUnsound
	}
	return err
}

// writerOnly hides that a connection could read from a file by itself, without deadlines.
type writerOnly struct{ io.Writer }

// exchange asks another member for its account, and tells it that of this one.
func (t *transport) exchange(address string) (a account, err error) {
	c, err := t.dial(address, purposeAsk)
	if err != nil {
		return a, err
	}
	defer c.Close()
	if err = writeAccount(c, t.node.account()); err == nil {
		err = c.SetReadDeadline(time.Now().Add(t.options.patience))
	}
	if err == nil {
		a, err = readAccount(c)
	}
	return a, err
}

// tell answers a newcomer's question.
func (t *transport) tell(g *guest, h hello, r io.Reader) error {
	if err := g.limit(); err != nil {
		return err
	}
	a, err := readAccount(r)
	if err != nil {
		return err
	}
	if a.ID != h.id {
		return errUnsound
	}
	t.node.newcomer.hear(a)
	return writeAccount(g, t.node.account())
}

func writeAccount(w io.Writer, a account) error {
	b, err := json.Marshal(a)
	if err == nil {
		_, err = w.Write(appendFrame(nil, frameAccount, b...))
	}
	return err
}

// maxAccount is more than the members of any group need.
const maxAccount = 1 << 20

func readAccount(r io.Reader) (a account, err error) {
	kind, size, err := readHead(r, maxAccount)
	if err != nil {
		return a, err
	}
	var b []byte
	b, err = io.ReadAll(io.LimitReader(r, int64(size)))
	if err == nil && (kind != frameAccount || len(b) < size) {
		err = errUnsound
	}
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err == nil && !soundMembers(a.Members) {
		err = errUnsound
	}
	return a, err
}

// dialLimit is how long opening a connection may take: after a partition the next attempt finds
// the other member sooner than one that has been waiting.
const dialLimit = time.Second

// dial opens a connection, and says for what.
func (t *transport) dial(address string, purpose byte) (*conn, error) {
	c, err := t.tryDial(address, purpose)
	if t.opens.Err() == nil {
		t.node.report.dialed(address, err)
	}
	return c, err
}

func (t *transport) tryDial(address string, purpose byte) (*conn, error) {
	if err := t.broken(); err != nil {
		return nil, err
	}
	limit := min(dialLimit, t.options.patience)
	limited, cancel := context.WithTimeout(t.opens, limit)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(limited, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, raw: raw, transport: t}
	if err := t.greet(c, address, purpose); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// greet shakes hands with the member to which a connection was opened.
func (t *transport) greet(c *conn, address string, purpose byte) error {
	if err := t.addConn(c); err != nil {
		return err
	}
	if err := c.SetDeadline(time.Now().Add(t.options.patience)); err != nil {
		return err
	}
	if err := t.secure(c, address); err != nil {
		return err
	}
	if err := c.readCard(); err != nil {
		return err
	}
	h := hello{purpose, t.node.identity(), t.options.ID, t.address}
	if _, err := c.Write(h.append(nil)); err != nil {
		return err
	}
	return c.SetReadDeadline(time.Time{})
}

func (t *transport) addConn(c *conn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return net.ErrClosed
	}
	t.conns[c] = true
	return nil
}

// secure begins TLS, if that is used.
func (t *transport) secure(c *conn, address string) error {
	if t.options.TLS == nil {
		return nil
	}
	config := t.options.TLS.Clone()
	config.ServerName, _, _ = net.SplitHostPort(address)
	secured := tls.Client(c.raw, config)
	c.Conn = secured
	return secured.HandshakeContext(t.opens)
}

// close closes all connections, at which the tasks end. It waits for no peer.
func (t *transport) close() {
	t.end()
	t.guests.close()
	t.listener.Close()
	t.mu.Lock()
	t.closed = true
	for c := range t.conns {
		c.raw.Close()
	}
	for _, p := range t.peers {
		p.end()
	}
	t.mu.Unlock()
}

// conn is a connection to another member. It does not wait forever for a peer that does not read.
type conn struct {
	net.Conn           // plain, or TLS over raw
	raw       net.Conn // closing it waits for nothing
	transport *transport
	card      string
	gone      atomic.Bool // the other end has closed one that this member has opened
}

// readCard reads what the member tells that has accepted the connection.
func (c *conn) readCard() error {
	told := make([]byte, 1, 256)
	if _, err := io.ReadFull(c, told); err != nil {
		return err
	}
	told = told[:max(told[0], identitySize)]
	if _, err := io.ReadFull(c, told); err != nil {
		return err
	}
	if !isSame(c.transport.node.identity(), binary.BigEndian.Uint64(told)) {
		return errOtherGroup
	}
	c.card = string(told[identitySize:])
	return nil
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, cmp.Or(c.transport.broken(), err)
}

func (c *conn) Write(b []byte) (int, error) {
	if err := cmp.Or(c.transport.broken(),
		c.SetWriteDeadline(time.Now().Add(c.transport.options.patience))); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.transport.mu.Lock()
	delete(c.transport.conns, c)
	c.transport.mu.Unlock()
	return c.raw.Close()
}
