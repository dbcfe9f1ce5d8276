package e2e

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// asker asks a server.
type asker struct {
	net.Conn
	in *resp.Reader
}

func newAsker(t *testing.T, conn net.Conn, err error) *asker {
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &asker{conn, resp.NewReader(conn)}
}

func (a *asker) ask(t *testing.T, command string) string {
	t.Helper()
	args, ok := resp.Words([]byte(command), nil)
	require.True(t, ok)
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, arg := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	require.NoError(t, a.SetDeadline(time.Now().Add(2*time.Minute)))
	_, err := a.Write(b)
	require.NoError(t, err)
	v, err := a.in.Read()
	require.NoError(t, err)
	return v.Text
}

// exposed lets a server with a unix socket be reached by TCP, and returns the port.
func exposed(t *testing.T, socket string) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				to, err := net.Dial("unix", socket)
				if err != nil {
					return
				}
				defer to.Close()
				go io.Copy(to, c)
				io.Copy(c, to)
			}()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// stockAll makes keys of all types and returns them.
func stockAll(t *testing.T, a *asker) (keys string) {
	many := func(format string) string {
		var b strings.Builder
		for i := range 600 {
			fmt.Fprintf(&b, " "+format, i)
		}
		return b.String()
	}
	for _, command := range []string{"SET int 12345", "SET text hello", "SET long " + strings.Repeat("abc", 100_000),
		"SETBIT bits 1000 1", "PFADD hll a b c", "RPUSH list a 1 b",
		"RPUSH longlist" + many("element:%d"), "SADD ints 1 2 3", "SADD set a b 3", "SADD bigset" + many("member:%d"),
		"HSET hash f v n 5", "HSET bighash" + many("f%[1]d v%[1]d"), "ZADD zset 1 a 2.5 b -inf c",
		"ZADD bigzset" + many("%[1]d m%[1]d"), "XADD stream 1-1 f v", "XGROUP CREATE stream g 0", "XADD stream 2-1 f w",
		"XREADGROUP GROUP g me COUNT 1 STREAMS stream >", "SET lasting x PX 100000000"} {
		reply := a.ask(t, command)
		require.False(t, strings.HasPrefix(reply, "ERR"), "%.40s: %.80s", command, reply)
		if key := strings.Fields(command)[1]; !strings.Contains(keys, " "+key+" ") && !strings.HasPrefix(command, "X") {
			keys += " " + key
		}
	}
	return keys + " stream"
}

// Keys of all types go to a redis-server and come back, and are the same all the time.
func TestMigrateToRedisAndBack(t *testing.T) {
	redis := reference.Start(t, "--enable-debug-command", "yes")
	theirs := newAsker(t, redis.Dial(t), nil)
	port := exposed(t, redis.Socket)
	addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1", "--enable-debug-command", "yes")
	conn, err := net.Dial("tcp", addr)
	ours := newAsker(t, conn, err)
	_, home, err := net.SplitHostPort(addr)
	require.NoError(t, err)

	keys := stockAll(t, ours)
	digest, none := ours.ask(t, "DEBUG DIGEST"), strings.Repeat("0", 40)
	require.NotEqual(t, none, digest)
	require.Equal(t, "OK", ours.ask(t, `MIGRATE 127.0.0.1 `+port+` "" 0 20000 KEYS`+keys))
	require.Equal(t, none, ours.ask(t, "DEBUG DIGEST"))
	require.Equal(t, digest, theirs.ask(t, "DEBUG DIGEST"))
	require.Equal(t, "OK", theirs.ask(t, `MIGRATE 127.0.0.1 `+home+` "" 0 20000 KEYS`+keys))
	require.Equal(t, none, theirs.ask(t, "DEBUG DIGEST"))
	require.Equal(t, digest, ours.ask(t, "DEBUG DIGEST"))

	require.Equal(t, "OK", ours.ask(t, "MIGRATE 127.0.0.1 "+port+" text 0 20000 COPY"))
	require.Equal(t, "ERR Target instance replied with error: BUSYKEY Target key name already exists.",
		ours.ask(t, `MIGRATE 127.0.0.1 `+port+` "" 0 20000 KEYS int text`))
	require.Equal(t, "12345", theirs.ask(t, "GET int"))
	require.Equal(t, "", ours.ask(t, "GET int"))
	require.Equal(t, "hello", ours.ask(t, "GET text"))
	require.Equal(t, "ERR Target instance replied with error: ERR DB index is out of range",
		ours.ask(t, "MIGRATE 127.0.0.1 "+port+" text 99 20000"))
	require.Equal(t, "OK", ours.ask(t, "MIGRATE 127.0.0.1 "+port+" text 0 20000 REPLACE"))
	require.Equal(t, "", ours.ask(t, "GET text"))
	require.Equal(t, "OK", theirs.ask(t, "CONFIG SET requirepass secret"))
	require.Contains(t, ours.ask(t, "MIGRATE 127.0.0.1 "+port+" list 0 20000 AUTH wrong"),
		"replied with error: WRONGPASS")
	ours.ask(t, "EXPIREMEMBER set a 1000")
	require.Equal(t, "ERR Target instance replied with error: ERR Bad data format",
		ours.ask(t, "MIGRATE 127.0.0.1 "+port+" set 0 20000 AUTH secret"))
	require.Equal(t, "set", ours.ask(t, "TYPE set"), "Redis knows no deadlines of members")
	require.Equal(t, "OK", ours.ask(t, "MIGRATE 127.0.0.1 "+port+" list 0 20000 AUTH secret"))
	require.Equal(t, "OK", ours.ask(t, "MIGRATE 127.0.0.1 "+port+" hash 0 20000 AUTH2 default secret"))
}

// TestMigrateKeepsDeadlinesOfElements: from one miniserver to another nothing is lost.
func TestMigrateKeepsDeadlinesOfElements(t *testing.T) {
	var askers []*asker
	var ports []string
	for range 2 {
		addr, _, _ := launched(t, "--port", "0", "--bind", "127.0.0.1")
		conn, err := net.Dial("tcp", addr)
		askers = append(askers, newAsker(t, conn, err))
		_, port, err := net.SplitHostPort(addr)
		require.NoError(t, err)
		ports = append(ports, port)
	}
	a, b := askers[0], askers[1]
	a.ask(t, "SADD set a b")
	a.ask(t, "ZADD zset 1 a 2 b")
	a.ask(t, "RPUSH list a b a")
	a.ask(t, "HSET hash a 1 b 2")
	for key, letter := range map[string]string{"set": "S", "zset": "Z", "list": "L", "hash": "H"} {
		words := map[string]string{"set": "MEMBERS", "zset": "MEMBERS", "list": "ELEMENTS", "hash": "FIELDS"}
		a.ask(t, letter+"PEXPIREAT "+key+" 50000000000000 "+words[key]+" 1 a")
		require.Equal(t, "OK", a.ask(t, "MIGRATE 127.0.0.1 "+ports[1]+" "+key+" 0 20000"))
		require.Equal(t, "none", a.ask(t, "TYPE "+key))
		for element, want := range map[string]string{"a": "50000000000000", "b": "-1"} {
			script := "return string.format('%.0f', redis.call('" + letter + "PEXPIRETIME', KEYS[1], '" + words[key] +
				"', 1, ARGV[1])[1])"
			require.Equal(t, want, b.ask(t, `EVAL "`+script+`" 1 `+key+" "+element), key)
		}
	}
}
