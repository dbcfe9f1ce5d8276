package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/resp"
)

// loadedFrom returns what a program says of GET a after loading a file.
func loadedFrom(t *testing.T, text string) (string, error) {
	path := write(t, "fixture", text)
	p, err := build(t, "", "--load", path, "--dir", t.TempDir())
	require.NoError(t, err)
	err = p.load()
	o := p.engine.Do(p.engine.NewSession(nil), [][][]byte{{[]byte("GET"), []byte("a")}})
	kept, readErr := os.ReadFile(path)
	require.NoError(t, readErr)
	require.Equal(t, text, string(kept), "the file is only read")
	return string(o.Out), err
}

func TestFixtures(t *testing.T) {
	for name, text := range map[string]string{
		"commands":            "# a comment\n\nSELECT 0\r\nSET a \"1 2\"\nRPUSH l x y",
		"an append-only file": "#TS:1700000000\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\n1 2\r\n",
		"a transaction":       "MULTI\nSET a \"1 2\"\nEXEC\n",
	} {
		got, err := loadedFrom(t, text)
		require.NoError(t, err, name)
		require.Equal(t, "$3\r\n1 2\r\n", got, name)
	}
	for name, text := range map[string]string{
		"a transaction without end": "MULTI\nSET a 1\n", "no command": "FOO bar\n", "quotes": "SET a \"b\n",
		"half a command": "*3\r\n$3\r\nSET\r\n$1\r\na\r\n", "a broken snapshot": "REDIS0009\xff12345678",
	} {
		_, err := loadedFrom(t, text)
		require.Error(t, err, name)
	}
	p, err := build(t, "", "--load", "/does/not/exist", "--dir", t.TempDir())
	require.NoError(t, err)
	require.Error(t, p.load())
}

// An append-only file that begins with a snapshot is loaded to its end: the commands behind it count, also
// those about keys that were due since.
func TestFixtureOfSnapshotAndCommands(t *testing.T) {
	dir := t.TempDir()
	snapshot := filepath.Join(dir, "base.rdb")
	lines := write(t, "lines", `{"db":0,"key":"a","type":"string","value":"old"}`+"\n"+
		`{"db":0,"key":"kept","type":"string","deadline":1000,"value":"x"}`+"\n"+
		`{"db":0,"key":"due","type":"string","deadline":1000,"value":"x"}`+"\n")
	require.NoError(t, run(t.Context(), []string{"convert", "rdb", lines, snapshot}, nil, io.Discard))
	base, err := os.ReadFile(snapshot)
	require.NoError(t, err)
	const set = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\n1 2\r\n"
	got, err := loadedFrom(t, string(base)+set)
	require.NoError(t, err)
	require.Equal(t, "$3\r\n1 2\r\n", got)
	got, err = loadedFrom(t, string(base))
	require.NoError(t, err)
	require.Equal(t, "$3\r\nold\r\n", got)
	for _, rest := range []string{set[:len(set)-4], "NONE\r\n", "MULTI\r\n" + set} {
		_, err = loadedFrom(t, string(base)+rest)
		require.Error(t, err, rest)
	}

	file := write(t, "fixture", string(base)+"PERSIST kept\r\n"+"SELECT 1\r\n"+"SET a other\r\n")
	p, err := build(t, "", "--load", file, "--dir", dir)
	require.NoError(t, err)
	require.NoError(t, p.load())
	for command, want := range map[string]string{"GET a": "$3\r\nold\r\n", "GET kept": "$1\r\nx\r\n", "GET due": "$-1\r\n"} {
		words, _ := resp.Words([]byte(command), nil)
		require.Equal(t, want, string(p.engine.Do(p.engine.NewSession(nil), [][][]byte{words}).Out), command)
	}
}
