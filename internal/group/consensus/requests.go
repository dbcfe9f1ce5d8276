package consensus

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hashicorp/go-msgpack/v2/codec"
	"github.com/hashicorp/raft"
)

// The kinds of requests, each of which is its kind and a struct in msgpack; what
// raft.NetworkTransport sends. A snapshot follows its request.
const (
	kindAppend = iota
	kindVote
	kindSnapshot
	kindTimeoutNow
	kindPreVote
)

// receive accepts connections and reads the requests that come there. raft.NetworkTransport does so
// too, but gives each connection 256 KB before its first byte, and waits without a limit; its
// Accept never returns here.
func (t *transport) receive() {
	for {
		c, err := t.stream.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			t.pause(err)
			continue
		}
		if g := t.stream.guests.add(c); g != nil {
			t.tasks.Go(func() { t.attend(g) })
		}
	}
}

// attend answers what comes on a connection until it ends.
func (t *transport) attend(g *guest) {
	defer g.leave()
	if err := t.stream.greet(g); err != nil {
		t.unlike(err)
		return
	}
	r, w := bufio.NewReader(g), bufio.NewWriter(g)
	dec, enc := codec.NewDecoder(r, &incoming), codec.NewEncoder(w, &outgoing)
	for {
		kind, err := r.ReadByte()
		if err != nil {
			return
		}
		if err := t.request(kind, g, r, dec, enc); err != nil {
			t.unlike(err)
			return
		}
		if err := w.Flush(); err != nil || g.bulk {
			return // a snapshot is the last request of its connection
		}
		if g.answered() != nil {
			return
		}
	}
}

// request reads one, and writes the answer.
func (t *transport) request(kind byte, g *guest, r io.Reader, dec *codec.Decoder, enc *codec.Encoder) error {
	if err := g.asks(); err != nil {
		return err
	}
	command, err := decode(kind, dec)
	if err = cmp.Or(err, sound(command)); err != nil {
		return err
	}
	answers := make(chan raft.RPCResponse, 1)
	q := raft.RPC{Command: command, RespChan: answers}
	if s, ok := command.(*raft.InstallSnapshotRequest); ok {
		q.Reader = io.LimitReader(r, s.Size)
	}
	g.asked(q.Reader != nil)
	if !t.deliver(q) {
		return errNoTime
	}
	select {
	case a := <-answers:
		return errors.Join(g.SetWriteDeadline(time.Now().Add(t.stream.patience)), answer(a, enc))
	case <-t.closed:
		return nil
	}
}

// deliver hands a request over: a heartbeat at once, another one in turn.
func (t *transport) deliver(r raft.RPC) bool {
	if q, ok := r.Command.(*raft.AppendEntriesRequest); ok && isHeartbeat(q) {
		if handle := t.heartbeat.Load(); handle != nil {
			return t.beat(r, *handle)
		}
	}
	return t.hand(t.arrived, r)
}

// hand waits until a request is taken, but not longer than who has sent it waits for the answer.
func (t *transport) hand(to chan<- raft.RPC, r raft.RPC) bool {
	limit := time.NewTimer(t.stream.patience)
	defer limit.Stop()
	select {
	case to <- r:
		return true
	case <-limit.C:
	case <-t.closed:
	}
	return false
}

// isHeartbeat tells as raft.NetworkTransport does.
func isHeartbeat(q *raft.AppendEntriesRequest) bool {
	return q.Term != 0 && len(q.Addr) > 0 && q.PrevLogEntry == 0 && q.PrevLogTerm == 0 && len(q.Entries) == 0 &&
		q.LeaderCommitIndex == 0
}

func answer(a raft.RPCResponse, enc *codec.Encoder) error {
	text := ""
	if a.Error != nil {
		text = a.Error.Error()
	}
	return errors.Join(enc.Encode(text), enc.Encode(a.Response))
}

var incoming, outgoing codec.MsgpackHandle

func init() {
	incoming.ErrorIfNoArrayExpand = true
	outgoing.TimeNotBuiltin = true
}

func decode(kind byte, d *codec.Decoder) (any, error) {
	var q any
	switch kind {
	case kindAppend:
		var wire appendRequest
		return wire.request(d.Decode(&wire))
	case kindVote:
		q = new(raft.RequestVoteRequest)
	case kindPreVote:
		q = new(raft.RequestPreVoteRequest)
	case kindSnapshot:
		q = new(raft.InstallSnapshotRequest)
	case kindTimeoutNow:
		q = new(raft.TimeoutNowRequest)
	default:
		return nil, fmt.Errorf("no request begins with the byte %d", kind)
	}
	return q, d.Decode(q)
}

// appendRequest is a raft.AppendEntriesRequest as it is read: the codec would make room for as many
// entries as are announced, and for a time of any length.
type appendRequest struct {
	raft.RPCHeader
	Term              uint64
	PrevLogEntry      uint64
	PrevLogTerm       uint64
	Entries           [maxAppendEntries]*appendEntry
	LeaderCommitIndex uint64
}

type appendEntry struct {
	Index, Term                  uint64
	Type                         raft.LogType
	Data, Extensions, AppendedAt []byte
}

func (w *appendRequest) request(err error) (any, error) {
	q := &raft.AppendEntriesRequest{RPCHeader: w.RPCHeader, Term: w.Term, PrevLogEntry: w.PrevLogEntry,
		PrevLogTerm: w.PrevLogTerm, LeaderCommitIndex: w.LeaderCommitIndex}
	for _, e := range w.Entries {
		if e == nil || err != nil {
			break
		}
		l := &raft.Log{Index: e.Index, Term: e.Term, Type: e.Type, Data: e.Data, Extensions: e.Extensions}
		if len(e.AppendedAt) > 0 {
			err = l.AppendedAt.UnmarshalBinary(e.AppendedAt)
		}
		q.Entries = append(q.Entries, l)
	}
	return q, err
}

// sound returns what is wrong with a request at which Raft would panic, now or when it applies the
// entries.
func sound(command any) (err error) {
	switch q := command.(type) {
	case *raft.AppendEntriesRequest:
		for _, e := range q.Entries {
			err = cmp.Or(err, soundEntry(e))
		}
	case *raft.InstallSnapshotRequest:
		if q.SnapshotVersion != raft.SnapshotVersionMax || q.Size < 0 {
			return errUnsound
		}
		return soundConfiguration(q.Configuration)
	}
	return err
}

func soundEntry(e *raft.Log) error {
	switch e.Type {
	case raft.LogCommand, raft.LogNoop, raft.LogBarrier:
		return nil
	case raft.LogConfiguration:
		return soundConfiguration(e.Data)
	}
	return errUnsound
}

// maxConfiguration is more than the members of any group need.
const maxConfiguration = 64 << 10

func soundConfiguration(b []byte) error {
	if len(b) > maxConfiguration {
		return errUnsound
	}
	return codec.NewDecoderBytes(b, &incoming).Decode(new(raft.Configuration))
}

// pause waits after a connection could not be accepted: there may be too many files.
func (t *transport) pause(err error) {
	t.logger.Error("failed to accept connection", "error", err)
	select {
	case <-time.After(acceptPause):
	case <-t.closed:
	}
}

const acceptPause = 100 * time.Millisecond

// unlike says that what came is not from a member.
func (t *transport) unlike(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		t.logger.Error("failed to decode incoming command", "error", err)
	}
}
