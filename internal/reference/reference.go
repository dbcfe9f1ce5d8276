// Package reference starts a real redis-server for a test, so that the test compares with
// Redis itself and not with expectations written by hand.
//
// The binary is $REDIS_SERVER or redis-server in $PATH. Without it a test that needs it is
// skipped with a message. With REQUIRE_REDIS=1 it fails instead: run builds that must compare
// with Redis that way.
//
// Each server has a directory and a unix socket of its own, saves nothing, listens on no
// TCP port and ends with the test.
package reference

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// Server is a running redis-server.
type Server struct {
	Socket string // path of its unix socket
	Dir    string // its working directory, removed afterwards
	path   string
}

// Require returns the path of a program with which tests compare: one of Redis, or lua5.1. If it is missing
// the test is skipped, or fails if REQUIRE_REDIS=1.
func Require(t testing.TB, program string) string {
	t.Helper()
	name := program
	if program == "redis-server" && os.Getenv("REDIS_SERVER") != "" {
		name = os.Getenv("REDIS_SERVER")
	}
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("REQUIRE_REDIS") == "1" {
		t.Fatalf("REQUIRE_REDIS=1, but %s was not found: %v", name, err)
	}
	t.Skipf("NOT COMPARED: %s was not found; install it (for redis-server, or set REDIS_SERVER)", name)
	return ""
}

// Start starts a redis-server with further command line arguments such as
// "--maxmemory", "10mb". It ends when the test does. See Require for a missing binary.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	path := Require(t, "redis-server")
	process, err := launch.Start(launch.Spec{
		Path: path, Unix: true, Args: append([]string{"--enable-debug-command", "yes"}, args...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Stop() })
	return &Server{Socket: process.Address, Dir: process.Dir, path: path}
}

// Dial opens a connection; it is closed with the test.
func (s *Server) Dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", s.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Version returns the server's version, such as 7.0.15.
func (s *Server) Version(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(s.path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(out), "v=")
	version, _, _ := strings.Cut(rest, " ")
	return version
}
