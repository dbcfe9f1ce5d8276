package console_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPagesMakeNoHTML looks for ways to turn a string into elements or code, and for other hosts.
func TestPagesMakeNoHTML(t *testing.T) {
	bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|javascript:`)
	host := regexp.MustCompile(`https?://[a-z0-9.-]+`)
	for _, pattern := range []string{"web/*.js", "web/pages/*.js", "web/pages/*/*.js", "web/*.html", "web/*.css",
		"web/pages/*.css"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Empty(t, bad.FindString(string(text)), path)
			for _, found := range host.FindAllString(string(text), -1) {
				require.Equal(t, "http://www.w3.org", found, "%s names another host", path)
			}
		}
	}
}

// TestFilesAreSmall keeps the files of the page to the sizes of the house.
func TestFilesAreSmall(t *testing.T) {
	paths, err := filepath.Glob("web/pages/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Less(t, strings.Count(string(text), "\n"), 800, path)
	}
}
