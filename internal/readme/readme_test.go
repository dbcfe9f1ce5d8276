//go:build unix

package readme

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/internal/testkit"
	"github.com/miniserver-go/miniserver/resp"
)

var update = flag.Bool("update", false, "rewrite the pages by what happens")

// patience is how long a command of a page may take. Some compile, or install packages.
const patience = 15 * time.Minute

// desk is the environment that the pages assume: a shell in the module's root, a server of ours
// with the test kit, redis-cli and miniserver in the path.
type desk struct {
	t      *testing.T
	root   string
	folder string // where commands run
	path   string
	server *launch.Server
	ports  map[string]string // those that stand for the ones of the pages
}

func TestMain(m *testing.M) { os.Exit(launch.Run(m)) }

func sitDown(t *testing.T) *desk {
	quick.Outside(t)
	d := &desk{t: t, path: t.TempDir(), ports: map[string]string{}}
	var err error
	d.root, err = launch.Root()
	require.NoError(t, err)
	d.folder = t.TempDir() // sessions write files
	require.NoError(t, os.CopyFS(filepath.Join(d.folder, "examples"), os.DirFS(filepath.Join(d.root, "examples"))))
	binary, err := launch.Ours()
	require.NoError(t, err)
	d.server, err = launch.Start(launch.Spec{Path: binary,
		Args: []string{"--" + testkit.Setting, "--http-port", d.port("8080")}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.server.Stop()) })
	d.ports["6379"] = d.server.Port()
	require.NoError(t, os.Symlink(binary, filepath.Join(d.path, "miniserver")))
	return d
}

// putRedisCLI puts redis-cli on the desk, or skips the test. It talks to the desk's server, whose
// port is not the usual one.
func (d *desk) putRedisCLI() {
	cli := reference.Require(d.t, "redis-cli")
	script := fmt.Sprintf("#!/bin/sh\nexec %s -p %s \"$@\"\n", cli, d.server.Port())
	require.NoError(d.t, os.WriteFile(filepath.Join(d.path, "redis-cli"), []byte(script), 0o755))
}

// enter runs a command line and returns what it prints as on a terminal, for which FAKETTY makes
// redis-cli and miniserver print.
func (d *desk) enter(command string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", d.translate(command))
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it started ends with it
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	shell.Dir = d.folder
	shell.Env = append(os.Environ(), "PATH="+d.path+":"+os.Getenv("PATH"), "FAKETTY=1")
	out, _ := shell.CombinedOutput()
	require.NoError(d.t, ctx.Err(), "%s does not end", command)
	printed := colour.ReplaceAllString(string(out), "")
	for shown, free := range d.ports {
		printed = strings.ReplaceAll(printed, ":"+free, ":"+shown)
	}
	return printed
}

// colour is what programs print to colour a terminal.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// pagePort is a port on which a page starts a server, or finds one.
var pagePort = regexp.MustCompile(`\b(639\d|6379)\b`)

// translate puts free ports in place of those that a page names, so that several tests may run at
// once.
func (d *desk) translate(text string) string { return pagePort.ReplaceAllStringFunc(text, d.port) }

func (d *desk) port(shown string) string {
	if d.ports[shown] == "" {
		free, err := launch.FreePort()
		require.NoError(d.t, err)
		d.ports[shown] = strconv.Itoa(free)
	}
	return d.ports[shown]
}

// check requires a page to be as it is, or rewrites it.
func check(t *testing.T, path string, change func(p *page)) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	p := parse(string(text))
	change(p)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(p.String()), 0o644))
		return
	}
	was := parse(string(text)).lines
	for i, line := range p.lines {
		if i == len(was) || was[i] != line {
			require.Failf(t, "the page is not what happens", "%s:%d\npage:    %s\nhappens: %s\n"+
				"see go test ./internal/readme -update", path, i+1, was[min(i, len(was)-1)], line)
		}
	}
	require.Len(t, p.lines, len(was), path)
}

// pages returns the paths of the pages.
func pages(t *testing.T, root string) (paths []string) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "clients/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		paths = append(paths, found...)
	}
	return paths
}

func TestTerminalSessionsAreWhatHappens(t *testing.T) {
	d := sitDown(t)
	d.putRedisCLI()
	for _, path := range pages(t, d.root) {
		if filepath.Base(filepath.Dir(path)) == "start" {
			continue // see TestStartPagesWork
		}
		d.enter("redis-cli MINI.WORLD RESET")
		check(t, path, func(p *page) { p.rewrite(d.enter) })
	}
}

// ask sends a command to the server.
func (d *desk) ask(command string) resp.Value {
	conn, err := net.Dial(d.server.Network, d.server.Address)
	require.NoError(d.t, err)
	defer conn.Close()
	_, err = conn.Write([]byte(command + "\r\n"))
	require.NoError(d.t, err)
	reply, err := resp.NewReader(conn).Read()
	require.NoError(d.t, err)
	return reply
}

func TestCommandTableIsUpToDate(t *testing.T) {
	d := sitDown(t)
	text, err := table(d.ask("COMMAND DOCS"))
	require.NoError(t, err)
	check(t, filepath.Join(d.root, "docs", "commands.md"), func(p *page) { p.replaceTable(tableBegin, text) })
}

// TestHeadersOfExamplesRun runs the commands in the headers of the example scripts.
func TestHeadersOfExamplesRun(t *testing.T) {
	d := sitDown(t)
	d.putRedisCLI()
	scripts, err := filepath.Glob(filepath.Join(d.root, "examples", "*.lua"))
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		body, err := os.ReadFile(script)
		require.NoError(t, err)
		d.enter("redis-cli FLUSHALL")
		for line := range strings.Lines(string(body)) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "--   ")
			if ok && (strings.HasPrefix(command, "redis-cli ") || strings.HasPrefix(command, "miniserver ")) {
				require.Regexp(t, `^(\(integer\) -?[0-9]+\n|1\) |\(empty array\)\n)`, d.enter(command), command)
			}
		}
	}
}

// TestExamplesAreTests looks for the code of pages in the tests of each language, where it stands
// word for word.
func TestExamplesAreTests(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	read := func(pattern string) (texts string) {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			texts += string(text)
		}
		return texts
	}
	for _, of := range []struct {
		page, language, tests string
		blocks                int
	}{
		{"README.md", "go", "examples/programs/embedded_test.go", 1},
		{"docs/start/go.md", "go", "examples/programs/embedded_test.go", 3},
		{"docs/start/miniredis.md", "go", "examples/programs/miniredis_test.go", 4},
		{"docs/start/java.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/RecipesTest.java", 2},
		{"docs/start/redisson.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/RedissonTest.java", 1},
		{"docs/start/spring.md", "java", "clients/java/examples/spring/src/test/java/demo/*Test.java", 3},
		{"docs/start/jedis-mock.md", "java", "clients/java/src/test/java/io/github/miniserver/jedismock/MovingTest.java", 2},
		{"docs/start/embedded-redis.md", "java", "clients/java/src/test/java/io/github/miniserver/embedded/MovingTest.java",
			2},
		{"docs/start/node.md", "js", "clients/node/examples/vitest/recipes.test.js", 1},
		{"docs/start/bullmq.md", "js", "clients/node/examples/vitest/bullmq.test.js", 3},
		{"docs/start/python.md", "python", "clients/python/tests/test_recipes.py", 1},
		{"docs/start/fakeredis.md", "python", "clients/python/tests/test_fakeredis_page.py", 3},
		{"docs/start/celery.md", "python", "clients/python/tests/queues/test_celery.py", 3},
		{"docs/start/rq.md", "python", "clients/python/tests/queues/test_rq.py", 2},
		{"docs/start/arq.md", "python", "clients/python/tests/queues/test_arq.py", 2},
		{"docs/start/dramatiq.md", "python", "clients/python/tests/queues/test_dramatiq.py", 2},
		{"clients/java/README.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/SessionTest.java",
			2},
		{"clients/node/README.md", "js", "clients/node/test/readme.test.mjs", 1},
		{"clients/python/README.md", "python", "clients/python/tests/test_readme.py", 3},
		{"docs/start/tls.md", "go", "examples/programs/embedded_test.go", 1},
		{"docs/start/tls.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/TlsTest.java", 1},
		{"docs/start/tls.md", "js", "clients/node/test/tls.test.js", 1},
		{"docs/start/tls.md", "python", "clients/python/tests/test_tls.py", 1},
		{"docs/services.md", "go", "examples/programs/embedded_test.go", 1},
		{"docs/services.md", "python", "clients/python/tests/xdist_conftest.py", 1},
		{"docs/services.md", "js", "clients/node/examples/shared/setup.js", 1},
		{"docs/json.md", "go", "examples/programs/json_test.go", 1},
		{"docs/json.md", "python", "clients/python/tests/test_json.py", 1},
		{"docs/json.md", "js", "clients/node/test/json.test.js", 1},
		{"docs/json.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/JsonTest.java", 1},
		{"docs/sketches.md", "go", "examples/programs/stack_test.go", 1},
		{"docs/sketches.md", "python", "clients/python/tests/test_stack.py", 1},
		{"docs/sketches.md", "js", "clients/node/test/stack.test.js", 1},
		{"docs/sketches.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/StackTest.java", 1},
		{"docs/timeseries.md", "go", "examples/programs/stack_test.go", 1},
		{"docs/timeseries.md", "python", "clients/python/tests/test_stack.py", 1},
		{"docs/timeseries.md", "js", "clients/node/test/stack.test.js", 1},
		{"docs/timeseries.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/StackTest.java", 1},
		{"docs/vectors.md", "go", "examples/programs/vectors_test.go", 1},
		{"docs/vectors.md", "python", "clients/python/tests/test_vectors.py", 1},
		{"docs/vectors.md", "js", "clients/node/test/vectors.test.js", 1},
		{"docs/search.md", "go", "examples/programs/search_test.go", 1},
		{"docs/search.md", "python", "clients/python/tests/test_search.py", 1},
		{"docs/search.md", "js", "clients/node/test/search.test.js", 1},
		{"docs/search.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/SearchTest.java", 1},
		{"docs/recipes/go.md", "go", "examples/programs/recipes_test.go", 8},
		{"docs/recipes/python.md", "python", "clients/python/tests/test_recipes.py", 8},
		{"docs/recipes/node.md", "js", "clients/node/examples/vitest/recipes.test.js", 8},
		{"docs/recipes/java.md", "java", "clients/java/src/test/java/io/github/miniserver/testkit/RecipesTest.java", 8},
	} {
		blocks, tests := parse(read(of.page)).code(of.language), flush(read(of.tests))
		require.Len(t, blocks, of.blocks, "%s: %s", of.page, of.language)
		for _, block := range blocks {
			require.Contains(t, tests, flush(block), "%s: %s", of.page, of.tests)
		}
	}
}

// TestCallsAreInTests: each call in the table of docs/testing.md with a column for each language
// stands in a test of that language.
func TestCallsAreInTests(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "docs/testing.md"))
	require.NoError(t, err)
	const head = "## The same in four languages\n\n| | Go | Python | Node.js | Java |\n"
	_, table, found := strings.Cut(string(text), head)
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var tests [4]string
	for i, patterns := range [...][]string{
		{"*_test.go", "examples/programs/*_test.go"},
		{"clients/python/tests/*.py"},
		{"clients/node/test/*.js", "clients/node/examples/vitest/*.js"},
		{"clients/java/src/test/java/io/github/miniserver/testkit/*.java"},
	} {
		for _, pattern := range patterns {
			files, err := filepath.Glob(filepath.Join(root, pattern))
			require.NoError(t, err)
			for _, file := range files {
				code, err := os.ReadFile(file)
				require.NoError(t, err)
				tests[i] += string(code)
			}
		}
	}
	rows := strings.Split(table, "\n")[1:]
	require.NotEmpty(t, rows)
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		require.Len(t, cells, 1+len(tests), row)
		for i, call := range cells[1:] {
			require.True(t, strings.Contains(tests[i], strings.Trim(call, "`")), "no test has %s", call)
		}
	}
}

var (
	pageLink = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	codeFile = regexp.MustCompile("`([a-z/_]+/[a-z_]+[.]go)`")
)

// TestLinksLeadSomewhere follows the links within the repository, also to the headings of pages,
// and the names of files in code quotes.
func TestLinksLeadSomewhere(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	for _, path := range pages(t, root) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, link := range pageLink.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(path), link[1])
			if link[1] == "" {
				target = path
			}
			require.True(t, exists(target), "%s: %s", path, link[1])
			if link[2] != "" {
				require.Contains(t, anchors(t, target), link[2], "%s: %s", path, link[1])
			}
		}
		for _, name := range codeFile.FindAllStringSubmatch(string(text), -1) {
			require.True(t, exists(filepath.Join(root, name[1])), "%s: %s", path, name[1])
		}
	}
}

// anchors returns the anchors of a page's headings.
func anchors(t *testing.T, path string) (all []string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, heading := range parse(string(text)).headings() {
		all = append(all, "#"+anchor(heading))
	}
	return all
}

func inPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestHeadings(t *testing.T) {
	p := parse("# The *page*\ntext\n## `GET key`, and more\n```sh\n# a comment\n```\n### What's more\n#no heading")
	require.Equal(t, []string{"The *page*", "`GET key`, and more", "What's more"}, p.headings())
	require.Equal(t, "get-key-and-more", anchor(p.headings()[1]))
	require.Equal(t, "whats-more", anchor(p.headings()[2]))
}

func TestFiles(t *testing.T) {
	p := parse("```js title=\"a/b.mjs\"\none\n\ntwo\n```\n```js\nthree\n```\n- four\n  ```\n  five\n  ```")
	require.Equal(t, map[string]string{"a/b.mjs": "one\n\ntwo\n"}, p.files())
	require.Equal(t, []string{"three\n"}, p.code("js"))
	require.Equal(t, block{code: "  five\n", line: 11}, p.blocks()[2])
}

func TestRewrite(t *testing.T) {
	const text = "text\n```console\n$ one\nat 1700001234\n$ two \\\n> more\nold\n```\n$ not a command\n```sh\n" +
		"$ nor this\n```"
	var ran []string
	run := func(command string) string {
		ran = append(ran, command)
		return "at 1700005678\n"
	}
	p := parse(text)
	p.rewrite(run)
	require.Equal(t, []string{"one", "two \\\nmore"}, ran)
	require.Equal(t, strings.Replace(text, "old", "at 1700005678", 1), p.String())
}

// Bytes are compared, unless they depend on the heights of a skiplist's nodes.
func TestMasked(t *testing.T) {
	require.Equal(t, "at TIME, TIME and TIME", masked([]string{"at 1700000000, 1700000000000 and 1700000000000000"}))
	require.Equal(t, "ziplist\n1936 of 12345678901", masked([]string{"ziplist", "1936 of 12345678901"}))
	require.Equal(t, "skiplist\nBYTES of 17", masked([]string{"skiplist", "7157 of 17"}))
}
