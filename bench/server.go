package main

import (
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

// server is one of the servers under load, with a connection for setup and questions.
type server struct {
	*client
	process *launch.Server
	path    string  // of the binary
	replica *server // nil for none
}

// startServer runs a binary, connects to it, and returns when it has loaded its data.
func startServer(name, path, args string) (*server, error) {
	process, err := launch.Start(launch.Spec{Path: path, Args: strings.Fields(args)})
	if err != nil {
		return nil, err
	}
	c, err := dial(name, process)
	if err != nil {
		process.Stop()
		return nil, err
	}
	s := &server{client: c, process: process, path: path}
	s.awaitLoaded()
	return s, nil
}

// awaitLoaded waits while the server replies that it loads its data.
func (s *server) awaitLoaded() {
	for {
		if _, err := s.do("PING"); err == nil || !strings.Contains(err.Error(), "LOADING") {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// dial opens a further connection to the server.
func (s *server) dial() (*client, error) { return dial(s.name, s.process) }

func (s *server) stop() {
	if s.replica != nil {
		s.replica.stop()
	}
	s.conn.Close()
	s.process.Stop()
}

// patience is how long a reply may take, also one of SAVE on a busy disk.
const patience = 5 * time.Minute

// do sends a command and returns its reply; an error reply is an error.
func (s *server) do(args ...string) (resp.Value, error) { return s.pipe([][]string{args}) }

// pipe sends commands at once and returns the last reply; any error reply is an error.
func (s *server) pipe(commands [][]string) (last resp.Value, err error) {
	for _, args := range commands {
		s.add(args...)
	}
	if err := s.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return last, err
	}
	err = s.exchange(func(_ int, reply resp.Value) { last = reply })
	return last, err
}
