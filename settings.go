package miniserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/resp"
)

// early applies the settings that count when the engine is made, and returns the others.
func early(settings []string) (startup *assembly.Startup, others []string, err error) {
	first := assembly.NewStartup()
	first.TestKit = true
	params := first.Early()
	for _, line := range settings {
		name, _, _ := strings.Cut(line, " ")
		i := slices.IndexFunc(params, func(p config.Param) bool { return strings.EqualFold(name, p.Name) })
		if i < 0 {
			others = append(others, line)
			continue
		}
		if err = apply(line, func(string) *config.Param { return &params[i] }, nil); err != nil {
			return nil, nil, err
		}
	}
	return &first, others, nil
}

// apply applies a line of a redis.conf to the parameter that lookup finds; unknown returns the
// error if it finds none.
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
