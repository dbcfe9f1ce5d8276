package assembly_test

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/stretchr/testify/require"
)

var exchanged = flag.Int("documents", 1000, "random documents of JSON to exchange with Redis Stack")

// stack is a connection to a Redis Stack.
type stack struct {
	t   *testing.T
	do  func(b []byte)
	in  *resp.Reader
	dir string
}

func newStack(t *testing.T, args ...string) *stack {
	server := reference.RedisStack74.Start(t, append([]string{"--dbfilename", "dump.rdb"}, args...)...)
	conn := server.Dial(t)
	return &stack{t, func(b []byte) {
		_, err := conn.Write(b)
		require.NoError(t, err)
	}, resp.NewReader(conn), server.Dir}
}

// reply executes a command and returns its reply.
func (s *stack) reply(args ...string) resp.Value {
	s.t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	s.do(b.Bytes())
	v, err := s.in.Read()
	require.NoError(s.t, err)
	return v
}

// ask executes a command, which must not fail, and returns the text of its reply.
func (s *stack) ask(args ...string) string {
	s.t.Helper()
	v := s.reply(args...)
	require.False(s.t, v.IsError(), "%.60q: %s", args, v.Text)
	return v.Text
}

// await waits until a background save or rewrite has ended.
func (s *stack) await(field string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return strings.Contains(s.ask("INFO", "persistence"), field) },
		time.Minute, time.Millisecond)
}

// texts returns random documents as both servers print them.
func texts(t *testing.T, l *library, s *stack, n int) (list []string) {
	g := dataset.New(7)
	for i := range n {
		text := g.Document()
		require.Equal(t, "+OK\r\n", l.ask("JSON.SET", key(i), "$", text), "%.200s", text)
		s.ask("JSON.SET", key(i), "$", text)
		list = append(list, l.text("JSON.GET", key(i)))
		same(t, list[i], s.ask("JSON.GET", key(i)), "set there")
	}
	return list
}

// same fails if two texts differ, and shows where.
func same(t *testing.T, want, got, when string) {
	t.Helper()
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	if from := max(at-40, 0); want != got {
		require.Equal(t, fmt.Sprintf("%.100s", want[from:]), fmt.Sprintf("%.100s", got[from:]), when)
	}
}

func key(i int) string { return fmt.Sprint("k", i) }

// TestDocumentsAreExchanged: Redis Stack and we read each other's payloads, snapshots and journals,
// and have the same documents then.
func TestDocumentsAreExchanged(t *testing.T) {
	s, dir := newStack(t), t.TempDir()
	l := newLibrary(t, nil, "dir", dir)
	want := texts(t, l, s, *exchanged)
	both := func(what string, l *library) {
		t.Helper()
		for i := range want {
			same(t, want[i], l.text("JSON.GET", key(i)), what+", here")
			same(t, want[i], s.ask("JSON.GET", key(i)), what+", there")
		}
	}
	theirs, ours := make([]string, len(want)), make([]string, len(want))
	for i := range want {
		theirs[i], ours[i] = s.ask("DUMP", key(i)), l.text("DUMP", key(i))
	}
	l.do("FLUSHALL")
	s.ask("FLUSHALL")
	for i := range want {
		require.Equal(t, "+OK\r\n", l.ask("RESTORE", key(i), "0", theirs[i]))
		s.ask("RESTORE", key(i), "0", ours[i])
	}
	both("payloads", l)

	require.Equal(t, "+OK\r\n", l.do("SAVE"))
	s.ask("SAVE")
	ourDump, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	theirDump, err := os.ReadFile(filepath.Join(s.dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dump.rdb"), theirDump, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "dump.rdb"), ourDump, 0o644))
	s.ask("FLUSHALL")
	s.ask("DEBUG", "RELOAD", "NOSAVE")
	both("snapshots", newLibrary(t, nil, "dir", dir))
}

// TestJournalsOfDocumentsAreExchanged: a journal with a snapshot and commands goes both ways; ours
// goes without a snapshot, too, which Redis Stack cannot write.
func TestJournalsOfDocumentsAreExchanged(t *testing.T) {
	theirs := newStack(t, "--appendonly", "yes", "--appendfsync", "always")
	dir := t.TempDir()
	l := newLibrary(t, nil, "dir", dir)
	want := texts(t, l, theirs, 100)
	theirs.ask("BGREWRITEAOF")
	theirs.await("aof_rewrite_in_progress:0")
	const change = `[{"a":1}]`
	theirs.ask("JSON.SET", "later", "$", change)
	theirs.ask("JSON.ARRAPPEND", "later", "$", "2", "3")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "appendonlydir"),
		os.DirFS(filepath.Join(theirs.dir, "appendonlydir"))))
	loaded := newLibrary(t, nil, "dir", dir, "appendonly", "yes")
	for i := range want {
		require.Equal(t, want[i], loaded.text("JSON.GET", key(i)))
	}
	require.Equal(t, `[{"a":1},2,3]`, loaded.text("JSON.GET", "later"))

	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		ours := newLibrary(t, nil, "dir", dir, "appendonly", "yes", "aof-use-rdb-preamble", preamble)
		for i := range want {
			ours.ask("JSON.SET", key(i), "$", want[i])
		}
		deepen(ours, "deep", 300)
		require.Contains(t, ours.do("BGREWRITEAOF"), "started")
		ours.rewritten(t, dir, "*.2.base.*")
		s := newStack(t, "--dir", dir, "--appendonly", "yes")
		require.Eventually(t, func() bool { return s.reply("PING").Text == "PONG" }, time.Minute, time.Millisecond)
		for i := range want {
			require.Equal(t, want[i], s.ask("JSON.GET", key(i)), "preamble %s", preamble)
		}
		require.Equal(t, ours.text("JSON.GET", "deep"), s.ask("JSON.GET", "deep"))
	}
}

// moduleID is the id of the type of a version, less 0x80 for eight bytes.
const moduleID = 0x45e25238df912c00

// crafted returns the payload of parts in a version.
func crafted(version byte, parts string) string {
	b := []byte("\x07\x81")
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte((moduleID|uint64(version))>>shift))
	}
	b = append(append(b, parts...), 0, 9, 0)
	sum := ^crc64.Update(^uint64(0), crc64.MakeTable(0x95ac9329ac4bc9b5), b) // Redis inverts nothing
	return string(append(b, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24), byte(sum>>32), byte(sum>>40),
		byte(sum>>48), byte(sum>>56)))
}

// TestOldPayloadsOfDocuments: payloads of all versions that Redis Stack reads, and lies that it
// refuses, have the same replies and make the same documents.
func TestOldPayloadsOfDocuments(t *testing.T) {
	s, l := newStack(t), newLibrary(t, new(disk.Memory))
	text := func(x string) string { return "\x05" + string(rune(len(x))) + x }
	number := func(n ...byte) (parts string) {
		for _, one := range n {
			if parts += "\x02"; one < 64 {
				parts += string([]byte{one})
			} else {
				parts += string([]byte{0x40, one})
			}
		}
		return parts
	}
	for _, c := range []struct {
		version byte
		parts   string
	}{
		{3, text(`{"a":1}`)}, {3, text(" [1 , 2] ")}, {3, text("1 x")}, {3, text("{")}, {3, text("")},
		{3, text("\"\xff\"")},
		{3, text("1") + text("2")}, {3, number(1)}, {3, ""}, {3, text("1e400")}, {3, text("1") + number(0)},
		{2, text("5")}, {2, text("5") + number(0)}, {2, text("5") + text("x")},
		{2, text("5") + number(1) + text("i") + text("p")},
		{2, text("5") + number(0, 0)}, {2, ""}, {2, text("{")}, {2, text("5") + number(1)}, {2, text("5") + number(2)},
		{2, text("5") + number(2) + text("i") + text("p")},
		{0, text("5")}, {0, ""}, {0, number(1)}, {0, number(2)}, {0, number(4)}, {0, number(8)}, {0, number(16)},
		{0, number(32)},
		{0, number(64)}, {0, number(128)}, {0, number(2) + text("hi")}, {0, number(8, 5)}, {0, number(16) + text("1")},
		{0, number(16) + text("0")}, {0, number(16) + text("2")}, {0, number(16, 1)}, {0, number(32, 0)},
		{0, number(64, 0)},
		{0, number(32, 1, 128) + text("k") + number(1)}, {0, number(64, 2, 1, 8, 7)},
		{0, number(128) + text("k") + number(1)},
		{0, number(32, 2, 128) + text("k") + number(8, 1, 128) + text("j") + number(2) + text("x")},
		{0, number(32, 2, 128) + text("k") + number(8, 1, 128) + text("k") + number(2) + text("x")},
		{0, number(4) + "\x04\x00\x00\x00\x00\x00\x00\xf8\x3f"},
		{0, number(4) + "\x04\x00\x00\x00\x00\x00\x00\xf0\x7f"},
		{0, number(4) + "\x04\x00\x00\x00\x00\x00\x00\xf8\x7f"}, {0, number(2) + text("\xff")},
	} {
		payload := crafted(c.version, c.parts)
		theirs := s.reply("RESTORE", "k", "0", payload, "REPLACE")
		ours := strings.TrimSuffix(l.ask("RESTORE", "k", "0", payload, "REPLACE")[1:], "\r\n")
		require.Equal(t, theirs.Text, ours, "version %d, %q", c.version, c.parts)
		if !theirs.IsError() {
			require.Equal(t, s.ask("JSON.GET", "k"), l.text("JSON.GET", "k"), "version %d, %q", c.version, c.parts)
		}
		s.ask("DEL", "k")
		l.do("DEL k")
	}
	for _, version := range []byte{1, 4, 255} { // Redis Stack ends
		require.Equal(t, "-ERR Bad data format\r\n", l.ask("RESTORE", "k", "0", crafted(version, text("5"))))
	}
}
