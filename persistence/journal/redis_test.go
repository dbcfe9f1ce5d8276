package journal

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// neighbour is a redis-server that keeps an append-only file in a directory.
type neighbour struct {
	t    *testing.T
	conn net.Conn
	in   *resp.Reader
}

func redis(t *testing.T, dir string, args ...string) *neighbour {
	conn := reference.Start(t,
		append([]string{"--dir", dir, "--appendonly", "yes", "--appendfsync", "always"}, args...)...).Dial(t)
	n := &neighbour{t, conn, resp.NewReader(conn)}
	await(t, "loaded", func() bool { return n.do("PING") == "PONG" })
	return n
}

func (n *neighbour) do(words ...string) string {
	n.t.Helper()
	_, err := n.conn.Write(appendWords(nil, words...))
	require.NoError(n.t, err)
	v, err := n.in.Read()
	require.NoError(n.t, err)
	return v.Text
}

func (n *neighbour) run(commands string) {
	for line := range strings.Lines(commands) {
		if words := strings.Fields(line); len(words) > 0 {
			n.do(words...)
		}
	}
}

// rewritten waits for the end of a rewrite.
func (n *neighbour) rewritten() {
	n.t.Helper()
	n.do("BGREWRITEAOF")
	await(n.t, "rewritten", n.idle)
}

// idle reports whether no rewrite is under way, nor scheduled.
func (n *neighbour) idle() bool {
	info := n.do("INFO", "persistence")
	return strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrite_scheduled:0")
}

// theirTypes is everyType without the types that redis-server 7.0 does not have.
var theirTypes = regexp.MustCompile(`(BF.ADD|.PEXPIREAT) .*\n`).ReplaceAllString(everyType, "") +
	"MULTI\nSET tx 1\nSELECT 5\nINCR tx\nEXEC\nSELECT 0\n"

func TestWeLoadWhatRedisKept(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		theirs := redis(t, dir, "--aof-use-rdb-preamble", preamble, "--aof-timestamp-enabled", preamble)
		theirs.run(theirTypes)
		theirs.rewritten()
		theirs.run("SET after 1\nLPUSH l x")
		ours := start(t, OS{}, "dir", copied(t, dir))
		require.Equal(t, theirs.do("DEBUG", "DIGEST"), ours.digest())
	}
}

func TestRedisLoadsWhatWeKept(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		ours := start(t, OS{}, "dir", dir, "aof-use-rdb-preamble", preamble, "aof-timestamp-enabled", preamble)
		ours.clock.Store(1 << 52) // the deadlines are in the future
		ours.run(theirTypes)
		ours.journal.rewriteNow()
		require.Equal(t, "ok", ours.info("aof_last_bgrewrite_status"), ours.log.String())
		ours.run("SET after 1\nLPUSH l x")
		ours.journal.Close()
		theirs := redis(t, copied(t, dir))
		require.Equal(t, ours.digest(), theirs.do("DEBUG", "DIGEST"))
		theirs.run("SET theirs 1\nSADD set more")
		theirs.rewritten()
		again := start(t, OS{}, "dir", copied(t, filepath.Dir(theirDir(t, theirs))))
		require.Equal(t, theirs.do("DEBUG", "DIGEST"), again.digest())
	}
}

// The single file of Redis 6 and older holds commands, or a snapshot followed by commands.
func TestSingleFilesAreTakenOver(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		theirs := redis(t, dir, "--aof-use-rdb-preamble", preamble)
		theirs.run(theirTypes)
		theirs.rewritten()
		theirs.run("SELECT 4\nSET after 1")
		var single []byte
		for _, pattern := range []string{"*.base.*", "*.incr.*"} {
			parts, err := filepath.Glob(filepath.Join(dir, "appendonlydir", pattern))
			require.NoError(t, err)
			for _, part := range parts {
				text, err := os.ReadFile(part)
				require.NoError(t, err)
				single = append(single, text...)
			}
		}
		old := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(old, "appendonly.aof"), single, 0o644))
		ours := start(t, OS{}, "dir", old)
		require.Equal(t, theirs.do("DEBUG", "DIGEST"), ours.digest())
		ours.run("SET more 1")
		ours.journal.Close()
		require.NoFileExists(t, filepath.Join(old, "appendonly.aof"))
		require.Equal(t, ours.digest(), start(t, OS{}, "dir", old).digest())
		require.Equal(t, ours.digest(), redis(t, copied(t, old)).do("DEBUG", "DIGEST"))
	}
}

var masterOffset = regexp.MustCompile(`master_repl_offset:\d+`)

// The manifest tells replication offsets, and after a start the offset goes on where the last file
// ends.
func TestOffsetsInTheManifest(t *testing.T) {
	dir, theirDir := t.TempDir(), t.TempDir()
	ours, theirs := start(t, OS{}, "dir", dir), redis(t, theirDir)
	same := func(when string) {
		t.Helper()
		await(t, "the same "+when, func() bool {
			if !ours.idle() || !theirs.idle() {
				return false
			}
			a, err := os.ReadFile(inAOF(dir, "appendonly.aof.manifest"))
			require.NoError(t, err)
			b, err := os.ReadFile(inAOF(theirDir, "appendonly.aof.manifest"))
			require.NoError(t, err)
			return string(a) == string(b) && masterOffset.FindString(ours.do("INFO", "replication")) ==
				masterOffset.FindString(theirs.do("INFO", "replication"))
		})
	}
	both := func(commands string) {
		ours.run(commands)
		theirs.run(commands)
	}
	same("at the start")
	both("SET a 1\nMULTI\nSET b 1\nINCR a\nEXEC")
	theirs.rewritten()
	ours.journal.rewriteNow()
	same("after a rewrite")
	both("SET c 1\nCONFIG SET appendonly no\nSET d 1")
	same("when it is turned off")
	both("CONFIG SET appendonly yes")
	same("when it is on again")
	both("SET e 1")
	same("after a change")
	require.True(t, ours.journal.Commit())

	dir, theirDir = copied(t, dir), copied(t, theirDir)
	ours, theirs = start(t, OS{}, "dir", dir), redis(t, theirDir)
	same("after a kill")
	both("SET f 1")
	ours.journal.Close()
	theirs.do("CONFIG", "SET", "appendonly", "no") // as at its end
	same("at the end")
	dir, theirDir = copied(t, dir), copied(t, theirDir)
	ours, theirs = start(t, OS{}, "dir", dir), redis(t, theirDir)
	same("after an end")
}

// theirDir returns the directory of a redis-server's append-only files.
func theirDir(t *testing.T, n *neighbour) string {
	t.Helper()
	_, err := n.conn.Write(appendWords(nil, "CONFIG", "GET", "dir"))
	require.NoError(t, err)
	v, err := n.in.Read()
	require.NoError(t, err)
	return filepath.Join(v.Elems[1].Text, "appendonlydir")
}

// copied returns a copy of a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)), fmt.Sprint(dir))
	return to
}
