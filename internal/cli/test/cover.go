package test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/transcript"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/scripting/profile"
)

// testCoverage adds up which lines of scripts ran in the engines of all tests. Only the scripts
// count that the tests name by @path. Several files use it at the same time.
type testCoverage struct {
	mu      sync.Mutex
	scripts map[string]profile.Script // by digest
	paths   map[string]string         // by the script's text
}

func newTestCoverage() *testCoverage {
	return &testCoverage{scripts: map[string]profile.Script{}, paths: map[string]string{}}
}

// name takes notice of the paths of scripts. Of several with one text, the first in order stands
// for all.
func (c *testCoverage) name(file *transcript.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, text := range file.Scripts() {
		if was, known := c.paths[text]; !known || path < was {
			c.paths[text] = path
		}
	}
}

// add adds what the scripts of an engine did. The engine must not be used after that.
func (c *testCoverage) add(w *engine.World, s *scripting.Scripts) error {
	counts, err := s.Recording(w).Coverage()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, script := range counts.Scripts {
		sum, known := c.scripts[script.Digest]
		if !known {
			c.scripts[script.Digest] = script
			continue
		}
		for i, fn := range script.Profile.Functions() {
			total := sum.Profile.Functions()[i]
			for j, hits := range fn.Hits {
				total.Hits[j] += hits
			}
			for j, condition := range fn.Conditions {
				total.Conditions[j].Yes += condition.Yes
				total.Conditions[j].No += condition.No
			}
		}
	}
	return nil
}

// write writes the counts to a file: text if its name ends with .txt, else a tracefile of lcov. It
// returns a line that sums them up.
func (c *testCoverage) write(path string) (summary string, err error) {
	var all profile.Coverage
	for _, digest := range slices.Sorted(maps.Keys(c.scripts)) {
		script := c.scripts[digest]
		var named bool
		if script.Name, named = c.paths[script.Source]; named {
			all.Scripts = append(all.Scripts, script)
		}
	}
	slices.SortFunc(all.Scripts, func(a, b profile.Script) int { return strings.Compare(a.Name, b.Name) })
	tracefile := all.LCOV()
	text := tracefile
	if strings.HasSuffix(path, ".txt") {
		text = all.Text()
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", err
	}
	found, hit := sumOf(tracefile, "LF:"), sumOf(tracefile, "LH:")
	return fmt.Sprintf("coverage: %.1f%% of the lines of %d scripts", 100*float64(hit)/float64(max(found, 1)),
		len(all.Scripts)), nil
}

// sumOf adds up the numbers in the lines of a tracefile that begin with a word.
func sumOf(tracefile []byte, word string) (sum int) {
	for line := range strings.Lines(string(tracefile)) {
		if number, ok := strings.CutPrefix(line, word); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(number))
			sum += n
		}
	}
	return sum
}

// covered is the coverage of the engines that a file uses one after the other.
type covered struct {
	all     *testCoverage // nil if nothing is counted
	world   *engine.World
	scripts *scripting.Scripts // its own
	err     error
}

// next begins to count in a new engine, after it has added what the one before did. It ends with
// nil.
func (c *covered) next(w *engine.World, s *scripting.Scripts) {
	if c.all == nil {
		return
	}
	if c.scripts != nil && c.err == nil {
		c.err = c.all.add(c.world, c.scripts)
	}
	if c.world, c.scripts = w, s; s != nil && c.err == nil {
		c.err = s.Recording(w).StartCoverage()
	}
}
