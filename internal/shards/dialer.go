package shards

import (
	"bytes"
	"io"
	"time"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/resp"
)

// dialer reaches nodes for MIGRATE, which has the lock that all of them need. So what it sends is
// executed when it reads.
type dialer struct {
	*Shards
	others payload.Dialer
}

// Dial implements payload.Dialer.
func (d dialer) Dial(host, port string, timeout time.Duration) (io.ReadWriteCloser, error) {
	n := d.at(host, port)
	switch {
	case n == nil:
		return d.others.Dial(host, port, timeout)
	case n.Down:
		return nil, errDown
	}
	w := d.worlds[n]
	return &link{node: n, world: w, session: w.NewMaster()}, nil
}

// link is a connection to a node from within the process.
type link struct {
	node    *topology.Node
	world   *engine.World
	session *engine.Session
	in, out bytes.Buffer
}

// Write keeps commands until Read.
func (l *link) Write(b []byte) (int, error) { return l.in.Write(b) }

// Read executes the commands, and returns their replies.
func (l *link) Read(b []byte) (int, error) {
	commands := resp.NewReader(&l.in)
	for v, err := commands.Read(); err == nil; v, err = commands.Read() {
		var args [][]byte
		for _, arg := range v.Elems {
			args = append(args, []byte(arg.Text))
		}
		l.execute(args)
	}
	return l.out.Read(b)
}

// Close ends the connection.
func (l *link) Close() error { return nil }

// execute executes a command, and writes its reply: that it is done, or an error.
func (l *link) execute(args [][]byte) {
	err := l.refusal(args)
	if err == nil {
		err = l.world.Nested(l.session, args)
	}
	if err != nil {
		l.out.WriteString("-" + err.Error() + "\r\n")
		return
	}
	l.out.WriteString("+OK\r\n")
}

// refusal returns why the node does not take a key: others serve its slot, and it is not about to.
func (l *link) refusal(args [][]byte) error {
	if len(args) < 2 || !command.IsWord(args[0], "RESTORE-ASKING") {
		return nil
	}
	at := slot.Of(args[1])
	owner := l.node.View.Owner(at)
	if owner == l.node || l.node.Importing[at] != nil || owner == nil {
		return nil
	}
	return command.Errorf(engine.ErrMoved, at, owner.Address())
}
