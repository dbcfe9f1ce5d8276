package lua_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/redislib"
)

// The library corpus: files of cases in testdata/lib, each a line "> source"
// and a line with what the file's oracle, lua5.1 or redis-server, showed for
// it. case.lua does the showing, here and there. Where we mean to differ two
// more lines follow: "! reason" and what we show.

var update = flag.Bool("update", false, "record the library corpus anew from its oracles")

// corpus is one file of cases.
type corpus struct {
	path    string
	header  []string // comment lines; one names the oracle
	sources []string
	results []string
	ours    map[int][2]string // where we differ: reason and result
}

const corpusFolder = "testdata/lib"

func corpora(t *testing.T) []*corpus {
	paths, err := filepath.Glob(filepath.Join(corpusFolder, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := make([]*corpus, len(paths))
	for i, path := range paths {
		all[i] = readCorpus(t, path)
	}
	return all
}

func readCorpus(t *testing.T, path string) *corpus {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	c := &corpus{path: path, ours: map[int][2]string{}}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "! "):
			c.ours[len(c.sources)-1] = [2]string{line[2:], lines[i+1]}
			i++
		case strings.HasPrefix(line, "#") && len(c.sources) == 0:
			c.header = append(c.header, line)
		case strings.HasPrefix(line, "> "):
			require.True(t, *update || len(c.sources) == len(c.results), "%s: no result before %s", path, line)
			c.sources = append(c.sources, line[2:])
		default:
			c.results = append(c.results, line)
		}
	}
	if *update {
		c.results = make([]string, len(c.sources))
	}
	require.Equal(t, len(c.sources), len(c.results), path)
	return c
}

func (c *corpus) write(t *testing.T) {
	var out bytes.Buffer
	for _, line := range c.header {
		fmt.Fprintln(&out, line)
	}
	for i, source := range c.sources {
		fmt.Fprintf(&out, "> %s\n%s\n", source, c.results[i])
		if ours, ok := c.ours[i]; ok {
			fmt.Fprintf(&out, "! %s\n%s\n", ours[0], ours[1])
		}
	}
	require.NoError(t, os.WriteFile(c.path, out.Bytes(), 0o644))
}

func (c *corpus) byRedis() bool { return strings.Contains(strings.Join(c.header, " "), "redis-server") }

func harness(t testing.TB, after string) string {
	text, err := os.ReadFile(filepath.Join(corpusFolder, "case.lua"))
	require.NoError(t, err)
	return string(text) + after
}

// testState returns a State with every library.
func testState() *lua.State {
	L := lua.NewState()
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	lua.OpenString(L)
	lua.OpenTable(L)
	lua.OpenMath(L)
	redislib.OpenBit(L)
	redislib.OpenCjson(L)
	redislib.OpenCmsgpack(L)
	redislib.OpenStruct(L)
	return L
}

// TestCorpus compares every case with its recording.
func TestCorpus(t *testing.T) {
	for _, c := range corpora(t) {
		t.Run(strings.TrimSuffix(filepath.Base(c.path), ".txt"), func(t *testing.T) {
			show := showCase(t)
			for i, source := range c.sources {
				shown := show(source)
				want := c.results[i]
				if ours, ok := c.ours[i]; ok {
					want = ours[1]
				}
				if shown != want {
					t.Errorf("%s\n want %s\n have %s", source, want, shown)
				}
			}
		})
	}
}

// TestCorpusSize keeps the corpora from being lost: more than 7,000 expressions and statements of the
// libraries beside the programs of the language, which print more than 2,500 lines.
func TestCorpusSize(t *testing.T) {
	cases, programs, lines := 0, 0, 0
	for _, c := range corpora(t) {
		cases += len(c.sources)
	}
	for _, path := range languageFiles(t) {
		programs += len(readSections(t, path))
		for _, s := range readSections(t, outputPath(path)) {
			lines += strings.Count(s.text, "\n") + 1
		}
	}
	t.Logf("%d cases, %d programs of %d lines of output", cases, programs, lines)
	require.Greater(t, cases, 7000)
	require.Greater(t, programs, 80)
	require.Greater(t, lines, 2500)
}

// TestOracles shows every case to the oracles, if they are installed, and
// compares with the recording, or with -update makes it.
func TestOracles(t *testing.T) {
	for _, c := range corpora(t) {
		t.Run(strings.TrimSuffix(filepath.Base(c.path), ".txt"), func(t *testing.T) {
			oracle := askLua
			if c.byRedis() {
				oracle = askRedis
			}
			results := oracle(t, c.sources)
			require.Len(t, results, len(c.sources))
			if *update {
				c.results = results
				c.write(t)
				return
			}
			for i, source := range c.sources {
				require.Equal(t, c.results[i], results[i], source)
			}
		})
	}
}

// askLua runs lua5.1 over the sources.
func askLua(t *testing.T, sources []string) []string {
	path := reference.Require(t, "lua5.1")
	script := filepath.Join(t.TempDir(), "cases.lua")
	text := harness(t, `for line in io.lines() do io.write(case(line), "\n") end`)
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	cmd := exec.Command(path, script)
	cmd.Stdin = strings.NewReader(strings.Join(sources, "\n"))
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// askRedis runs EVAL over the sources on a redis-server of its own.
func askRedis(t *testing.T, sources []string) []string {
	conn := reference.Start(t).Dial(t)
	defer conn.Close()

	script := harness(t, `local out = {} for i, source in ipairs(ARGV) do out[i] = case(source) end return out`)
	require.NoError(t, sendCommand(conn, append([]string{"EVAL", script, "0"}, sources...)))
	results, err := readStrings(bufio.NewReader(conn))
	require.NoError(t, err)
	return results
}

func sendCommand(conn net.Conn, args []string) error {
	w := bufio.NewWriter(conn)
	fmt.Fprintf(w, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(w, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return w.Flush()
}

// readStrings reads an array of strings without line ends.
func readStrings(r *bufio.Reader) ([]string, error) {
	var n int
	if _, err := fmt.Fscanf(r, "*%d\r\n", &n); err != nil {
		line, _ := r.ReadString('\n')
		return nil, fmt.Errorf("%w: %s", err, line)
	}
	all := make([]string, n)
	for i := range all {
		if _, err := r.ReadString('\n'); err != nil {
			return nil, err
		}
		text, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		all[i] = strings.TrimSuffix(text, "\r\n")
	}
	return all, nil
}
