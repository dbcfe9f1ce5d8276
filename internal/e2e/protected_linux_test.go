package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// outside is an address that is not loopback. It is of those that are for documentation.
const outside = "192.0.2.1"

// isolated is a server in a network namespace of its own, which has that address.
type isolated struct {
	t         *testing.T
	namespace string // its file
}

// isolate starts a server at port 7777, and waits until it serves commands. The test is skipped
// where no namespace can be created.
func isolate(t *testing.T, path string, args ...string) isolated {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root may create a network namespace, " +
			"in which a server has an address that is not loopback")
	}
	const setUp = "ip link set lo up && ip address add " + outside + "/24 dev lo && exec \"$0\" \"$@\""
	if out, err := exec.Command("unshare", "--net", "sh", "-c", setUp, "true").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: this machine lets no network namespace be created: %v: %s", err, out)
	}
	server := exec.Command("unshare", append([]string{"--net", "sh", "-c", setUp, path, "--port", "7777", "--dir",
		t.TempDir(), "--save", ""}, args...)...)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "Ready to accept connections") {
	}
	require.NoError(t, lines.Err())
	go func() {
		for lines.Scan() {
		}
	}()
	return isolated{t, fmt.Sprintf("/proc/%d/ns/net", server.Process.Pid)}
}

// ask sends PING to an address in the namespace, and returns the first line that comes back, or why
// the connection failed.
func (s isolated) ask(host string) string {
	var c net.Conn
	var err error
	s.inside(func() { c, err = net.DialTimeout("tcp", net.JoinHostPort(host, "7777"), time.Minute) })
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	_, _ = c.Write([]byte("PING\r\n"))
	reply, err := bufio.NewReader(c).ReadString('\n')
	require.NoError(s.t, err)
	return reply
}

// inside opens sockets in the namespace. The thread goes back afterwards: it may be the first of
// the process, whose namespace is that of the process.
func (s isolated) inside(open func()) {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	require.NoError(s.t, err)
	defer own.Close()
	other, err := os.Open(s.namespace)
	require.NoError(s.t, err)
	defer other.Close()
	require.NoError(s.t, unix.Setns(int(other.Fd()), unix.CLONE_NEWNET))
	open()
	require.NoError(s.t, unix.Setns(int(own.Fd()), unix.CLONE_NEWNET))
	runtime.UnlockOSThread()
}

// Without a password a server refuses clients from other machines, in the words of redis-server.
func TestProtectedMode(t *testing.T) {
	servers := map[string]string{"miniserver": built(t)}
	if path := reference.Default.Find(); path != "" {
		servers["redis-server"] = path
	} else {
		t.Log("NOT COMPARED: there is no redis-server " + reference.Default.Version())
	}
	refusals := map[string]string{}
	for name, path := range servers {
		t.Run(name, func(t *testing.T) {
			open := isolate(t, path, "--bind", "*")
			require.Equal(t, "+PONG\r\n", open.ask("127.0.0.1"))
			refusals[name] = open.ask(outside)
			require.Regexp(t, `^-DENIED Redis is running in protected mode because .* from the outside\.\r\n$`, refusals[name])
			require.Equal(t, "+PONG\r\n", isolate(t, path, "--bind", "*", "--protected-mode", "no").ask(outside))
			require.Equal(t, "-NOAUTH Authentication required.\r\n",
				isolate(t, path, "--bind", "*", "--requirepass", "secret").ask(outside))
			off := isolate(t, path, "--bind", "*", "--user", "default", "off")
			require.Equal(t, "-NOAUTH Authentication required.\r\n", off.ask(outside))
		})
	}
	if len(refusals) == 2 {
		require.Equal(t, refusals["redis-server"], refusals["miniserver"])
	}
	t.Run("by default", func(t *testing.T) {
		s := isolate(t, servers["miniserver"])
		require.Equal(t, "+PONG\r\n", s.ask("127.0.0.1"))
		require.Contains(t, s.ask(outside), "connection refused")
	})
}
