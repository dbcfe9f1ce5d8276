//go:build unix

package readme

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

var start = flag.Bool("start", false, "follow the pages in docs/start, which install packages of other languages")

// TestStartPagesWork does what each page in docs/start says, in an empty folder: it writes the
// page's files, whose names stand in the titles of their blocks, and runs the sessions. A page
// whose tools are missing is skipped, or fails if REQUIRE_CLIENTS is set.
func TestStartPagesWork(t *testing.T) {
	if !*start {
		t.Skip("needs -start: installs packages of other languages")
	}
	root, err := launch.Root()
	require.NoError(t, err)
	paths, err := filepath.Glob(filepath.Join(root, "docs", "start", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			t.Parallel()
			follow(t, path)
		})
	}
}

func follow(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	files := parse(string(text)).files()
	if len(files) == 0 && len(parse(string(text)).code("console")) == 0 {
		return // its code is part of other tests
	}
	requireTools(t, string(text))
	d := sitDown(t)
	d.putRedisCLI()
	d.folder = t.TempDir()
	for name, code := range files {
		name = filepath.Join(d.folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(d.translate(code)), 0o644))
	}
	check(t, path, func(p *page) { p.rewrite(d.enter) })
}

// requireTools skips a page whose sessions need a program that is not installed. Rust is more than
// a check should have to install.
func requireTools(t *testing.T, text string) {
	if strings.Contains(text, "$ cargo ") && !inPath("cargo") {
		t.Skip("cargo is not installed")
	}
	for _, tool := range []string{"python3", "npm", "mvn", "sidekiq", "ruby", "php"} {
		if strings.Contains(text, "$ "+tool+" ") {
			requireProgram(t, tool)
		}
	}
	if strings.Contains(text, `require "timecop"`) && exec.Command("ruby", "-rtimecop", "-e", "").Run() != nil {
		require.Empty(t, os.Getenv("REQUIRE_CLIENTS"), "Timecop is not installed")
		t.Skip("Timecop is not installed")
	}
}

// requireProgram skips a test if a program is not installed, or fails it if REQUIRE_CLIENTS is set.
func requireProgram(t *testing.T, name string) {
	if !inPath(name) {
		require.Empty(t, os.Getenv("REQUIRE_CLIENTS"), "%s is not installed", name)
		t.Skipf("%s is not installed", name)
	}
}
