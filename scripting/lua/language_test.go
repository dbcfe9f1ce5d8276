package lua_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/luacases"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The language corpus: programs in testdata/language/*.lua, each after a line "--- name". A file of
// the same name has the output of lua5.1 for them. run.lua runs a program and collects its output.

const languageFolder = "testdata/language"

// section is one program or its output.
type section struct{ name, text string }

func readSections(t testing.TB, path string) []section {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return parseSections(string(text))
}

// parseSections splits a text into the sections after lines "--- name".
func parseSections(text string) []section {
	var all []section
	for _, part := range strings.Split("\n"+text, "\n--- ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		all = append(all, section{name, strings.TrimSuffix(body, "\n")})
	}
	return all
}

func languageFiles(t testing.TB) []string {
	paths, err := filepath.Glob(filepath.Join(languageFolder, "*.lua"))
	require.NoError(t, err)
	var files []string
	for _, path := range paths {
		if filepath.Base(path) != "run.lua" {
			files = append(files, path)
		}
	}
	require.NotEmpty(t, files)
	return files
}

func outputPath(path string) string { return strings.TrimSuffix(path, ".lua") + ".out" }

// script returns a Lua program that runs all sections and writes a section of output for each.
func script(t testing.TB, sections []section) string {
	run, err := os.ReadFile(filepath.Join(languageFolder, "run.lua"))
	require.NoError(t, err)
	var b bytes.Buffer
	b.Write(run)
	for _, s := range sections {
		fmt.Fprintf(&b, "io.write('--- ', %s, '\\n', run(%s), '\\n')\n", luaQuote(s.name), luaQuote(s.text))
	}
	return b.String()
}

func luaQuote(s string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\x00", `\000`)
	return `"` + r.Replace(s) + `"`
}

// runHere runs a script on the evaluator and returns what it writes.
func runHere(t testing.TB, text string) string {
	L := testState()
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	var out bytes.Buffer
	io := lua.NewTable(0, 1)
	io.SetString(nil, "write", lua.NewFunction("write", func(L *lua.State, c *lua.Call) {
		for i := 1; i <= c.NArgs(); i++ {
			out.WriteString(c.CheckString(i))
		}
	}).Value())
	L.Globals.SetString(nil, "io", io.Value())
	p, err := lua.Compile(text, "@script.lua")
	require.NoError(t, err)
	// The program lua5.1 has one more C call on its stack than an embedding host has.
	front := lua.NewFunction("front", func(L *lua.State, _ *lua.Call) { L.Call(L.Load(p).Value()) })
	_, err = L.Run(front)
	require.NoError(t, err)
	return out.String()
}

func compareSections(t *testing.T, want, have []section) {
	require.Len(t, have, len(want))
	for i := range want {
		require.Equal(t, want[i].name, have[i].name)
		if want[i].text != have[i].text {
			t.Errorf("%s:\n%s", want[i].name, differences(want[i].text, have[i].text))
		}
	}
}

// differences returns the first lines in which two outputs differ.
func differences(want, have string) string {
	w, h := strings.Split(want, "\n"), strings.Split(have, "\n")
	var b strings.Builder
	for i, shown := 0, 0; i < max(len(w), len(h)) && shown < 20; i++ {
		x, y := "(nothing)", "(nothing)"
		if i < len(w) {
			x = w[i]
		}
		if i < len(h) {
			y = h[i]
		}
		if x != y {
			fmt.Fprintf(&b, "line %d\n want %s\n have %s\n", i+1, x, y)
			shown++
		}
	}
	return b.String()
}

// TestLanguage compares every program's output with the recording.
func TestLanguage(t *testing.T) {
	for _, path := range languageFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".lua"), func(t *testing.T) {
			programs := readSections(t, path)
			have := parseSections(runHere(t, script(t, programs)))
			compareSections(t, readSections(t, outputPath(path)), have)
		})
	}
}

// TestLanguageOracle compares the recordings with lua5.1 if it is installed, or with -update makes
// them.
func TestLanguageOracle(t *testing.T) {
	path := reference.Require(t, "lua5.1")
	for _, file := range languageFiles(t) {
		programs := readSections(t, file)
		cmd := exec.Command(path, "script.lua")
		cmd.Dir = t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, "script.lua"), []byte(script(t, programs)), 0o600))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if *luacases.Update {
			require.NoError(t, os.WriteFile(outputPath(file), out, 0o644))
			continue
		}
		compareSections(t, readSections(t, outputPath(file)), parseSections(string(out)))
	}
}
