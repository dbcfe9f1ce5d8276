//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// Manifests that a redis-server starts with, and those that it refuses.
func TestManifestsAreReadAsByRedis(t *testing.T) {
	const base, incr = "file appendonly.aof.1.base.rdb seq 1 type b\n", "file appendonly.aof.1.incr.aof seq 1 type i\n"
	starts := func(binary, manifest string) bool {
		dir := shortDir(t)
		s := begin(t, binary, dir, "--appendonly", "yes")
		require.Equal(t, "+OK", s.ask("SET k v"))
		require.Empty(t, s.ask("SHUTDOWN"))
		<-s.Exited()
		require.NoError(t,
			os.WriteFile(filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest"), []byte(manifest), 0o644))
		s, err := tryToLoad(t, binary, dir, "--appendonly", "yes")
		return err == nil && s.loads()
	}
	for manifest, fine := range map[string]bool{
		base + incr:                                   true,
		"# a comment\n" + base + incr:                 true,
		base + incr + "# no end":                      true,
		strings.TrimSuffix(base+incr, "\n"):           false,
		strings.TrimSuffix(base, "\n"):                false,
		base + "\n" + incr:                            false,
		base + incr + incr:                            false,
		base + base + incr:                            false,
		base + strings.Replace(incr, "i\n", "x\n", 1): false,
		base + strings.Replace(incr, "i\n", "i startoffset 17\n", 1):             true,
		base + strings.Replace(incr, "i\n", "i startoffset 0 endoffset 90\n", 1): true,
		base + strings.Replace(incr, "i\n", "i startoffset\n", 1):                false,
		base + strings.Replace(incr, "file ", "file ../appendonlydir/", 1):       false,
		base + strings.Replace(incr, "seq 1", "seq 0", 1):                        false,
		base + strings.Replace(incr, "seq 1 ", "", 1):                            false,
		"": false,
	} {
		require.Equal(t, fine, starts(built(t), manifest), manifest)
		require.Equal(t, fine, starts(reference.Default.Path(t), manifest), "redis-server: %s", manifest)
	}
}
