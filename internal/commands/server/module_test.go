package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// TestModulesAreThoseOfTheRelease: a part names a module in the versions that releases had.
func TestModulesAreThoseOfTheRelease(t *testing.T) {
	for name, want := range map[string]string{
		"redis:7.4": "", "valkey:9.1": "", "redis-stack:7.4": "ReJSON 20803", "default": "ReJSON 80600 other 1",
		"redis:8.0": "ReJSON 80001 other 1", "redis:8.6": "ReJSON 80600 other 1",
	} {
		r, err := release.Find(name)
		require.NoError(t, err)
		e := engine.New(engine.Options{Release: r, Clock: func() int64 { return 0 }})
		e.Join(Part(), engine.Part{Modules: []engine.Module{
			{Name: "ReJSON", Since: "redis-stack:7.4.0", Version: 20803, Options: "handle-io-errors"},
			{Name: "ReJSON", Since: "8.0.0", Version: 80001, Options: "handle-io-errors"},
			{Name: "ReJSON", Since: "8.6.0", Version: 80600, Options: "handle-io-errors"},
			{Name: "other", Since: "8.0.0", Version: 1, Path: "/other.so"},
		}})
		ask := func(words ...string) string {
			var args [][]byte
			for _, word := range words {
				args = append(args, []byte(word))
			}
			return string(e.Do(e.NewSession(nil), [][][]byte{args}).Out)
		}
		list, info := ask("MODULE", "LIST"), ask("INFO", "modules")
		words := strings.Fields(want)
		require.Equal(t, len(words)/2, strings.Count(list, "$4\r\nname\r\n"), name)
		for i := 0; i < len(words); i += 2 {
			require.Contains(t, list, "\r\n"+words[i]+"\r\n$3\r\nver\r\n:"+words[i+1]+"\r\n$4\r\npath\r\n", name)
			require.Contains(t, info, "module:name="+words[i]+",ver="+words[i+1]+",api=1,filters=0,usedby=[],using=[],options=[",
				name)
		}
	}
}
