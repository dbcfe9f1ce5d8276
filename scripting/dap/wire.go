package dap

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"
)

// Who connects is not trusted: it may be a browser that a web page has sent here.
const (
	longest     = 16 << 20 // bytes of a message
	mostHeaders = 16       // header lines of a message
)

// frame is a message as it has arrived, or why none has.
type frame struct {
	content []byte
	err     error
}

// readFrames reads messages until there is an error, or done is closed.
func readFrames(in *bufio.Reader, frames chan<- frame, done <-chan struct{}) {
	for {
		content, err := readFrame(in)
		select {
		case frames <- frame{content, err}:
		case <-done:
			return
		}
		if err != nil {
			return
		}
	}
}

// readFrame reads a message: header lines, an empty line, and as many bytes as Content-Length says.
// The error is io.EOF only between messages.
func readFrame(in *bufio.Reader) ([]byte, error) {
	length := -1
	for range mostHeaders {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errLongHeader
		case errors.Is(err, io.EOF) && (length >= 0 || len(line) > 0):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		name, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		switch {
		case name == "" && !ok && length >= 0:
			return readContent(in, length)
		case !ok || strings.Contains(name, " "): // such as the first line of a browser's request
			return nil, errHeader
		case strings.EqualFold(name, "Content-Length"):
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
			if err != nil {
				return nil, errHeader
			}
			if n > longest {
				return nil, errLongMessage
			}
			length = int(n)
		}
	}
	return nil, errLongHeader
}

// readContent reads what a header has announced. It takes no more memory than what arrives needs.
func readContent(in io.Reader, length int) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, int64(length)))
	if err == nil && len(content) < length {
		err = io.ErrUnexpectedEOF
	}
	return content, err
}

// output sends messages, from any goroutine: responses come from the session, events from the run.
type output struct {
	mu   sync.Mutex // of both fields, so that numbers are in the order of the messages
	to   *bufio.Writer
	last int // number of a message
}

func newOutput(to io.Writer) *output { return &output{to: bufio.NewWriter(to)} }

// send numbers and sends a message. A client that cannot be reached any more is one that has left,
// which the reader will find.
func (o *output) send(m dap.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	switch m := m.(type) {
	case dap.ResponseMessage:
		m.GetResponse().Seq = o.last
	case dap.EventMessage:
		m.GetEvent().Seq = o.last
	}
	_ = dap.WriteProtocolMessage(o.to, m)
	_ = o.to.Flush()
}

// respond sends the response to a request.
func (o *output) respond(to *dap.Request, m dap.ResponseMessage) {
	r := m.GetResponse()
	r.Type, r.RequestSeq, r.Command, r.Success = "response", to.Seq, to.Command, true
	o.send(m)
}

// refuse sends an error response.
func (o *output) refuse(to *dap.Request, err error) {
	m := &dap.ErrorResponse{}
	m.Type, m.RequestSeq, m.Command, m.Message = "response", to.Seq, to.Command, err.Error()
	// The text stands for itself: braces in it are no variables.
	m.Body.Error = &dap.ErrorMessage{Id: 1, Format: "{text}", Variables: map[string]string{"text": err.Error()},
		ShowUser: true}
	o.send(m)
}

// tell sends an event of a name.
func (o *output) tell(name string, m dap.EventMessage) {
	e := m.GetEvent()
	e.Type, e.Event = "event", name
	o.send(m)
}
