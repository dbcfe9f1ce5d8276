//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// bothServers runs a test with this program, and with a redis-server beside which it must pass,
// too.
func bothServers(t *testing.T, test func(t *testing.T, binary string)) {
	t.Run("miniserver", func(t *testing.T) { test(t, built(t)) })
	t.Run("redis-server", func(t *testing.T) { test(t, reference.Default.Path(t)) })
}

// life is a server that keeps its files when it ends.
type life struct {
	*launch.Server
	t *testing.T
}

// begin starts a server with a directory, which loads what is there.
func begin(t *testing.T, binary, dir string, args ...string) life {
	l := load(t, binary, dir, args...)
	require.True(t, l.loads())
	return l
}

// load starts a server with a directory, and does not wait until the data are loaded.
func load(t *testing.T, binary, dir string, args ...string) life {
	l, err := tryToLoad(t, binary, dir, args...)
	require.NoError(t, err)
	return l
}

// tryToLoad is load with an error for a process that ended before it answered.
func tryToLoad(t *testing.T, binary, dir string, args ...string) (life, error) {
	conf := filepath.Join(dir, "conf")
	require.NoError(t, os.WriteFile(conf, nil, 0o644))
	s, err := launch.Start(launch.Spec{Path: binary, Unix: true, Conf: conf, Args: args})
	if err == nil {
		t.Cleanup(func() { s.Stop() })
	}
	return life{s, t}, err
}

// loads waits until the data are loaded. It reports false if the process ends before that.
func (l life) loads() bool {
	for {
		select {
		case <-l.Exited():
			return false
		default:
		}
		if l.info("loading") == "0" {
			return true
		}
		time.Sleep(time.Millisecond)
	}
}

// info returns a field of INFO persistence; "" if there is no reply.
func (l life) info(field string) (value string) {
	conn, err := net.Dial(l.Network, l.Address)
	if err != nil {
		return ""
	}
	defer conn.Close()
	fmt.Fprint(conn, "INFO persistence\r\nQUIT\r\n")
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		if name, v, _ := strings.Cut(lines.Text(), ":"); name == field {
			value = v
		}
	}
	return value
}

func (l life) signal(s syscall.Signal) { require.NoError(l.t, syscall.Kill(l.PID, s)) }

func (l life) ask(command string) string { return ask(l.t, "unix", l.Address, command) }

// logs waits for a line of the log.
func (l life) logs(line string) {
	require.Eventually(l.t, func() bool {
		log, _ := os.ReadFile(filepath.Join(l.Dir, "log"))
		return strings.Contains(string(log), line)
	}, time.Minute, time.Millisecond, line)
}

// ends waits for the end of the process.
func (l life) ends(how string) {
	<-l.Exited()
	require.Equal(l.t, how, l.Exit())
}

// shortDir returns a directory whose path is short enough for a socket's.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "life")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A signal ends no server whose data cannot be saved.
func TestDataOutliveASignal(t *testing.T) {
	bothServers(t, func(t *testing.T, binary string) {
		dir := shortDir(t)
		s := begin(t, binary, dir, "--save", "3600 1")
		obstacle := filepath.Join(dir, "dump.rdb")
		require.NoError(t, os.Mkdir(obstacle, 0o755))
		require.Equal(t, "+OK", s.ask("SET a 1"))
		s.signal(syscall.SIGTERM)
		s.logs("Received SIGTERM scheduling shutdown...")
		s.logs("Error trying to save the DB, can't exit")
		s.logs("Errors trying to shut down the server. Check the logs for more information.")
		require.Equal(t, "+OK", s.ask("SET b 1"))
		require.NoError(t, os.Remove(obstacle))
		s.signal(syscall.SIGINT)
		s.logs("Received SIGINT scheduling shutdown...")
		s.ends("exit status 0")

		s = begin(t, binary, dir)
		require.Equal(t, ":2", s.ask("EXISTS a b"))
	})
}

// The parameters say what a signal means.
func TestSignalsHaveTheOptionsOfShutdown(t *testing.T) {
	bothServers(t, func(t *testing.T, binary string) {
		for options, kept := range map[string]string{"default": ":0", "save": ":1"} {
			dir := shortDir(t)
			s := begin(t, binary, dir, "--shutdown-on-sigterm", options)
			require.Equal(t, "+OK", s.ask("SET a 1"))
			s.signal(syscall.SIGTERM)
			s.ends("exit status 0")
			s = begin(t, binary, dir)
			require.Equal(t, kept, s.ask("EXISTS a"), options)
		}
	})
}

// A server that loads has nothing to save, and ends at once.
func TestSignalWhileDataAreLoaded(t *testing.T) {
	bothServers(t, func(t *testing.T, binary string) {
		dir := shortDir(t)
		s := begin(t, binary, dir, "--shutdown-on-sigterm", "save", "--rdbcompression", "no")
		for i := range 1000 {
			require.Equal(t, ":5000", s.ask(fmt.Sprintf("SETRANGE %d 4999 x", i)))
		}
		s.signal(syscall.SIGTERM)
		s.ends("exit status 0")
		before, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
		require.NoError(t, err)

		s = load(t, binary, dir, "--save", "3600 1", "--key-load-delay",
			"100000", "--loading-process-events-interval-bytes", "1024")
		require.Contains(t, s.ask("GET 0"), "-LOADING")
		s.signal(syscall.SIGTERM)
		s.ends("exit status 0")
		s.logs("Received shutdown signal during loading, scheduling shutdown.")
		after, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
}

// FLUSHALL with save points saves the empty data, and ends a save in the background that has the
// old ones.
func TestFlushedDataStayAway(t *testing.T) {
	bothServers(t, func(t *testing.T, binary string) {
		dir := shortDir(t)
		s := begin(t, binary, dir, "--save", "3600 1", "--rdb-key-save-delay", "100000")
		for i := range 100 {
			require.Equal(t, "+OK", s.ask(fmt.Sprintf("SET %d v", i)))
		}
		require.Equal(t, "100", s.info("rdb_changes_since_last_save"))
		require.Equal(t, "+Background saving started", s.ask("BGSAVE"))
		require.Equal(t, "+OK", s.ask("FLUSHALL"))
		require.Equal(t, "0", s.info("rdb_changes_since_last_save"))
		require.Equal(t, "+OK", s.ask("FLUSHALL"))
		require.Equal(t, "0", s.info("rdb_changes_since_last_save"))
		require.Eventually(t, func() bool { return s.info("rdb_bgsave_in_progress") == "0" }, time.Minute,
			time.Millisecond)
		require.Equal(t, "0", s.info("rdb_changes_since_last_save"))
		s.signal(syscall.SIGKILL)
		<-s.Exited()
		s = begin(t, binary, dir)
		require.Equal(t, ":0", s.ask("DBSIZE"))
	})
}
