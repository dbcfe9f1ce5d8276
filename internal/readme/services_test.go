//go:build unix

package readme

import (
	"encoding/json"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// What blocks say of containers of the image.
var (
	image       = regexp.MustCompile(`(?m)^ +(- name|(?:- )?image): miniserver/miniserver$`)
	arguments   = regexp.MustCompile(`(?m)^ +command: (\[.*\])$`)
	options     = regexp.MustCompile(`MINISERVER_OPTIONS: "(.*?)"`)
	setByImage  = regexp.MustCompile(`(?m)^ENV MINISERVER_OPTIONS="(.*)"$`)
	health      = regexp.MustCompile(`test: \["CMD", "/miniserver", (.*?)\]`)
	ofImage     = regexp.MustCompile(`(?m)^HEALTHCHECK .* CMD \["/miniserver", (.*)\]$`)
	urlOfServer = regexp.MustCompile(`(?:MINISERVER|REDIS)_URL: "(rediss?://[^"]*)"`)
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
	for _, page := range []string{"docs/docker.md", "docs/services.md", "docs/start/tls.md", "docs/swap.md"} {
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
			port := serve(t, path, args, env[1])
			check := health.FindStringSubmatch(code)
			if check == nil {
				check = ofImage.FindStringSubmatch(string(dockerfile))
			}
			var words []string
			require.NoError(t, json.Unmarshal([]byte("["+check[1]+"]"), &words), code)
			out, err := exec.Command(path, append(words, "--port", port)...).CombinedOutput()
			require.NoError(t, err, "%s: %s", code, out)
			u, err := url.Parse(where[1])
			require.NoError(t, err)
			require.Equal(t, "6379", u.Port())
			u.Host = net.JoinHostPort("127.0.0.1", port)
			if strings.Contains(code, "MINISERVER_URL") {
				w := miniserver.Attach(t, u.String())
				require.Equal(t, "PONG", w.Do("PING").Text)
			} else {
				out, err = exec.Command(path, "cli", "-u", u.String(), "PING").Output()
				require.NoError(t, err, code)
				require.Equal(t, "PONG\n", string(out), code)
			}
			tried++
		}
	}
	require.Equal(t, 7, tried)
}

// serve starts the program on a free port of this machine, with arguments and with a value of
// MINISERVER_OPTIONS, and returns the port.
func serve(t *testing.T, path string, args []string, options string) (port string) {
	c := exec.Command(path, append(args, "--bind", "127.0.0.1", "--port", "0", "--ready-json", "--exit-with-parent")...)
	c.Env = append(os.Environ(), "MINISERVER_OPTIONS="+options)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		require.NoError(t, c.Process.Signal(os.Interrupt))
		require.NoError(t, c.Wait())
	})
	var ready struct{ Port int }
	require.NoError(t, json.NewDecoder(out).Decode(&ready))
	return strconv.Itoa(ready.Port)
}
