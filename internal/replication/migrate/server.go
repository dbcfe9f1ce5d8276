package migrate

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// patience is how long a server may take to reply, or to send something.
const patience = time.Minute

// longestLine is more than a status or an error of a server has, in bytes. A value may be of any
// length.
const longestLine = 1 << 20

// server is a connection to one of the two servers, as a client.
type server struct {
	addr Address
	conn net.Conn
	in   *resp.Reader
	out  *bufio.Writer
	text *resp.Writer
	db   int // that is selected
}

// connect opens a connection for the server's clients or for a replica.
func connect(ctx context.Context, a Address, secure *tls.Config) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	if !a.TLS {
		return dialer.DialContext(ctx, "tcp", a.String())
	}
	if secure == nil {
		secure = new(tls.Config)
	}
	secure = secure.Clone()
	secure.ServerName = a.Host
	return (&tls.Dialer{NetDialer: &dialer, Config: secure}).DialContext(ctx, "tcp", a.String())
}

// open connects and logs in.
func open(ctx context.Context, a Address, secure *tls.Config) (*server, error) {
	conn, err := connect(ctx, a, secure)
	if err != nil {
		return nil, err
	}
	s := &server{addr: a, conn: conn, in: resp.NewReader(conn), out: bufio.NewWriterSize(conn, 64<<10),
		text: resp.NewWriter(2)}
	s.in.Limits.Bytes, s.in.Limits.Line = math.MaxInt, longestLine
	words := []string{"PING"}
	if a.Password != "" {
		words = []string{"AUTH", a.Password}
		if a.User != "" {
			words = []string{"AUTH", a.User, a.Password}
		}
	}
	if _, err = s.do(words...); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, nil
}

// put adds a command to the output. It returns no error: a broken connection shows in the next
// Flush or reply, where the caller knows what was lost.
func (s *server) put(args ...[]byte) {
	s.text.Reset()
	s.text.Array(len(args))
	for _, arg := range args {
		s.text.Bulk(arg)
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(patience))
	_, _ = s.out.Write(s.text.Bytes()) // Flush returns the error
	if len(s.text.Bytes()) > 1<<20 {
		s.text = resp.NewWriter(2)
	}
}

func (s *server) putWords(words ...string) { s.put(arguments(words...)...) }

func arguments(words ...string) [][]byte {
	args := make([][]byte, len(words))
	for i, word := range words {
		args[i] = []byte(word)
	}
	return args
}

// reply reads a reply.
func (s *server) reply() (resp.Value, error) {
	_ = s.conn.SetReadDeadline(time.Now().Add(patience))
	return s.in.Read()
}

// refused is an error reply.
type refused struct {
	addr    Address
	command string
	text    string // of the reply
}

func (r *refused) Error() string { return fmt.Sprintf(errRefuses, r.addr, r.command, r.text) }

// do sends a command and returns its reply. The error is a *refused if that is an error.
func (s *server) do(words ...string) (resp.Value, error) { return s.doArgs(arguments(words...)...) }

func (s *server) doArgs(args ...[]byte) (resp.Value, error) {
	s.put(args...)
	if err := s.out.Flush(); err != nil {
		return resp.Value{}, err
	}
	v, err := s.reply()
	if err == nil && v.IsError() {
		err = &refused{s.addr, string(args[0]), v.Text}
	}
	return v, err
}

// selects selects a database.
func (s *server) selects(db int) error {
	if s.db == db {
		return nil
	}
	_, err := s.do("SELECT", strconv.Itoa(db))
	if err == nil {
		s.db = db
	}
	return err
}

// info returns fields of INFO. It is empty for a server that forbids INFO.
func (s *server) info(section string) (map[string]string, error) {
	v, err := s.do("INFO", section)
	if errors.As(err, new(*refused)) {
		return map[string]string{}, nil
	}
	return fieldsOf(v.Text), err
}

// fieldsOf parses a reply of INFO.
func fieldsOf(text string) map[string]string {
	fields := map[string]string{}
	for _, line := range strings.Split(text, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			fields[name] = value
		}
	}
	return fields
}

// offset returns how long the server's replication stream is.
func (s *server) offset() (int64, error) {
	fields, err := s.info("replication")
	return offsetIn(fields), err
}

func offsetIn(fields map[string]string) int64 {
	n, _ := strconv.ParseInt(fields["master_repl_offset"], 10, 64)
	return n
}

// broken reports whether an error is that of a connection, which can be opened again. All other
// errors are replies, or marked: that is the one decision between trying again and giving up.
func broken(err error) bool {
	return err != nil && !errors.As(err, new(*refused)) && !errors.As(err, new(fatal)) &&
		!errors.Is(err, context.Canceled)
}

// fatal is an error that trying again does not help against.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }
