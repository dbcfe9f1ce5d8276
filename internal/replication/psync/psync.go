// Package psync is the replica's end of a replication link: what it says to a master, and what it
// reads from it.
//
//	replica                         master
//	PING, AUTH, REPLCONF ...   ──▶
//	                           ◀──  +PONG, +OK ...
//	PSYNC id offset            ──▶
//	                           ◀──  newlines, while it prepares
//	                           ◀──  +CONTINUE id   or +FULLRESYNC id offset
//	                                               newlines, $length or $EOF:mark, a snapshot
//	                           ◀──  commands
//	REPLCONF ACK offset        ──▶
//
// A Link is used in this order: Handshake, PSync, for a full synchronization Snapshot, then Next
// again and again, or Yield and Take. The link knows offsets and nothing else: no engine, no data,
// no goroutine. Its caller reads the snapshot, runs the commands and acknowledges.
//
// Invariants:
//  1. The master is not trusted. Whatever it sends, the result is data or an error, and memory
//     grows only with bytes that came.
//  2. Every byte of the stream counts, also those between commands: Command.End is the offset up to
//     which a replica has everything.
//  3. Where the bytes are split changes nothing.
package psync

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// Options say how a replica introduces itself. The zero value is a replica that does not listen.
type Options struct {
	User, Password string        // for AUTH; no AUTH without a password
	Port           int           // on which the replica listens; 0 if it does not
	IP             string        // the address to announce; empty for that of the connection
	Version        string        // of the replica, which Valkey asks for; empty to tell none
	Like           string        // the release as which a miniserver behaves; empty to tell none
	Timeout        time.Duration // for which the master may be silent, or not read; 0 for ever
	MaxArg         int64         // bytes of an argument in the stream; 0 for 512 MB
}

// Link is a connection to a master. It is for one goroutine, except Ack and Alive, which another
// one may call.
type Link struct {
	// Unknown has the master's refusals of what an older one cannot know, as "REPLCONF version: ERR
	// ...". It works without.
	Unknown []string

	conn     net.Conn
	out      io.Writer // conn, or what Yield has set
	maxArg   int64
	in       *bufio.Reader
	snapshot *snapshot     // nil if there is none
	stream   *resp.Scanner // nil before PSync
}

// Refusal is an error reply of the master.
type Refusal struct {
	format string // of the text
	Reply  string // the reply without the minus sign
}

func (r *Refusal) Error() string { return fmt.Sprintf(r.format, r.Reply) }

// Later reports whether the reason passes: the master loads its data, or waits for its own master.
func (r *Refusal) Later() bool {
	code, _, _ := strings.Cut(r.Reply, " ")
	return code == "NOMASTERLINK" || code == "LOADING" || code == "MASTERDOWN" || code == "BUSY"
}

// Answered reports whether an error of PSync means that the master has answered, with a refusal or
// with something malformed.
func Answered(err error) bool { return errors.As(err, new(*Refusal)) || errors.Is(err, ErrProtocol) }

// Miniserver precedes, in REPLCONF capa, the name of the release as which a replica behaves that is
// a miniserver. Others ignore it.
const Miniserver = "miniserver:"

const (
	defaultMaxArg = 512 << 20
	bufferBytes   = 64 << 10 // also the limit of a reply
)

// Handshake introduces the replica to the master at the other end of conn, which belongs to the
// link from now on. The error is a *Refusal if the master refuses PING or AUTH; the caller closes
// conn after any error.
func Handshake(conn net.Conn, o Options) (*Link, error) {
	both := patient{conn, o.Timeout}
	l := &Link{conn: conn, out: both, in: bufio.NewReaderSize(both, bufferBytes), maxArg: o.MaxArg}
	if l.maxArg == 0 {
		l.maxArg = defaultMaxArg
	}
	if err := l.ping(); err != nil {
		return nil, err
	}
	if o.Password != "" {
		if err := l.auth(o.User, o.Password); err != nil {
			return nil, err
		}
	}
	return l, l.introduce(o)
}

// ping sends a PING. That the master wants AUTH first is no error.
func (l *Link) ping() error {
	refusal, err := l.ask("PING")
	if err != nil || refusal == "" {
		return err
	}
	for _, accepted := range []string{"NOAUTH", "NOPERM", "ERR operation not permitted"} {
		if strings.HasPrefix(refusal, accepted) {
			return nil
		}
	}
	return &Refusal{errPing, refusal}
}

func (l *Link) auth(user, password string) error {
	words := []string{"AUTH", user, password}
	if user == "" {
		words = []string{"AUTH", password}
	}
	refusal, err := l.ask(words...)
	if err == nil && refusal != "" {
		err = &Refusal{errAuth, refusal}
	}
	return err
}

// introduce tells the master about the replica. An old master does not know all of it.
func (l *Link) introduce(o Options) error {
	capa := []string{"capa", "eof", "capa", "psync2"}
	if o.Like != "" {
		capa = append(capa, "capa", Miniserver+o.Like)
	}
	lines := [][]string{{"listening-port", strconv.Itoa(o.Port)}, {"ip-address", o.IP}, capa, {"version", o.Version}}
	for _, line := range lines {
		if line[1] == "" || line[1] == "0" {
			continue
		}
		refusal, err := l.ask(append([]string{"REPLCONF"}, line...)...)
		if err != nil {
			return err
		}
		if refusal != "" {
			l.Unknown = append(l.Unknown, "REPLCONF "+line[0]+": "+refusal)
		}
	}
	return nil
}

// Answer is the master's answer to PSYNC.
type Answer struct {
	Full   bool   // a snapshot follows; otherwise the stream goes on
	ID     string // of the history from now on
	Offset int64  // up to which the replica has the stream, or has it with the snapshot
}

// PSync asks for the stream after offset, up to which the replica has that of the history id. An
// empty id asks for a snapshot. With failover, the master becomes a replica of this one. The error
// is a *Refusal if the master refuses.
func (l *Link) PSync(id string, offset int64, failover bool) (a Answer, err error) {
	words := []string{"PSYNC", id, strconv.FormatInt(offset+1, 10)}
	if id == "" {
		words = []string{"PSYNC", "?", "-1"}
	}
	if failover {
		words = append(words, "FAILOVER")
	}
	if err = l.send(words...); err != nil {
		return a, err
	}
	line, err := l.line()
	if err != nil {
		return a, err
	}
	if a, err = answer(line, Answer{ID: id, Offset: offset}); err != nil {
		return a, err
	}
	l.snapshot = nil
	l.stream = resp.NewScanner(l.in, a.Offset)
	l.stream.Between, l.stream.MaxArg = "\n", l.maxArg
	if a.Full {
		l.snapshot = &snapshot{in: l.in}
	}
	return a, nil
}

const idBytes = 40 // of a replication id

// answer parses the answer to PSYNC. asked has what it leaves out.
func answer(line string, asked Answer) (Answer, error) {
	words := strings.Fields(line)
	switch {
	case line[0] == '-':
		return Answer{}, &Refusal{errPSync, line[1:]}
	case len(words) == 1 && words[0] == "+CONTINUE" && asked.ID != "":
		return asked, nil
	case len(words) == 2 && words[0] == "+CONTINUE" && len(words[1]) == idBytes && asked.ID != "":
		return Answer{ID: words[1], Offset: asked.Offset}, nil
	case len(words) == 3 && words[0] == "+FULLRESYNC" && len(words[1]) == idBytes:
		if offset, ok := resp.ParseInt([]byte(words[2])); ok && offset >= 0 {
			return Answer{Full: true, ID: words[1], Offset: offset}, nil
		}
	}
	return Answer{}, fmt.Errorf("%w: %.80q as reply to PSYNC", ErrProtocol, line)
}

// Next returns the commands of the stream that are there, at least one, and waits for one. A
// command without arguments is a newline, by which the master shows that it is there. Start and End
// are offsets of the stream. The commands are valid until the next call. The error is
// io.ErrUnexpectedEOF if the master has closed the connection.
func (l *Link) Next() ([]resp.Command, error) {
	if !l.streams() {
		return nil, ErrUnread
	}
	list, err := l.stream.Next()
	return list, streamError(err)
}

// streams reports whether the stream is what comes next.
func (l *Link) streams() bool { return l.stream != nil && (l.snapshot == nil || l.snapshot.ended) }

// Yield leaves the connection to the caller, which reads it, and passes what arrives to Take
// instead of calling Next. What the link sends goes to out.
func (l *Link) Yield(out io.Writer) { l.out = out }

// Take adds data to the stream, and returns commands that are complete, as Next does. If there are
// any, there may be more, which it returns if it is called again with nothing.
func (l *Link) Take(data []byte) ([]resp.Command, error) {
	if !l.streams() {
		return nil, ErrUnread
	}
	if read, _ := l.in.Peek(l.in.Buffered()); len(read) > 0 {
		l.stream.Add(read)
		_, _ = l.in.Discard(len(read))
	}
	if len(data) > 0 {
		l.stream.Add(data)
	}
	list, err := l.stream.Ready()
	return list, streamError(err)
}

// streamError is the error of the stream for that of its scanner.
func streamError(err error) error {
	if flaw, ok := err.(*resp.Flaw); err == io.EOF || ok && flaw.Truncated {
		return io.ErrUnexpectedEOF
	} else if ok {
		return fmt.Errorf(errStream, err)
	}
	return err
}

// Ack tells the master up to which offset the replica has the stream, and up to which one on its
// disk; fsynced is negative for a replica without a journal.
func (l *Link) Ack(offset, fsynced int64) error {
	words := []string{"REPLCONF", "ACK", strconv.FormatInt(offset, 10)}
	if fsynced >= 0 {
		words = append(words, "FACK", strconv.FormatInt(fsynced, 10))
	}
	return l.send(words...)
}

// Alive sends a newline, which the master takes as a sign of life while the replica loads the
// snapshot.
func (l *Link) Alive() error { return l.write([]byte{'\n'}) }

// Close closes the connection. What another goroutine waits for ends with an error.
func (l *Link) Close() error { return l.conn.Close() }

// ask sends a command and reads its reply, which must be a status or an error. refusal is the error
// without its minus sign.
func (l *Link) ask(words ...string) (refusal string, err error) {
	if err = l.send(words...); err != nil {
		return "", err
	}
	line, err := l.line()
	switch {
	case err != nil:
		return "", err
	case line[0] == '-':
		return line[1:], nil
	case line[0] != '+':
		return "", fmt.Errorf("%w: %.80q as reply to %s", ErrProtocol, line, words[0])
	}
	return "", nil
}

func (l *Link) send(words ...string) error {
	w := resp.NewWriter(2)
	w.Array(len(words))
	for _, word := range words {
		w.BulkString(word)
	}
	return l.write(w.Bytes())
}

func (l *Link) write(text []byte) error {
	_, err := l.out.Write(text)
	return err
}

// line reads a line that is not empty, without its end. Empty ones are signs of life.
func (l *Link) line() (string, error) { return readLine(l.in) }

func readLine(in *bufio.Reader) (string, error) {
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull:
			return "", fmt.Errorf("%w: a line of more than %d bytes", ErrProtocol, bufferBytes)
		case err == io.EOF:
			return "", io.ErrUnexpectedEOF
		case err != nil:
			return "", err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			return string(line), nil
		}
	}
}

// patient is a connection with a new deadline for each read and write.
type patient struct {
	conn    net.Conn
	timeout time.Duration
}

func (p patient) Read(b []byte) (int, error) {
	if err := p.conn.SetReadDeadline(deadline(p.timeout)); err != nil {
		return 0, err
	}
	return p.conn.Read(b)
}

func (p patient) Write(b []byte) (int, error) {
	if err := p.conn.SetWriteDeadline(deadline(p.timeout)); err != nil {
		return 0, err
	}
	return p.conn.Write(b)
}

// deadline returns the time after a timeout; none for 0.
func deadline(timeout time.Duration) (t time.Time) {
	if timeout > 0 {
		t = time.Now().Add(timeout)
	}
	return t
}
