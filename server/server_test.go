package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	aclcmds "github.com/miniserver-go/miniserver/internal/commands/acl"
	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
	"github.com/miniserver-go/miniserver/internal/commands/zsets"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/release"
)

// patience is how long a test waits for something that must happen; a busy machine can stall.
const patience = 2 * time.Minute

// running is a server under test.
type running struct {
	*Server
	engine *engine.Engine
	stop   context.CancelFunc
	ended  chan error
	log    *syncBuffer
}

// start runs a server with the core families until the test ends.
func start(t *testing.T, opts Options) *running { return startWith(t, opts, func(*engine.Engine) {}) }

// startWith is start with parameters that are set before the server runs.
func startWith(t *testing.T, opts Options, set func(e *engine.Engine)) *running {
	t.Helper()
	return startLike(t, &release.Default, opts, set)
}

// startLike is startWith for a server that behaves as a release.
func startLike(t *testing.T, like *release.Release, opts Options, set func(e *engine.Engine)) *running {
	t.Helper()
	r := &running{ended: make(chan error, 1), log: &syncBuffer{}}
	r.engine = engine.New(engine.Options{Clock: Clock(), Seed: 1, Release: like})
	r.engine.Join(engine.Commands(stringcmds.Family, keys.Family, keys.Databases, lists.Family, zsets.Family,
		servercmds.Family), configcmds.Part(r.engine.Release), shutdown.Part(r.engine), aclcmds.Part(r.engine),
		pubsub.Part(), transactions.Part())
	r.engine.Join(clients.Parts(r.engine)...)
	if opts.Bind == nil {
		opts.Bind = []string{"127.0.0.1"}
	}
	opts.Log = NewLog(r.engine, r.log)
	r.Server = New(r.engine, opts)
	set(r.engine)
	require.NoError(t, r.Listen())
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	go func() { r.ended <- r.Run(ctx) }()
	t.Cleanup(func() {
		r.stop()
		require.NoError(t, r.await(t))
	})
	return r
}

// await waits for the end of the server and returns its error.
func (r *running) await(t *testing.T) error {
	select {
	case err := <-r.ended:
		r.ended <- nil
		return err
	case <-time.After(patience):
		t.Fatal("the server does not end")
		return nil
	}
}

// client is a connection that reads lines.
type client struct {
	net.Conn
	*bufio.Reader
	t *testing.T
}

func (c *client) Read(p []byte) (int, error) { return c.Reader.Read(p) }

func (r *running) dial(t *testing.T) *client {
	t.Helper()
	addr := r.Addrs()[0]
	network := "tcp"
	if filepath.IsAbs(addr) {
		network = "unix"
	}
	nc, err := net.Dial(network, addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	return newClient(t, nc)
}

func newClient(t *testing.T, nc net.Conn) *client {
	return &client{nc, bufio.NewReader(patientReader{nc}), t}
}

// patientReader reads with a timeout for each read.
type patientReader struct{ net.Conn }

func (r patientReader) Read(p []byte) (int, error) {
	if err := r.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	return r.Conn.Read(p)
}

func (c *client) send(text string) {
	c.t.Helper()
	_, err := c.Write([]byte(text))
	require.NoError(c.t, err)
}

// line returns the next line without its end.
func (c *client) line() string {
	c.t.Helper()
	line, err := c.ReadString('\n')
	require.NoError(c.t, err)
	return strings.TrimSuffix(line, "\r\n")
}

// ask sends a line and returns the first line of the reply.
func (c *client) ask(text string) string {
	c.t.Helper()
	c.send(text + "\r\n")
	return c.line()
}

// bulk returns the text that a command replies.
func (c *client) bulk(command string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(c.ask(command), "$"))
	require.NoError(c.t, err)
	text := make([]byte, n+len("\r\n"))
	_, err = io.ReadFull(c.Reader, text)
	require.NoError(c.t, err)
	return string(text[:n])
}

// closed requires that the server sends nothing more and has closed the connection.
func (c *client) closed() {
	c.t.Helper()
	rest, err := io.ReadAll(c)
	require.Empty(c.t, string(rest))
	if err != nil { // if input is unread when the server closes, the system resets the connection
		require.ErrorContains(c.t, err, "reset")
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), what)
	}
}

func TestPipelineIsAnsweredInOrder(t *testing.T) {
	c := start(t, Options{}).dial(t)
	var in, want strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&in, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%d\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n",
			len(strconv.Itoa(i)), i)
		fmt.Fprintf(&want, "+OK\r\n$%d\r\n%d\r\n", len(strconv.Itoa(i)), i)
	}
	go c.Write([]byte(in.String()))
	got := make([]byte, want.Len())
	_, err := io.ReadFull(c, got)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got))
}

func TestOneByteAtATime(t *testing.T) {
	c := start(t, Options{}).dial(t)
	require.NoError(t, c.Conn.(*net.TCPConn).SetNoDelay(true))
	for _, b := range []byte("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\nGET k\r\nPING\r\n") {
		c.send(string(b))
	}
	got := make([]byte, len("+OK\r\n$2\r\n\r\n\r\n+PONG\r\n"))
	_, err := io.ReadFull(c, got)
	require.NoError(t, err)
	require.Equal(t, "+OK\r\n$2\r\n\r\n\r\n+PONG\r\n", string(got))
}

func TestProtocolErrorEndsTheConnection(t *testing.T) {
	like, err := release.Find("redis:8.0")
	require.NoError(t, err)
	r := startLike(t, like, Options{}, func(*engine.Engine) {})
	for in, want := range broken {
		c := r.dial(t)
		c.send("PING\r\n" + in)
		if want != errBrowser { // as in Redis, which drops the replies to commands of the same read
			require.Equal(t, "+PONG", c.line())
			require.Equal(t, "-"+strings.ReplaceAll(want.Error(), "\r", " "), c.line(), "%.40q", in)
		}
		c.closed()
	}
	require.Contains(t, r.log.String(), "Cross Protocol Scripting")
	require.Equal(t, "+PONG", r.dial(t).ask("PING"), "other connections go on")
}

// As in Redis, a client that wants no replies does not get the error either.
func TestProtocolErrorWithoutReplies(t *testing.T) {
	r := start(t, Options{})
	for _, mode := range []string{"OFF", "SKIP"} {
		c := r.dial(t)
		c.send("CLIENT REPLY " + mode + "\r\n*1 \r\n")
		c.closed()
	}
}

func TestBigValues(t *testing.T) {
	c := start(t, Options{}).dial(t)
	value := strings.Repeat("0123456789abcdef", 1<<20)
	go c.Write([]byte(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\nGET k\r\nPING\r\n", len(value), value)))
	require.Equal(t, "+OK", c.line())
	require.Equal(t, fmt.Sprintf("$%d", len(value)), c.line())
	got := make([]byte, len(value)+2)
	_, err := io.ReadFull(c, got)
	require.NoError(t, err)
	require.True(t, string(got) == value+"\r\n")
	require.Equal(t, "+PONG", c.line())
}

// Long commands arrive in buffers that one connection passes on to the next.
// A large argument is read into the input itself, whatever comes before it, behind it and in the
// same pieces.
func TestLargeArgumentsInAnyPieces(t *testing.T) {
	r := start(t, Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{largePart - 1, batchBytes, batchBytes + 1, 3*batchBytes - 7, maxInput - 2,
		maxInput + batchBytes, 5 << 20} {
		c := r.dial(t)
		value := make([]byte, size)
		for i := range value {
			value[i] = byte('a' + rng.IntN(26))
		}
		text := fmt.Sprintf("*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n*5\r\n$4\r\nMSET\r\n$1\r\na\r\n$%d\r\n%s\r\n$1\r\nb\r\n"+
			"$%[1]d\r\n%[2]s\r\nPING\r\n", size, value)
		go func() {
			rest, rng := []byte(text), rand.New(rand.NewPCG(3, uint64(size)))
			for len(rest) > 0 {
				n := min(len(rest), 1+rng.IntN(3*batchBytes))
				if _, err := c.Write(rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
		}()
		require.Equal(t, []string{"$2", "hi", "+OK", "+PONG"}, []string{c.line(), c.line(), c.line(), c.line()})
		for _, key := range []string{"a", "b"} {
			require.Equal(t, fmt.Sprintf("$%d", size), c.ask("GET "+key))
			require.True(t, string(value) == c.line(), "the value of %s, %d bytes", key, size)
		}
	}
}

func TestLongCommandsDoNotMix(t *testing.T) {
	r := start(t, Options{Loops: 2})
	var peers sync.WaitGroup
	for id := range 4 {
		c := r.dial(t)
		peers.Go(func() {
			for round := range 20 {
				value := strings.Repeat(fmt.Sprintf("%d.%d ", id, round), (60+50*(round%10))<<10/4)
				set := fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\n%d\r\n$%d\r\n%s\r\n", id, len(value), value)
				half := len(set) / 2
				c.send(set[:half])
				c.send(set[half:] + fmt.Sprintf("GET %d\r\n", id))
				c.line()
				c.line()
				got := make([]byte, len(value)+2)
				if _, err := io.ReadFull(c, got); err != nil || string(got) != value+"\r\n" {
					t.Errorf("peer %d, round %d: another value came back (%v)", id, round, err)
				}
			}
		})
	}
	peers.Wait()
}

func TestBulkLimitFollowsTheParameter(t *testing.T) {
	c := start(t, Options{}).dial(t)
	require.Equal(t, "+OK", c.ask("CONFIG SET proto-max-bulk-len 1mb"))
	c.send("*2\r\n$4\r\nECHO\r\n$1048577\r\n")
	require.Equal(t, "-"+string(errBulk), c.line())
	c.closed()
}

func TestQueryBufferLimit(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	require.Equal(t, "+OK", c.ask("CONFIG SET client-query-buffer-limit 1mb"))
	go c.Write([]byte("*2\r\n$4\r\nECHO\r\n$2000000\r\n" + strings.Repeat("x", 2000000)))
	c.closed()
	require.Contains(t, r.log.String(), "max query buffer length")
}

// As in Redis 8.0 the limit counts what MULTI has queued, but not the arguments that are parsed.
func TestQueryBufferLimitCountsQueuedCommands(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	require.Equal(t, "+OK", c.ask("CONFIG SET client-query-buffer-limit 1mb"))
	arg := "$300000\r\n" + strings.Repeat("x", 300_000) + "\r\n"
	c.send("*10\r\n$5\r\nRPUSH\r\n$1\r\nl\r\n" + strings.Repeat(arg, 8))
	require.Equal(t, ":8", c.line())
	for range 2 {
		require.Equal(t, "+OK", c.ask("MULTI"))
		for range 3 {
			require.Equal(t, "+QUEUED", c.ask("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n"+arg))
		}
		require.Equal(t, "+OK", c.ask("DISCARD"))
	}
	require.Equal(t, "+OK", c.ask("MULTI"))
	go c.Write([]byte(strings.Repeat("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n"+arg, 5)))
	_, _ = io.ReadAll(c) // to the end of the connection
	require.Contains(t, r.log.String(), "max query buffer length")
}

// Before AUTH the input is limited to 1 MB, as in Redis 8.0. It only grows so far during CLIENT
// PAUSE.
func TestQueryBufferLimitBeforeAUTH(t *testing.T) {
	r := start(t, Options{})
	admin, early := r.dial(t), r.dial(t)
	require.Equal(t, "+PONG", early.ask("PING"))
	require.Equal(t, "+OK", admin.ask("CONFIG SET requirepass secret"))
	late := r.dial(t)
	require.Equal(t, "-NOAUTH Authentication required.", late.ask("PING"))
	require.Equal(t, "+OK", admin.ask("CLIENT PAUSE 100000 ALL"))
	input := "AUTH secret\r\n" + strings.Repeat("PING "+strings.Repeat("x", 10_000)+"\r\n", 130)
	early.send(input)
	go late.Write([]byte(input))
	late.closed()
	eventually(t, "the input of the client that needed no AUTH waits", func() (waits bool) {
		r.engine.With(func() {
			for _, s := range r.engine.Sessions.ByID {
				waits = waits || s.Query.Load() == int64(len(input))
			}
		})
		return waits
	})
}

// A client that reads late gets all replies, also after QUIT.
func TestSlowReaderGetsEverything(t *testing.T) {
	c := start(t, Options{}).dial(t)
	value := strings.Repeat("x", 1<<20)
	c.send(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n", len(value), value))
	require.Equal(t, "+OK", c.line())
	const times = 64
	c.send(strings.Repeat("GET k\r\n", times) + "QUIT\r\nPING\r\n")
	time.Sleep(100 * time.Millisecond) // let it pile up
	all, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Len(t, all, times*len(fmt.Sprintf("$%d\r\n%s\r\n", len(value), value))+len("+OK\r\n"))
	require.True(t, bytes.HasSuffix(all, []byte("\r\n+OK\r\n")))
}

// Replies of all sizes leave in order, to a client that reads now and then.
func TestUnreadRepliesKeepTheirOrder(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var commands, want bytes.Buffer
	for i := range 2000 {
		size := rng.IntN(1 << rng.IntN(19))
		reply := fmt.Sprintf("$%d\r\n%s\r\n", size+10, fmt.Sprintf("%010d", i)+strings.Repeat("x", size))
		want.WriteString(reply)
		commands.WriteString("*2\r\n$4\r\nECHO\r\n" + reply)
	}
	go func() {
		for commands.Len() > 0 {
			_, _ = c.Conn.Write(commands.Next(100_000))
		}
	}()
	eventually(t, "output waits", func() bool { return r.unsent() > 0 })
	got := make([]byte, want.Len())
	for at := 0; at < len(got); {
		n, err := io.ReadFull(c.Conn, got[at:min(len(got), at+rng.IntN(1<<20))])
		require.NoError(t, err)
		at += n
		time.Sleep(time.Millisecond)
	}
	require.True(t, bytes.Equal(want.Bytes(), got))
}

func TestOutputLimitEndsAClientThatDoesNotRead(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	require.Equal(t, "+OK", c.ask(`CONFIG SET client-output-buffer-limit "normal 18446744073709551615 0 0"`))
	require.Equal(t, "+PONG", c.ask("PING"))
	require.Equal(t, "+OK", c.ask(`CONFIG SET client-output-buffer-limit "normal 1mb 0 0"`))
	require.Equal(t, "*2", c.ask("CONFIG GET client-output-buffer-limit"))
	c.line()
	c.line()
	c.line()
	require.Equal(t, "normal 1048576 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", c.line())
	value := strings.Repeat("x", 1<<20)
	c.send(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n", len(value), value))
	require.Equal(t, "+OK", c.line())
	c.send(strings.Repeat("GET k\r\n", 64))
	eventually(t, "the connection is closed", func() bool { return r.counts.clients.Load() == 0 })
	require.Contains(t, r.log.String(), "output buffer limits")
}

func TestHangUpWhileBlocked(t *testing.T) {
	r := start(t, Options{})
	gone, other := r.dial(t), r.dial(t)
	gone.send("BZPOPMIN z 0\r\nPING\r\n")
	eventually(t, "it is blocked", func() bool { return strings.Contains(r.info(), "blocked_clients:1") })
	gone.Close()
	eventually(t, "its wait is over", func() bool { return strings.Contains(r.info(), "blocked_clients:0") })
	require.Equal(t, ":1", other.ask("ZADD z 1 a"))
	require.Equal(t, ":1", other.ask("ZCARD z"), "nothing is popped for a client that is gone")
}

func (r *running) info() string { return r.inside("INFO clients") }

// inside executes a command without a connection.
func (r *running) inside(command string) string {
	s := r.engine.NewSession(nil)
	defer r.engine.Close(s)
	return string(r.engine.Do(s, [][][]byte{bytes.Fields([]byte(command))}).Out)
}

func TestBlockedClientIsServedAndGoesOn(t *testing.T) {
	r := start(t, Options{})
	waiting, other := r.dial(t), r.dial(t)
	waiting.send("BZPOPMIN z 0\r\nPING\r\n")
	eventually(t, "it is blocked", func() bool { return strings.Contains(r.info(), "blocked_clients:1") })
	waiting.send("ECHO late\r\n")
	require.Equal(t, ":1", other.ask("ZADD z 1 a"))
	require.Equal(t, "*3", waiting.line())
	for range 6 {
		waiting.line()
	}
	require.Equal(t, "+PONG", waiting.line(), "what was sent with the command")
	require.Equal(t, "$4", waiting.line())
	require.Equal(t, "late", waiting.line(), "what was sent meanwhile")
}

func TestTimeoutOfABlockedClient(t *testing.T) {
	c := start(t, Options{}).dial(t)
	require.Equal(t, "*-1", c.ask("BZPOPMIN z 0.02"))
	require.Equal(t, "+PONG", c.ask("PING"))
}

func TestPauseHoldsCommandsBack(t *testing.T) {
	r := start(t, Options{})
	a, b := r.dial(t), r.dial(t)
	require.Equal(t, "+OK", a.ask("CLIENT PAUSE 100000 WRITE"))
	b.send("PING\r\nSET k v\r\nGET k\r\n")
	require.Equal(t, "+PONG", b.line())
	eventually(t, "the write waits", func() bool { return strings.Contains(r.info(), "blocked_clients:1") })
	require.Equal(t, "$-1", a.ask("GET k"))
	require.Equal(t, "+OK", a.ask("CLIENT UNPAUSE"))
	require.Equal(t, "+OK", b.line())
	require.Equal(t, "$1", b.line())
	require.Equal(t, "v", b.line())
	require.Equal(t, "+OK", a.ask("CLIENT PAUSE 30 ALL"))
	require.Equal(t, "+OK", b.ask("SET k w"), "the pause ends by itself")
}

func TestKillEndsOtherConnections(t *testing.T) {
	r := start(t, Options{})
	a, b := r.dial(t), r.dial(t)
	require.Equal(t, "+PONG", b.ask("PING"))
	require.Equal(t, ":1", a.ask("CLIENT KILL ADDR "+b.LocalAddr().String()))
	b.closed()
	require.Equal(t, ":1", a.ask("CLIENT KILL ADDR "+a.LocalAddr().String()+" SKIPME NO"))
	a.closed()
}

func TestMessagesReachOtherLoops(t *testing.T) {
	r := start(t, Options{Loops: 3})
	var listeners []*client
	for range 6 {
		c := r.dial(t)
		require.Equal(t, "*3", c.ask("SUBSCRIBE news"))
		for range 5 {
			c.line()
		}
		listeners = append(listeners, c)
	}
	p := r.dial(t)
	for i := range 100 {
		require.Equal(t, ":6", p.ask(fmt.Sprintf("PUBLISH news %d", i)))
	}
	for _, c := range listeners {
		for i := range 100 {
			require.Equal(t, "*3", c.line())
			for range 5 {
				c.line()
			}
			require.Equal(t, strconv.Itoa(i), c.line())
		}
	}
}

// A subscriber that does not read is closed at its limit, and other clients do not notice.
func TestSlowListenerIsClosed(t *testing.T) {
	r := start(t, Options{})
	p, slow := r.dial(t), r.dial(t)
	require.Equal(t, "+OK", p.ask(`CONFIG SET client-output-buffer-limit "pubsub 2mb 0 0"`))
	require.Equal(t, "*3", slow.ask("SUBSCRIBE news"))
	message := strings.Repeat("x", 1<<20)
	receivers := 1
	for i := 0; receivers > 0; i++ {
		require.Less(t, i, 64, "the listener is still there")
		p.send(fmt.Sprintf("*3\r\n$7\r\nPUBLISH\r\n$4\r\nnews\r\n$%d\r\n%s\r\n", len(message), message))
		_, err := fmt.Sscanf(p.line(), ":%d", &receivers)
		require.NoError(t, err)
	}
	require.Equal(t, "+PONG", p.ask("PING"))
}

func TestTooManyClients(t *testing.T) {
	r := start(t, Options{MaxClients: 2})
	a, b := r.dial(t), r.dial(t)
	require.Equal(t, "+PONG", a.ask("PING"))
	require.Equal(t, "+PONG", b.ask("PING"))
	c := r.dial(t)
	require.Equal(t, "-ERR max number of clients reached", c.line())
	c.closed()
	b.Close()
	eventually(t, "there is room again", func() bool { return r.counts.clients.Load() == 1 })
	require.Equal(t, "+PONG", r.dial(t).ask("PING"))
}

// A busy event loop adopts in one round all connections that came meanwhile.
func TestConnectionsDoNotWaitForEachOther(t *testing.T) {
	const crowd = 20
	r := start(t, Options{Loops: 1})
	var all []*client
	r.engine.With(func() { // the loop waits with the first connection for the engine
		for range crowd {
			all = append(all, r.dial(t))
		}
		eventually(t, "all are accepted", func() bool { return r.counts.clients.Load() == crowd })
	})
	for _, c := range all {
		require.Equal(t, "+PONG", c.ask("PING"))
	}
}

func TestPortZeroPicksOnePortForAllAddresses(t *testing.T) {
	r := start(t, Options{Bind: []string{"127.0.0.1", "-::1"}})
	_, port, err := net.SplitHostPort(r.Addrs()[0])
	require.NoError(t, err)
	require.NotEqual(t, "0", port)
	for _, addr := range r.Addrs() {
		require.Contains(t, addr, ":"+port)
	}
	eventually(t, "one line of the log shows the addresses", func() bool {
		return strings.Contains(r.log.String(), "Ready to accept connections tcp "+strings.Join(r.Addrs(), " "))
	})
	c := r.dial(t)
	require.Equal(t, "*2", c.ask("CONFIG GET port"))
	c.line()
	c.line()
	c.line()
	require.Equal(t, port, c.line())
}

func TestUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "unix") // t.TempDir can be too long for a socket's path
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	stale, err := net.Listen("unix", path)
	require.NoError(t, err)
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	r := start(t, Options{Port: -1, UnixSocket: path, UnixPerm: 0o700})
	require.Equal(t, []string{path}, r.Addrs())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	c := r.dial(t)
	require.Equal(t, "$", c.ask("CLIENT INFO")[:1])
	require.Contains(t, c.line(), " addr="+path+":0 laddr="+path+":0 ")
}

func TestAddressInUse(t *testing.T) {
	r := start(t, Options{})
	_, port, _ := net.SplitHostPort(r.Addrs()[0])
	n, _ := strconv.Atoi(port)
	second := New(engine.New(engine.Options{Clock: Clock()}), Options{Bind: []string{"127.0.0.1"}, Port: n})
	require.ErrorContains(t, second.Run(context.Background()), "Address already in use")
	third := New(engine.New(engine.Options{Clock: Clock()}), Options{Port: -1})
	require.ErrorContains(t, third.Run(context.Background()), "no address to listen on")
}

func TestShutdownCommand(t *testing.T) {
	r := start(t, Options{})
	c, idle := r.dial(t), r.dial(t)
	require.Equal(t, "+PONG", idle.ask("PING"))
	c.send("SHUTDOWN NOSAVE\r\n")
	c.closed()
	idle.closed()
	require.NoError(t, r.await(t))
	_, err := net.Dial("tcp", r.Addrs()[0])
	require.Error(t, err)
}

func TestEndOfTheContextClosesConnections(t *testing.T) {
	r := start(t, Options{})
	idle, blocked := r.dial(t), r.dial(t)
	require.Equal(t, "+PONG", idle.ask("PING"))
	blocked.send("BZPOPMIN z 0\r\n")
	eventually(t, "it is blocked", func() bool { return strings.Contains(r.info(), "blocked_clients:1") })
	r.stop()
	require.NoError(t, r.await(t))
	idle.closed()
	blocked.closed()
}

// TestIdleConnectionsAreClosed includes clients that only seem to be idle. Their last command is
// older than that of the idle client, so a server that closed them by mistake would do so first.
func TestIdleConnectionsAreClosed(t *testing.T) {
	quick.Skip(t, "waits two seconds")
	r := start(t, Options{})
	blocked, listening, idle := r.dial(t), r.dial(t), r.dial(t)
	blocked.send("BLPOP q 0\r\n")
	require.Equal(t, "*3", listening.ask("SUBSCRIBE news"))
	eventually(t, "it is blocked", func() bool { return strings.Contains(r.info(), "blocked_clients:1") })
	require.Equal(t, "+PONG", idle.ask("PING"))
	require.Equal(t, "+OK\r\n", r.inside("CONFIG SET timeout 1"))
	idle.closed()
	require.Equal(t, ":1\r\n", r.inside("PUBLISH news hello"))
	require.Equal(t, ":1\r\n", r.inside("RPUSH q first"))
	reply := make([]byte, len("*2\r\n$1\r\nq\r\n$5\r\nfirst\r\n"))
	_, err := io.ReadFull(blocked, reply)
	require.NoError(t, err)
	require.Equal(t, "*2\r\n$1\r\nq\r\n$5\r\nfirst\r\n", string(reply))
	blocked.closed() // it sends no further command, so it is idle now

	require.Equal(t, "+OK\r\n", r.inside("CONFIG SET timeout 0"))
	require.Equal(t, ":1\r\n", r.inside("RPUSH q second"))
	again := r.dial(t)
	require.Equal(t, "*2", again.ask("BLPOP q 0"), "a client that returns continues")
	require.Equal(t, []string{"$1", "q", "$6", "second"},
		[]string{again.line(), again.line(), again.line(), again.line()})
	require.Equal(t, ":1\r\n", r.inside("PUBLISH news bye"), "the listener is still there")
}

// The client need not send anything for its output to be counted as sent.
func TestOutputIsCountedUntilTheClientHasReadIt(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	value := strings.Repeat("x", 1<<20)
	c.send(fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n", len(value), value))
	require.Equal(t, "+OK", c.line())
	c.send(strings.Repeat("GET k\r\n", 64))
	eventually(t, "output waits", func() bool { return r.unsent() > 1<<20 })
	_, err := io.CopyN(io.Discard, c, 64*int64(len("$1048576\r\n")+len(value)+len("\r\n")))
	require.NoError(t, err)
	eventually(t, "nothing waits", func() bool { return r.unsent() == 0 })
}

// unsent returns the bytes of output that clients have not taken.
func (r *running) unsent() (n int64) {
	r.engine.With(func() {
		for _, s := range r.engine.Sessions.ByID {
			n += s.Unsent.Load()
		}
	})
	return n
}
