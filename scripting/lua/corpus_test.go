package lua_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/luacases"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

const corpusFolder = "testdata/lib"

// testState returns a State with every library of the package.
func testState() *lua.State {
	L := lua.NewState()
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	lua.OpenString(L)
	lua.OpenTable(L)
	lua.OpenMath(L, lua.NewRandom())
	return L
}

func TestCorpus(t *testing.T) { luacases.Check(t, corpusFolder, testState) }

func TestOracles(t *testing.T) { luacases.CheckOracles(t, corpusFolder) }

// TestCorpusSize fails if a part of the corpora is lost: thousands of expressions and statements
// for the libraries, and the programs for the language, which print more than 2,500 lines.
func TestCorpusSize(t *testing.T) {
	programs, lines := 0, 0
	for _, path := range languageFiles(t) {
		programs += len(readSections(t, path))
		for _, s := range readSections(t, outputPath(path)) {
			lines += strings.Count(s.text, "\n") + 1
		}
	}
	cases := luacases.Count(t, corpusFolder)
	t.Logf("%d cases, %d programs of %d lines of output", cases, programs, lines)
	require.Greater(t, cases, 6500)
	require.Greater(t, programs, 80)
	require.Greater(t, lines, 2500)
}
