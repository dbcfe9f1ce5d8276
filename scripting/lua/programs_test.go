package lua_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

var (
	programs  = flag.Int("programs", 2000, "random programs to compare with lua5.1")
	firstSeed = flag.Uint64("program-seed", 1, "seed of the first random program")
)

// batchSize is how many programs one lua5.1 process runs.
const batchSize = 1000

// TestRandomPrograms compares the output of random programs with that of lua5.1. A million programs
// take a quarter of an hour; one batch is in memory at a time. With -v the test prints its
// progress. -program-seed continues from there, or repeats a program that failed:
//
//	go test ./scripting/lua -run TestRandomPrograms -timeout 2h -programs 1000000 -program-seed 1
func TestRandomPrograms(t *testing.T) {
	path := reference.Require(t, "lua5.1")
	failures := 0
	for start := 0; start < *programs && failures < 10; start += batchSize {
		var sections []section
		for i := start; i < min(start+batchSize, *programs); i++ {
			seed := *firstSeed + uint64(i)
			sections = append(sections, section{strconv.FormatUint(seed, 10), program(seed)})
		}
		text := script(t, sections)
		want := parseSections(runReference(t, path, text))
		have := parseSections(runHere(t, text))
		require.Len(t, have, len(want))
		for i := range want {
			if want[i] != have[i] && failures < 10 {
				failures++
				t.Errorf("seed %s:\n%s", want[i].name, differences(want[i].text, have[i].text))
			}
		}
		if done := start + len(want); done%(10*batchSize) == 0 {
			t.Logf("%d programs, %d of them differ", done, failures)
		}
	}
}

// runReference runs a script in lua5.1 and returns what it writes.
func runReference(t *testing.T, path, text string) string { return runBeside(t, path, text, "") }

// runBeside runs a harness in lua5.1, beside the file script.lua, and returns what it writes.
func runBeside(t *testing.T, path, harness, script string) string {
	folder := t.TempDir()
	defer func() { _ = os.RemoveAll(folder) }()
	for name, text := range map[string]string{"harness.lua": harness, "script.lua": script} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	cmd := exec.Command(path, "harness.lua")
	cmd.Dir = folder
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}
