// Package reference starts a real server of Redis or Valkey for a test, so that the test compares
// with it and not with expectations written by hand.
//
// A test names the release, or takes the default one. Its server is searched in the directory
// $REFERENCES (by default miniserver/references in the user's cache), as bin/redis-server,
// bin/valkey-server or bin/stack-server, or the same one directory deeper
// (trixie/bin/redis-server); then in $PATH. Only a server of that release will do. Without it the
// test is skipped with a message. ".ci/run" unpacks newer releases and Redis Stack there, "make
// references" builds older ones.
//
// REQUIRE_REDIS makes such a test fail instead. REQUIRE_REDIS=1 requires the programs in $PATH, and
// redis:8.6, redis:8.0, redis:7.0, valkey:8.1 and valkey:9.1; REQUIRE_REDIS="redis:7.0" requires
// the programs and the releases it lists, among which 1 stands for those. Run builds that must
// compare with Redis that way.
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
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Server is a running server.
type Server struct {
	Socket  string // path of its unix socket
	Dir     string // its working directory, removed afterwards
	Release *release.Release
}

// Require returns the path of a program in $PATH: one of Redis, of any release, lua5.1, lcov or
// another tool. If it is missing the test is skipped, or fails if REQUIRE_REDIS is set. The quick
// check leaves the test out.
func Require(t testing.TB, program string) string {
	t.Helper()
	quick.Skip(t, "starts "+program)
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("REQUIRE_REDIS") != "" {
		t.Fatalf("REQUIRE_REDIS is set, but %s was not found: %v", program, err)
	}
	t.Skipf("NOT COMPARED: %s was not found; install it", program)
	return ""
}

// Start starts a server of the default release. See Release.Start.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return Default.Start(t, args...)
}

// Start starts a server of the release with further command line arguments such as
// "--maxmemory", "10mb". It ends when the test does. See Path for a missing binary.
func (r Release) Start(t testing.TB, args ...string) *Server {
	t.Helper()
	path := r.Path(t)
	version := launch.Version(path)
	if !strings.HasPrefix(version, "6.") { // DEBUG needs a permission since 7.0
		args = append([]string{"--enable-debug-command", "yes"}, args...)
	}
	process, err := launch.Start(launch.Spec{Path: path, Unix: true, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Stop() })
	return &Server{Socket: process.Address, Dir: process.Dir, Release: release.Exactly(r.Product(), version)}
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
