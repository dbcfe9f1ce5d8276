package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

// server is one of the servers under load, with a connection for setup and questions.
type server struct {
	*client
	process *launch.Server
}

// startServer runs a binary and connects to it.
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
	return &server{c, process}, nil
}

// dial opens a further connection to the server.
func (s *server) dial() (*client, error) { return dial(s.name, s.process) }

func (s *server) stop() {
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

// binaries returns the servers to run, the reference first, as name and path, and a function
// that removes what was built.
func (o *options) binaries() (list [][2]string, clean func(), err error) {
	if o.redis != "" {
		list = append(list, [2]string{"redis", o.redis})
	}
	path, clean, err := built(o.ours)
	return append(list, [2]string{"ours", path}), clean, err
}

// built returns path, or the path of a new build of ours if it is empty, and a function that removes the
// build.
func built(path string) (ours string, clean func(), err error) {
	if path != "" {
		return path, func() {}, nil
	}
	root, err := launch.Root()
	if err != nil {
		return "", nil, err
	}
	path, err = launch.Build(root, "./cmd/miniserver")
	return path, func() { os.RemoveAll(filepath.Dir(path)) }, err
}

// arguments returns the further arguments of the server of that name.
func (o *options) arguments(name string) string {
	if name == "redis" {
		return o.redisArgs
	}
	return o.oursArgs
}

// startAll starts the servers; the function stops them.
func (o *options) startAll() ([]*server, func(), error) {
	list, clean, err := o.binaries()
	if err != nil {
		return nil, nil, err
	}
	var servers []*server
	stop := func() {
		for _, s := range servers {
			s.stop()
		}
		clean()
	}
	for _, b := range list {
		s, err := startServer(b[0], b[1], o.arguments(b[0]))
		if err != nil {
			stop()
			return nil, nil, err
		}
		servers = append(servers, s)
	}
	return servers, stop, nil
}
