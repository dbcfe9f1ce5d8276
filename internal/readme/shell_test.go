//go:build unix

package readme

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// exception says of a block why a test leaves it out, and what tries it instead. A block is known
// by the page and a part of it.
type exception struct{ page, part, why string }

// exceptions are those of a test.
type exceptions struct {
	list []exception
	met  map[exception]bool
}

// leaveOut returns the blocks of a page that are no exceptions.
func (e *exceptions) leaveOut(page string, blocks []block) []block {
	return slices.DeleteFunc(blocks, func(b block) bool {
		i := slices.IndexFunc(e.list,
			func(e exception) bool { return e.page == page && strings.Contains(b.code, e.part) })
		if i >= 0 {
			e.met[e.list[i]] = true
		}
		return i >= 0
	})
}

// requireAll requires that the pages have a block for each exception.
func (e *exceptions) requireAll(t *testing.T) {
	for _, x := range e.list {
		require.True(t, e.met[x], "%s has no block with %q any more", x.page, x.part)
	}
}

// elsewhere are the blocks marked sh that TestShellBlocksWork does not run.
var elsewhere = []exception{
	{"README.md", "git clone", "the network; packaging/try/run, which follows docs/install.md, where it stands too"},
	{"CONTRIBUTING.md", "make build", "the whole test suite: what is run here"},
	{"docs/install.md", "", "packaging/try/run runs the blocks of this page, each in an empty Debian"},
	{"docs/benchmarks.md", "go run", "measurements of many minutes; the tests of bench run each briefly"},
	{"docs/memory.md", "go run", "measurements of minutes; the tests of bench run each briefly"},
	{"docs/groups.md", "10.0.0.1", "three machines; the tests of internal/e2e start groups on one"},
	{"docs/migration.md", "cache.example.com",
		"a second machine; the sessions of the page, and the tests of internal/e2e, migrate on one"},
	{"docs/swap.md", "systemctl", "a system with services; packaging/try/run starts the service in a Debian"},
	{"docs/swap.md", "--redis-exec", "a project with pytest-redis"},
	{"docs/swap.md", "REDISMS", "a project with redis-memory-server, and the network"},
	{"docs/start/go.md", "go get", "the network; packaging/try/run installs the module"},
	{"docs/start/fakeredis.md", "pip install", "clients/test"},
	{"docs/start/celery.md", "pip install", "clients/test"},
	{"docs/start/rq.md", "pip install", "clients/test"},
	{"docs/start/arq.md", "pip install", "clients/test"},
	{"docs/start/dramatiq.md", "pip install", "clients/test"},
	{"docs/start/ioredis-mock.md", "npm install", "clients/test"},
	{"docs/start/redis-memory-server.md", "npm install", "clients/test"},
	{"examples/README.md", "go run . calendar", "its tests, in examples/programs, run each program"},
	{"clients/java/README.md", "mvn test", "clients/test"},
	{"clients/node/README.md", "npm", "clients/test"},
	{"clients/python/README.md", "pip install", "clients/test"},
}

// putDocker puts a stand-in for docker on the desk, which runs the program with the arguments that
// follow the name of the image. Files in the container are those of the folder.
func (d *desk) putDocker() {
	const script = `#!/bin/sh
while [ "$1" != miniserver/miniserver ]; do shift || exit; done
shift
for word; do
  shift
  set -- "$@" "${word##*/}"
done
exec miniserver "$@"
`
	require.NoError(d.t, os.WriteFile(filepath.Join(d.path, "docker"), []byte(script), 0o755))
}

// shelf makes a folder with the files that blocks name. All of them are made by the program, or by
// openssl.
func (d *desk) shelf() {
	d.folder = d.t.TempDir()
	for name, text := range map[string]string{
		"redis.conf":        "maxclients 100\n",
		"fixture.txt":       "SET greeting hello\n",
		"scripts/count.lua": "return redis.call('INCR', KEYS[1])\n",
		"data/empty":        "",
		"limiter.lua":       "return redis.call('INCR', KEYS[1])\n",
		"limiter_test.txt":  "# Counts.\n> EVAL @limiter.lua 1 visits\n(integer) 1\n",
	} {
		path := filepath.Join(d.folder, name)
		require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(d.t, os.WriteFile(path, []byte(text), 0o644))
	}
	d.enter("openssl req -x509 -newkey rsa:2048 -nodes -keyout server.key -out server.crt -subj /CN=localhost && cp " +
		"server.crt ca.crt")
	d.enter("redis-cli MINI.WORLD RESET; redis-cli SET k v; redis-cli CONFIG SET aof-timestamp-enabled yes; " +
		"redis-cli CONFIG SET appendonly yes")
	d.enter("redis-cli SET l w; redis-cli WAITAOF 1 0 60000; redis-cli CONFIG SET appendonly no; redis-cli SAVE")
	d.enter("cp -r " + d.server.Dir +
		"/* . && cat appendonlydir/*.incr.aof >FILE && miniserver convert json dump.rdb > dump.json")
	d.enter("redis-cli SCRIPT PROFILE START; redis-cli EVAL 'return 1' 0")
	for _, name := range []string{"server.key", "dump.rdb", "dump.json", "FILE"} {
		require.FileExists(d.t, filepath.Join(d.folder, name))
	}
}

// TestShellBlocksWork runs each line of the blocks marked sh, which show no output, in one folder.
// It must succeed; or it starts a server, which gets ready, or goes on for the user to end it.
func TestShellBlocksWork(t *testing.T) {
	d := sitDown(t)
	d.putRedisCLI()
	d.putDocker()
	for _, tool := range []string{"openssl", "curl"} {
		reference.Require(t, tool)
	}
	left := exceptions{elsewhere, map[exception]bool{}}
	for _, path := range pages(t, d.root) {
		page, blocks := blocksOf(t, d.root, path)
		blocks = left.leaveOut(page, slices.DeleteFunc(blocks, func(b block) bool { return b.language != "sh" }))
		if len(blocks) == 0 {
			continue
		}
		d.shelf()
		for _, block := range blocks {
			for line := range strings.Lines(strings.ReplaceAll(block.code, "\\\n", "")) {
				if line = strings.TrimSpace(line); line != "" {
					t.Log(page + ": " + line)
					d.works(page, line)
				}
			}
		}
	}
	left.requireAll(t)
}

// blocksOf returns the blocks of a page, and its name.
func blocksOf(t *testing.T, root, path string) (page string, blocks []block) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	page, err = filepath.Rel(root, path)
	require.NoError(t, err)
	return page, parse(string(text)).blocks()
}

// fixed matches the ports of blocks, in place of which there are free ones.
var fixed = regexp.MustCompile(`\b(6379|6380|7777|8080)\b`)

// placeholders are words of blocks that stand for something else, folders that only a system's
// owner has, and addresses for all the world. With -e redis-cli fails if the reply is an error.
var placeholders = strings.NewReplacer("redis-cli ", "redis-cli -e ", "SECONDS", "9999999999", "/var/lib/miniserver",
	"data", "/tmp/", "", "'*'", "127.0.0.1")

// works runs a line and requires that it succeeds, or prints something and goes on.
func (d *desk) works(page, line string) {
	line = placeholders.Replace(fixed.ReplaceAllStringFunc(line, d.port))
	shown, err := os.Create(filepath.Join(d.t.TempDir(), "output"))
	require.NoError(d.t, err)
	defer shown.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", line)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Dir, shell.Stdout, shell.Stderr = d.folder, shown, shown
	shell.Env = append(os.Environ(), "PATH="+d.path+":"+os.Getenv("PATH"), "MINISERVER_OPTIONS=--port 0")
	require.NoError(d.t, shell.Start())
	ended := make(chan error, 1)
	go func() { ended <- shell.Wait() }()
	for {
		select {
		case err := <-ended:
			text, _ := os.ReadFile(shown.Name())
			require.NoError(d.t, err, "%s: %s\n%s", page, line, text)
			return
		case <-time.After(20 * time.Millisecond):
		}
		if text, err := os.ReadFile(shown.Name()); err == nil && goesOn(line, text) {
			require.NoError(d.t, syscall.Kill(-shell.Process.Pid, syscall.SIGKILL))
			<-ended
			return
		}
	}
}

// goesOn reports whether a line has printed by now what a program prints that the user ends.
func goesOn(line string, text []byte) bool {
	return bytes.Contains(text, []byte("Ready to accept connections")) || bytes.Contains(text, []byte(`"url":`)) ||
		strings.Contains(line, "--watch") && bytes.Contains(text, []byte("ok"))
}
