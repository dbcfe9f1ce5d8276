package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fake writes programs that say a version into a directory, and makes it the one that is searched.
func fake(t *testing.T, versions map[string]string) (dir string) {
	dir = t.TempDir()
	t.Setenv("REFERENCES", dir)
	t.Setenv("PATH", filepath.Join(dir, "path")+":/usr/bin:/bin")
	for path, version := range versions {
		file := filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "#!/bin/sh\necho server v=%s sha=0\n", version), 0o755))
	}
	return dir
}

func TestServersAreFoundByTheirVersion(t *testing.T) {
	dir := fake(t, map[string]string{
		"bin/redis-server": "8.10.1", "new/bin/redis-server": "8.0.6", "old/bin/redis-server": "7.4.1",
		"a/bin/redis-server": "8.6.4", "b/bin/redis-server": "8.6.3", "c/bin/redis-server": "8.6.5",
		"old/bin/valkey-server": "8.0.9", "path/redis-server": "7.0.15", "stack/bin/stack-server": "7.4.1",
	})
	for r, path := range map[Release]string{
		"redis:8.0": "new/bin/redis-server", "redis:8.10": "bin/redis-server", "redis:7.4.1": "old/bin/redis-server",
		"redis:7.0": "path/redis-server", "valkey:8.0": "old/bin/valkey-server",
		"redis:8.6":       "b/bin/redis-server",
		"redis-stack:7.4": "stack/bin/stack-server",
	} {
		require.Equal(t, filepath.Join(dir, path), r.Path(t), r)
	}
}

func TestReleasesAreRequiredByName(t *testing.T) {
	required := func(list string) (names string) {
		t.Setenv("REQUIRE_REDIS", list)
		for _, r := range []Release{Default, Redis80, Redis70, Valkey81, Valkey91, RedisStack74, "redis:6.2"} {
			if r.required() {
				names += string(r) + " "
			}
		}
		return names
	}
	require.Empty(t, required(""))
	require.Equal(t, "redis:8.6 redis:8.0 redis:7.0 valkey:8.1 valkey:9.1 ", required("1"))
	require.Equal(t, "redis:8.6 redis:8.0 redis:7.0 valkey:8.1 valkey:9.1 redis-stack:7.4 ",
		required("1 redis-stack:7.4"))
	require.Equal(t, "redis:7.0 redis:6.2 ", required("redis:6.2 redis:7.0"))
}
