package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGeneratedFileIsCurrent(t *testing.T) {
	source, err := generate()
	require.NoError(t, err)
	file, err := os.ReadFile("../compile_shapes.go")
	require.NoError(t, err)
	require.Equal(t, string(source), string(file), "run go generate ./scripting/lua")
}
