package miniserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/testkit"
)

// startup is the settings that count when the engine is made.
type startup struct {
	databases int64
	like      *release.Release
	seed      uint64
	kit       bool
	fixtures  []string // paths of what is loaded at the start
}

func newStartup() *startup {
	return &startup{databases: 16, like: &release.Default, seed: assembly.Seed(), kit: true}
}

// params returns the parameters of these settings that the engine does not have itself.
func (c *startup) params() []config.Param {
	return []config.Param{
		testkit.Param(&c.kit),
		config.Int("seed", &c.seed, 0, 1<<63-1).AtStart(),
		config.Words("load", &c.fixtures).AtStart(),
	}
}

// applyEarly applies these settings, and returns the others.
func (c *startup) applyEarly(settings []string) (others []string, err error) {
	early := append(c.params(), config.Release(&c.like), config.Int("databases", &c.databases, 1, 1<<31-1))
	for _, line := range settings {
		name, _, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(early, func(p config.Param) bool { return strings.EqualFold(name, p.Name) })
		if i < 0 {
			others = append(others, line)
			continue
		}
		if err = apply(line, func(string) *config.Param { return &early[i] }, nil); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// apply applies a line of a redis.conf to the parameter that lookup finds; unknown returns the error if it finds none.
func apply(line string, lookup func(name string) *config.Param, unknown func(name string, others ...string) error) error {
	words, ok := resp.Words([]byte(line), nil)
	if !ok || len(words) < 2 {
		return fmt.Errorf("setting %q: name or value is missing", line)
	}
	name := strings.ToLower(string(words[0]))
	p := lookup(name)
	if p == nil || p.Set == nil {
		return fmt.Errorf("setting %q: %w", line, unknown(name))
	}
	values := make([]string, len(words)-1)
	for i, w := range words[1:] {
		values[i] = string(w)
	}
	if err := p.SetWords(values); err != nil {
		return fmt.Errorf("setting %q: %s", line, err)
	}
	return nil
}
