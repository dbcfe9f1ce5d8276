package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/miniredis/server"
)

// echo is a server with the command ECHO.
func echo(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(s.Close)
	require.NoError(t, s.Register("ECHO", func(c *server.Peer, cmd string, args []string) {
		c.WriteBulk(cmd + " " + strings.Join(args, " "))
	}))
	return s
}

// talk sends bytes, and returns what the server sends until it hangs up, which it does when the
// client sends no more.
func talk(t *testing.T, s *server.Server, sent string) string {
	t.Helper()
	c, err := net.DialTCP("tcp", nil, s.Addr())
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte(sent))
	require.NoError(t, err)
	_ = c.CloseWrite() // the server may have hung up
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	got, err := io.ReadAll(c)
	require.NoError(t, err)
	return string(got)
}

func TestRequests(t *testing.T) {
	s := echo(t)
	const error = "-ERR Protocol error: "
	for sent, want := range map[string]string{
		"":                                "",
		"*2\r\n$4\r\necho\r\n$1\r\na\r\n": "$6\r\nECHO a\r\n",
		"echo 'a b' \"c\\n\"\r\n":         "$11\r\nECHO a b c\n\r\n",
		"\r\n*0\r\n*-1\r\n \r\necho\n":    "$5\r\nECHO \r\n",
		"nope x 'y z'\r\n":                "-ERR unknown command 'nope', with args beginning with: 'x' 'y z' \r\n",
		"echo 'a\r\n":                     error + "unbalanced quotes in request\r\n",
		"echo\r\n*x\r\necho\r\n":          "$5\r\nECHO \r\n" + error + "invalid multibulk length\r\n",
		"*1048577\r\n":                    error + "invalid multibulk length\r\n",
		"*99999999999999999999\r\n":       error + "invalid multibulk length\r\n",
		"*1\r\n$-1\r\n":                   error + "invalid bulk length\r\n",
		"*1\r\n$536870913\r\n":            error + "invalid bulk length\r\n",
		"*1\r\n:1\r\n":                    error + "expected '$', got ':'\r\n",
		"*1\r\n\r\n":                      error + "expected '$', got ' '\r\n",
		"*1\r\n$536870912\r\nshort":       "",
		"*1000000\r\n$1\r\na\r\n":         "",
	} {
		require.Equal(t, want, talk(t, s, sent), "%.50q", sent)
	}
	require.Equal(t, "$8\r\nECHO a\r\n\r\n", talk(t, s, "*2\r\n$4\r\nECHO\r\n$3\r\na\r\n\r\n"), "any bytes")
}

// Whatever a client sends, its connection ends when it hangs up, and what the server has sent until
// then are replies.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"*2\r\n$4\r\necho\r\n$1\r\na\r\n", "echo 'a b' \"\\x00\"\r\n", "*1\r\n$-1\r\n", "*-1\r\n*0\r\n",
		"*2\r\n$4\r\necho", "*1\r\n$99999\r\n", "\x00\xff\r\n", "*1048576\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		s := server.NewServerConn()
		require.NoError(t, s.Register("ECHO", func(c *server.Peer, _ string, args []string) { c.WriteStrings(args) }))
		client, end := net.Pipe()
		s.ServeConn(end)
		replies := make(chan []byte, 1)
		go func() {
			got, _ := io.ReadAll(client)
			replies <- got
		}()
		_, _ = client.Write(sent) // it ends with a protocol error
		_ = client.Close()
		s.Close()
		require.Zero(t, s.ClientsLen())
		got := bufio.NewReader(bytes.NewReader(<-replies))
		for err := error(nil); !errors.Is(err, io.EOF); _, err = server.ParseReply(got) {
			require.NotErrorIs(t, err, server.ErrProtocol)
		}
	})
}

// A line without an end does not fill the memory.
func TestLongLine(t *testing.T) {
	s := echo(t)
	client, end := net.Pipe()
	s.ServeConn(end)
	go func() {
		for {
			if _, err := client.Write(bytes.Repeat([]byte("x"), 4096)); err != nil {
				return
			}
		}
	}()
	got, err := io.ReadAll(client)
	require.NoError(t, err)
	require.Equal(t, "-ERR Protocol error: too big inline request\r\n", string(got))
}

// What each method writes, in both protocols.
func TestWriter(t *testing.T) {
	write := func(c *server.Peer) {
		c.WriteError("ERR a\nb")
		c.WriteInline("a\r\nb")
		c.WriteOK()
		c.WriteBulk("a\r\nb")
		c.WriteInt(-1)
		c.WriteFloat(1.5)
		c.WriteFloat(1e30)
		c.WriteNull()
		c.WriteLen(1)
		c.WriteMapLen(2)
		c.WriteSetLen(3)
		c.WritePushLen(4)
		c.WriteStrings([]string{"a", ""})
		c.WriteRaw("raw")
	}
	const common = "-ERR a b\r\n+a  b\r\n+OK\r\n$4\r\na\r\nb\r\n:-1\r\n"
	for resp3, want := range map[bool]string{
		false: "$3\r\n1.5\r\n$5\r\n1e+30\r\n$-1\r\n*1\r\n*4\r\n*3\r\n*4\r\n",
		true:  ",1.5\r\n,1e+30\r\n_\r\n*1\r\n%2\r\n~3\r\n>4\r\n",
	} {
		var out bytes.Buffer
		c := server.NewPeer(bufio.NewWriter(&out))
		c.Resp3 = resp3
		write(c)
		c.Flush()
		require.Equal(t, common+want+"*2\r\n$1\r\na\r\n$0\r\n\r\nraw", out.String())
	}
}

// A client that switches speaks RESP3 from its next command on.
func TestSwitch(t *testing.T) {
	s := echo(t)
	require.NoError(t, s.Register("SWITCH", func(c *server.Peer, _ string, _ []string) {
		yes := true
		c.SwitchResp3 = &yes
		c.WriteNull()
	}))
	require.Equal(t, "$-1\r\n_\r\n", talk(t, s, "SWITCH\r\nSWITCH\r\n"))
}

// Dispatch needs no connection.
func TestDispatch(t *testing.T) {
	s := server.NewServerConn()
	require.Nil(t, s.Addr())
	var out bytes.Buffer
	c := server.NewPeer(bufio.NewWriter(&out))
	require.Empty(t, c.RemoteAddr()+c.LocalAddr())
	s.Dispatch(c, nil)
	s.Dispatch(c, []string{"NOPE", strings.Repeat("long", 100), "more"})
	c.Flush()
	require.Equal(t, "-ERR unknown command 'NOPE', with args beginning with: '"+strings.Repeat("long", 32)+"' \r\n",
		out.String())
	require.NoError(t, s.Register(server.AnyCommand, func(c *server.Peer, cmd string, _ []string) {
		c.WriteBulk(cmd)
	}))
	out.Reset()
	s.Dispatch(c, []string{"nope"})
	c.Flush()
	require.Equal(t, "$4\r\nnope\r\n", out.String())
	require.Zero(t, s.TotalCommands())
	c.Close()
	require.True(t, c.Closed())
}

// Each connection ends once, whoever ends it, and then no command runs any more.
func TestEnds(t *testing.T) {
	s := echo(t)
	var mu sync.Mutex
	ends := 0
	ended := func() int {
		mu.Lock()
		defer mu.Unlock()
		return ends
	}
	require.NoError(t, s.Register("END", func(c *server.Peer, _ string, args []string) {
		c.OnDisconnect(func() {
			mu.Lock()
			defer mu.Unlock()
			ends++
		})
		c.WriteOK()
		switch args[0] {
		case "close":
			c.Close()
		case "wait":
			c.Flush()
			<-c.Done()
			c.WriteInline("NEVER SEEN BY WHO HAS HUNG UP")
		}
	}))
	require.Equal(t, "+OK\r\n", talk(t, s, "END close\r\nECHO\r\n"))
	require.Equal(t, "+OK\r\n$5\r\nECHO \r\n", talk(t, s, "END now\r\nECHO\r\n"))
	require.Eventually(t, func() bool { return ended() == 2 }, time.Minute, time.Millisecond)
	for range 10 {
		c, err := net.Dial("tcp", s.Addr().String())
		require.NoError(t, err)
		_, err = c.Write([]byte("END wait\r\n"))
		require.NoError(t, err)
		_, err = io.ReadFull(c, make([]byte, 5))
		require.NoError(t, err)
	}
	require.Equal(t, 10, s.ClientsLen())
	s.Close()
	require.Equal(t, 12, ended())
	require.Zero(t, s.ClientsLen())
	require.Equal(t, 12, s.TotalConnections())
	client, end := net.Pipe()
	s.ServeConn(end)
	_, err := client.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	_, err = net.Dial("tcp", s.Addr().String())
	require.Error(t, err)
}

func TestParseReply(t *testing.T) {
	for in, want := range map[string]any{
		"+OK\r\n":                           server.Simple("OK"),
		":-12\r\n":                          -12,
		"$3\r\na\r\n\r\n":                   "a\r\n",
		"$-1\r\n":                           nil,
		"*-1\r\n":                           nil,
		"*0\r\n":                            []any(nil),
		"*2\r\n*1\r\n:1\r\n$1\r\na\r\nrest": []any{[]any{1}, "a"},
	} {
		v, err := server.ParseReply(bufio.NewReader(strings.NewReader(in)))
		require.NoError(t, err)
		require.Equal(t, want, v, "%q", in)
	}
	for in, want := range map[string]string{
		"-ERR no\r\n":             "ERR no",
		"*1\r\n-ERR no\r\n":       "ERR no",
		"":                        "EOF",
		"$3\r\nab":                "EOF",
		"*2\r\n:1\r\n":            "EOF",
		"$x\r\n":                  "invalid request",
		"$99999999999999\r\n":     "invalid request",
		"%1\r\n":                  "invalid request",
		"\r\n":                    "invalid request",
		"*99999999999\r\n:1\r\nx": "EOF",
	} {
		v, err := server.ParseReply(bufio.NewReader(strings.NewReader(in)))
		require.True(t, v == nil || v == "", "%q: %#v", in, v)
		require.EqualError(t, err, want, "%q", in)
	}
}
