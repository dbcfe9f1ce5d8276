package scripting_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// The corpora of package lua, which that package compares with lua5.1, run through EVAL here, on
// our engine and on a redis-server. Each expression is a script of its own, which compares the
// conversion of replies and the texts of errors too. All expressions also run through the function
// that prints values in full. So does each program, and each piece of code whose error the programs
// print. testdata/differences.txt lists the known differences with their reasons.

const luaCorpora = "lua/testdata"

// matched reads the files of a pattern.
func matched(t *testing.T, pattern string) map[string]string {
	paths, err := filepath.Glob(filepath.Join(luaCorpora, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	files := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		files[path] = string(text)
	}
	return files
}

// expressions returns the cases of the library corpora.
func expressions(t *testing.T) (list []string) {
	for _, text := range matched(t, "lib/*.txt") {
		for line := range strings.Lines(text) {
			if source, ok := strings.CutPrefix(line, "> "); ok {
				list = append(list, strings.TrimSuffix(source, "\n"))
			}
		}
	}
	return list
}

// programs returns the programs of the language corpora, which show things with print and try.
func programs(t *testing.T) (list []string) {
	for path, text := range matched(t, "language/*.lua") {
		if filepath.Base(path) == "run.lua" {
			continue
		}
		for _, part := range strings.Split("\n"+text, "\n--- ")[1:] {
			_, body, _ := strings.Cut(part, "\n")
			list = append(list, body)
		}
	}
	return list
}

var tried = regexp.MustCompile(`(?s)try *\[\[(.*?) ?\]\]|try *\[=\[(.*?)\]=\]|try *\(?"((?:[^"\\\n]|\\.)*)"`)

// pieces returns the code that programs pass to try.
func pieces(t *testing.T) (list []string) {
	for _, program := range programs(t) {
		for _, m := range tried.FindAllStringSubmatch(program, -1) {
			list = append(list, m[1]+m[2]+m[3])
		}
	}
	return list
}

// prelude defines the functions by which programs print. A program returns what it printed.
const prelude = `local lines = {}
local function print(...)
	local parts = {}
	for i = 1, select('#', ...) do parts[i] = tostring((select(i, ...))) end
	lines[#lines + 1] = table.concat(parts, '\t')
end
local function try(f, ...)
	if type(f) == 'string' then
		local problem
		f, problem = loadstring(f, '=t')
		if not f then print('syntax', problem) return end
	end
	local function show(ok, ...)
		if ok then print('ok', ...) else print('error', ...) end
	end
	show(pcall(f, ...))
end
local function body()
`

const postlude = "\nend\nlocal ok, problem = pcall(body)\nif not ok then print('error', problem) end\nreturn lines\n"

// corpusScripts returns all scripts that are compared.
func corpusScripts(t *testing.T) (list []string) {
	for _, e := range expressions(t) {
		list = append(list, "return "+e)
	}
	list = append(list, pieces(t)...)
	for _, p := range programs(t) {
		list = append(list, prelude+p+postlude)
	}
	return list
}

// difference is a line of a reply, theirs and ours.
type difference struct{ theirs, ours string }

// known returns the differences that are listed.
func known(t *testing.T) map[difference]bool {
	text, err := os.ReadFile(filepath.Join("testdata", "differences.txt"))
	require.NoError(t, err)
	list, theirs := map[difference]bool{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			theirs = rest
		} else if rest, ok := strings.CutPrefix(line, "+ "); ok {
			list[difference{theirs, rest}] = true
		}
	}
	return list
}

// asker sends scripts to a server, in pipelines, and returns the replies.
type asker func(commands [][][]byte) []resp.Value

func askOurs(t *testing.T) asker {
	e := newEngine()
	s := e.NewSession(nil)
	return func(commands [][][]byte) []resp.Value {
		return replies(t, resp.NewReader(bytes.NewReader(bytes.Clone(e.Do(s, commands).Out))), len(commands))
	}
}

func askRedis(t *testing.T) asker {
	conn := reference.Start(t).Dial(t)
	in := resp.NewReader(conn)
	return func(commands [][][]byte) []resp.Value {
		w := resp.NewWriter(2)
		for _, args := range commands {
			w.Array(len(args))
			for _, arg := range args {
				w.Bulk(arg)
			}
		}
		go func() { _, _ = conn.Write(w.Bytes()) }()
		return replies(t, in, len(commands))
	}
}

func replies(t *testing.T, in *resp.Reader, n int) (list []resp.Value) {
	for range n {
		v, err := in.Read()
		require.NoError(t, err)
		list = append(list, v)
	}
	return list
}

var (
	address = regexp.MustCompile(`0x[0-9a-f]{6,}`)
	number  = regexp.MustCompile(`(?m)^ *(?:\d+\) )*`)
)

// shown returns a reply's lines without addresses and the numbers of elements.
func shown(v resp.Value) []string {
	text := address.ReplaceAllString(v.String(), "ADDRESS")
	return strings.Split(number.ReplaceAllString(text, ""), "\n")
}

// differences returns the lines in which our reply is not theirs.
func differences(theirs, ours resp.Value) (list []difference) {
	t, o := shown(theirs), shown(ours)
	if len(t) != len(o) {
		return []difference{{fmt.Sprint(len(t), " lines: ", t), fmt.Sprint(len(o), " lines: ", o)}}
	}
	for i := range t {
		if t[i] != o[i] {
			list = append(list, difference{t[i], o[i]})
		}
	}
	return list
}

func TestCorpusThroughEVAL(t *testing.T) {
	quick.OneGoroutine(t, "compares thousands of scripts")
	scripts, listed, met := corpusScripts(t), known(t), map[difference]bool{}
	require.Greater(t, len(scripts), 7000)
	ours, theirs := askOurs(t), askRedis(t)
	for some := range slices.Chunk(scripts, 200) {
		var commands [][][]byte
		for _, s := range some {
			commands = append(commands, [][]byte{[]byte("EVAL"), []byte(s), []byte("0")})
		}
		want, have := theirs(commands), ours(commands)
		for i, s := range some {
			for _, d := range differences(want[i], have[i]) {
				if met[d] = true; !listed[d] {
					t.Errorf("%s\n- %s\n+ %s", s, d.theirs, d.ours)
				}
			}
		}
	}
	for d := range listed {
		require.True(t, met[d], "listed, but it does not differ any more: %q", d)
	}
}
