// Package launch runs miniserver or redis-server as a process, for tests and benchmarks.
//
// The process gets options that both servers understand: a port on loopback or a unix socket,
// a directory of its own, no persistence. It is ready when it answers PING. Stop kills it by
// its process id. Servers listen only on loopback.
package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// startup bounds the time in which a new server must answer. It is long because the machine may
// stand still meanwhile.
const startup = 2 * time.Minute

// The range of ports for servers. Systems give higher ports to outgoing connections and to
// listeners on port 0; these are free until the server listens.
const lowestPort, ports = 20_000, 12_000

// Server is a running process.
type Server struct {
	Network string // "tcp" or "unix"
	Address string // host:port or path
	Dir     string // its working directory
	PID     int
	keep    bool // Dir, at Stop
	cmd     *exec.Cmd
	exited  chan struct{} // closed when the process has ended
}

// Spec describes the process to start.
type Spec struct {
	Path string   // of the binary
	Unix bool     // listen on a unix socket instead of a TCP port
	Args []string // further arguments, such as "--maxmemory", "10mb"
	// The path of a configuration file, in whose directory the process then works; none, and a
	// directory that Stop removes, if empty.
	Conf string

	Stderr io.Writer // what the process writes there; os.Stderr if nil
	Group  string    // the directory of a control group for the process; that of this process if empty
	Env    []string  // further variables of the environment, as NAME=value
	Memory int64     // bytes of address space that the process may have; no limit if 0
	// The file of a network namespace for the process, which only root can enter; that of this
	// process if empty.
	Net string
}

// Start runs a server and returns when it answers. The caller must Stop it.
func Start(spec Spec) (*Server, error) {
	dir, err := spec.dir()
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, keep: spec.Conf != "", exited: make(chan struct{})}
	args := []string{"--dir", dir, "--save", "", "--appendonly", "no", "--logfile", s.log()}
	listen, err := s.listenOn(spec.Unix)
	if err != nil {
		return nil, errors.Join(err, s.clear())
	}
	s.cmd = spec.command(slices.Concat(args, listen, spec.Args))
	s.cmd.Dir = dir
	s.cmd.Env = append(append(os.Environ(), "LC_ALL=C"), spec.Env...) // redis-server sorts texts as the locale says
	s.cmd.Stderr = os.Stderr
	if spec.Stderr != nil {
		s.cmd.Stderr = spec.Stderr
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, s.clear())
	}
	s.PID = s.cmd.Process.Pid
	go s.wait()
	if err := s.await(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%s: %w", spec.Path, err)
	}
	return s, nil
}

// dir returns the directory in which the process works. Its path is short enough for a socket's.
func (spec Spec) dir() (string, error) {
	if spec.Conf != "" {
		return filepath.Dir(spec.Conf), nil
	}
	return os.MkdirTemp("", "launch")
}

// command returns the command that starts the process. A shell enters the control group, before
// there are threads.
func (spec Spec) command(args []string) *exec.Cmd {
	if spec.Conf != "" {
		args = append([]string{spec.Conf}, args...)
	}
	args = append([]string{spec.Path}, args...)
	if spec.Net != "" {
		args = append([]string{"nsenter", "--net=" + spec.Net}, args...)
	}
	if spec.Memory > 0 {
		args = append([]string{"/bin/sh", "-c", `ulimit -v "$0" && exec "$@"`, strconv.FormatInt(spec.Memory>>10, 10)},
			args...)
	}
	if spec.Group != "" {
		args = append([]string{"/bin/sh", "-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(spec.Group, "cgroup.procs")}, args...)
	}
	return exec.Command(args[0], args[1:]...)
}

func (s *Server) wait() {
	s.cmd.Wait() // ProcessState says how it ended
	close(s.exited)
}

// Exited returns a channel that is closed when the process has ended.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Exit says how the process ended, as "exit status 2". It may be called when Exited is closed.
func (s *Server) Exit() string { return s.cmd.ProcessState.String() }

func (s *Server) log() string { return filepath.Join(s.Dir, "log") }

// listenOn chooses the server's address and returns the arguments for it.
func (s *Server) listenOn(unix bool) ([]string, error) {
	if unix {
		s.Network, s.Address = "unix", filepath.Join(s.Dir, "s")
		return []string{"--port", "0", "--unixsocket", s.Address}, nil
	}
	free, err := FreePort()
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(free)
	s.Network, s.Address = "tcp", net.JoinHostPort("127.0.0.1", port)
	return []string{"--port", port, "--bind", "127.0.0.1"}, nil
}

// nextPort counts through the ports, so that tests of one process that run at the same time get
// different ones, before they listen. Other processes begin elsewhere.
var nextPort atomic.Int64

func init() { nextPort.Store(rand.Int64N(ports)) }

// FreePort returns a TCP port on loopback that is not in use.
func FreePort() (port int, err error) {
	for range 100 {
		port = lowestPort + int(nextPort.Add(1)%ports)
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, err
}

// await returns when the server answers PING.
func (s *Server) await() error {
	var err error
	for end := time.Now().Add(startup); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		select {
		case <-s.exited:
			log, _ := os.ReadFile(s.log())
			return fmt.Errorf("ended at once: %s\n%s", s.Exit(), log)
		default:
		}
		if err = s.ping(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("does not answer: %w", err)
}

func (s *Server) ping() error {
	conn, err := net.Dial(s.Network, s.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte("*1\r\n$4\r\nPING\r\n")); err != nil {
		return err
	}
	_, err = bufio.NewReader(conn).ReadString('\n')
	return err
}

// Port returns the TCP port as text.
func (s *Server) Port() string {
	_, port, _ := net.SplitHostPort(s.Address)
	return port
}

// Stop kills the process and removes its directory, unless that is the one of a configuration file.
func (s *Server) Stop() error {
	s.cmd.Process.Kill()
	<-s.exited
	return s.clear()
}

// clear removes the directory if it was created for the process.
func (s *Server) clear() error {
	if s.keep {
		return nil
	}
	return os.RemoveAll(s.Dir)
}

// versions remembers the answers of Version.
var versions sync.Map

// Version returns the version of the server at path, such as 7.0.15; "" if it does not run.
func Version(path string) string {
	if version, known := versions.Load(path); known {
		return version.(string)
	}
	out, _ := exec.Command(path, "--version").Output()
	_, rest, _ := strings.Cut(string(out), "v=")
	version, _, _ := strings.Cut(rest, " ")
	versions.Store(path, version)
	return version
}
