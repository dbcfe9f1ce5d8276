package miniserver_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/resp"
)

// shared returns a server that others have started, and its URL.
func shared(t *testing.T, settings ...string) (s *miniserver.Server, url string) {
	s = miniserver.Run(t, append(settings, "requirepass se:cret/")...)
	require.Equal(t, "OK", s.Do("AUTH", "se:cret/").Text)
	return s, s.URL()
}

// told collects what a test is told.
type told struct {
	*testing.T
	logged, failed []string
	cleanups       []func()
}

func (d *told) Logf(format string, args ...any) {
	d.logged = append(d.logged, fmt.Sprintf(format, args...))
}
func (d *told) Errorf(format string, args ...any) {
	d.failed = append(d.failed, fmt.Sprintf(format, args...))
}
func (d *told) Fatalf(format string, args ...any) { d.Errorf(format, args...) }
func (d *told) Cleanup(fn func())                 { d.cleanups = append(d.cleanups, fn) }

// end ends the test.
func (d *told) end() {
	for len(d.cleanups) > 0 {
		last := len(d.cleanups) - 1
		fn := d.cleanups[last]
		d.cleanups = d.cleanups[:last]
		fn()
	}
}

func TestAttachedWorlds(t *testing.T) {
	s, where := shared(t)
	d := &told{T: t}
	w, other := miniserver.Attach(d, where), miniserver.Attach(t, where)
	require.NotEqual(t, w.Name(), other.Name())
	require.Equal(t, strings.Replace(where, ":se%3Acret%2F@", "world:"+w.Name()+"%3Ase%3Acret%2F@", 1), w.URL())
	require.Nil(t, w.TLSConfig())

	at := time.UnixMilli(1700000000000)
	w.Freeze(at)
	require.Equal(t, at, w.Now())
	require.Equal(t, "OK", w.Do("SET", "session", "alice", "PX", "60000").Text)
	w.Advance(59999 * time.Millisecond)
	require.Equal(t, "alice", w.Do("GET", "session").Text)
	require.True(t, other.Do("GET", "session").IsNull())
	w.SetTime(at.Add(time.Minute))
	require.True(t, w.Do("GET", "session").IsNull())
	w.Resume()
	require.WithinDuration(t, at.Add(time.Minute), w.Now(), time.Hour)

	w.Do("SADD", "fruit", "apple", "banana", "cherry", "date")
	w.Seed(42)
	first := w.Do("SRANDMEMBER", "fruit").Text + w.Do("SRANDMEMBER", "fruit").Text
	w.Seed(42)
	require.Equal(t, first, w.Do("SRANDMEMBER", "fruit").Text+w.Do("SRANDMEMBER", "fruit").Text)

	require.NoError(t, w.AddFault("full", "ON", "COMMAND", "set", "DO", "OOM", "TIMES", "1"))
	require.True(t, w.Do("SET", "k", "v").IsError())
	require.NoError(t, w.Snapshot(w.Name()))
	require.NoError(t, w.Reset())
	require.NoError(t, w.Restore(w.Name()))
	fork := w.Fork(d)
	require.Equal(t, w.Dump(), fork.Dump())
	require.Contains(t, fork.Dump(), `"fruit" set`)

	done := make(chan string)
	go func() { done <- w.Do("BLPOP", "jobs", "0").Text }()
	require.NoError(t, w.WaitFor(t.Context(), "BLOCKED", "1"))
	fork.CheckLeaks(d)
	fork.Do("SET", "k", "v")
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, w.WaitFor(short, "KEY", "none"), "TIMEOUT")
	require.Contains(t, s.Do("MINI.WORLD", "LIST").String(), w.Name())
	d.end()
	<-done
	require.Equal(t, []string{`miniserver: the test leaves behind: key 0 "k" string`}, d.failed)
	require.NotContains(t, s.Do("MINI.WORLD", "LIST").String(), w.Name())
	require.Contains(t, s.Do("MINI.WORLD", "LIST").String(), other.Name())
}

func TestAttachTellsWhatIsLeftBehind(t *testing.T) {
	s, where := shared(t)
	d := &told{T: t}
	w := miniserver.Attach(d, where)
	u, err := url.Parse(w.URL())
	require.NoError(t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	defer conn.Close()
	password, _ := u.User.Password()
	for _, words := range [][]string{{"AUTH", "world", password}, {"CLIENT", "SETNAME", "worker"},
		{"SET", "lock", "me", "NX"}, {"SET", "session", "alice", "EX", "60"}} {
		out := resp.NewWriter(2)
		out.Command(words...)
		_, err = conn.Write(out.Bytes())
		require.NoError(t, err)
		reply, err := resp.NewReader(conn).Read()
		require.NoError(t, err)
		require.Equal(t, "OK", reply.Text)
	}
	d.end()
	require.Len(t, d.logged, 2)
	require.Regexp(t, `^miniserver: the test leaves behind: client \d+ at \S+ name=worker$`, d.logged[0])
	require.Regexp(t, `^miniserver: the test leaves behind: lock 0 "lock" of client `, d.logged[1])
	require.NotContains(t, s.Do("MINI.WORLD", "LIST").String(), w.Name())
	_, err = conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestAttachByTheEnvironment(t *testing.T) {
	s, where := shared(t)
	t.Setenv("MINISERVER_URL", where)
	w := miniserver.Attach(t)
	require.Equal(t, "PONG", w.Do("PING").Text)
	require.Contains(t, s.Do("MINI.WORLD", "LIST").String(), w.Name())
	t.Setenv("MINISERVER_URL", "")
	own := miniserver.Attach(t)
	require.Equal(t, "PONG", own.Do("PING").Text)
	require.NotContains(t, own.URL(), s.Addr())
}

func TestAttachWithTLS(t *testing.T) {
	s, where := shared(t, "tls-self-signed yes")
	w := miniserver.Attach(t, where)
	require.Equal(t, "OK", w.Do("SET", "k", "v").Text)
	require.True(t, strings.HasPrefix(w.URL(), "rediss://world:"))
	for _, name := range []string{"", "redis.test"} {
		config := w.TLSConfig()
		config.ServerName = name
		conn, err := tls.Dial("tcp", s.Addr(), config)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
}

func TestAttachToAServerThatEnds(t *testing.T) {
	s, where := shared(t)
	d := &told{T: t}
	w := miniserver.Attach(d, where)
	require.NoError(t, s.Close())
	w.Advance(time.Second)
	require.Zero(t, w.Now())
	require.Len(t, d.failed, 2)
	require.Contains(t, d.failed[0], "miniserver: MINI.CLOCK ADVANCE 1000: ")
	d.end()
	require.Contains(t, d.logged[len(d.logged)-1], "stays on redis://")
}

// listener listens, lets answer treat each connection, and returns the URL.
func listener(t *testing.T, answer func(net.Conn)) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			answer(conn)
		}
	}()
	return "redis://" + ln.Addr().String()
}

// A port of a container may accept and close connections before its server is there.
func TestAttachWaits(t *testing.T) {
	s, _ := shared(t)
	var seen atomic.Int64
	where := listener(t, func(conn net.Conn) {
		if seen.Add(1) < 3 {
			_ = conn.Close()
			return
		}
		server, err := net.Dial("tcp", s.Addr())
		if err != nil {
			return
		}
		go func() { _, _ = io.Copy(server, conn); _ = server.Close() }()
		go func() { _, _ = io.Copy(conn, server); _ = conn.Close() }()
	})
	w := miniserver.Attach(t, strings.Replace(where, "://", "://:se%3Acret%2F@", 1))
	require.Equal(t, "PONG", w.Do("PING").Text)
	require.GreaterOrEqual(t, seen.Load(), int64(3))
}

func TestAttachSaysWhatIsWrong(t *testing.T) {
	t.Setenv("MINISERVER_START_TIMEOUT", "0.3")
	s, _ := shared(t)
	address := "redis://" + s.Addr()
	without := miniserver.Run(t, "test-kit no")
	silent := listener(t, func(net.Conn) {})
	closing := listener(t, func(conn net.Conn) { _ = conn.Close() })
	ssh := listener(t, func(conn net.Conn) { _, _ = io.WriteString(conn, "SSH-2.0-OpenSSH\r\n") })
	gone := miniserver.Run(t)
	require.NoError(t, gone.Close())
	for where, says := range map[string]string{
		"redis://" + without.Addr(): "has no test kit: start it with miniserver --test-kit yes",
		address:                     "wants a password, as in redis://:PASSWORD@host:6379",
		strings.Replace(address, "://", "://:x@", 1): "does not let the kit in: WRONGPASS",
		silent:  "cannot be reached: context deadline exceeded",
		closing: "cannot be reached: ",
		ssh:     "cannot be reached: ",
		strings.Replace(ssh, "redis:", "rediss:", 1): "cannot be reached: tls: ",
		gone.URL():                       "cannot be reached: dial tcp",
		"localhost:6379":                 "the URL of a server begins with redis:// or rediss:// and a host",
		"redis:///tmp/socket":            "the URL of a server begins with redis:// or rediss:// and a host",
		"redis://alice:secret@localhost": "no other user, so not alice",
	} {
		d := &told{T: t}
		require.Nil(t, miniserver.Attach(d, where))
		require.Len(t, d.failed, 1)
		require.Contains(t, d.failed[0], says)
		d.end()
	}
}
