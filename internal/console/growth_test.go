package console_test

import (
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

var update = flag.Bool("update", false, "write web/redis-growth.json anew, from real servers")

const growthFile = "web/redis-growth.json"

// growth is bytes by MEMORY USAGE with 1 to 200 elements, by release and type.
type growth map[string]map[string][]int64

// TestFiguresOfRedis measures again what the page Memory shows beside its own figures: the bytes of
// a key "grow" whose elements are times in milliseconds, one added after another. They are those of
// a server with jemalloc, as docs/memory.md has them; another allocator rounds up differently.
func TestFiguresOfRedis(t *testing.T) {
	text, err := os.ReadFile(growthFile)
	require.NoError(t, err)
	var shown growth
	require.NoError(t, json.Unmarshal(text, &shown))
	for _, release := range []reference.Release{reference.Redis62, reference.Default} {
		t.Run(string(release), func(t *testing.T) {
			measured := grow(t, release)
			if *update {
				shown[string(release)] = measured
				return
			}
			for kind, list := range measured {
				for i, n := range list {
					require.InEpsilon(t, shown[string(release)][kind][i], n, 0.1,
						"%s of %d: the heights of a skiplist are random", kind, i+1)
				}
			}
		})
	}
	if *update {
		text, _ = json.Marshal(shown)
		require.NoError(t, os.WriteFile(growthFile, append(text, '\n'), 0o644))
	}
}

func grow(t *testing.T, release reference.Release) map[string][]int64 {
	conn := release.Start(t).Dial(t)
	replies := resp.NewReader(conn)
	ask := func(words ...string) resp.Value {
		out := resp.NewWriter(2)
		out.Command(words...)
		_, err := conn.Write(out.Bytes())
		require.NoError(t, err)
		v, err := replies.Read()
		require.NoError(t, err)
		require.NoError(t, v.Err())
		return v
	}
	if info := ask("INFO", "memory").Text; !strings.Contains(info, "mem_allocator:jemalloc") {
		t.Skipf("this server of %s has been built without jemalloc", release)
	}
	bytes := make(map[string][]int64)
	for kind, add := range map[string]func(at string) []string{
		"zset": func(at string) []string { return []string{"ZADD", "grow", at, at} },
		"hash": func(at string) []string { return []string{"HSET", "grow", at, "1"} },
		"set":  func(at string) []string { return []string{"SADD", "grow", "t" + at} },
	} {
		ask("DEL", "grow")
		for n := range 200 {
			ask(add(strconv.Itoa(1700000000000 + 1000*n))...)
			bytes[kind] = append(bytes[kind], ask("MEMORY", "USAGE", "grow", "SAMPLES", "0").Int)
		}
	}
	return bytes
}
