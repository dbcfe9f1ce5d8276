package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/miniserver-go/miniserver/resp"
)

// requests are the requests of a connection that are read and not executed. There may be any number
// of them: a client that writes a long pipeline before it reads must not wait for its replies to be
// read.
type requests struct {
	mu    sync.Mutex
	list  [][]string
	err   error         // after the last of them
	added chan struct{} // of capacity 1
}

func newRequests() *requests { return &requests{added: make(chan struct{}, 1)} }

// read reads requests until the connection ends or breaks the protocol. Then it calls hungUp.
func (r *requests) read(from io.Reader, hungUp func()) {
	in := bufio.NewReader(from)
	for {
		args, err := readRequest(in)
		r.add(args, err)
		if err != nil {
			hungUp()
			return
		}
	}
}

func (r *requests) add(args []string, err error) {
	r.mu.Lock()
	if r.err = err; err == nil {
		r.list = append(r.list, args)
	}
	r.mu.Unlock()
	select {
	case r.added <- struct{}{}:
	default:
	}
}

// next waits for the next request. After the last one it returns the error.
func (r *requests) next() (args []string, err error) {
	for {
		r.mu.Lock()
		if len(r.list) > 0 {
			args, r.list = r.list[0], r.list[1:]
		} else {
			err = r.err
		}
		r.mu.Unlock()
		if args != nil || err != nil {
			return args, err
		}
		<-r.added
	}
}

// ErrProtocol is the error of a reply that is not in the protocol.
var ErrProtocol = errors.New("invalid request")

// protocolError is what is wrong with a request, in the words of Redis.
type protocolError string

func (e protocolError) Error() string { return string(e) }

const (
	mostArgs = 1 << 20   // of a request
	mostText = 512 << 20 // bytes of an argument
	mostLine = 64 << 10  // bytes of a line
)

// readRequest reads a request, an array of bulk strings or a line of words. Empty ones are skipped.
// The error is a protocolError, or that of the connection.
func readRequest(in *bufio.Reader) ([]string, error) {
	for {
		line, err := readLine(in)
		if err != nil {
			return nil, err
		}
		if len(line) > 0 && line[0] != '*' {
			words, ok := resp.Words(line, nil)
			if !ok {
				return nil, protocolError("unbalanced quotes in request")
			}
			if len(words) > 0 {
				return texts(words), nil
			}
			continue
		}
		if args, err := readArgs(in, line); len(args) > 0 || err != nil {
			return args, err
		}
	}
}

func texts(words [][]byte) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}

// readArgs reads the arguments of a request that begins with a line; none if the line is empty.
func readArgs(in *bufio.Reader, line []byte) (args []string, err error) {
	if len(line) == 0 {
		return nil, nil
	}
	n, ok := resp.ParseInt(line[1:])
	if !ok || n > mostArgs {
		return nil, protocolError("invalid multibulk length")
	}
	for range n {
		arg, err := readArg(in)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	return args, nil
}

// readArg reads an argument.
func readArg(in *bufio.Reader) (string, error) {
	line, err := readLine(in)
	if err != nil {
		return "", err
	}
	if len(line) == 0 || line[0] != '$' {
		return "", protocolError(fmt.Sprintf("expected '$', got '%s'", append(line, ' ')[:1]))
	}
	n, ok := resp.ParseInt(line[1:])
	if !ok || n < 0 || n > mostText {
		return "", protocolError("invalid bulk length")
	}
	return readText(in, n)
}

// readText reads a text of n bytes and the end of its line. Its memory grows with what arrives.
func readText(in *bufio.Reader, n int64) (string, error) {
	var text bytes.Buffer
	if _, err := io.CopyN(&text, in, n); err != nil {
		return "", err
	}
	_, err := in.Discard(len("\r\n"))
	return text.String(), err
}

// readLine reads a line, and returns it without its end.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); err == nil {
			return bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'}), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(line) > mostLine {
			return nil, protocolError("too big inline request")
		}
	}
}
