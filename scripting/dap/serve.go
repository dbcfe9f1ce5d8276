package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/google/go-dap"
)

// Serve serves a client until it leaves or the context ends. An error says why the client's bytes
// could not be read.
func Serve(ctx context.Context, in io.Reader, out io.Writer, launcher Launcher) error {
	s := &session{output: newOutput(out), launcher: launcher}
	defer s.endRun()
	frames, done := make(chan frame), make(chan struct{})
	defer close(done)
	go readFrames(bufio.NewReader(in), frames, done)
	for !s.left {
		select {
		case <-ctx.Done():
			return nil
		case f := <-frames:
			if errors.Is(f.err, io.EOF) {
				return nil
			}
			if f.err != nil {
				s.refuse(&dap.Request{}, f.err)
				return f.err
			}
			s.handle(f.content)
		}
	}
	return nil
}

// handle does what a message asks for.
func (s *session) handle(content []byte) {
	var head dap.Request
	if err := json.Unmarshal(content, &head); err != nil || head.Type != "request" {
		s.refuse(&head, errNoRequest)
		return
	}
	r, known := requests[head.Command]
	switch {
	case !known:
		s.refuse(&head, errUnknown)
		return
	case s.phase < r.needs:
		s.refuse(&head, tooEarly[s.phase])
		return
	}
	s.content = content
	message, err := dap.DecodeProtocolMessage(content)
	if err != nil {
		s.refuse(&head, err)
		return
	}
	response, err := r.do(s, message)
	if err != nil {
		s.then = nil
		s.refuse(&head, err)
		return
	}
	s.respond(&head, response)
	if then := s.then; then != nil {
		s.then = nil
		then()
	}
}
