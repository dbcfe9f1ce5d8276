package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/release"
)

// runLint runs miniserver lint and returns what it prints and its exit status.
func runLint(t *testing.T, in string, args ...string) (out string, status int) {
	t.Helper()
	var b bytes.Buffer
	err := Subcommand().Do(context.Background(), args, strings.NewReader(in), &b)
	switch {
	case err == nil:
	case errors.As(err, new(subcommand.UsageError)):
		status = 2
		b.WriteString(err.Error())
	default:
		require.ErrorIs(t, err, subcommand.ErrPrinted)
		status = 1
	}
	return b.String(), status
}

const faulty = "local n = redis.call('INCR', 'ä')\nreturn redis.call('HGETALL', KEYS[1]), n == nil"

func TestLintText(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.lua"), filepath.Join(dir, "bad.lua")
	require.NoError(t, os.WriteFile(good, []byte("return redis.call('GET', KEYS[1])"), 0o644))
	require.NoError(t, os.WriteFile(bad, []byte(faulty), 0o644))
	out, status := runLint(t, "", good)
	require.Equal(t, []any{"", 0}, []any{out, status})
	out, status = runLint(t, "", good, bad)
	require.Equal(t, []any{bad + ":1:30: constant-key: The key 'ä' of INCR is a constant: pass it in KEYS.\n", 1},
		[]any{out, status})
	out, status = runLint(t, "", "--level=note", bad)
	require.Equal(t, 1, status)
	require.Contains(t, out, bad+":2:8: unbounded-read: ")
	out, status = runLint(t, "", "--level", "error", bad)
	require.Equal(t, []any{"", 0}, []any{out, status})
}

func TestLintForARelease(t *testing.T) {
	const script = "return redis.call('GETDEL', KEYS[1])"
	for version, want := range map[string]int{"6.0": 1, "5.0.14": 1, "6.2": 0, "7.0": 0, "valkey:8.1": 0} {
		out, status := runLint(t, script, "--redis-version", version, "-")
		require.Equal(t, want, status, version)
		require.Equal(t, want == 1, strings.Contains(out, "-:1:8: newer-command: GETDEL was added in Redis 6.2"), out)
	}
	const newest = "return redis.call('ARLEN', KEYS[1])" // since Redis 8.8
	out, status := runLint(t, newest, "-")
	require.Equal(t, []any{"", 0}, []any{out, status})
	_, status = runLint(t, newest, "--redis-version", release.Default.Version, "-")
	require.Equal(t, 1, status)
}

func TestLintFormats(t *testing.T) {
	out, status := runLint(t, faulty, "--format", "json", "-")
	require.Equal(t, 1, status)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Equal(t, []map[string]any{{"file": "-", "rule": "constant-key", "level": "warning", "line": 1.0,
		"column": 30.0, "message": "The key 'ä' of INCR is a constant: pass it in KEYS.",
		"link": "https://github.com/miniserver-go/miniserver/blob/main/docs/lint.md#constant-key"}}, list)

	out, _ = runLint(t, "return 1", "--format", "json", "-")
	require.Equal(t, "[]\n", out)

	out, _ = runLint(t, faulty, "--format", "github", "-")
	require.Equal(t, "::warning file=-,line=1,col=30,title=constant-key::The key 'ä' of INCR is a constant: pass it "+
		"in KEYS. https://github.com/miniserver-go/miniserver/blob/main/docs/lint.md#constant-key\n", out)

	out, _ = runLint(t, faulty, "--format", "sarif", "-")
	var log sarifLog
	require.NoError(t, json.Unmarshal([]byte(out), &log))
	require.Equal(t, "2.1.0", log.Version)
	require.Equal(t, "constant-key", log.Runs[0].Results[0].RuleID)
	require.Equal(t, sarifRegion{1, 30}, log.Runs[0].Results[0].Locations[0].Physical.Region)
	require.NotEmpty(t, log.Runs[0].Tool.Driver.Rules)
}

func TestLintQueries(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	schema := file("schema.txt", "# books\nFT.CREATE books SCHEMA title TEXT genre TAG\n\nFT.ALIASADD b books\n")
	queries := file("queries.txt", "FT.SEARCH books time\n\nft.search b '@genre:novel'\n"+
		"FT.SEARCH books \"@title:ä @genr:{x}\" LIMIT 2000 5\n")
	out, status := runLint(t, "", "--schema", schema, "--query", "FT.SEARCH books '@title:{x}'", "--query",
		"FT.SEARCH books time", queries)
	require.Equal(t, 1, status)
	require.Equal(t, "--query:1:18: wrong-kind: title is a TEXT field, and this asks a TAG field, so it finds "+
		"nothing: "+
		"write @title:(word).\n"+
		queries+":3:14: wrong-kind: genre is a TAG field, and this asks a TEXT field, so it finds nothing: write "+
		"@genre:{tag}.\n"+
		queries+":4:27: unknown-field: The index has no field genr, so this finds nothing: did you mean @genre?\n", out)
	out, status = runLint(t, "FT.SEARCH books * LIMIT 2000 5", "--level", "note", "--schema", schema, "-")
	require.Equal(t, 1, status)
	require.True(t, strings.HasPrefix(out, "-:1:19: deep-paging: "), out)
	out, _ = runLint(t, "", "--format", "sarif", "--schema", schema, queries)
	require.Contains(t, out, `"ruleId": "unknown-field"`)
	require.Contains(t, out, `"id": "unknown-field"`)
	out, status = runLint(t, "", "--schema", schema, "--query", "FT.SEARCH books time")
	require.Equal(t, []any{"", 0}, []any{out, status})

	for want, args := range map[string][]string{
		"--query needs --schema":         {"--query", "FT.SEARCH books time"},
		"no such file":                   {"--schema", filepath.Join(dir, "none"), "-"},
		"--query:1: none: no such index": {"--schema", schema, "--query", "FT.SEARCH none time"},
		"--query:1: this is no FT.SEARCH or FT.AGGREGATE with an": {"--schema", schema, "--query", "FT.INFO books"},
		"--query:1: a quote is not closed": {"--schema", schema, "--query", "FT.SEARCH " +
			"books 'x"},
		"bad.txt:1: No schema found": {"--schema", file("bad.txt", "FT.CREATE books "+
			"PREFIX 1 b:"), "-"},
	} {
		out, status := runLint(t, "", args...)
		require.Equal(t, 2, status, args)
		require.Contains(t, strings.ToLower(out), strings.ToLower(want))
	}
}

func TestLintRefuses(t *testing.T) {
	for _, args := range [][]string{
		{}, {"nosuch.lua"}, {"--format", "xml", "-"}, {"--level", "fatal", "-"}, {"--redis-version", "x", "-"},
		{"--redis-version"}, {"--nosuch", "1", "-"},
	} {
		out, status := runLint(t, "", args...)
		require.Equal(t, 2, status, args)
		require.NotEmpty(t, out)
	}
}
