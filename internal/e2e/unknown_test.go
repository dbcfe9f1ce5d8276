package e2e

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// Values of module types that this server does not have, in all ways in which data come in.

// hello is a value of the type hellotype with its id, and later the deadline of a key.
const (
	hello = "\x81\x85\xe9\x65\xa2\xdc\xa9\x78\x08" + "\x02\x40\x64\x05\x04text\x04\x00\x00\x00\x00\x00\x00\xf0\x3f\x00"
	later = "\xfc\x00\x40\x94\x52\xa3\x03\x00\x00"
)

// foreign is a snapshot with two of them, auxiliary data of their type, and other data.
var foreign = "REDIS0012\xf7" + hello + "\xf5\x40" + string(rune(len(foreignLibrary))) + foreignLibrary + "\xfe\x00" +
	"\x00\x01a\x011" + later + "\x07\x04temp" + hello + "\x00\x01b\x012" + "\xfe\x03\x07\x04cold" + hello + later +
	"\x00\x01c\x013" + "\xff\x00\x00\x00\x00\x00\x00\x00\x00"

const foreignLibrary = "#!lua name=lib\nredis.register_function{function_name='flib', " +
	"callback=function() return 'lib' end, flags={'no-writes'}}"

// foreignWarnings are the warnings about them.
var foreignWarnings = []string{
	"Skipped auxiliary data of the unknown module type hellotype (encoding version 8)",
	`Skipped the key "temp" of database 0: a value of the unknown module type hellotype (encoding version 8)`,
	`Skipped the key "cold" of database 3: a value of the unknown module type hellotype (encoding version 8)`,
	"Skipped of unknown module types: 2 values of hellotype (encoding version 8), and its auxiliary data",
	"What is saved from now on lacks what was skipped. With unknown-module-types error it is not loaded.",
}

// logging loads the files in a directory, and returns what was logged, and the error.
func logging(t *testing.T, dir string, load []string, settings ...string) (h host, log *bytes.Buffer, err error) {
	log = new(bytes.Buffer)
	made := assembly.New(assembly.Options{Log: log})
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, made.Engine.Params.Named(settings[i]).Set(settings[i+1]))
	}
	require.NoError(t, made.Engine.Params.Named("enable-debug-command").Set("yes"))
	require.NoError(t, made.Engine.Params.Named("dir").Set(dir))
	if err = made.Load(load...); made.Journal != nil {
		t.Cleanup(made.Journal.Close)
	}
	return hostOf(t, made.Engine), log, err
}

// requireForeign checks that a server has all of foreign but the values of the unknown type.
func requireForeign(t *testing.T, h host) {
	t.Helper()
	h.run("SELECT 0")
	require.EqualValues(t, 2, h.ok("DBSIZE").Int)
	require.Equal(t, "1", h.ok("GET", "a").Text)
	require.EqualValues(t, -1, h.ok("TTL", "b").Int, "the deadline of temp is none of b")
	h.run("SELECT 3")
	require.EqualValues(t, 1, h.ok("DBSIZE").Int)
	require.EqualValues(t, 4_000_000_000_000, h.ok("PEXPIRETIME", "c").Int)
	require.Equal(t, "lib", h.ok("FCALL", "flib", "0").Text)
	require.Contains(t, h.ok("INFO", "persistence").Text, "rdb_last_load_keys_skipped:2\r\n")
}

// requireWarned checks that a log has the warnings about foreign, once.
func requireWarned(t *testing.T, log *bytes.Buffer) {
	t.Helper()
	var warnings []string
	for line := range strings.Lines(log.String()) {
		if _, text, ok := strings.Cut(line, " # "); ok {
			warnings = append(warnings, strings.TrimSpace(text))
		}
	}
	require.Equal(t, foreignWarnings, warnings)
	log.Reset()
}

func TestUnknownModuleTypesInASnapshot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.rdb")
	require.NoError(t, os.WriteFile(path, []byte(foreign), 0o644))
	h, log, err := logging(t, dir, nil)
	require.NoError(t, err)
	requireForeign(t, h)
	requireWarned(t, log)
	for _, options := range [][]string{{"NOSAVE"}, {"NOSAVE", "NOFLUSH", "MERGE"}} {
		require.Equal(t, "OK", h.ok(append([]string{"DEBUG", "RELOAD"}, options...)...).Text)
		requireForeign(t, h)
		requireWarned(t, log)
	}
	h.run("FLUSHALL", "FUNCTION FLUSH", "SET other 1", "DEBUG RELOAD NOSAVE NOFLUSH", "DEL other")
	requireForeign(t, h)
	requireWarned(t, log)
	h.run("SELECT 0", "SET temp here", "DEBUG RELOAD NOSAVE NOFLUSH MERGE")
	require.Equal(t, "here", h.ok("GET", "temp").Text, "a key that is skipped replaces none")

	require.Equal(t, "OK", h.ok("CONFIG", "SET", "unknown-module-types", "error").Text)
	require.Contains(t, h.ask("DEBUG", "RELOAD", "NOSAVE").Text, "Error trying to load the RDB dump")
	require.Contains(t, log.String(), "auxiliary data of the unknown module type hellotype (encoding version 8)")
	require.Equal(t, "here", h.ok("GET", "temp").Text)
	h.run("DEL temp", "DEBUG RELOAD") // the file that was saved has none of them
	require.NotContains(t, h.ok("INFO", "persistence").Text, "rdb_last_load_keys_skipped")

	require.NoError(t, os.WriteFile(path, []byte(foreign), 0o644))
	_, _, err = logging(t, dir, nil, "unknown-module-types", "error")
	require.ErrorContains(t, err, "auxiliary data of the unknown module type hellotype (encoding version 8) (at byte ")
	h, log, err = logging(t, t.TempDir(), []string{path})
	require.NoError(t, err, "--load")
	requireForeign(t, h)
	requireWarned(t, log)
	_, _, err = logging(t, t.TempDir(), []string{path}, "unknown-module-types", "error")
	require.ErrorContains(t, err, "hellotype", "--load")
	require.Contains(t, h.ask("RESTORE", "k", "0", "\x07"+hello+"\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00").Text,
		"ERR")
}

func TestUnknownModuleTypesInAnAppendOnlyFile(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "appendonlydir")
	require.NoError(t, os.Mkdir(sub, 0o755))
	const base = "appendonly.aof.1.base.rdb"
	manifest := filepath.Join(sub, "appendonly.aof.manifest")
	for name, text := range map[string]string{base: foreign,
		"appendonly.aof.1.incr.aof": "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*2\r\n$3\r\nDEL\r\n$4\r\ntemp\r\n",
		filepath.Base(manifest):     "file " + base + " seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(sub, name), []byte(text), 0o644))
	}
	out, err := check(t, manifest, "", false)
	require.NoError(t, err)
	require.Contains(t, out, "[info] 3 keys read\n[info] of an unknown module type: 2 values of hellotype "+
		"(encoding version 8), and its auxiliary data\n")
	_, _, err = logging(t, dir, nil, "appendonly", "yes", "unknown-module-types", "error")
	require.ErrorContains(t, err, "hellotype")
	h, log, err := logging(t, t.TempDir(), []string{sub})
	require.NoError(t, err, "--load")
	requireForeign(t, h)
	requireWarned(t, log)
	h, log, err = logging(t, dir, nil, "appendonly", "yes")
	require.NoError(t, err)
	requireForeign(t, h)
	requireWarned(t, log)
}

func TestUnknownModuleTypesWithoutAServer(t *testing.T) {
	path := write(t, "dump.rdb", foreign)
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"check-rdb", path}, nil, &out))
	require.Contains(t, out.String(), "RDB looks OK! \\o/\n[info] 3 keys read\n[info] 1 expires\n[info] of an unknown "+
		"module type: 2 values of hellotype (encoding version 8), and its auxiliary data\n"+
		"[info] 1 libraries of functions\n")
	for format, keys := range map[string]string{"json": `"key":`, "resp": "RESTORE"} {
		out.Reset()
		require.NoError(t, run(t.Context(), []string{"convert", format, path}, nil, &out))
		require.Equal(t, 3, strings.Count(out.String(), keys))
		require.ErrorContains(t, run(t.Context(), []string{"convert", "--unknown-module-types", "error", format, path},
			nil, io.Discard), "hellotype")
	}
	cut := write(t, "cut.rdb", strings.Replace(foreign, "\x05\x04text", "\x05\x80\xff\xff\xff\xfftext", 1))
	out.Reset()
	require.ErrorIs(t, run(t.Context(), []string{"check-rdb", cut}, nil, &out), subcommand.ErrPrinted)
	require.Contains(t, out.String(), "the data end in the middle")
}

// stack makes keys of module types in a Redis Stack, among others, and an index.
func stack(t *testing.T) (theirs *asker, dir, port string) {
	server, port := listening(t, reference.RedisStack74)
	theirs = newAsker(t, server.Dial(t), nil)
	for _, line := range []string{"SET a 1", "TS.CREATE temp", "TS.ADD temp 1000 3.5", "CF.ADD cuckoo x",
		"CMS.INITBYDIM counts 100 5", "TOPK.RESERVE top 3", "TDIGEST.CREATE digest", "TDIGEST.ADD digest 1 2 3",
		"FT.CREATE index ON HASH SCHEMA t TEXT", "HSET h t hello", "FT.SUGADD words hello 1", "BF.ADD bloom x",
		"SET dated 1 PXAT 4000000000000", `FUNCTION LOAD "` + strings.ReplaceAll(foreignLibrary, "\n", `\n`) + `"`,
		"SELECT 3", "TS.CREATE other", "PEXPIREAT other 4000000000000", "SET c 3", "SELECT 0"} {
		require.NotContains(t, theirs.ask(t, line), "ERR", line)
	}
	return theirs, server.Dir, port
}

// requireStack checks that a server has all keys of stack whose types it knows.
func requireStack(t *testing.T, h host) {
	t.Helper()
	h.run("SELECT 0")
	require.Equal(t, "1", h.ok("GET", "a").Text)
	require.Equal(t, "hello", h.ok("HGET", "h", "t").Text)
	require.EqualValues(t, 4_000_000_000_000, h.ok("PEXPIRETIME", "dated").Int)
	require.EqualValues(t, 1, h.ok("BF.EXISTS", "bloom", "x").Int)
	require.EqualValues(t, 4, h.ok("EXISTS", "cuckoo", "counts", "top", "digest").Int)
	require.Equal(t, "2", h.ok("TDIGEST.QUANTILE", "digest", "0.5").Elems[0].Text)
	require.Equal(t, []string{"hello"}, h.ok("FT.SUGGET", "words", "h").Strings())
	require.Equal(t, "h", h.ok("FT.SEARCH", "index", "hello", "NOCONTENT").Elems[1].Text)
	require.Equal(t, "3.5", h.ok("TS.GET", "temp").Elems[1].Text)
	h.run("SELECT 3")
	require.EqualValues(t, 2, h.ok("DBSIZE").Int)
	require.EqualValues(t, -1, h.ok("TTL", "c").Int)
	require.Equal(t, "lib", h.ok("FCALL", "flib", "0").Text)
}

func TestFilesOfRedisStack(t *testing.T) {
	theirs, dir, _ := stack(t)
	theirs.ask(t, "CONFIG SET appendonly yes")
	require.Equal(t, "OK", theirs.ask(t, "SAVE"))
	eventually(t, "the base is written", func() bool {
		return field(t, theirs, "aof_rewrite_in_progress") == "0" && field(t, theirs, "aof_rewrite_scheduled") == "0"
	})
	h, log, err := logging(t, dir, nil)
	require.NoError(t, err)
	requireStack(t, h)
	require.NotContains(t, log.String(), "unknown module type")
	h, _, err = logging(t, t.TempDir(), []string{filepath.Join(dir, "appendonlydir")})
	require.NoError(t, err)
	requireStack(t, h)
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"check-rdb", filepath.Join(dir, "dump.rdb")}, nil, &out))
	require.NotContains(t, out.String(), "unknown module type")
}

// A replica of a Redis Stack has what it knows, and follows; what the master says of other keys is
// an error in its log. Its own replica has the same.
func TestFollowingRedisStack(t *testing.T) {
	theirs, _, port := stack(t)
	middle, middlePort := follower(t, port)
	follows := func(replica *asker) {
		theirs.ask(t, "INCR hits")
		eventually(t, "the replica follows", func() bool {
			return field(t, replica, "master_repl_offset") == field(t, theirs, "master_repl_offset") &&
				replica.ask(t, "GET hits") == theirs.ask(t, "GET hits")
		})
	}
	follows(middle)
	requireStack(t, middle.host(t))
	middle.ask(t, "SELECT 0")
	theirs.ask(t, "TS.ADD temp 2000 4")
	theirs.ask(t, "DEL temp")
	theirs.ask(t, "SET temp 1")
	follows(middle)
	require.Equal(t, "1", middle.ask(t, "GET temp"))
	bottom, _ := follower(t, middlePort)
	follows(bottom)
	require.Equal(t, middle.ask(t, "DEBUG DIGEST"), bottom.ask(t, "DEBUG DIGEST"))
	require.Equal(t, "1", field(t, theirs, "sync_full"))
}

// host returns a client as a host.
func (a *asker) host(t *testing.T) host {
	return host{t, func(args ...string) resp.Value {
		out := resp.NewWriter(2)
		out.Command(args...)
		_, err := a.Write(out.Bytes())
		require.NoError(t, err)
		v, err := a.in.Read()
		require.NoError(t, err)
		return v
	}}
}

// Values that only the source and the target can read go over by DUMP, and all others with the
// snapshot.
func TestMigrateBetweenRedisStacks(t *testing.T) {
	theirs, _, port := stack(t)
	target := theirEndpoint(t, reference.RedisStack74)
	l := migrating(t, "--from", "redis://127.0.0.1:"+port, "--to", target.url(""))
	l.until(follows)
	theirs.ask(t, "TS.ADD temp 2000 4")
	theirs.ask(t, "CF.ADD cuckoo y")
	said, err := l.finish()
	require.NoError(t, err, said)
	require.NotContains(t, said, "one by one")
	require.Contains(t, said, ", different: 0")
	to := target.host(t)
	require.Equal(t, "4", to.ok("TS.GET", "temp").Elems[1].Text)
	require.EqualValues(t, 1, to.ok("CF.EXISTS", "cuckoo", "y").Int)
	to.run("SELECT 3")
	require.EqualValues(t, 4_000_000_000_000, to.ok("PEXPIRETIME", "other").Int)
}
