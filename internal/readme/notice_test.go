//go:build unix

package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

var (
	// fetches matches code that fetches what a release publishes.
	fetches = regexp.MustCompile(`(pip|npm) install .*miniserver-testkit|miniserver/miniserver\b|` +
		`io\.github\.miniserver-go</groupId>|(go (install|get)|git clone https://|uses:) ?(github\.com/)?miniserver-go/|` +
		`releases/latest/download|brew install`)
	// released matches the heading of a release in the changelog.
	released = regexp.MustCompile(`(?m)^## v?\d`)
)

const notice = "> **Not published yet.** The downloads, packages and images on this page come with the " +
	"first release. Until then, [build them from a checkout](%)."

// TestNoticesUntilRelease: until the changelog has a release, the pages that fetch miniserver from
// somewhere say that it is not there; afterwards none does. With -update the test sees to that.
func TestNoticesUntilRelease(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	changelog, err := os.ReadFile(filepath.Join(root, "docs", "changelog.md"))
	require.NoError(t, err)
	noticed := 0
	for _, path := range pages(t, root) {
		link, err := filepath.Rel(filepath.Dir(path), filepath.Join(root, "docs", "install.md"))
		require.NoError(t, err)
		if link == filepath.Base(path) {
			link = ""
		}
		check(t, path, func(p *page) {
			if len(p.lines) > 2 && strings.HasPrefix(p.lines[2], notice[:25]) {
				p.lines = slices.Delete(p.lines, 1, 3)
			}
			if fetchesRelease(p) && !released.Match(changelog) {
				line := strings.ReplaceAll(notice, "%", filepath.ToSlash(link)+"#from-a-checkout")
				p.lines = slices.Insert(p.lines, 1, "", line)
				noticed++
			}
		})
	}
	require.Equal(t, !released.Match(changelog), noticed > 0)
}

// fetchesRelease reports whether code of a page fetches what a release publishes.
func fetchesRelease(p *page) bool {
	return slices.ContainsFunc(p.blocks(), func(b block) bool { return fetches.MatchString(b.code) })
}
