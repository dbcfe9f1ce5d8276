package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// What can go wrong with a master, or with a replica's disk, happens to ours and to a redis-server,
// which must fare the same.

// watched is a server in a process of its own.
type watched struct {
	*asker
	process *launch.Server
}

// watchedServer starts a server.
func watchedServer(t *testing.T, path string, args ...string) watched {
	process, err := launch.Start(launch.Spec{Path: path,
		Args: append([]string{"--repl-diskless-sync-delay", "0"}, args...)})
	require.NoError(t, err)
	t.Cleanup(func() { process.Stop() })
	conn, err := net.Dial(process.Network, process.Address)
	w := watched{newAsker(t, conn, err), process}
	eventually(t, "it has loaded its data", func() bool { return w.ask(t, "PING") == "PONG" })
	return w
}

// log returns the log since a REPLICAOF with the given port.
func (w watched) log(port string) string {
	text, _ := os.ReadFile(filepath.Join(w.process.Dir, "log"))
	return string(text[max(0, bytes.Index(text, []byte("REPLICAOF 127.0.0.1:"+port))):])
}

// awaitLog waits for a line about the master on the given port.
func (w watched) awaitLog(t *testing.T, port, line string) {
	t.Helper()
	eventually(t, line, func() bool { return strings.Contains(w.log(port), line) })
}

// playOnce is a master that answers the first PSYNC with a text, and later ones not at all. It
// sends the offsets that are asked for.
func playOnce(t *testing.T, text string) (port string, offsets chan string) {
	offsets = make(chan string, 100)
	first := true
	return playing(t, func(name string, v resp.Value) string {
		switch {
		case name != "PSYNC":
			return "+OK\r\n"
		case first:
			first = false
			offsets <- v.Elems[2].Text
			return text
		}
		offsets <- v.Elems[2].Text
		return ""
	}), offsets
}

// play is a master that gives the same answers to each replica: by the name of the request, else
// +OK.
func play(t *testing.T, answers map[string]string) (port string) {
	return playing(t, func(name string, _ resp.Value) string {
		if text, ok := answers[name]; ok {
			return text
		}
		return "+OK\r\n"
	})
}

// playing is a master for one replica at a time. The connection ends after PSYNC.
func playing(t *testing.T, answer func(name string, request resp.Value) string) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			converse(conn, answer)
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// converse answers the requests on a connection, up to PSYNC.
func converse(conn net.Conn, answer func(name string, request resp.Value) string) {
	defer conn.Close()
	for in, name := resp.NewReader(conn), ""; name != "PSYNC"; {
		v, err := in.Read()
		if err != nil {
			return
		}
		name = strings.ToUpper(v.Elems[0].Text)
		_, _ = conn.Write([]byte(answer(name, v)))
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn) // what the replica sends before it sees the end
}

// transferred returns what a master sends to one who asks for all its data, after the answer to
// PSYNC.
func transferred(t *testing.T) string {
	ours, port := master(t)
	ours.ask(t, "SET k v")
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("PSYNC ? -1\r\n"))
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	_, err = in.ReadString('\n')
	require.NoError(t, err)
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	size, err := strconv.Atoi(strings.Trim(line, "$\r\n"))
	require.NoError(t, err)
	text := make([]byte, size)
	_, err = io.ReadFull(in, text)
	require.NoError(t, err)
	return line + string(text)
}

const someHistory = "0123456789012345678901234567890123456789"

func TestBadMastersBesideRedis(t *testing.T) {
	good, full := transferred(t), "+FULLRESYNC "+someHistory+" 7\r\n"
	path := reference.Default.Path(t)
	ours, theirs := watchedServer(t, built(t)), watchedServer(t, path, "--repl-diskless-load", "swapdb")
	for _, bad := range []struct{ name, request, answer, log, theirs string }{ // without a line of theirs, Redis ends
		{"no server of this kind", "PING", "HTTP/1.1 400 Bad Request\r\n\r\n", "bad protocol from the master",
			"Error reply to PING from master"},
		{"a wrong password", "AUTH", "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
			"Unable to AUTH to MASTER: WRONGPASS", "Unable to AUTH to MASTER: -WRONGPASS"},
		{"no master itself", "PSYNC", "-NOMASTERLINK Can't SYNC while not connected with my master\r\n",
			"in the future: -NOMASTERLINK", "in the future: -NOMASTERLINK"},
		{"an id is missing", "PSYNC", "+FULLRESYNC\r\n", "bad protocol from the master", "wrong +FULLRESYNC syntax"},
		{"garbage in place of a snapshot", "PSYNC", full + "garbage\r\n", "where the length of a snapshot should be",
			"the first byte is not '$'"},
		{"a snapshot of a later version", "PSYNC", full + "$18\r\nREDIS9999xxxxxxxxx", "format version",
			"Can't handle RDB format version 9999"},
		{"half a snapshot", "PSYNC", full + good[:len(good)/2], "the data end in the middle",
			"Failed trying to load the MASTER synchronization DB"},
		{"a damaged snapshot", "PSYNC", full + strings.Replace(good, "used-mem", "used-mum", 1), "the checksum is", ""},
		{"an error in place of a snapshot", "PSYNC", full + "-ERR no disk\r\n", "MASTER aborted replication with an " +
			"error: ERR no disk", "MASTER aborted replication with an error: ERR no disk"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			port := play(t, map[string]string{"PING": "+PONG\r\n", bad.request: bad.answer})
			for w, line := range map[watched]string{ours: bad.log, theirs: bad.theirs} {
				if line == "" {
					continue
				}
				require.Equal(t, "OK", w.ask(t, "CONFIG SET masterauth secret"))
				require.Equal(t, "OK", w.ask(t, "SET old data"))
				require.Equal(t, "OK", w.ask(t, "REPLICAOF 127.0.0.1 "+port))
				w.awaitLog(t, port, line)
				require.Equal(t, "data", w.ask(t, "GET old"))
				require.Equal(t, "down", field(t, w.asker, "master_link_status"))
				require.Equal(t, "OK", w.ask(t, "REPLICAOF NO ONE"))
			}
		})
	}
}

// A stream that cannot be understood ends the link, and the history: only a snapshot can be trusted
// then. What came before has been executed, but for half a transaction.
func TestBrokenStreamsBesideRedis(t *testing.T) {
	snapshot := "+FULLRESYNC " + someHistory + " 7\r\n" + transferred(t)
	ours, theirs := watchedServer(t, built(t)),
		watchedServer(t, reference.Default.Path(t), "--repl-diskless-load", "swapdb")
	const set, alien = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nw\r\n", "*2\r\n$6\r\nNOSUCH\r\n$1\r\nk\r\n"
	for _, bad := range []struct{ name, text, kept, next string }{
		{"an unknown command", alien + set, "w", strconv.Itoa(7 + len(alien+set) + 1)},
		{"half a transaction", "*1\r\n$5\r\nMULTI\r\n" + set, "v", "8"},
		{"half a command", "*2\r\n$3\r\nGET\r\n", "v", "8"},
		{"an impossible length", set + "*1\r\n$-5\r\n", "w", "-1"},
		{"no length", set + "*1\r\nGET\r\n", "w", "-1"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			for _, w := range []watched{ours, theirs} {
				port, requests := playOnce(t, snapshot+bad.text)
				require.Equal(t, "OK", w.ask(t, "SET old data"))
				require.Equal(t, "OK", w.ask(t, "REPLICAOF 127.0.0.1 "+port))
				<-requests // the first one depends on the server's own history
				require.Equal(t, bad.next, <-requests, w.log(port))
				require.Equal(t, []string{bad.kept, ""}, []string{w.ask(t, "GET k"), w.ask(t, "GET old")})
				require.Equal(t, "OK", w.ask(t, "REPLICAOF NO ONE"))
			}
		})
	}
}

// pretend is a replica of a server, of which it keeps nothing, but acknowledges all. It says that
// it listens on a port.
func pretend(t *testing.T, w watched, port string) {
	conn, err := net.Dial(w.process.Network, w.process.Address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	in := bufio.NewReader(conn)
	ask := func(command string) string {
		_, err := io.WriteString(conn, command)
		require.NoError(t, err)
		for text := ""; ; {
			text, err = in.ReadString('\n')
			require.NoError(t, err)
			if text = strings.TrimSpace(text); text != "" {
				return text
			}
		}
	}
	require.Equal(t, "+OK", ask("REPLCONF listening-port "+port+"\r\n"))
	words := strings.Fields(ask("PSYNC ? -1\r\n"))
	offset, err := strconv.Atoi(words[2])
	require.NoError(t, err, words)
	size, err := strconv.Atoi(ask("")[1:])
	require.NoError(t, err)
	_, err = io.CopyN(io.Discard, in, int64(size))
	require.NoError(t, err)
	go func() {
		for buffer := make([]byte, 4096); err == nil; {
			_, err = fmt.Fprintf(conn, "REPLCONF ACK %d\r\n", offset)
			n, _ := in.Read(buffer)
			offset += n
			if n == 0 {
				return
			}
		}
	}()
	eventually(t, "it is online", func() bool {
		w.ask(t, "SET old data")
		return strings.Contains(w.ask(t, "INFO replication"), "state=online")
	})
}

// The target of a failover that cannot be reached is asked again. One that answers PSYNC decides:
// it is followed, or the master goes on.
func TestBadTargetsOfFailoversBesideRedis(t *testing.T) {
	const none = "ERR No failover in progress."
	snapshot := "+FULLRESYNC " + someHistory + " 7\r\n"
	servers := []watched{watchedServer(t, built(t)), watchedServer(t, reference.Default.Path(t))}
	for _, bad := range []struct{ name, request, answer, role, state, abort string }{
		{"an error to PING", "PING", "-ERR no\r\n", "slave", "failover-in-progress", "OK"},
		{"it loads", "PING", "-LOADING no\r\n", "slave", "failover-in-progress", "OK"},
		{"garbage to PING", "PING", "garbage\r\n", "slave", "failover-in-progress", "OK"},
		{"an error", "PSYNC", "-ERR no\r\n", "master", "no-failover", none},
		{"not yet", "PSYNC", "-NOMASTERLINK no\r\n", "master", "no-failover", none},
		{"garbage", "PSYNC", "garbage\r\n", "master", "no-failover", none},
		{"neither yes nor no", "PSYNC", "+OK\r\n", "master", "no-failover", none},
		{"a line without end", "PSYNC", strings.Repeat("x", 200_000), "master", "no-failover", none},
		{"no snapshot", "PSYNC", snapshot, "slave", "no-failover", none},
		{"an error in place of a snapshot", "PSYNC", snapshot + "-ERR no disk\r\n", "slave", "no-failover", none},
	} {
		t.Run(bad.name, func(t *testing.T) {
			for _, w := range servers {
				var asked atomic.Int64
				port := playing(t, func(name string, _ resp.Value) string {
					switch {
					case name == bad.request:
						asked.Add(1)
						return bad.answer
					case name == "PING":
						return "+PONG\r\n"
					}
					return "+OK\r\n"
				})
				pretend(t, w, port)
				require.Equal(t, "OK", w.ask(t, "FAILOVER TO 127.0.0.1 "+port))
				eventually(t, "it is settled", func() bool {
					return field(t, w.asker, "role") == bad.role && field(t, w.asker,
						"master_failover_state") == bad.state && (bad.role == "master" || asked.Load() > 1)
				})
				require.Equal(t, bad.abort, w.ask(t, "FAILOVER ABORT"))
				require.Equal(t, "data", w.ask(t, "GET old"))
				require.Equal(t, "OK", w.ask(t, "REPLICAOF NO ONE"))
			}
		})
	}
}

// Servers that follow one another, or themselves, keep their data, say what they wait for, and go
// on when one is made the master.
func TestCirclesOfReplicas(t *testing.T) {
	kinds := map[string]string{"ours": built(t), "theirs": reference.Default.Path(t)}
	for _, circle := range [][]string{{"ours"}, {"theirs"}, {"ours", "ours"}, {"ours", "theirs"}} {
		t.Run(strings.Join(circle, " of "), func(t *testing.T) {
			t.Parallel()
			var all []watched
			for _, kind := range circle {
				w := watchedServer(t, kinds[kind], "--enable-debug-command", "yes", "--replicaof", "127.0.0.1 1",
					"--replica-read-only", "no")
				require.Equal(t, "OK", w.ask(t, "SET old data"))
				all = append(all, w)
			}
			for i, w := range all {
				next := all[(i+1)%len(all)].process.Port()
				require.Equal(t, "OK", w.ask(t, "REPLICAOF 127.0.0.1 "+next))
				w.awaitLog(t, next, "Master is currently unable to PSYNC but should be in the future: -NOMASTERLINK")
			}
			for _, w := range all {
				require.Equal(t, "data", w.ask(t, "GET old"))
				require.Equal(t, "down", field(t, w.asker, "master_link_status"))
			}
			require.Equal(t, "OK", all[0].ask(t, "REPLICAOF NO ONE"))
			require.Equal(t, "OK", all[0].ask(t, "SET new data"))
			for _, w := range all[1:] {
				requireFollows(t, all[0].asker, w.asker)
			}
		})
	}
}

// A replica without the password of its master says so, and follows when it gets it.
func TestPasswordsOfMasters(t *testing.T) {
	kinds := map[string]string{"ours": built(t), "theirs": reference.Default.Path(t)}
	for _, pair := range [][2]string{{"ours", "ours"}, {"theirs", "ours"}, {"ours", "theirs"}} {
		t.Run(pair[1]+" of "+pair[0], func(t *testing.T) {
			t.Parallel()
			m := watchedServer(t, kinds[pair[0]], "--enable-debug-command", "yes")
			port := m.process.Port()
			require.Equal(t, "OK", m.ask(t, "CONFIG SET requirepass secret"))
			m.ask(t, "AUTH secret")
			m.ask(t, "SET k v")
			r := watchedServer(t, kinds[pair[1]], "--enable-debug-command", "yes")
			r.ask(t, "SET old data")
			r.ask(t, "REPLICAOF 127.0.0.1 "+port)
			r.awaitLog(t, port, "NOAUTH Authentication required.")
			r.ask(t, "CONFIG SET masterauth wrong")
			r.awaitLog(t, port, "WRONGPASS invalid username-password pair or user is disabled.")
			require.Equal(t, "data", r.ask(t, "GET old"))
			require.Equal(t, "down", field(t, r.asker, "master_link_status"))
			r.ask(t, "CONFIG SET masterauth secret")
			requireFollows(t, m.asker, r.asker)
		})
	}
}

// smallDisk returns a program that runs a server on a disk of its own, of a size that mount
// understands, and the directory for --dir.
func smallDisk(t *testing.T, server, size string) (path, dir string) {
	dir = t.TempDir()
	enter := "exec unshare --map-root-user --mount sh -c 'mount -t tmpfs -o size=" + size + " none " + dir +
		" && exec \"$@\"' sh "
	if out, err := exec.Command("sh", "-c", enter+"true").CombinedOutput(); err != nil {
		t.Skipf("NOT TRIED: a disk of its own cannot be mounted: %v\n%s", err, out)
	}
	path = filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+enter+server+" \"$@\"\n"), 0o700))
	return path, dir
}

// A replica that is shut down does not look for its master again.
func TestAReplicaEndsWithItsLink(t *testing.T) {
	m, port := master(t)
	r := watchedServer(t, built(t), "--enable-debug-command", "yes")
	r.ask(t, "REPLICAOF 127.0.0.1 "+port)
	requireFollows(t, m, r.asker)
	another, err := net.Dial(r.process.Network, r.process.Address)
	require.NoError(t, err)
	_, err = another.Write([]byte("SHUTDOWN NOSAVE\r\n"))
	require.NoError(t, err)
	eventually(t, "it has ended", func() bool { return strings.Contains(r.log(port), "bye bye") })
	log := r.log(port)
	require.Contains(t, log, "Finished with success")
	require.NotContains(t, log, "Reconnecting")
	require.Equal(t, 1, strings.Count(log, "Connecting to MASTER"), log)
}

// A replica whose disk is full goes on in memory and says what it could not write: a snapshot needs
// no disk, and the changes of a master cannot be refused. Redis ends by default in one of these
// cases, see replica-ignore-disk-write-errors.
func TestReplicasWithAFullDisk(t *testing.T) {
	servers := map[string][]string{"ours": {built(t)}, "theirs": {reference.Default.Path(t), "--repl-diskless-load",
		"swapdb", "--replica-ignore-disk-write-errors", "yes"}}
	for _, full := range []struct{ when, size, rewrite, write, ping string }{
		{"when it synchronizes", "300k", "err", "ok", "PONG"},
		{"when changes come", "1000k", "ok", "err", "MISCONF Errors writing to the AOF file: No space left on device"},
	} {
		for name, server := range servers {
			t.Run(full.when+", "+name, func(t *testing.T) {
				m, port := master(t)
				fill := `EVAL "for i = 1, 10000 do redis.call('set', KEYS[1] .. i, math.random() .. ' ' .. math.random() .. ' ' .. math.random()) end" 1 `
				m.ask(t, fill+"a")
				path, dir := smallDisk(t, server[0], full.size)
				r := watchedServer(t, path,
					append(server[1:], "--dir", dir, "--appendonly", "yes", "--enable-debug-command", "yes")...)
				r.ask(t, "SET old data")
				r.ask(t, "REPLICAOF 127.0.0.1 "+port)
				requireFollows(t, m, r.asker)
				eventually(t, "the file is rewritten, or not", func() bool {
					pending := field(t, r.asker, "aof_pending_rewrite")
					return field(t, r.asker, "aof_last_bgrewrite_status") == full.rewrite &&
						(full.rewrite == "err" || pending+field(t, r.asker, "aof_rewrite_in_progress") == "00")
				})
				m.ask(t, fill+"b")
				requireFollows(t, m, r.asker)
				eventually(t, "what came is written, or not", func() bool {
					m.ask(t, "INCR n")
					return field(t, r.asker, "aof_last_write_status") == full.write && r.ask(t, "PING") == full.ping
				})
				requireFollows(t, m, r.asker)
				require.Regexp(t, `(?i)no space left|short write`, r.log(port))
				require.Equal(t, "up", field(t, r.asker, "master_link_status"))
			})
		}
	}
}
