package build

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionByBuild(t *testing.T) {
	dep := func(version string, replace *debug.Module) []*debug.Module {
		return []*debug.Module{{Path: "example.com/other", Version: "v9.9.9"},
			{Path: module, Version: version, Replace: replace}}
	}
	for name, c := range map[string]struct {
		stamped, want string
		info          *debug.BuildInfo
	}{
		"a release": {"1.2.3", "1.2.3",
			&debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.0.0-20261126080254-0e5f31d4f0a1"}}},
		"go install": {"", "1.2.3", &debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.3"}}},
		"a checkout": {"", "0.0.0-20261126080254-0e5f31d4f0a1+dirty",
			&debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.0.0-20261126080254-0e5f31d4f0a1+dirty"}}},
		"go run": {"", "devel", &debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}}},
		"in a program": {"", "1.2.3", &debug.BuildInfo{Main: debug.Module{Path: "example.com/program",
			Version: "v3.0.0"}, Deps: dep("v1.2.3", nil)}},
		"replaced by a folder": {"", "devel", &debug.BuildInfo{Deps: dep("v0.0.0", &debug.Module{Path: "../.."})}},
		"no record":            {"", "devel", nil},
	} {
		read := func() (*debug.BuildInfo, bool) { return c.info, c.info != nil }
		require.Equal(t, c.want, versionOf(c.stamped, read), name)
	}
}
