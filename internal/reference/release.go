package reference

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Release names a product and a version, such as "redis:8.0". Every version that begins so belongs
// to it: 8.0.2, but not 8.10.0.
type Release string

// Default is the release that miniserver stands for.
const Default Release = "redis:8.6"

// Redis80 is the release that Debian 13 has.
const Redis80 Release = "redis:8.0"

// Redis70 is the release that Debian 12 has.
const Redis70 Release = "redis:7.0"

// Redis62 is the last release without subcommands of their own, and with ziplists. "make
// references" builds it.
const Redis62 Release = "redis:6.2"

// Valkey81 is the oldest release of Valkey that the tests compare with.
const Valkey81 Release = "valkey:8.1"

// Valkey91 is the newest release of Valkey that miniserver can stand for.
const Valkey91 Release = "valkey:9.1"

// RedisStack74 is Redis 7.4 with the modules that became a part of Redis 8. There are programs for
// few processors.
const RedisStack74 Release = "redis-stack:7.4"

// Product returns "redis", "valkey" or "redis-stack".
func (r Release) Product() string {
	product, _, _ := strings.Cut(string(r), ":")
	return product
}

// Version returns what follows the product, such as "8.0".
func (r Release) Version() string {
	_, version, _ := strings.Cut(string(r), ":")
	return version
}

// Path returns the path of the release's server. If there is none the test is skipped, or fails if
// REQUIRE_REDIS says so. The quick check leaves the test out.
func (r Release) Path(t testing.TB) string {
	t.Helper()
	quick.Skip(t, "starts a server of "+string(r))
	path := r.Find()
	const hint = "NOT COMPARED: there is no server of %s; .ci/run and make references bring some"
	switch {
	case path == "" && r.required():
		t.Fatalf(hint, r)
	case path == "":
		t.Skipf(hint, r)
	}
	return path
}

// Find returns the path of the release's server, of the patch level that miniserver says it is if
// there is one; "" if there is none.
func (r Release) Find() string {
	found := ""
	like, _ := release.Find(string(r))
	for _, path := range r.candidates() {
		version := launch.Version(path)
		switch {
		case like != nil && version == like.Version:
			return path
		case found == "" && r.has(version):
			found = path
		}
	}
	return found
}

// candidates returns the product's servers, of all releases. That of redis-stack is a script named
// stack-server, which starts a redis-server with the modules.
func (r Release) candidates() []string {
	name := strings.TrimPrefix(r.Product(), "redis-") + "-server"
	here, _ := filepath.Glob(filepath.Join(directory(), "bin", name))
	below, _ := filepath.Glob(filepath.Join(directory(), "*", "bin", name))
	paths := slices.Concat(here, below)
	if path, err := exec.LookPath(name); err == nil {
		paths = append(paths, path)
	}
	return paths
}

// directory returns where servers are searched first.
func directory() string {
	if dir := os.Getenv("REFERENCES"); dir != "" {
		return dir
	}
	cache, _ := os.UserCacheDir()
	return filepath.Join(cache, "miniserver", "references")
}

// has reports whether a version belongs to r.
func (r Release) has(version string) bool {
	return strings.HasPrefix(version+".", r.Version()+".")
}

// required reports whether a test must fail that does not find r.
func (r Release) required() bool {
	list := strings.Fields(os.Getenv("REQUIRE_REDIS"))
	usual := []Release{Default, Redis80, Redis70, Valkey81, Valkey91}
	return slices.Contains(list, string(r)) || slices.Contains(list, "1") && slices.Contains(usual, r)
}
