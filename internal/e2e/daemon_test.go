package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDaemonize(t *testing.T) {
	binary := built(t)
	dir, err := os.MkdirTemp("", "daemon") // a short path, as sockets need
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path, pid, log := filepath.Join(dir, "s"), filepath.Join(dir, "pid"), filepath.Join(dir, "log")

	out, err := exec.Command(binary, "--daemonize", "yes", "--nosuch", "1").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "unknown setting", "the foreground process reports errors")

	c := exec.Command(binary, "-", "--daemonize", "yes", "--unixsocket", path, "--pidfile", pid, "--logfile", log)
	c.Stdin = strings.NewReader("port 0\n")
	out, err = c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	eventually(t, "it serves", func() bool {
		conn, err := net.Dial("unix", path)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	conn, err := net.Dial("unix", path)
	a := newAsker(t, conn, err)
	require.NotEqual(t, strconv.Itoa(c.Process.Pid), field(t, a, "process_id"))
	content, err := os.ReadFile(pid)
	require.NoError(t, err)
	require.Equal(t, field(t, a, "process_id")+"\n", string(content))
	_, err = a.Write([]byte("SHUTDOWN\r\n"))
	require.NoError(t, err)
	eventually(t, "it ends", func() bool { _, err := os.Stat(pid); return os.IsNotExist(err) })
	content, err = os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(content), "Ready to accept connections")
}

// The program notifies systemd when it accepts clients, and stays in the foreground when systemd
// supervises it.
func TestSupervised(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	manager, err := net.ListenPacket("unixgram", socket)
	require.NoError(t, err)
	defer manager.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("UPSTART_JOB", "")
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--supervised", "auto", "--daemonize", "yes")
	require.NoError(t, manager.SetReadDeadline(time.Now().Add(time.Minute)))
	text := make([]byte, 100)
	n, _, err := manager.ReadFrom(text)
	require.NoError(t, err)
	require.Contains(t, string(text[:n]), "READY=1\n")
	require.Equal(t, "+PONG", ask(t, "tcp", addr, "PING"))
}
