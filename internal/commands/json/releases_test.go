package json_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/json"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// TestTextsAndFiltersOfReleases: Redis 8.8 reads texts and filters more strictly. No server of it
// can be asked, so the replies are those that its documentation tells.
func TestTextsAndFiltersOfReleases(t *testing.T) {
	for like, want := range map[string][2]string{
		"redis:8.6":  {"+OK\r\n", "$2\r\n[]\r\n"},
		"redis:8.8":  {"-trailing characters at line 1 column 3\r\n", "$7\r\n[[1,5]]\r\n"},
		"redis:8.10": {"-trailing characters at line 1 column 3\r\n", "$7\r\n[[1,5]]\r\n"},
	} {
		r, err := release.Find(like)
		require.NoError(t, err)
		e := engine.New(engine.Options{Release: r, Clock: func() int64 { return 0 }})
		e.Join(engine.Part{Types: []engine.Type{json.Type}}, json.Part())
		s := e.NewSession(nil)
		do := func(words ...string) string {
			var args [][]byte
			for _, word := range words {
				args = append(args, []byte(word))
			}
			return string(e.Do(s, [][][]byte{args}).Out)
		}
		require.Equal(t, want[0], do("JSON.SET", "k", "$", "1 2"), like)
		require.Equal(t, "+OK\r\n", do("JSON.SET", "k", "$", "[[1,5],[2]]"), like)
		require.Equal(t, want[1], do("JSON.GET", "k", "$[?(@[*]==5)]"), like)
	}
}
