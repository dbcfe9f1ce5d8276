package difftest

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

//go:embed known.txt
var knownText string

// known is a deliberate difference.
type known struct {
	why                  string
	command, redis, ours *regexp.Regexp
}

// parseKnown reads paragraphs of "name: value" lines. It leaves out those that are about other
// releases: with a line "release:", a paragraph is only about those it names.
func parseKnown(text, release string) ([]known, error) {
	var list []known
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		values := map[string]string{}
		for line := range strings.Lines(paragraph) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
				values[name] = value
			}
		}
		if only := values["release"]; len(values) == 0 ||
			only != "" && !slices.Contains(strings.Fields(only), release) {
			continue
		}
		k := known{why: values["why"]}
		for name, into := range map[string]**regexp.Regexp{"command": &k.command, "redis": &k.redis, "ours": &k.ours} {
			pattern, err := regexp.Compile(values[name])
			if err != nil || values[name] == "" || k.why == "" {
				return nil, fmt.Errorf("known difference %q: bad or missing %s: %v", k.why, name, err)
			}
			*into = pattern
		}
		list = append(list, k)
	}
	return list, nil
}

// allows reports whether k covers a difference.
func (k known) allows(c Command, redis, ours resp.Value) bool {
	return k.command.MatchString(c.String()) && k.redis.MatchString(redis.String()) && k.ours.MatchString(ours.String())
}
