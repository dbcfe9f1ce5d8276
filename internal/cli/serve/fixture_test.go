package serve

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/files"
	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/resp"
)

// loadedFrom returns what a program says of GET a after loading a file.
func loadedFrom(t *testing.T, text string) (string, error) {
	path := write(t, "fixture", text)
	p, err := buildWith(t, "", "--load", path, "--dir", t.TempDir())
	require.NoError(t, err)
	err = p.load()
	o := p.Engine.Do(p.Engine.NewSession(nil), [][][]byte{{[]byte("GET"), []byte("a")}})
	kept, readErr := os.ReadFile(path)
	require.NoError(t, readErr)
	require.Equal(t, text, string(kept), "the file is only read")
	return string(o.Out), err
}

func TestFixtures(t *testing.T) {
	for name, text := range map[string]string{
		"commands": "# a comment\n\nSELECT 0\r\nSET a \"1 2\"\nRPUSH l x y",
		"an append-only file": "#TS:1700000000\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n" +
			"$3\r\n1 2\r\n",
		"a transaction": "MULTI\nSET a \"1 2\"\nEXEC\n",
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
	p, err := buildWith(t, "", "--load", "/does/not/exist", "--dir", t.TempDir())
	require.NoError(t, err)
	require.Error(t, p.load())
	for _, garbage := range []string{"\x93\xd5\x00\x17\xff\x8a\n\x02", "\x00\x00\x00\x00", "PK\x03\x04\x14\x00"} {
		_, err = loadedFrom(t, garbage)
		require.ErrorContains(t, err, "neither a snapshot nor an append-only file", "%q", garbage)
	}
}

// An append-only file that begins with a snapshot is loaded to its end: the commands behind it
// count, also those about keys that were due since.
func TestFixtureOfSnapshotAndCommands(t *testing.T) {
	dir := t.TempDir()
	snapshot := filepath.Join(dir, "base.rdb")
	lines := write(t, "lines", `{"db":0,"key":"a","type":"string","value":"old"}`+"\n"+
		`{"db":0,"key":"kept","type":"string","deadline":1000,"value":"x"}`+"\n"+
		`{"db":0,"key":"due","type":"string","deadline":1000,"value":"x"}`+"\n")
	require.NoError(t, files.Convert().Do(t.Context(), []string{"rdb", lines, snapshot}, nil, io.Discard))
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
	p, err := buildWith(t, "", "--load", file, "--dir", dir)
	require.NoError(t, err)
	require.NoError(t, p.load())
	for command, want := range map[string]string{"GET a": "$3\r\nold\r\n", "GET kept": "$1\r\nx\r\n",
		"GET due": "$-1\r\n"} {
		words, _ := resp.Words([]byte(command), nil)
		require.Equal(t, want, string(p.Engine.Do(p.Engine.NewSession(nil), [][][]byte{words}).Out), command)
	}
}

// asked loads fixtures, and returns what the program says to commands.
func asked(t *testing.T, options []string, commands ...string) (replies []string) {
	p, err := buildWith(t, "", append(options, "--dir", t.TempDir())...)
	require.NoError(t, err)
	require.NoError(t, p.load())
	ask := p.asks(t)
	for _, c := range commands {
		replies = append(replies, ask(c))
	}
	return replies
}

// converted returns a snapshot of lines of JSON.
func converted(t *testing.T, lines string) string {
	path := filepath.Join(t.TempDir(), "made.rdb")
	require.NoError(t, files.Convert().Do(t.Context(), []string{"rdb", write(t, "lines", lines), path},
		nil, io.Discard))
	return path
}

func TestSeveralFixtures(t *testing.T) {
	snapshot := converted(t, `{"db":0,"key":"a","type":"string","value":"1"}`+"\n")
	text := write(t, "two words.txt", "INCR a\nSELECT 3\nSET b x\n")
	more := write(t, "more.txt", "INCR a\n")
	want := []string{"$1\r\n3\r\n", "$-1\r\n"}
	require.Equal(t, want, asked(t, []string{"--load", snapshot, text, more}, "GET a", "GET b"))
	require.Equal(t, want, asked(t, []string{"--load", snapshot, "--load", text, "--load", more}, "GET a", "GET b"))
	require.Equal(t, []string{"$1\r\n1\r\n"}, asked(t, []string{"--load", more, "--load", "", "--load", snapshot},
		"GET a"), "an empty name forgets those before")

	conf := write(t, "redis.conf", "load "+snapshot+"\nload \""+text+"\"\n")
	p, err := buildWith(t, "", conf, "--load", more)
	require.NoError(t, err)
	require.Equal(t, snapshot+` "`+text+`" `+more, p.Engine.Params.Named("load").Get())
	require.NoError(t, p.rewrite(false))
	written, err := os.ReadFile(conf)
	require.NoError(t, err)
	require.Contains(t, string(written), "load "+snapshot+` "`+text+`" `+more+"\n")
	again, err := buildWith(t, "", conf)
	require.NoError(t, err)
	require.Equal(t, p.startup.Fixtures, again.startup.Fixtures)
}

// What convert json writes loads again, with everything in it.
func TestFixtureOfJSON(t *testing.T) {
	const lines = `{"db":0,"key":"text","type":"string","value":"a \"b\""}
{"db":0,"key":"bytes","type":"string","value":{"base64":"/wAB"}}
{"db":2,"key":"dated","type":"hash","value":[["f","1"],["g","2"]],"deadlines":[{"element":"g","deadline":9999999999999}]}
{"db":2,"key":"board","type":"zset","deadline":9999999999999,"value":[["a","1"],["b","+Inf"]]}
{"db":0,"key":"cart","type":"json","value":{"items":[{"name":"hat","price":12.5}],"tags":[]}}
{"library":"#!lua name=l\nredis.register_function('f', function() return 'x' end)"}
`
	var text strings.Builder
	require.NoError(t, files.Convert().Do(t.Context(), []string{"json", converted(t, lines)}, nil, &text))
	require.Equal(t, []string{"$5\r\na \"b\"\r\n", "$3\r\n\xff\x00\x01\r\n", "$1\r\nx\r\n",
		"$51\r\n[{\"items\":[{\"name\":\"hat\",\"price\":12.5}],\"tags\":[]}]\r\n", "+OK\r\n",
		"*1\r\n:9999999999999\r\n", "$3\r\ninf\r\n", ":9999999999999\r\n"},
		asked(t, []string{"--load", write(t, "x.json", "\n"+text.String())},
			"GET text", "GET bytes", "FCALL f 0", "JSON.GET cart $", "SELECT 2", "HPEXPIRETIME dated FIELDS 1 g",
			"ZSCORE board b", "PEXPIRETIME board"))
}

// TestFixturesOfLaterTypes: values of all types load from a snapshot, and from what convert makes
// of it.
func TestFixturesOfLaterTypes(t *testing.T) {
	dir := t.TempDir()
	made, err := buildWith(t, "", "--dir", dir)
	require.NoError(t, err)
	require.NoError(t, made.load())
	g, session := dataset.New(3), made.Engine.NewSession(nil)
	do := func(words ...string) string {
		var args [][]byte
		for _, w := range words {
			args = append(args, []byte(w))
		}
		return string(made.Engine.Do(session, [][][]byte{args}).Out)
	}
	for i := range 40 {
		for _, c := range dataset.Types[i%len(dataset.Types)].Make(g, fmt.Sprint("k", i)) {
			do(c...)
		}
	}
	require.Equal(t, "+OK\r\n", do("SAVE"))
	snapshot := filepath.Join(dir, "dump.rdb")
	fixtures := map[string]string{"rdb": snapshot}
	for _, format := range []string{"json", "resp"} {
		var text strings.Builder
		require.NoError(t, files.Convert().Do(t.Context(), []string{format, snapshot}, nil, &text))
		fixtures[format] = write(t, format, text.String())
	}
	for format, path := range fixtures {
		p, err := buildWith(t, "", "--load", path, "--dir", t.TempDir())
		require.NoError(t, err)
		require.NoError(t, p.load())
		require.Equal(t, made.Engine.Home().Keyspace.Digest(), p.Engine.Home().Keyspace.Digest(), format)
	}
}

// An append-only file is loaded from its directory or its manifest. Its last file may have been cut
// off anywhere, as it is if a server crashes or goes on while the file is copied. Nothing is
// written.
func TestFixtureOfAnAppendOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	base, err := os.ReadFile(converted(t, `{"db":0,"key":"a","type":"string","deadline":1,"value":"1"}`+"\n"))
	require.NoError(t, err)
	put("x.1.base.rdb", string(base))
	put("x.1.incr.aof", "*2\r\n$7\r\nPERSIST\r\n$1\r\na\r\n")
	put("x.manifest", "file x.1.base.rdb seq 1 type b\nfile x.0.incr.aof seq 1 type h\n"+
		"file x.1.incr.aof seq 1 type i\nfile x.2.incr.aof seq 2 type i\n")
	const whole = "#TS:1700000000\r\n*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\n*1\r\n$4\r\nEXEC\r\n"
	for cut := 0; cut <= len(whole); cut++ {
		put("x.2.incr.aof", whole[:cut])
		want := "$1\r\n1\r\n"
		if cut == len(whole) {
			want = "$1\r\n2\r\n"
		}
		require.Equal(t, []string{want}, asked(t, []string{"--load", dir}, "GET a"), "%d bytes", cut)
		kept, err := os.ReadFile(filepath.Join(dir, "x.2.incr.aof"))
		require.NoError(t, err)
		require.Equal(t, whole[:cut], string(kept))
	}
	require.Equal(t, []string{"$1\r\n2\r\n"}, asked(t, []string{"--load", filepath.Join(dir, "x.manifest")}, "GET a"))
	put("x.1.incr.aof", whole[:40])
	p, err := buildWith(t, "", "--load", dir, "--dir", t.TempDir())
	require.NoError(t, err)
	require.ErrorContains(t, p.load(), "x.1.incr.aof: ", "only the last file may end early")
}
