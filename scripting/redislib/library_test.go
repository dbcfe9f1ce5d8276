package redislib_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/luacases"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/redislib"
)

const corpusFolder = "testdata"

// testState returns a State with every library that Redis gives to scripts.
func testState() *lua.State {
	L := lua.NewState()
	lua.OpenBase(L)
	lua.OpenString(L)
	lua.OpenTable(L)
	lua.OpenMath(L, lua.NewRandom())
	redislib.OpenBit(L)
	redislib.OpenCjson(L, true)
	redislib.OpenCmsgpack(L)
	redislib.OpenStruct(L)
	return L
}

func TestCorpus(t *testing.T) { luacases.Check(t, corpusFolder, testState) }

func TestOracles(t *testing.T) { luacases.CheckOracles(t, corpusFolder) }

// TestCorpusSize fails if a part of the corpora is lost.
func TestCorpusSize(t *testing.T) { require.Greater(t, luacases.Count(t, corpusFolder), 600) }
