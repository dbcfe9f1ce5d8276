//go:build unix

package readme

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// What blocks say of containers of the image.
var (
	image       = regexp.MustCompile(`(?m)^ +(- name|image): miniserver/miniserver$`)
	arguments   = regexp.MustCompile(`(?m)^ +command: (\[.*\])$`)
	options     = regexp.MustCompile(`MINISERVER_OPTIONS: "(.*?)"`)
	setByImage  = regexp.MustCompile(`(?m)^ENV MINISERVER_OPTIONS="(.*)"$`)
	urlOfServer = regexp.MustCompile(`(?:MINISERVER|REDIS)_URL: "(redis://[^"]*)"`)
)

// TestServicesCanBeReached starts the program with what each block marked yaml says of a container
// of the image, and attaches to it as the block tells the tests to.
func TestServicesCanBeReached(t *testing.T) {
	quick.Outside(t)
	root, err := launch.Root()
	require.NoError(t, err)
	path, err := launch.Ours()
	require.NoError(t, err)
	dockerfile, err := os.ReadFile(filepath.Join(root, "packaging", "Dockerfile"))
	require.NoError(t, err)
	tried := 0
	for _, page := range []string{"docs/docker.md", "docs/services.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for _, code := range parse(string(text)).code("yaml") {
			where := urlOfServer.FindStringSubmatch(code)
			if !image.MatchString(code) || where == nil {
				continue
			}
			var args []string
			if said := arguments.FindStringSubmatch(code); said != nil {
				require.NoError(t, json.Unmarshal([]byte(said[1]), &args), code)
			}
			env := options.FindStringSubmatch(code)
			if env == nil {
				env = setByImage.FindStringSubmatch(string(dockerfile))
			}
			s, err := launch.Start(launch.Spec{Path: path, Args: args, Env: []string{"MINISERVER_OPTIONS=" + env[1]}})
			require.NoError(t, err, code)
			t.Cleanup(func() { require.NoError(t, s.Stop()) })
			u, err := url.Parse(where[1])
			require.NoError(t, err)
			require.Equal(t, "6379", u.Port())
			u.Host = net.JoinHostPort("127.0.0.1", s.Port())
			w := miniserver.Attach(t, u.String())
			require.Equal(t, "PONG", w.Do("PING").Text)
			tried++
		}
	}
	require.Equal(t, 4, tried)
}
