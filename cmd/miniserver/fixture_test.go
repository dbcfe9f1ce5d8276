package main

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

func TestNextCommandEnds(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("\n#x\nPING"), 64<<10)
	for _, want := range []int{0, 0, 1} {
		args, err := nextCommand(in)
		require.NoError(t, err)
		require.Len(t, args, want)
	}
	_, err := nextCommand(in)
	require.Error(t, err)
}
