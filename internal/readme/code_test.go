//go:build unix

package readme

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// unread are the blocks that TestCodeHasNoMistakesOfSyntax does not read.
var unread = []exception{
	{"docs/debugging.md", "dape-configs", "Emacs Lisp: there is no Emacs among the programs that the tests install"},
	{"docs/start/spring.md", "spring.data.redis",
		"properties have no syntax to break; TestStartPagesWork runs the page"},
	{"docs/start/redis-om.md", "spring.data.redis",
		"properties have no syntax to break; TestStartPagesWork runs the page"},
	{"docs/start/rust.md", "[package]", "cargo reads it in TestStartPagesWork"},
	{"docs/start/rust.md", "use std", "cargo compiles it in TestStartPagesWork"},
	{"docs/start/other-languages.md", "StackExchange",
		"there is no .NET among the programs that the tests install, as the page says"},
	{"docs/lint.md", "return 1 +\n", "what the rule syntax finds"},
	{"docs/install.md", "start /b", "the language of Windows' Command Prompt; packaging/try/run runs it under Wine"},
}

// readers read code of their language: a whole file, or a part of one.
var readers = map[string]func(code string) error{
	"go": func(code string) error {
		_, err := format.Source([]byte(code))
		return err
	},
	"json": func(code string) error { return json.Unmarshal([]byte(code), new(any)) },
	"yaml": func(code string) error {
		var m mistakes
		assert.YAMLEq(&m, code, code)
		return errors.Join(m...)
	},
	"xml": func(code string) error {
		d := xml.NewDecoder(strings.NewReader(code))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	},
	"lua": func(code string) error {
		if strings.HasPrefix(code, "#!") { // the line that makes it a library
			code = "--" + code
		}
		_, err := lua.Compile(code, "page")
		return err
	},
}

// mistakes is a test that testify tells of mistakes.
type mistakes []error

func (m *mistakes) Errorf(format string, args ...any) { *m = append(*m, fmt.Errorf(format, args...)) }

// compilers read code with the programs of their language, which run nothing of it. A line of the
// shell gets the files with the code.
var compilers = map[string]struct{ program, suffix, line string }{
	"sh":     {"sh", ".sh", `for f; do sh -n "$f" || failed=1; done; exit $failed`},
	"js":     {"node", ".mjs", `for f; do node --check "$f" || failed=1; done; exit $failed`},
	"ruby":   {"ruby", ".rb", `for f; do ruby -c "$f" || failed=1; done; exit $failed`},
	"php":    {"php", ".php", `for f; do php -l "$f" || failed=1; done; exit $failed`},
	"python": {"python3", ".py", `exec python3 -c 'import ast, sys; [ast.parse(open(f).read(), f) for f in sys.argv[1:]]' "$@"`},
	"java":   {"javac", ".java", `exec java testdata/Parse.java "$@"`},
}

// TestCodeHasNoMistakesOfSyntax reads the code of all pages, also that which no test runs: it needs
// a container, or a project around it.
func TestCodeHasNoMistakesOfSyntax(t *testing.T) {
	quick.Outside(t)
	root, err := launch.Root()
	require.NoError(t, err)
	left := exceptions{unread, map[exception]bool{}}
	files, folder := map[string][]string{}, t.TempDir()
	for _, path := range pages(t, root) {
		page, blocks := blocksOf(t, root, path)
		for _, b := range left.leaveOut(page, blocks) {
			read, compiler := readers[b.language], compilers[b.language]
			switch {
			case b.language == "console" || b.language == "text" || b.language == "":
			case read != nil:
				require.NoError(t, read(b.code), "%s:%d", page, b.line)
			default:
				require.NotEmpty(t, compiler.line, "%s:%d: nothing reads %s", page, b.line, b.language)
				name := filepath.Join(folder,
					fmt.Sprintf("%s_%d%s", strings.ReplaceAll(page, "/", "_"), b.line, compiler.suffix))
				require.NoError(t, os.WriteFile(name, []byte(b.code), 0o644))
				files[b.language] = append(files[b.language], name)
			}
		}
	}
	left.requireAll(t)
	for language, compiler := range compilers {
		t.Run(language, func(t *testing.T) {
			require.NotEmpty(t, files[language])
			requireProgram(t, compiler.program)
			out, err := exec.Command("sh", append([]string{"-c", compiler.line, "sh"}, files[language]...)...).
				CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}
