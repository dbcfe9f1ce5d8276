package sentinel_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// TestSentinelRepliesAsARealOne has a Sentinel of Redis watch the server, and compares what both
// say about it.
func TestSentinelRepliesAsARealOne(t *testing.T) {
	s := miniserver.Run(t)
	sentinel := realSentinel(t, s.Addr())
	ours, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	defer ours.Close()
	theirs, err := net.Dial("tcp", sentinel)
	require.NoError(t, err)
	defer theirs.Close()

	for _, hello := range []string{"HELLO 2", "HELLO 3"} {
		ask(t, ours, hello)
		ask(t, theirs, hello)
		for _, command := range []string{
			"get-master-addr-by-name mymaster", "get-master-addr-by-name other",
			"masters", "master mymaster", "master other",
			"replicas mymaster", "replicas other", "slaves mymaster", "sentinels mymaster", "sentinels other",
			"ckquorum mymaster", "ckquorum other", "failover mymaster", "failover other", "master", "none",
			"masters all",
		} {
			want, got := ask(t, theirs, "SENTINEL "+command), ask(t, ours, "SENTINEL "+command)
			require.Equal(t, withoutTimes(want), withoutTimes(got), "%s, SENTINEL %s", hello, command)
		}
		require.Len(t, ask(t, ours, "SENTINEL MYID").Text, len(ask(t, theirs, "SENTINEL MYID").Text))
	}
}

// realSentinel starts a Sentinel of Redis that watches a server, and returns its address.
func realSentinel(t *testing.T, master string) (addr string) {
	path := reference.Default.Path(t)
	free, err := launch.FreePort()
	require.NoError(t, err)
	host, port, _ := net.SplitHostPort(master)
	conf := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor mymaster %s %s 1\n", free, host, port)
	require.NoError(t, os.WriteFile(conf, []byte(text), 0o644))
	process := exec.Command(path, conf, "--sentinel")
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait()
	})
	addr = fmt.Sprintf("127.0.0.1:%d", free)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return false
		}
		defer conn.Close()
		return strings.Contains(ask(t, conn, "SENTINEL MASTER mymaster").String(),
			`"master"`) // not s_down, disconnected
	}, time.Minute, 10*time.Millisecond)
	return addr
}

// ask returns the reply to an inline command.
func ask(t *testing.T, conn net.Conn, command string) resp.Value {
	t.Helper()
	_, err := conn.Write([]byte(command + "\r\n"))
	require.NoError(t, err)
	reply, err := resp.NewReader(conn).Read()
	require.NoError(t, err)
	return reply
}

// times are the fields that say how long ago a Sentinel has heard something.
var times = []string{"last-ok-ping-reply", "last-ping-reply", "info-refresh", "role-reported-time"}

// withoutTimes returns a reply without the values of such fields.
func withoutTimes(v resp.Value) resp.Value {
	v.Elems = slices.Clone(v.Elems)
	for i := range v.Elems {
		v.Elems[i] = withoutTimes(v.Elems[i])
		if i > 0 && slices.Contains(times, v.Elems[i-1].Text) {
			v.Elems[i].Text = ""
		}
	}
	return v
}
