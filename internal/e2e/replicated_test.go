package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// sequence is commands after which replicas are compared. Its lines are, in
// testdata/replicated.txt:
//
//	# title
//	SET k v            a command; {target} stands for the host and port of another server, which
//	                   is empty
//	a> BLPOP k 0       a command on a further connection, whose reply may come later
//	~ 20ms             a pause
//	! reason           the streams differ, and why
//	! redis:7.0 reason     the same for one release
type sequence struct {
	title string
	lines []string
	known map[string]string // reasons by release; "" for all
}

func sequences(t *testing.T) (list []sequence) {
	text, err := os.ReadFile("testdata/replicated.txt")
	require.NoError(t, err)
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		s := sequence{title: strings.TrimPrefix(lines[0], "# "), known: map[string]string{}}
		for _, line := range lines[1:] {
			reason, known := strings.CutPrefix(line, "! ")
			if !known {
				s.lines = append(s.lines, line)
				continue
			}
			like, rest, _ := strings.Cut(reason, " ")
			if !strings.Contains(like, ":") {
				like, rest = "", reason
			}
			s.known[like] = rest
		}
		list = append(list, s)
	}
	return list
}

// observed is a server, and the replica that listens to it.
type observed struct {
	network, addr string
	control       *asker
	stream        *resp.Reader
	target        *target
}

// target is a server for MIGRATE.
type target struct {
	place   string // host and port
	control *asker
}

// newTarget starts a server for MIGRATE.
func newTarget(t *testing.T) *target {
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1")
	conn, err := net.Dial("tcp", addr)
	return &target{strings.Replace(addr, ":", " ", 1), newAsker(t, conn, err)}
}

// observe attaches a replica to a server.
func observe(t *testing.T, network, addr string, to *target) *observed {
	dial := func() net.Conn {
		conn, err := net.Dial(network, addr)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Minute)))
		return conn
	}
	conn := dial()
	_, err := conn.Write([]byte("PSYNC ? -1\r\n"))
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	size := 0
	for size == 0 {
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		fmt.Sscanf(line, "$%d", &size)
	}
	_, err = io.CopyN(io.Discard, in, int64(size))
	require.NoError(t, err)
	o := &observed{network, addr, newAsker(t, dial(), nil), resp.NewReader(in), to}
	o.control.ask(t, "DEBUG SET-ACTIVE-EXPIRE 0") // a key expires when it is looked at
	return o
}

// received returns what the replica receives until a message on the channel replicated.
func (o *observed) received(t *testing.T) (lines []string) {
	for {
		v, err := o.stream.Read()
		require.NoError(t, err)
		var words []string
		for _, arg := range v.Elems {
			words = append(words, fmt.Sprintf("%q", arg.Text))
		}
		switch line := strings.Join(words, " "); {
		case strings.HasPrefix(line, `"PUBLISH" "replicated"`):
			return lines
		case words[0] != `"PING"` && words[0] != `"ping"`:
			lines = append(lines, times.ReplaceAllString(line, "<time>"))
		}
	}
}

// times matches what differs between two runs: times in milliseconds and seconds.
var times = regexp.MustCompile(`\b1[0-9]{12}\b|\b1[0-9]{9}\b`)

// run runs a sequence on an empty server and returns what the replica received meanwhile.
func (o *observed) run(t *testing.T, s sequence) string {
	o.control.ask(t, "FLUSHALL")
	o.control.ask(t, "FUNCTION FLUSH")
	o.control.ask(t, "PUBLISH replicated begin")
	o.received(t)
	o.target.control.ask(t, "FLUSHALL")
	conn, err := net.Dial(o.network, o.addr)
	client, others := newAsker(t, conn, err), map[string]*asker{}
	for _, line := range s.lines {
		line = strings.ReplaceAll(line, "{target}", o.target.place)
		name, command, other := strings.Cut(line, "> ")
		switch {
		case strings.HasPrefix(line, "~ "):
			pause, err := time.ParseDuration(line[2:])
			require.NoError(t, err)
			time.Sleep(pause)
		case other && len(name) == 1:
			if others[name] == nil {
				conn, err := net.Dial(o.network, o.addr)
				others[name] = newAsker(t, conn, err)
				others[name].ask(t, "CLIENT SETNAME "+name)
			}
			_, err := others[name].Write([]byte(command + "\r\n"))
			require.NoError(t, err)
			o.awaitCommand(t, name, command)
		default:
			client.ask(t, line)
		}
	}
	o.control.ask(t, "PUBLISH replicated end")
	return strings.Join(o.received(t), "\n")
}

// knows reports whether the server knows a command.
func (a *asker) knows(t *testing.T, name string) bool {
	_, err := a.Write([]byte("COMMAND INFO " + name + "\r\n"))
	require.NoError(t, err)
	v, err := a.in.Read()
	require.NoError(t, err)
	return len(v.Elems) == 1 && !v.Elems[0].IsNull()
}

// awaitCommand waits until the client of a name has executed a command, or is blocked in it, unless
// the server does not know it. The client has not executed the same before.
func (o *observed) awaitCommand(t *testing.T, name, command string) {
	word, _, _ := strings.Cut(strings.ToLower(command), " ")
	if !o.control.knows(t, word) {
		return
	}
	eventually(t, command+" is executed", func() bool {
		for line := range strings.Lines(o.control.ask(t, "CLIENT LIST")) {
			if strings.Contains(line, " name="+name+" ") && strings.Contains(line, " cmd="+word+" ") {
				return true
			}
		}
		return false
	})
}

// TestReplicasReceiveWhatRedisSends compares, command for command, what a replica receives of a
// server and of a redis-server.
func TestReplicasReceiveWhatRedisSends(t *testing.T) {
	releases := []reference.Release{reference.Default, reference.Redis80, reference.Redis70,
		reference.Valkey81, reference.Redis62, "redis:7.2", "redis:7.4"}
	for _, r := range releases[:quick.Rounds(len(releases))] {
		t.Run(string(r), func(t *testing.T) {
			t.Parallel()
			target := newTarget(t)
			theirs := observe(t, "unix", r.Start(t).Socket, target)
			addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--enable-debug-command", "yes",
				"--like", string(r))
			ours := observe(t, "tcp", addr, target)
			for _, s := range sequences(t) {
				_, known := s.known[""]
				if _, here := s.known[string(r)]; here {
					known = true
				}
				want, got := theirs.run(t, s), ours.run(t, s)
				// A short deadline may pass too early on a busy machine.
				for again := 0; want != got && !known && again < 5; again++ {
					want, got = theirs.run(t, s), ours.run(t, s)
				}
				switch differs := want != got; {
				case known && !differs:
					t.Errorf("%s: no difference any more", s.title)
				case differs && !known:
					t.Errorf("%s\n redis sends\n%s\n this server sends\n%s", s.title, want, got)
				}
			}
		})
	}
}
