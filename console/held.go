package console

import (
	"errors"
	"io"

	"github.com/miniserver-go/miniserver/engine"
)

// Requests hold memory: a body until its commands have run, and a reply until the browser has it. A browser that sends or
// reads slowly makes that last. All of them share an account.

// maxHeld is how many bytes requests and replies may hold together.
const maxHeld = 256 << 20

// errHeld refuses a request or a reply beyond that.
var errHeld = errors.New("the requests and replies of the console take too much memory; try again")

// body is the body of a request, which is counted while it comes: twice, as text and as the words in it.
type body struct {
	io.ReadCloser
	of   *engine.Account
	held int
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if !b.of.Take(2 * n) {
		return 0, errHeld
	}
	b.held += 2 * n
	return n, err
}

// release ends the counting, when the request has been answered.
func (b *body) release() { b.of.Return(b.held) }
