package payload

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/keys"
	stringcmds "github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// scripted is a server that sends all its replies before it receives a command.
type scripted struct {
	io.Reader
	heard  bytes.Buffer
	refuse error // of Dial
	full   error // of Write
}

func (s *scripted) Dial(_, _ string, patience time.Duration) (io.ReadWriteCloser, error) {
	if patience != time.Second {
		return nil, errors.New("the timeout is another")
	}
	return s, s.refuse
}

func (s *scripted) Write(b []byte) (int, error) {
	if s.full != nil {
		return 0, s.full
	}
	return s.heard.Write(b)
}

func (s *scripted) Close() error { return nil }

// migrated runs MIGRATE for the keys a, b and c against a server with the given replies. It returns
// the reply, the keys that are left, and the propagated commands.
func migrated(t *testing.T, s *scripted, options string) (reply, left, journal string) {
	e := engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }})
	session := e.NewSession(nil)
	do := func(text string) string {
		words, ok := resp.Words([]byte(text), nil)
		require.True(t, ok)
		v, err := resp.NewReader(bytes.NewReader(e.Do(session, [][][]byte{words}).Out)).Read()
		require.NoError(t, err)
		return v.Text
	}
	e.Join(engine.Commands(stringcmds.Family, keys.Family), Migration(s), engine.Part{
		Propagate: func(_ int, args [][]byte) { journal += string(bytes.Join(args, []byte(" "))) + "\n" },
	})
	do("MSET a 1 b 2 c 3")
	do("PEXPIRE b 5000")
	journal = ""
	reply = do(`MIGRATE there 1 "" 7 0 ` + options + ` KEYS a none b c`)
	for _, key := range []string{"a", "b", "c"} {
		if do("GET "+key) != "" {
			left += key
		}
	}
	return reply, left, journal
}

func TestMigrateLosesNothing(t *testing.T) {
	const refused = "ERR Target instance replied with error: "
	for _, c := range []struct {
		options, replies string
		want             command.Error
		left, journal    string
	}{
		{"", "+OK +OK +OK +OK", "OK", "", "DEL a b c\n"},
		{"COPY", "+OK +OK +OK +OK", "OK", "abc", ""},
		{"AUTH x", "+OK +OK +OK +OK +OK", "OK", "", "DEL a b c\n"},
		{"AUTH x", "-NO +OK +OK +OK +OK", refused + "NO", "abc", ""},
		{"", "-NO +OK +OK +OK", refused + "NO", "abc", ""},
		{"", "+OK +OK -NO -NEVER", refused + "NO", "bc", "DEL a\n"},
		{"", "+OK -NO +OK", refused + "NO", "ac", "DEL b\n"},
		{"", "+OK +OK +OK", errMigrateRead, "c", "DEL a b\n"},
		{"", "+OK", errMigrateRead, "abc", ""},
		{"", "", errMigrateRead, "abc", ""},
	} {
		replies := strings.ReplaceAll(c.replies, " ", "\r\n") + "\r\n"
		if c.replies == "" {
			replies = ""
		}
		reply, left, journal := migrated(t, &scripted{Reader: strings.NewReader(replies)}, c.options)
		require.Equal(t, []string{string(c.want), c.left, c.journal}, []string{reply, left, journal}, "%s: %s",
			c.options, c.replies)
	}
	for want, s := range map[command.Error]*scripted{
		errMigrateDial:  {refuse: errors.New("no such host")},
		errMigrateWrite: {refuse: syscall.ECONNREFUSED},
		errMigrateRead:  {Reader: strings.NewReader(strings.Repeat("+", 5000))},
	} {
		reply, left, journal := migrated(t, s, "")
		require.Equal(t, []string{string(want), "abc", ""}, []string{reply, left, journal})
	}
	text, _, _ := migrated(t,
		&scripted{refuse: &net.OpError{Op: "dial", Err: os.NewSyscallError("connectex", syscall.Errno(10061))}}, "")
	require.Equal(t, string(errMigrateWrite), text, "as Windows says it")
	reply, left, _ := migrated(t,
		&scripted{full: errors.New("closed"), Reader: strings.NewReader("+OK\r\n+OK\r\n")}, "")
	require.Equal(t, []string{string(errMigrateWrite), "abc"}, []string{reply, left})
}

func TestMigrateSends(t *testing.T) {
	s := &scripted{Reader: strings.NewReader("+OK\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\n")}
	reply, _, _ := migrated(t, s, "REPLACE AUTH2 me secret")
	require.Equal(t, "OK", reply)
	heard := s.heard.String()
	require.True(t,
		strings.HasPrefix(heard, "*3\r\n$4\r\nAUTH\r\n$2\r\nme\r\n$6\r\nsecret\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n"+
			"*5\r\n$7\r\nRESTORE\r\n$1\r\na\r\n$1\r\n0\r\n$"), "%q", heard)
	require.Contains(t, heard, "$1\r\nb\r\n$4\r\n5000\r\n$", "the remaining TTL")
	require.Equal(t, 3, strings.Count(heard, "\r\n$7\r\nREPLACE\r\n"))
}
