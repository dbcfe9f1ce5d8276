package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	for name, source := range files {
		want, err := source()
		require.NoError(t, err)
		have, err := os.ReadFile("../" + name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "run go generate ./scripting/lua")
	}
}
