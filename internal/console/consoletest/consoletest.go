// Package consoletest starts servers with a console for tests, and visits them as a page does.
package consoletest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/console"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group"
	"github.com/miniserver-go/miniserver/internal/sentinel"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/server"
)

// Place is a server with a console.
type Place struct {
	T      testing.TB
	Engine *engine.Engine
	Server *server.Server
	URL    string // of the console
}

// Start starts a server with a console and these parameters, name and value in turn. The console
// may be prepared before it listens; if that fails, Start returns the error. The server ends with
// the test.
func Start(t testing.TB, prepare func(*console.Console), params ...string) (*Place, error) {
	var member assembly.NewMember
	if slices.Contains(params, "group-id") {
		member = newMember
	}
	ready := make(chan struct{})
	made := assembly.New(assembly.Options{Engine: engine.Options{Seed: 1}, Disk: new(disk.Memory), Group: member,
		Server: &server.Options{Bind: []string{"127.0.0.1"}, Ready: func() error { close(ready); return nil }}})
	e, s := made.Engine, made.Server
	c := console.New(console.Options{Engine: e, Connect: s.Connect, Log: func(byte, string, ...any) {}})
	made.Add(c)
	prepare(c)
	for i, name := range params {
		if i%2 == 0 {
			require.NoError(t, e.Params.Named(name).Set(params[i+1]), name)
		}
	}
	if member != nil {
		id, err := strconv.ParseUint(e.Params.Named("group-id").Get(), 10, 64)
		require.NoError(t, err)
		require.NoError(t, made.Group.Configure(id))
	}
	if e.Params.Named("http-port").Get() == "" {
		require.NoError(t, e.Params.Named("http-port").Set("0"))
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		require.NoError(t, made.Run(ctx))
	}()
	<-ready
	err := c.Listen()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return &Place{t, e, s, "http://" + c.Addr()}, err
}

func newMember(e *engine.Engine, log func(level byte, format string, args ...any)) assembly.Member {
	e.Join(sentinel.New(e).Part())
	return group.New(e, group.Options{Log: log, Wall: server.Clock(), Nanos: server.Nanos()})
}

// Visitor is a browser without a window.
type Visitor struct {
	Client *http.Client
	URL    string // of the console
	Page   string // the secret of the open page

	t testing.TB
}

// Visit returns a browser of its own, with no page open.
func (p *Place) Visit() *Visitor {
	jar, _ := cookiejar.New(nil)
	return &Visitor{t: p.T, URL: p.URL, Client: &http.Client{Jar: jar, Timeout: 2 * time.Minute}}
}

// Send sends a request and returns the status and the body.
func (v *Visitor) Send(method, path, body string, headers ...string) (int, string) {
	r, err := http.NewRequest(method, v.URL+path, strings.NewReader(body))
	require.NoError(v.t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := v.Client.Do(r)
	require.NoError(v.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	return response.StatusCode, strings.TrimSpace(string(text))
}

// Login logs in and returns the status.
func (v *Visitor) Login(user, password string) int {
	status, _ := v.Send("POST", "/api/login", fmt.Sprintf(`{"user":%q,"password":%q}`, user, password))
	return status
}

// Open opens a page and returns the status.
func (v *Visitor) Open() int {
	status, body := v.Send("POST", "/api/page", "{}")
	if status == http.StatusOK {
		var opened struct{ Page string }
		require.NoError(v.t, json.Unmarshal([]byte(body), &opened))
		v.Page = opened.Page
	}
	return status
}

// Do runs a command of words and returns its reply as JSON.
func (v *Visitor) Do(words ...string) string { return v.In("main", "server", words...) }

// In runs a command in a session of the page and a world: "server" or "sandbox".
func (v *Visitor) In(session, world string, words ...string) string {
	order, _ := json.Marshal(map[string]any{"session": session, "world": world, "commands": [][]string{words}})
	status, body := v.Send("POST", "/api/command?page="+v.Page, string(order))
	if status != http.StatusOK {
		return body
	}
	var out struct{ Replies []json.RawMessage }
	require.NoError(v.t, json.Unmarshal([]byte(body), &out))
	return string(out.Replies[0])
}

// Stream opens a stream and returns the data of its events.
func (v *Visitor) Stream(path string) (events <-chan string, end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "GET", v.URL+path, nil)
	response, err := (&http.Client{Jar: v.Client.Jar}).Do(r)
	require.NoError(v.t, err)
	require.Equal(v.t, http.StatusOK, response.StatusCode)
	data := make(chan string, 100)
	go func() {
		defer close(data)
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				data <- text
			}
		}
	}()
	return data, cancel
}

// Somewhere is where a client comes from that is no browser.
func (p *Place) Somewhere() engine.Endpoint {
	return engine.Endpoint{Addr: "127.0.0.1:1234", LocalAddr: "127.0.0.1:6379"}
}
