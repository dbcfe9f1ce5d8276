package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// foreign is a page of somebody else, who knows the addresses of the console and of the server, and
// even the secret of an open page. It tries whatever a browser lets a page send, and tells what it
// has got: nothing, if all is well.
const foreign = `<!doctype html><body><script type="module">
const [site, server, page] = [%q, %q, %q], got = [], orders = JSON.stringify({commands: [["SET", "owned", "1"]]});
const attempt = (name, made) => new Promise(done => {
  setTimeout(done, 5000);
  Promise.resolve().then(() => made(() => { got.push(name); done(); }, done)).catch(done);
});
const loads = (tag, name, address) => attempt(tag, (reached, failed) => document.body.append(Object.assign(document.createElement(tag), {[name]: address, onload: reached, onerror: failed})));
for (const path of ["command", "page", "leave", "login", "logout", "search", "trace"]) for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"])
  for (const mode of ["cors", "no-cors"]) await attempt([path, type, mode].join(" "), async (reached, failed) => {
    await fetch(site + "/api/" + path + "?page=" + page, {method: "POST", mode, credentials: "include", headers: {"Content-Type": type}, body: orders}).then(reached, failed);
  });
for (const path of ["/", "/metrics", "/health", "/app.js", "/api/events?topics=info&page=" + page]) for (const mode of ["cors", "no-cors"])
  await attempt(path + " " + mode, (reached, failed) => fetch(site + path, {mode, credentials: "include"}).then(reached, failed));
await attempt("EventSource", (reached, failed) => {
  const source = new EventSource(site + "/api/events?topics=info&page=" + page, {withCredentials: true});
  source.onopen = reached;
  source.onerror = failed;
});
for (const address of [site, server]) await attempt("WebSocket", (reached, failed) => {
  const socket = new WebSocket(address.replace("http", "ws") + "/api/events?topics=info&page=" + page);
  socket.onopen = reached;
  socket.onerror = failed;
});
await loads("script", "src", site + "/app.js");
await loads("img", "src", site + "/icon.svg");
navigator.sendBeacon(site + "/api/command?page=" + page, orders);
for (const [action, name] of [[site + "/api/command?page=" + page, orders.slice(0, -1) + ',"x":"'], [server, "\\r\\nSET owned 1\\r\\n"]]) await attempt("form", (reached, sent) => {
  const frame = Object.assign(document.createElement("iframe"), {name: action, onload: sent}), form = Object.assign(document.createElement("form"), {target: action, method: "POST", enctype: "text/plain", action});
  form.append(Object.assign(document.createElement("input"), {name, value: '"}'}));
  document.body.append(frame, form);
  form.submit();
});
window.got = got;
</script>`

func TestForeignPagesReachNothing(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	p := start(t)
	v := p.Visit()
	require.Equal(t, http.StatusOK, v.Open())
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, fmt.Sprintf(foreign, p.URL, "http://"+p.Server.Addrs()[0], v.Page))
	}))
	defer site.Close()
	require.NoError(t, started())
	ctx, end := chromedp.NewContext(browser)
	defer end()
	ctx, stop := context.WithTimeout(ctx, 2*patience)
	defer stop()
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(site.URL)))
	var got []string
	require.Eventually(t, func() (over bool) {
		over, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("window.got !== undefined"))
		return err == nil && over
	}, 2*patience, 50*time.Millisecond)
	got, err := chromedp.Run(ctx, chromedp.Evaluate[[]string]("got"))
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, "0", v.Do("EXISTS", "owned"))
	require.Equal(t, `{"status":"PONG"}`, v.Do("PING"), "the page is still open")
}
