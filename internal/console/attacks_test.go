package console_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/console"
	"github.com/miniserver-go/miniserver/internal/console/consoletest"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

func TestForeignPagesAreRefused(t *testing.T) {
	v := start(t, "http-hosts", "redis.example").Visit()
	require.Equal(t, http.StatusOK, v.Open())
	call := "/api/command?page=" + v.Page
	const body = `{"commands":[["PING"]]}`
	for _, c := range []struct {
		name    string
		status  int
		headers []string
	}{
		{"its own", 200, []string{"Origin", v.URL}},
		{"no browser", 200, nil},
		{"a name in http-hosts", 200, []string{"Host", "redis.example"}},
		{"another origin", 403, []string{"Origin", "http://evil.example"}},
		{"an origin of another port", 403, []string{"Origin", "http://127.0.0.1:1"}},
		{"no origin", 403, []string{"Origin", "null"}},
		{"another site", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"the same site only", 403, []string{"Sec-Fetch-Site", "same-site"}},
		{"a foreign name", 421, []string{"Host", "evil.example"}},
		{"a foreign name and port", 421, []string{"Host", "evil.example:8080"}},
		{"a form", 415, []string{"Content-Type", "text/plain"}},
		{"a form with files", 415, []string{"Content-Type", "multipart/form-data"}},
	} {
		status, _ := v.Send("POST", call, body, c.headers...)
		require.Equal(t, c.status, status, c.name)
	}
	for _, path := range []string{"/", "/metrics", "/health", "/api/events?topics=info&page=" + v.Page} {
		status, _ := v.Send("GET", path, "", "Host", "evil.example")
		require.Equal(t, 421, status, path)
	}
	status, _ := v.Send("GET", "/api/events?topics=info&page="+v.Page, "", "Origin", "http://evil.example")
	require.Equal(t, 403, status)
}

func TestStreamsAndBodiesAreBounded(t *testing.T) {
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	refused, path := 0, "/api/events?topics=info&page="+v.Page
	var open []net.Conn
	for range 300 {
		nc, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
		require.NoError(t, err)
		open = append(open, nc)
		fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		line, err := bufio.NewReader(nc).ReadString('\n')
		require.NoError(t, err)
		if strings.Contains(line, "503") {
			refused++
		}
	}
	require.Equal(t, 300-256, refused)
	for _, nc := range open {
		nc.Close()
	}
	status, _ := v.Send("POST", "/api/page", `{"x":"`+strings.Repeat("x", 8<<10)+`"}`)
	require.Contains(t, []int{200, 413}, status)
	status, _ = v.Send("POST", "/api/login", `{"user":"`+strings.Repeat("x", 8<<10)+`"}`)
	require.Equal(t, 413, status)
	status, _ = v.Send("POST", "/api/command?page="+v.Page,
		`{"commands":[["SET","k","`+strings.Repeat("x", 33<<20)+`"]]}`)
	require.Equal(t, 413, status)
	status, _ = v.Send("POST", "/api/command?page=unknown", `{"commands":[["PING"]]}`)
	require.Equal(t, 410, status)
}

// dial connects to the console without a browser.
func (p *place) dial() net.Conn {
	nc, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	require.NoError(p.T, err)
	return nc
}

// TestTenThousandStreams opens them at once and keeps what it gets. Those beyond the limits are
// told so, and everybody else is served.
func TestTenThousandStreams(t *testing.T) {
	const most, openers = 10_000, 16
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	request := "GET /api/events?topics=info&page=" + v.Page + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	var mu sync.Mutex
	var kept []net.Conn
	got := make(map[string]int)
	var open sync.WaitGroup
	for range openers {
		open.Go(func() {
			for range most / openers {
				nc, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
				if err != nil {
					continue
				}
				_, _ = io.WriteString(nc, request)
				_ = nc.SetReadDeadline(time.Now().Add(time.Minute))
				line, _ := bufio.NewReader(nc).ReadString('\n')
				mu.Lock()
				got[strings.TrimSpace(line)]++
				kept = append(kept, nc)
				mu.Unlock()
			}
		})
	}
	open.Wait()
	t.Log(got)
	require.Equal(t, 256, got["HTTP/1.1 200 OK"], got)
	require.Greater(t, got["HTTP/1.1 503 Service Unavailable"], 1000, got)
	require.Len(t, kept, most)

	client, err := p.Server.Connect(p.Somewhere(), nil)
	require.NoError(t, err)
	defer client.Close()
	fmt.Fprintf(client, "PING\r\n")
	line, err := bufio.NewReader(client).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "+PONG\r\n", line)
	for _, nc := range kept {
		nc.Close()
	}
	require.Eventually(t, func() bool {
		response, err := (&http.Client{}).Get(p.URL + "/health")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == 200
	}, time.Minute, 20*time.Millisecond, "there is room again")
}

// TestSlowRequestsAreCutOff sends headers and bodies a byte at a time, for much longer than a
// request may take.
func TestSlowRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	p, err := beginWith(t, func(c *console.Console) { c.Hurry(100*time.Millisecond, 200*time.Millisecond) })
	require.NoError(t, err)
	for _, c := range []struct{ name, before string }{
		{"a header", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "},
		{"no header", ""},
		{"a body", "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
			"Content-Length: 4000\r\n\r\n"},
		{"a body in chunks", "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n4000\r\n"},
	} {
		nc := p.dial()
		_, err := io.WriteString(nc, c.before)
		require.NoError(t, err)
		cut := make(chan string, 1)
		go func() {
			reply, _ := io.ReadAll(nc)
			cut <- string(reply)
		}()
		ticker := time.NewTicker(20 * time.Millisecond)
		ended := false
		for range 3000 { // a minute
			select {
			case reply := <-cut:
				ended = true
				if strings.Contains(c.name, "body") {
					require.Contains(t, reply, "HTTP/1.1 408 Request Timeout", c.name)
					require.Contains(t, reply, "the request came too slowly")
				}
			case <-ticker.C:
				_, _ = io.WriteString(nc, "x")
			}
			if ended {
				break
			}
		}
		ticker.Stop()
		nc.Close()
		require.True(t, ended, "%s is sent for a minute", c.name)
	}
}

func TestPathsLeadNowhereElse(t *testing.T) {
	p := start(t)
	for _, path := range []string{"/../console.go", "/..%2fconsole.go", "/%2e%2e/%2e%2e/go.mod", "//etc/passwd",
		"/pages/../../params.go", "/vendor/", "/.", "/web/index.html", "/index.html%00.js", "/api/none"} {
		nc, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
		require.NoError(t, err)
		fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path)
		text, err := io.ReadAll(nc)
		require.NoError(t, err)
		require.NotContains(t, string(text), "HTTP/1.1 200", path)
		require.NotContains(t, string(text), "package console", path)
	}
}

// held is what requests and streams hold.
func (p *place) held() int {
	i := slices.IndexFunc(p.Engine.Accounts(), func(a *engine.Account) bool { return a.Name == "console.requests" })
	return p.Engine.Accounts()[i].Bytes()
}

// Unfinished request bodies, replies that wait for more and those that are not read are counted and
// limited, and freed when their connection ends.
func TestWhatSlowBrowsersHoldIsBounded(t *testing.T) {
	quick.Skip(t, "sends hundreds of megabytes")
	const limit, size = 256 << 20, 30 << 20
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	status, _ := v.Send("POST", "/api/command?page="+v.Page,
		`{"commands":[["SETRANGE","large","`+fmt.Sprint(size)+`","x"]]}`)
	require.Equal(t, 200, status)
	for name, request := range map[string]string{
		"bodies": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size+100,
			`{"commands":[["ECHO","`+strings.Repeat("x", size)),
		"replies": "Content-Length: 30\r\n\r\n" + `{"commands":[["GET","large"]]} `,
		"a reply before one that waits": "Content-Length: 54\r\n\r\n" +
			`{"commands":[["GET","large"],["BLPOP","nothing","0"]]}`,
	} {
		var open []net.Conn
		refusals, most := make(chan bool, 20), 0
		for len(refusals) == 0 {
			require.Less(t, len(open), cap(refusals), name)
			require.Equal(t, 200, v.Open())
			nc, before := p.dial(), p.held()
			open = append(open, nc)
			go func() {
				_, _ = io.WriteString(nc, "POST /api/command?page="+v.Page+
					" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+request)
			}()
			go func() {
				if line, _ := bufio.NewReader(nc).ReadString('\n'); strings.Contains(line, "503") {
					refusals <- true
				}
			}()
			require.Eventually(t, func() bool {
				most = max(most, p.held())
				return p.held() >= before+size || len(refusals) > 0
			}, time.Minute, time.Millisecond, name)
		}
		require.LessOrEqual(t, most, limit, name)
		require.Greater(t, len(open), 1, name) // what fits is not refused
		for _, nc := range open {
			nc.Close()
		}
		require.Eventually(t, func() bool { return p.held() == 0 }, time.Minute, time.Millisecond, name)
	}
}

// A stream ends when its session or its page does, also if the browser does not read and an event
// waits for it.
func TestUnreadStreamsEndAtOnce(t *testing.T) {
	t.Parallel()
	p, err := beginWith(t, func(c *console.Console) { c.Wait() })
	require.NoError(t, err)
	admin := p.Visit()
	require.Equal(t, 200, admin.Open())
	for name, end := range map[string]func(v *consoletest.Visitor){
		"CLIENT KILL": func(*consoletest.Visitor) { admin.Do("CLIENT", "KILL", "TYPE", "pubsub") },
		"the page is left": func(v *consoletest.Visitor) {
			status, _ := v.Send("POST", "/api/leave?page="+v.Page, "{}")
			require.Equal(t, 200, status)
		},
	} {
		for _, unread := range []bool{false, true} {
			v := p.Visit()
			require.Equal(t, 200, v.Open())
			nc := p.dial()
			fmt.Fprintf(nc, "GET /api/watch?command=%%5B\"SUBSCRIBE\",\"news\"%%5D&page=%s HTTP/1.1\r\n"+
				"Host: localhost\r\n\r\n", v.Page)
			require.Eventually(t, func() bool { return admin.Do("PUBSUB", "NUMSUB", "news") == `["news",1]` },
				time.Minute, time.Millisecond)
			if unread { // until the socket is full, and the server holds what follows
				require.Eventually(t, func() bool {
					admin.Do("PUBLISH", "news", strings.Repeat("x", 200_000))
					return regexp.MustCompile(` omem=\d{8}`).MatchString(admin.Do("CLIENT", "LIST", "TYPE", "pubsub"))
				}, time.Minute, time.Millisecond)
			}
			end(v)
			require.Eventually(t, func() bool { return p.held() == 0 }, time.Minute, time.Millisecond, name)
			response, err := http.ReadResponse(bufio.NewReader(nc), nil)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, response.Body) // to its end, or to where it was cut off
			require.Eventually(t, func() bool { return admin.Do("PUBSUB", "NUMSUB", "news") == `["news",0]` },
				time.Minute, time.Millisecond)
			nc.Close()
		}
	}
}
