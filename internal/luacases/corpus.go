// Package luacases compares Lua's libraries with lua5.1 and redis-server, case by case. A case is
// an expression or statement; case.lua shows on one line what it gives, here and on the oracle
// alike.
//
// A corpus is a file of cases, each a line "> source" and a line with what the file's oracle
// showed. Its first lines are comments, and one names the oracle. Where we mean to differ two more
// lines follow: "! reason" and what we show. With -update TestOracles records a corpus anew.
package luacases

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Update is the flag -update.
var Update = flag.Bool("update", false, "record what Lua's tests compare with anew from the oracles")

// corpus is one file of cases.
type corpus struct {
	path    string
	header  []string
	sources []string
	results []string
	ours    map[int][2]string // where we differ: reason and result
}

// read returns the corpora of a folder.
func read(t testing.TB, folder string) []*corpus {
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpora in %s: %v", folder, err)
	}
	all := make([]*corpus, len(paths))
	for i, path := range paths {
		all[i] = readCorpus(t, path)
	}
	return all
}

func readCorpus(t testing.TB, path string) *corpus {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &corpus{path: path, ours: map[int][2]string{}}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "! "):
			c.ours[len(c.sources)-1] = [2]string{line[2:], lines[i+1]}
			i++
		case strings.HasPrefix(line, "#") && len(c.sources) == 0:
			c.header = append(c.header, line)
		case strings.HasPrefix(line, "> "):
			c.sources = append(c.sources, line[2:])
		default:
			c.results = append(c.results, line)
		}
		if !*Update && (len(c.results) > len(c.sources) || len(c.results) < len(c.sources)-1) {
			t.Fatalf("%s:%d: a case without a result, or a result without a case", path, i+1)
		}
	}
	if *Update {
		c.results = make([]string, len(c.sources))
	}
	if len(c.sources) != len(c.results) {
		t.Fatalf("%s: %d cases, %d results", path, len(c.sources), len(c.results))
	}
	return c
}

// write records a corpus.
func (c *corpus) write(t testing.TB) {
	var out bytes.Buffer
	for _, line := range c.header {
		fmt.Fprintln(&out, line)
	}
	for i, source := range c.sources {
		fmt.Fprintf(&out, "> %s\n%s\n", source, c.results[i])
		if ours, ok := c.ours[i]; ok {
			fmt.Fprintf(&out, "! %s\n%s\n", ours[0], ours[1])
		}
	}
	if err := os.WriteFile(c.path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c *corpus) name() string { return strings.TrimSuffix(filepath.Base(c.path), ".txt") }

// oracle returns what asks the corpus' oracle.
func (c *corpus) oracle() func(t *testing.T, sources []string) []string {
	if strings.Contains(strings.Join(c.header, " "), "redis-server") {
		return AskRedis
	}
	return AskLua
}

// Check compares every case of a folder's corpora with its recording, each corpus in a State of its
// own.
func Check(t *testing.T, folder string, newState func() *lua.State) {
	for _, c := range read(t, folder) {
		t.Run(c.name(), func(t *testing.T) {
			show := Show(t, newState())
			for i, source := range c.sources {
				shown, want := show(source), c.results[i]
				if ours, ok := c.ours[i]; ok {
					want = ours[1]
				}
				if shown != want {
					t.Errorf("%s\n want %s\n have %s", source, want, shown)
				}
			}
		})
	}
}

// CheckOracles shows every case to its oracle, if that is installed, and compares with the
// recording, or with -update makes it.
func CheckOracles(t *testing.T, folder string) {
	for _, c := range read(t, folder) {
		t.Run(c.name(), func(t *testing.T) {
			results := c.oracle()(t, c.sources)
			if *Update {
				c.results = results
				c.write(t)
				return
			}
			compare(t, c.sources, c.results, results)
		})
	}
}

// Count returns the number of cases in a folder's corpora.
func Count(t testing.TB, folder string) int {
	n := 0
	for _, c := range read(t, folder) {
		n += len(c.sources)
	}
	return n
}

// compare reports the cases for which have is not what was wanted.
func compare(t *testing.T, sources, want, have []string) {
	if len(want) != len(sources) || len(have) != len(sources) {
		t.Fatalf("%d cases, %d results wanted, %d given", len(sources), len(want), len(have))
	}
	for i, source := range sources {
		if want[i] != have[i] {
			t.Errorf("%s\n want %s\n have %s", source, want[i], have[i])
		}
	}
}
