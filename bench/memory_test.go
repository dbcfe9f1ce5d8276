package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/bench/laboratory"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestMemoryWritesItsReports runs a small selection and reads what it leaves.
func TestMemoryWritesItsReports(t *testing.T) {
	quick.Skip(t, "draws charts")
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	o, err := parseMemory([]string{"-type", "zset", "-shape", "times,8 bytes", "-n", "100,128,129", "-time", "1us",
		"-csv", path("a.csv"), "-json", path("a.json"), "-html", path("a.html"), "-png", dir})
	require.NoError(t, err)
	run, err := o.measure(nil)
	require.NoError(t, err)
	require.Len(t, run.Results, 2*4*3)
	require.NoError(t, o.write(run))

	text, err := os.ReadFile(path("a.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(run.Results))
	text, err = os.ReadFile(path("a.json"))
	require.NoError(t, err)
	require.True(t, json.Valid(text))
	again, err := (&memoryOptions{from: path("a.json")}).results()
	require.NoError(t, err)
	require.Equal(t, run, again)
	text, err = os.ReadFile(path("a.html"))
	require.NoError(t, err)
	require.Equal(t, 2*len(run.charts()), strings.Count(string(text), "<svg"), "each chart on both grounds")
	require.NotContains(t, string(text), "<?xml")
	for _, c := range run.charts() {
		require.FileExists(t, path(c.Name+".png"))
	}
	var out bytes.Buffer
	require.NoError(t, run.print(&out))
	require.Contains(t, out.String(), "18 of 18 accounts agree") // the fourth form has none: google/btree
}

func TestMemoryRefusesWhatIsNot(t *testing.T) {
	_, err := parseMemory([]string{"-n", "0"})
	require.Error(t, err)
	o, err := parseMemory([]string{"-type", "stack"})
	require.NoError(t, err)
	_, err = o.measure(nil)
	require.ErrorContains(t, err, "zset hash set list strings")
}

func TestDisagreementIsTold(t *testing.T) {
	m := memoryRun{Results: []laboratory.Result{{
		Case: laboratory.Case{Type: "zset", Shape: "times", Form: "default", N: 1}, Account: 80, Heap: 100,
	},
		{Account: 95, Heap: 100}, {Heap: 5}}}
	var out bytes.Buffer
	require.NoError(t, m.printAgreement(&out))
	require.Contains(t, out.String(), "DISAGREES: zset of 1 times, default: account 80, heap 100")
	require.Contains(t, out.String(), "1 of 2 accounts")
}

func TestProgressGuessesTheRest(t *testing.T) {
	s := steps{all: 10, done: 2}
	require.Equal(t, 8*time.Second, s.left(2*time.Second))
}
