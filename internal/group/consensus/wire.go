package consensus

import (
	"encoding/binary"
	"io"

	pb "go.etcd.io/raft/v3/raftpb"
)

// A connection carries what one member, who has opened it, sends to another one:
//
//	accepting side   a byte with the length of the rest, the group's identity, the card
//	opening side     hello: version, purpose, identity, ID, length of the address, address
//	                 then frames: a byte with their kind, their length, their content
//	accepting side   answers, which are frames too
//
// A message is cut into chunks, so that calls do not wait behind a large one. Snapshots and the
// questions of newcomers have connections of their own.
const (
	wireVersion = 1

	purposeTalk     = 1
	purposeSnapshot = 2
	purposeAsk      = 3

	frameCall     = 1 // of a leader: term, time; with term 0, of any member: the connection is looked after
	frameChunk    = 2 // of a message that goes on
	frameEnd      = 3 // the last chunk of a message
	frameSnapshot = 4 // a message, which is followed by a file
	frameAccount  = 5
	frameAnswer   = 6 // to a call: term of the member, time of the call
	frameRemoved  = 7 // the group has no such member any more
	frameTaken    = 8 // the snapshot has come

	frameHead    = 5
	maxChunk     = 64 << 10
	identitySize = 8
	maxCard      = 255 - identitySize
)

// hello is what who opens a connection says of itself.
type hello struct {
	purpose      byte
	identity, id uint64
	address      string
}

func (h hello) append(b []byte) []byte {
	b = append(b, wireVersion, h.purpose)
	b = binary.LittleEndian.AppendUint64(b, h.identity)
	b = binary.LittleEndian.AppendUint64(b, h.id)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(h.address)))
	return append(b, h.address...)
}

func readHello(r io.Reader) (h hello, err error) {
	var b [20]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return h, err
	}
	size := binary.LittleEndian.Uint16(b[18:])
	if b[0] != wireVersion || size > maxAddress {
		return h, errUnsound
	}
	h = hello{purpose: b[1], identity: binary.LittleEndian.Uint64(b[2:]), id: binary.LittleEndian.Uint64(b[10:])}
	address := make([]byte, size)
	_, err = io.ReadFull(r, address)
	h.address = string(address)
	return h, err
}

func appendFrameHead(b []byte, kind byte, size int) []byte {
	return binary.LittleEndian.AppendUint32(append(b, kind), uint32(size))
}

func appendFrame(b []byte, kind byte, content ...byte) []byte {
	return append(appendFrameHead(b, kind, len(content)), content...)
}

// appendPair appends a frame with two numbers.
func appendPair(b []byte, kind byte, x, y uint64) []byte {
	b = appendFrameHead(b, kind, 16)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, x), y)
}

// readHead reads the head of a frame, whose content must not be larger than that.
func readHead(r io.Reader, most int) (kind byte, size int, err error) {
	var b [frameHead]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return 0, 0, err
	}
	if n := binary.LittleEndian.Uint32(b[1:]); n > uint32(most) {
		return 0, 0, errLongTalk
	}
	return b[0], int(binary.LittleEndian.Uint32(b[1:])), nil
}

// readPair reads the content of a frame with two numbers.
func readPair(r io.Reader, size int) (x, y uint64, err error) {
	var b [16]byte
	if size != len(b) {
		return 0, 0, errUnsound
	}
	_, err = io.ReadFull(r, b[:])
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]), err
}

// A message: its kind, whether it rejects, seven numbers, the length of its context, the context,
// and entries up to its end: kind, term, length of the data, data. Their indexes follow that of the
// message.
const (
	messageHead = 2 + 7*8 + 1
	entryHead   = 1 + 8 + 4
)

func appendMessage(b []byte, m *pb.Message) []byte {
	reject := byte(0)
	if m.Reject {
		reject = 1
	}
	b = append(b, byte(m.Type), reject)
	for _, n := range [7]uint64{m.To, m.From, m.Term, m.LogTerm, m.Index, m.Commit, m.RejectHint} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(append(b, byte(len(m.Context))), m.Context...)
	for i := range m.Entries {
		e := &m.Entries[i]
		b = binary.LittleEndian.AppendUint64(append(b, byte(e.Type)), e.Term)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Data)))
		b = append(b, e.Data...)
	}
	return b
}

// parseMessage reads a message. Its data are those of the bytes.
func parseMessage(b []byte) (m pb.Message, err error) {
	if len(b) < messageHead || len(b) < messageHead+int(b[messageHead-1]) {
		return m, errUnsound
	}
	m.Type, m.Reject = pb.MessageType(b[0]), b[1] != 0
	for i, n := range [7]*uint64{&m.To, &m.From, &m.Term, &m.LogTerm, &m.Index, &m.Commit, &m.RejectHint} {
		*n = binary.LittleEndian.Uint64(b[2+8*i:])
	}
	context := int(b[messageHead-1])
	m.Context, b = b[messageHead:messageHead+context:messageHead+context], b[messageHead+context:]
	for len(b) > 0 {
		if len(b) < entryHead {
			return m, errUnsound
		}
		e := pb.Entry{Type: pb.EntryType(b[0]), Term: binary.LittleEndian.Uint64(b[1:]),
			Index: m.Index + 1 + uint64(len(m.Entries))}
		size := binary.LittleEndian.Uint32(b[9:])
		if b = b[entryHead:]; uint64(size) > uint64(len(b)) {
			return m, errUnsound
		}
		e.Data, b = b[:size:size], b[size:]
		m.Entries = append(m.Entries, e)
	}
	return m, nil
}

// isSound reports whether a message is one that a member sends, at which the library does not
// panic.
func isSound(m *pb.Message, from, to uint64) bool {
	if m.From != from || m.To != to || from == to || m.Term == 0 || m.Index > 1<<62 ||
		len(m.Entries) > 0 && m.Type != pb.MsgApp {
		return false
	}
	switch m.Type {
	case pb.MsgAppResp, pb.MsgVote, pb.MsgVoteResp, pb.MsgPreVote, pb.MsgPreVoteResp, pb.MsgHeartbeat,
		pb.MsgHeartbeatResp, pb.MsgTimeoutNow:
		return true
	case pb.MsgApp:
	default:
		return false
	}
	term := m.LogTerm
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Term < term || e.Term == 0 || e.Term > m.Term || e.Index > 1<<62 {
			return false
		}
		term = e.Term
		switch e.Type {
		case pb.EntryNormal:
		case pb.EntryConfChange:
			if _, ok := parseChange(e.Data); !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}
