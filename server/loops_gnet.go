//go:build unix && !netloops

package server

import (
	"net"

	"github.com/panjf2000/gnet/v2"
	"github.com/panjf2000/gnet/v2/pkg/logging"
	"golang.org/x/sys/unix"
)

// eventLoops are gnet's. They are the seam between the server and the system: loops_net.go has others.
type eventLoops struct{ client *gnet.Client }

func (l *eventLoops) start(s *Server) (err error) {
	l.client, err = gnet.NewClient(s, gnet.WithNumEventLoop(s.Loops()), gnet.WithReadBufferCap(64<<10),
		gnet.WithTCPNoDelay(gnet.TCPDelay), // Go has set it already
		gnet.WithLogLevel(logging.ErrorLevel), gnet.WithLogger(silent{}))
	if err != nil {
		return err
	}
	return l.client.Start()
}

func (l *eventLoops) stop(*Server) error { return l.client.Stop() }

// enroll passes a connection to a loop.
func (l *eventLoops) enroll(nc net.Conn, c *conn) error {
	_, err := l.client.EnrollContext(nc, c)
	return err
}

// readsDirectly says whether the server may read from the socket of a connection of a loop.
const readsDirectly = true

// readDirectly reads what the socket has, without waiting.
func readDirectly(gc gnet.Conn, room []byte) (int, error) { return unix.Read(gc.Fd(), room) }

// silent discards gnet's own log lines: the errors among them are returned as well.
type silent struct{}

func (silent) Debugf(string, ...any) {}
func (silent) Infof(string, ...any)  {}
func (silent) Warnf(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(string, ...any) {}
