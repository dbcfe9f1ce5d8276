package assembly_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
)

// families are those of the types that redis-server 7.0 does not know, by their groups.
var families = map[string]struct {
	category string
	since    string         // in the notation of package release; here all releases have Bloom filters
	commands int            // of that release
	later    map[string]int // beside those, by the release
}{
	"bf":         {"bloom", "8.0.0 redis-stack:7.4.0", 11, nil},
	"cf":         {"cuckoo", "8.0.0 redis-stack:7.4.0", 14, nil},
	"cms":        {"cms", "8.0.0 redis-stack:7.4.0", 6, nil},
	"topk":       {"topk", "8.0.0 redis-stack:7.4.0", 7, nil},
	"tdigest":    {"tdigest", "8.0.0 redis-stack:7.4.0", 14, nil},
	"json":       {"json", "8.0.0 redis-stack:7.4.0", 25, nil},
	"timeseries": {"timeseries", "8.0.0 redis-stack:7.4.0", 17, map[string]int{"8.10.0": 4}},
	"search":     {"search", "8.0.0 redis-stack:7.4.0", 34, map[string]int{"8.4.0": 1, "8.10.0": 1}},
	"array":      {"array", "8.8.0", 18, nil},
}

// untold are commands of which Redis tells nothing but their group.
var untold = map[string]bool{"json.debug": true, "bf.debug": true, "cf.debug": true}

// TestFamiliesOfReleases: a release has all commands of a family, or none, and COMMAND DOCS and ACL
// CAT tell them.
func TestFamiliesOfReleases(t *testing.T) {
	for _, r := range append(release.Known[:len(release.Known):len(release.Known)], release.Default) {
		e := engine.New(engine.Options{Release: &r, Clock: func() int64 { return 0 }})
		assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
		s := e.NewSession(nil)
		ask := func(words ...string) resp.Value {
			var args [][]byte
			for _, w := range words {
				args = append(args, []byte(w))
			}
			v, err := resp.NewReader(strings.NewReader(string(e.Do(s, [][][]byte{args}).Out))).Read()
			require.NoError(t, err)
			return v
		}
		groups := make(map[string][]*command.Command)
		for _, c := range e.Commands.All() {
			if !strings.HasPrefix(c.Since, "miniserver:") {
				groups[c.Group()] = append(groups[c.Group()], c)
			}
		}
		for group, f := range families {
			want := 0
			if r.Offers(release.From(f.since)) || group == "bf" {
				want = f.commands
			}
			for since, n := range f.later {
				if want > 0 && r.Offers(release.From(since)) {
					want += n
				}
			}
			require.Len(t, groups[group], want, "%s in %s", group, r.Name)
			for _, c := range groups[group] {
				if docs := ask("COMMAND", "DOCS", c.Name); !docs.IsError() && !untold[c.Name] {
					require.Contains(t, docs.String(), `"summary"`, "%s in %s", c.Name, r.Name)
					require.Contains(t, docs.String(), `"complexity"`, "%s in %s", c.Name, r.Name)
				}
			}
			if want > 0 && !r.Stack && r.Offers(release.From(f.since)) {
				require.Len(t, ask("ACL", "CAT", f.category).Elems, want, "%s in %s", group, r.Name)
			}
		}
	}
}

// TestCommandsAreMadeOnce: a program with many servers has each command once.
func TestCommandsAreMadeOnce(t *testing.T) {
	made := func() []*command.Command {
		return assembly.New(assembly.Options{Disk: new(disk.Memory), TestKit: true}).Engine.Commands.All()
	}
	one, other := made(), made()
	require.Len(t, other, len(one))
	for i, c := range one {
		require.Same(t, c, other[i], c.Name)
	}
}
