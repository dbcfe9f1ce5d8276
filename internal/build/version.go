// Package build knows what was built: the version of this server.
package build

import (
	"runtime/debug"
	"strings"
)

// module is the path of the module that this package is part of.
const module = "github.com/miniserver-go/miniserver"

// stamped is the version that the linker writes into the binaries of a release:
//
//	go build -ldflags "-X github.com/miniserver-go/miniserver/internal/build.stamped=1.2.3" ./cmd/miniserver
var stamped string

// Version is the version of this server, such as "1.2.3"; that of the release as which it behaves
// is another: see package release. It is what the linker wrote, or else what the go command
// recorded: the version that go install fetched or that a program requires, or one made from the
// commit of a checkout. It is "devel" if neither says anything, as under go run and go test.
var Version = versionOf(stamped, debug.ReadBuildInfo)

func versionOf(stamped string, read func() (*debug.BuildInfo, bool)) string {
	if stamped != "" {
		return stamped
	}
	if info, ok := read(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if v, released := strings.CutPrefix(m.Version, "v"); m.Path == module && m.Replace == nil && released {
				return v
			}
		}
	}
	return "devel"
}
