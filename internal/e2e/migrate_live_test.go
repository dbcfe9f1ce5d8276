package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// endpoint is one of the two servers of a migration.
type endpoint struct {
	*asker
	port string
}

func ourEndpoint(t *testing.T, args ...string) endpoint {
	addr, _, _ := launched(t,
		append([]string{"--port", "0", "--bind", "127.0.0.1", "--enable-debug-command", "yes"}, args...)...)
	conn, err := net.Dial("tcp", addr)
	_, port, splitErr := net.SplitHostPort(addr)
	require.NoError(t, splitErr)
	return endpoint{newAsker(t, conn, err), port}
}

func theirEndpoint(t *testing.T, release reference.Release) endpoint {
	server := release.Start(t, "--repl-diskless-sync-delay", "0")
	return endpoint{newAsker(t, server.Dial(t), nil), exposed(t, server.Socket)}
}

// url returns the URL of the server. rest is a database, or empty.
func (e endpoint) url(rest string) string { return "redis://127.0.0.1:" + e.port + rest }

// do runs commands, each on a line, none of which may fail.
func (e endpoint) do(t *testing.T, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		reply := e.ask(t, strings.TrimSpace(line))
		require.False(t, strings.HasPrefix(reply, "ERR ") || strings.HasPrefix(reply, "WRONGTYPE"),
			"%s: %s", line, reply)
	}
}

// live is a migration in progress.
type live struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	said  []string
	end   chan error
}

func migrating(t *testing.T, args ...string) *live {
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	l := &live{t: t, in: in, lines: make(chan string, 1000), end: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		l.end <- run(ctx, append([]string{"migrate"}, args...), stdin, stdout)
		stdout.Close()
	}()
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			l.lines <- s.Text()
		}
		close(l.lines)
	}()
	return l
}

// until waits until the migration has said a line that contains text.
func (l *live) until(text string) {
	l.t.Helper()
	for line := range l.lines {
		l.said = append(l.said, line)
		if strings.Contains(line, text) {
			return
		}
	}
	require.Failf(l.t, "the migration ended", "without %q: %v: %q", text, <-l.end, l.said)
}

// finish switches, and returns what the migration said and its error.
func (l *live) finish() (string, error) {
	_, err := io.WriteString(l.in, "\n")
	require.NoError(l.t, err)
	return l.rest()
}

func (l *live) rest() (string, error) {
	for line := range l.lines {
		l.said = append(l.said, line)
	}
	return strings.Join(l.said, "\n"), <-l.end
}

const follows = "follows the source"

// everything changes keys of all types, in two databases and in transactions.
const everything = `
	SET text changed
	APPEND text more
	INCRBYFLOAT int 1.5
	RPOPLPUSH list longlist
	SMOVE set bigset a
	HINCRBY bighash n 5
	HDEL hash f
	ZUNIONSTORE zset 2 zset bigzset
	XADD stream 3-1 f x
	XACK stream g 1-1
	EXPIRE long 10000
	PERSIST lasting
	RENAME ints renamed
	DEL hll
	MULTI
	SET in transaction
	INCR counter
	EXEC
	EVAL "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('INCR', KEYS[2])" 2 scripted counter x
	COPY text copied
	MOVE copied 3
	SELECT 3
	LPUSH there a b c
	SORT there ALPHA STORE sorted
	SELECT 0`

func TestMigrateBetweenServers(t *testing.T) {
	ours := func(t *testing.T) endpoint { return ourEndpoint(t) }
	theirs := func(r reference.Release) func(t *testing.T) endpoint {
		return func(t *testing.T) endpoint { return theirEndpoint(t, r) }
	}
	for name, pair := range map[string][2]func(t *testing.T) endpoint{
		"to ourselves":    {ours, ours},
		"from Redis 8.6":  {theirs(reference.Default), ours},
		"to Redis 8.6":    {ours, theirs(reference.Default)},
		"from Redis 7.0":  {theirs(reference.Redis70), ours},
		"to Redis 7.0":    {ours, theirs(reference.Redis70)},
		"from Redis 6.2":  {theirs(reference.Redis62), ours},
		"to Redis 6.2":    {ours, theirs(reference.Redis62)},
		"from Valkey 8.1": {theirs(reference.Valkey81), ours},
		"to Valkey 8.1":   {ours, theirs(reference.Valkey81)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := pair[0](t), pair[1](t)
			stockAll(t, from.asker)
			l := migrating(t, "--from", from.url(""), "--to", to.url(""))
			l.until(follows)
			from.do(t, strings.TrimSpace(everything))
			from.ask(t, "CLIENT KILL TYPE replica")
			from.do(t, "SET after cut")
			said, err := l.finish()
			require.NoError(t, err, said)
			require.Contains(t, said, "the link goes on where it was cut")
			require.Contains(t, said, ", different: 0")
			require.Equal(t, from.ask(t, "DEBUG DIGEST"), to.ask(t, "DEBUG DIGEST"), said)
			require.Equal(t, "OK", from.ask(t, "SET free again"))
		})
	}
}

// With a pattern, commands that concern other keys as well are replaced by reading the keys again.
func TestMigrateSomeKeys(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	from, to := ourEndpoint(t), ourEndpoint(t)
	from.do(t, "SADD a:set x y\nSADD b:set y z\nSET a:old 1\nSET b:old 2\nSELECT 1\nSET a:elsewhere 1\nSELECT 0")
	l := migrating(t, "--from", from.url("/0"), "--to", to.url("/2"), "--match", "a:*")
	l.until(follows)
	from.do(t, strings.TrimSpace(`
		RENAME b:old a:new
		RENAME a:old b:new
		SUNIONSTORE a:union a:set b:set
		SADD a:union w
		MSET a:many 1 b:many 2 a:more 3
		INCR a:many
		SET a:moved 1
		MOVE a:moved 1
		SELECT 1
		SET a:back 1
		MOVE a:back 0
		SET a:other 1
		SELECT 0`))
	said, err := l.finish()
	require.NoError(t, err, said)
	to.do(t, "SELECT 2")
	require.Equal(t, "6", to.ask(t, `EVAL "return tostring(#redis.call('KEYS', '*'))" 0`), said)
	for command, want := range map[string]string{"GET a:new": "2", "GET a:many": "2", "GET a:more": "3",
		"GET a:back": "1",
		`EVAL "return tostring(redis.call('SCARD', 'a:union'))" 0`: "4", `EVAL "return tostring(redis.call('SCARD', 'a:set'))" 0`: "2"} {
		require.Equal(t, want, to.ask(t, command), command)
	}
}

// Databases that are emptied or exchanged are so on the target, also if it has only some of the
// keys.
func TestMigrateWholeDatabases(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	for _, options := range []string{"", "--match=a*"} {
		from, to := ourEndpoint(t), ourEndpoint(t)
		from.do(t, "SET a 1\nSET b 1\nSELECT 1\nSET a1 1\nSELECT 2\nSET a2 2")
		l := migrating(t, strings.Fields("--from "+from.url("")+" --to "+to.url("")+" "+options)...)
		l.until(follows)
		from.do(t, "SWAPDB 0 1\nFLUSHDB\nSELECT 0\nSET a3 3")
		said, err := l.finish()
		require.NoError(t, err, said)
		require.Contains(t, said, ", different: 0")
		require.Equal(t, "1", to.ask(t, "GET a1"))
		require.Equal(t, "3", to.ask(t, "GET a3"))
		to.do(t, "SELECT 2")
		require.Equal(t, "", to.ask(t, "GET a2"))
	}
}

// Keys are compared while the source takes writes, also those that change meanwhile.
func TestMigrateComparesWhatChanges(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	for _, also := range []string{"FLUSHDB", "SWAPDB 8 9"} {
		from, to := ourEndpoint(t), ourEndpoint(t)
		from.do(t, "DEBUG POPULATE 5000 key 100")
		stop := writing(t, from, "APPEND key:# #", "DEL key:#", "RENAME key:@ key:#", "SELECT 8", also,
			"SET new x", "SELECT 0")
		l := migrating(t, "--from", from.url(""), "--to", to.url(""), "--switch-when-caught-up", "--keep-paused", "10m")
		said, err := l.rest()
		require.NoError(t, err, said)
		require.Contains(t, said, ", different: 0")
		require.Equal(t, from.ask(t, "DEBUG DIGEST"), to.ask(t, "DEBUG DIGEST"))
		stop()
	}
}

// writing sends commands again and again, with numbers up to 5000 in place of # and @, until stop.
func writing(t *testing.T, to endpoint, commands ...string) (stop func()) {
	conn, err := net.Dial("tcp", "127.0.0.1:"+to.port)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in := resp.NewReader(conn)
		for i := 0; err == nil; i++ {
			_, err = io.WriteString(conn, strings.NewReplacer("#", strconv.Itoa(i*7919%5000), "@",
				strconv.Itoa(i%5000)).Replace(commands[i%len(commands)])+"\r\n")
			if err == nil {
				_, err = in.Read()
			}
		}
	}()
	return func() {
		conn.Close()
		<-ended
	}
}

// A source that does not accept replicas is copied once, and what has changed is copied again at
// the switch.
func TestMigrateWithoutPSync(t *testing.T) {
	from, to := ourEndpoint(t), ourEndpoint(t)
	stockAll(t, from.asker)
	from.do(t, "ACL SETUSER mover on >secret ~* &* +@all -psync -sync\n"+
		"FUNCTION LOAD \"#!lua name=l\\nredis.register_function('f', function() return 'called' end)\"")
	l := migrating(t, "--from", "redis://mover:secret@127.0.0.1:"+from.port, "--to", to.url(""))
	l.until("the target has a copy")
	from.do(t, "SET text changed\nDEL int\nSET new x")
	said, err := l.finish()
	require.NoError(t, err, said)
	require.Contains(t, said, "the source does not accept replicas (NOPERM")
	require.Contains(t, said, "copied again, the same now: 3")
	require.Equal(t, from.ask(t, "DEBUG DIGEST"), to.ask(t, "DEBUG DIGEST"))
	require.Equal(t, "called", to.ask(t, "FCALL f 0"))
}

// What the target does not know is told, and is no reason to give up.
func TestMigrateTellsWhatTheTargetDoesNotTake(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	from, to := ourEndpoint(t), theirEndpoint(t, reference.Redis70)
	from.do(t, "SADD set a b\nSPEXPIREAT set 50000000000000 MEMBERS 1 a\nHSET hash f v\n"+
		"HPEXPIREAT hash 50000000000000 FIELDS 1 f\nSET text x")
	l := migrating(t, "--from", from.url(""), "--to", to.url(""))
	l.until(follows)
	from.do(t, "BF.ADD filter x")
	said, err := l.finish()
	require.ErrorIs(t, err, subcommand.ErrPrinted)
	require.Contains(t, said, "not taken by the target: 3")
	require.Contains(t, said, `  database 0  "hash"  the deadlines of its elements: ERR unknown command 'HPEXPIREAT'`)
	require.Contains(t, said, `  database 0  "filter"  ERR Bad data format`)
	require.Equal(t, "2", to.ask(t, `EVAL "return tostring(redis.call('SCARD', 'set'))" 0`))
}

func TestMigrateRefuses(t *testing.T) {
	full, empty := ourEndpoint(t), ourEndpoint(t, "--requirepass", "secret")
	full.do(t, "SELECT 7\nSET k v")
	secret := "redis://:secret@127.0.0.1:" + empty.port
	for args, want := range map[string]string{
		"":                                  "usage: miniserver migrate",
		"--from localhost:6379 --to x":      `--from: "localhost:6379" is no URL of a server`,
		"--from redis://:pass@/1 --to x":    `--from: "...@/1" is no URL of a server`,
		"--from redis://h/x --to redis://h": `--from: "x" in the URL h:6379 is no database`,
		"--like 7 --from redis://h --to redis://h": "malformed release",
		"--from " + full.url("") + " --to " + secret + "/3": "the URL of the target names " +
			"database 3, that of the source none",
		"--from " + secret + " --to " + full.url(""): "the target has 1 keys in " +
			"database 7; with --replace they stay",
		"--from " + full.url("") + " --to " + full.url("/3"): "the URL of the target " +
			"names database 3",
		"--from " + full.url("/0") + " --to " + full.url("/3"): "--from and --to are the " +
			"same server",
		"--from redis://localhost:" + full.port + "/0 --to " + full.url("/3"): "--from and --to are the " +
			"same server",
		"--from " + full.url("") + " --to " + empty.url(""): "refuses PING: NOAUTH " +
			"Authentication required.",
		"--from redis://:wrong@127.0.0.1:" + empty.port + " --to " + full.url(""): "refuses AUTH: WRONGPASS",
		"--from redis://127.0.0.1:1 --to " + full.url(""): "the source: dial tcp " +
			"127.0.0.1:1: connect: connection refused",
		"--from rediss://127.0.0.1:1 --cacert /dev/null --to " + full.url(""): "/dev/null has no certificate",
	} {
		err := run(t.Context(), append([]string{"migrate"}, strings.Fields(args)...), strings.NewReader(""), io.Discard)
		require.ErrorContains(t, err, want, args)
	}
}

// A target that evicts keys, or takes no value of that size, is told.
func TestMigrateTellsWhatTheTargetHasNoRoomFor(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	from, to := ourEndpoint(t), ourEndpoint(t, "--maxmemory", "3mb", "--maxmemory-policy", "allkeys-lru")
	from.do(t, "DEBUG POPULATE 1000 key 10000")
	_, err := migrating(t, "--from", from.url(""), "--to", to.url(""), "--switch-when-caught-up").rest()
	require.ErrorContains(t, err, "its maxmemory is too small for the data")

	from, to = ourEndpoint(t), ourEndpoint(t, "--proto-max-bulk-len", "1mb")
	random := make([]byte, 1<<20) // which cannot be compressed
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	from.do(t, fmt.Sprintf("SET long %x\nSET short x", random))
	said, err := migrating(t, "--from", from.url(""), "--to", to.url(""), "--switch-when-caught-up").rest()
	require.ErrorIs(t, err, subcommand.ErrPrinted)
	require.Contains(t, said, "not taken by the target: 1")
	require.Contains(t, said, "proto-max-bulk-len of the target is 1048576")
	require.Equal(t, "x", to.ask(t, "GET short"))
}

// Groups of streams and libraries of functions that differ are found, and copied again.
func TestMigrateComparesGroupsAndLibraries(t *testing.T) {
	from, to := ourEndpoint(t), ourEndpoint(t)
	from.do(t, "XADD s 1-1 f v\nXGROUP CREATE s g 0\nXREADGROUP GROUP g me COUNT 1 STREAMS s >")
	from.do(t, "FUNCTION LOAD \"#!lua name=l\\nredis.register_function('f', function() return 'called' end)\"")
	l := migrating(t, "--from", from.url(""), "--to", to.url(""))
	l.until(follows)
	to.do(t, "XGROUP DELCONSUMER s g me\nFUNCTION DELETE l")
	said, err := l.finish()
	require.NoError(t, err, said)
	require.Contains(t, said, "keys that differed and are copied again: 1")
	require.Equal(t, "called", to.ask(t, "FCALL f 0"))
	require.Equal(t, "1", to.ask(t, `EVAL "return tostring(redis.call('XACK', 's', 'g', '1-1'))" 0`))
}

// With --replace the target keeps its other keys.
func TestMigrateReplaces(t *testing.T) {
	from, to := ourEndpoint(t), ourEndpoint(t)
	from.do(t, "SET both new\nSET from 1")
	to.do(t, "RPUSH both old\nSET to 1")
	l := migrating(t, "--from", from.url(""), "--to", to.url(""), "--replace", "--switch-when-caught-up")
	said, err := l.rest()
	require.NoError(t, err, said)
	require.Equal(t, "new 1 1", fmt.Sprint(to.ask(t, "GET both"), " ", to.ask(t, "GET from"), " ", to.ask(t, "GET to")))
}

// What empties the source does not remove the target's own keys, which cannot be told from those
// that were copied.
func TestMigrateReplacesNoDatabases(t *testing.T) {
	for _, c := range []struct{ command, options string }{{"FLUSHALL", ""}, {"FLUSHDB", ""}, {"SWAPDB 0 1", ""},
		{"FLUSHALL", "--match=*o*"}, {"SWAPDB 0 1", "--match=*o*"}} {
		from, to := ourEndpoint(t), ourEndpoint(t)
		from.do(t, "SET from 1")
		to.do(t, "SET to 1")
		l := migrating(t,
			append([]string{"--from", from.url(""), "--to", to.url(""), "--replace"}, strings.Fields(c.options)...)...)
		l.until(follows)
		from.do(t, c.command)
		said, err := l.rest()
		require.ErrorContains(t, err, "the source has executed "+strings.Fields(c.command)[0], said)
		require.Equal(t, "1", to.ask(t, "GET to"), c.command)
	}
}

// A source that was restarted may have lost its data. The target does not repeat that.
func TestMigrateEndsIfTheSourceIsRestarted(t *testing.T) {
	quick.Skip(t, "waits for servers that follow one another")
	addr, ended, stop := launched(t, "--port", "0", "--bind", "127.0.0.1")
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", addr)
	newAsker(t, conn, err).ask(t, "SET k v")
	to := ourEndpoint(t)
	l := migrating(t, "--from", "redis://127.0.0.1:"+port, "--to", to.url(""))
	l.until(follows)
	stop()
	<-ended
	launched(t, "--port", port, "--bind", "127.0.0.1")
	_, err = l.rest()
	require.ErrorContains(t, err, "is not the one that the migration began with")
	require.Equal(t, "v", to.ask(t, "GET k"))
}

// passing returns the address of a server through which bytes pass to another one, after look has
// seen those of the clients.
func passing(t *testing.T, to endpoint, look func(sent []byte)) endpoint {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", "127.0.0.1:"+to.port)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(client, server); client.Close() }()
			go func() { _, _ = io.Copy(server, io.TeeReader(client, lookout(look))); server.Close() }()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return endpoint{to.asker, port}
}

// lookout is a writer that calls a function with what is written.
type lookout func(sent []byte)

func (l lookout) Write(p []byte) (int, error) {
	l(p)
	return len(p), nil
}

// A pause can end early, by its time if the target hangs or by somebody else. What the source takes
// then is not lost.
func TestMigrateFollowsASourceWhosePauseEnds(t *testing.T) {
	from, to := ourEndpoint(t), ourEndpoint(t)
	from.do(t, "SET before 1")
	var paused, ended atomic.Bool
	source := passing(t, from, func(sent []byte) {
		if bytes.Contains(sent, []byte("PAUSE")) && bytes.Contains(sent, []byte("WRITE")) {
			paused.Store(true)
		}
	})
	target := passing(t, to, func(sent []byte) {
		if paused.Load() && bytes.Contains(sent, []byte("stats")) && ended.CompareAndSwap(false, true) {
			from.do(t, "CLIENT UNPAUSE\nSET late 1\nSET before 2")
		}
	})
	said, err := migrating(t, "--from", source.url(""), "--to", target.url(""), "--switch-when-caught-up").rest()
	require.NoError(t, err, said)
	require.True(t, ended.Load())
	require.Contains(t, said, "the source has taken writes during the switch")
	require.Equal(t, from.ask(t, "DEBUG DIGEST"), to.ask(t, "DEBUG DIGEST"), said)
}
