package console

import (
	"errors"
	"io"
	"net/http"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Requests hold memory: a body until its commands have run, replies until they are rendered, and
// what was rendered until the browser has it. A browser that sends or reads slowly makes that last.
// All of them share an account.

// maxHeld is how many bytes requests, replies and events may hold together.
const maxHeld = 256 << 20

// errHeld refuses a request or a reply beyond that.
var errHeld = errors.New("the requests and replies of the console take too much memory; try again")

// hold is what one of them holds.
type hold struct {
	of    *engine.Account
	bytes int
}

// take adds n bytes, or returns errHeld.
func (h *hold) take(n int) error {
	if !h.of.Take(n) {
		return errHeld
	}
	h.bytes += n
	return nil
}

// release ends the counting.
func (h *hold) release() {
	if h.bytes > 0 {
		h.of.Return(h.bytes)
		h.bytes = 0
	}
}

// handOver returns a hold of all the bytes, which h does not have any more.
func (h *hold) handOver() hold {
	all := *h
	h.bytes = 0
	return all
}

// body is the body of a request, which is counted while it comes: twice, as text and as the words
// in it.
type body struct {
	io.ReadCloser
	hold
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if refused := b.take(2 * n); refused != nil {
		return 0, refused
	}
	return n, err
}

// response counts what is written until the browser has it. If there is no room it becomes a
// refusal, and a stream ends.
type response struct {
	http.ResponseWriter
	of *engine.Account
}

// Write implements io.Writer.
func (w *response) Write(p []byte) (int, error) {
	h := hold{of: w.of}
	if err := h.take(len(p)); err != nil {
		refuse(w.ResponseWriter, http.StatusServiceUnavailable, err.Error())
		return 0, err
	}
	defer h.release()
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
