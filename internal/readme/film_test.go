//go:build unix

package readme

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// TestFilmShowsThePages: the moving picture has the sessions of the pages, which are what happens.
func TestFilmShowsThePages(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	var titles, sessions []string
	for _, s := range scenes {
		_, blocks := blocksOf(t, root, filepath.Join(root, s.page))
		i := slices.IndexFunc(blocks,
			func(b block) bool { return b.language == "console" && strings.Contains(b.code, s.part) })
		require.GreaterOrEqual(t, i, 0, "%s has no session with %q", s.page, s.part)
		titles, sessions = append(titles, s.shows), append(sessions, blocks[i].code)
	}
	made, path := film(titles, sessions), filepath.Join(root, "docs", "pictures", "tour.svg")
	require.NoError(t, xml.Unmarshal([]byte(made), new(struct{})))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o644))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(kept), made, "see go test ./internal/readme -update")
}

func TestFilm(t *testing.T) {
	shots, end := shoot("$ one\nx\ny\n$ "+strings.Repeat("a", 100)+"\n<z>\n", 1)
	require.Equal(t, []shot{{"$ one", "p", 2}, {"x", "o", 2.5}, {"y", "o", 2.5},
		{"$ " + strings.Repeat("a", 88), "p", 3.5}, {"  " + strings.Repeat("a", 12), "p", 3.5}, {"<z>", "o", 4}}, shots)
	require.Equal(t, 4.0, end)
	require.Contains(t, shown(0, 2, 8), `values="1;0" keyTimes="0.0000;0.2500" dur="8.0s"`)
	require.Contains(t, shown(2, 8, 8), `values="0;1" keyTimes="0;0.2500"`)
	require.Contains(t, shown(2, 4, 8), `values="0;1;0" keyTimes="0;0.2500;0.5000"`)
	made := film([]string{"One", "Two"}, []string{"$ a\n<b>\n", "$ c\n"})
	require.Contains(t, made, `&lt;b&gt;`)
	require.Contains(t, made, `<g opacity="0">`)
}
