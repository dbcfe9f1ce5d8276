package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/console"
	"github.com/miniserver-go/miniserver/internal/console/consoletest"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// The tests of pages drive Debian's chromium. One browser serves all of them, also several at a
// time; each test has a server and a tab of its own:
//
//	tab := start(t).browse("keys")              the page at /#keys
//	tab.click("button.add")                     a real click, on what a CSS selector finds once it
//	                                            is there
//	tab.fill("#name", "alice")                  replaces the text of a field
//	tab.press("Enter")                          a key
//	tab.see("main", "alice")                    waits until the text is there
//	n := eval[int](tab, "document.querySelectorAll('tr').length")
//	tab.shot("keys")                            checks names and widths, and takes pictures, if
//	                                            SHOTS names a directory
//
// A tab fails its test if the page logs an error, throws, or asks another host for anything.
// CONSOLE_WINDOW=1 shows the browser.

// browser is the browser; nil if there is none.
var browser context.Context

func TestMain(m *testing.M) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		os.Exit(m.Run())
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1200, 800))
	if os.Getenv("CONSOLE_WINDOW") != "" {
		options = append(options, chromedp.VisibleWindow)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	var end context.CancelFunc
	browser, end = chromedp.NewContext(allocator)
	code := m.Run()
	end()
	stop()
	os.Exit(code)
}

// place is a server with a console.
type place struct{ *consoletest.Place }

// start starts a server with a console and these parameters, name and value in turn.
func start(t testing.TB, params ...string) *place {
	p, err := consoletest.Start(t, func(*console.Console) {}, params...)
	require.NoError(t, err)
	return &place{p}
}

// tab is a page of the console in the browser.
type tab struct {
	t     testing.TB
	place *place
	ctx   context.Context

	mu     sync.Mutex
	faults []string
}

// patience is how long a tab waits for something to appear: long, since the machine may be busy.
const patience = 2 * time.Minute

// started starts the browser once, before the first tab.
var started = sync.OnceValue(func() error { return chromedp.Do(browser) })

// needBrowser skips a test where no browser is to be started, or none is installed.
func needBrowser(t testing.TB) {
	t.Helper()
	quick.Skip(t, "starts a browser")
	if browser == nil {
		t.Skip("there is no chromium")
	}
}

// browse opens a page of the console in a tab. Without a browser the test is skipped.
func (p *place) browse(name string) *tab {
	p.T.Helper()
	needBrowser(p.T)
	require.NoError(p.T, started())
	ctx, end := chromedp.NewContext(browser)
	b := &tab{t: p.T, place: p, ctx: ctx}
	p.T.Cleanup(func() {
		end()
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(p.T, b.faults, "the page has logged errors")
	})
	require.NoError(p.T, chromedp.Listen(ctx, b.hear))
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		if err == nil {
			_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
		}
		if err == nil { // or only one of the tabs that are open would have it
			_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled,
				emulation.SetFocusEmulationEnabledParams{Enabled: true})
		}
		return err
	}), chromedp.Navigate(p.URL+"/#"+name))
	b.wait("document.body.dataset.ready")
	return b
}

// visit opens another page in the tab.
func (b *tab) visit(name string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf("(delete document.body.dataset.ready, location.hash = %s, true)", quoted(name)))
	b.wait("document.body.dataset.ready")
}

// hear notes what must not happen.
func (b *tab) hear(ev any) {
	fault := ""
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		fault = fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			fault = e.Entry.Text + " " + e.Entry.URL
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil ||
			u.Scheme != "data" && !strings.HasPrefix(e.Request.URL, b.place.URL+"/") {
			fault = "a request to " + e.Request.URL
		}
	}
	if fault != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
}

// forgive forgets the faults that contain a text: those that a test provokes.
func (b *tab) forgive(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []string
	for _, f := range b.faults {
		if !strings.Contains(f, text) {
			left = append(left, f)
		}
	}
	b.faults = left
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*patience)
	defer stop()
	require.NoError(b.t, chromedp.Do(ctx, steps...))
}

// eval evaluates an expression of JavaScript; a promise is awaited.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*patience)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return v
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	b.waitFor(patience, expression)
}

// waitFor is wait with another patience.
func (b *tab) waitFor(patience time.Duration, expression string) {
	b.t.Helper()
	end := time.Now().Add(patience)
	for !eval[bool](b, "(async () => !!(await ("+expression+")))()") {
		if time.Now().After(end) {
			b.pictures("failed")
			require.Fail(b.t, "waited in vain", "%s\n%s", expression, eval[string](b, "document.body.innerText"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

// see waits until an element contains a text.
func (b *tab) see(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("[...document.querySelectorAll(%s)].some(e => (e.innerText ?? e.textContent).includes(%s))",
		quoted(selector), quoted(text)))
}

// click clicks on the first element that is there.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%s)", quoted(selector)))
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// clickText clicks on the first element of a selector with a text.
func (b *tab) clickText(selector, text string) {
	b.t.Helper()
	at := b.placeOf(selector, text)
	b.do(chromedp.MouseClickXY(at.X, at.Y))
}

// point is a place in the window, in pixels.
type point struct{ X, Y float64 }

// placeOf waits until the first element of a selector with a text stands still and is not covered,
// and returns its middle.
func (b *tab) placeOf(selector, text string) (at point) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`new Promise(done => {
		const middle = () => {
			const e = [...document.querySelectorAll(%s)].find(e => e.innerText.includes(%s));
			if (!e) return "";
			e.scrollIntoView({block: "center"});
			const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
			return e.contains(document.elementFromPoint(x, y)) ? JSON.stringify({X: x, Y: y}) : "";
		};
		const before = middle();
		requestAnimationFrame(() => requestAnimationFrame(() => done(window.middleSeen = before === middle() ? before : "")));
	})`, quoted(selector), quoted(text)))
	require.NoError(b.t, json.Unmarshal([]byte(eval[string](b, "window.middleSeen")), &at))
	return at
}

// fill replaces the text of a field, as typing does.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%s)", quoted(selector)))
	eval[bool](b, fmt.Sprintf("(() => {const e = document.querySelector(%s); e.focus(); e.select?.(); "+
		"return document.execCommand('insertText', false, %s)})()",
		quoted(selector), quoted(text)))
}

// choose selects an option of a list.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.querySelector(%s)", quoted(selector)))
	eval[bool](b, fmt.Sprintf("(() => {const e = document.querySelector(%s); e.value = %s; "+
		"e.dispatchEvent(new Event('input', {bubbles: true})); "+
		"return e.dispatchEvent(new Event('change', {bubbles: true}))})()", quoted(selector), quoted(value)))
}

// press presses keys, by the names of package kb or as characters.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// slow makes each request of the page take so many milliseconds longer from now on. Streams stay as
// they are.
func (b *tab) slow(millis int) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => {
		const usual = window.usualFetch ??= fetch;
		window.fetch = (...request) => new Promise(done => setTimeout(done, %d)).then(() => usual(...request));
		return true;
	})()`, millis))
}

// run executes a command in the server, beside the page.
func (b *tab) run(words ...string) string {
	v := b.place.Visit()
	require.Equal(b.t, 200, v.Open())
	return v.Do(words...)
}

// unnamed are the roles of elements that a screen reader cannot tell apart without a name.
var unnamed = []string{"button", "link", "textbox", "searchbox", "combobox", "spinbutton", "slider", "checkbox",
	"listbox", "tree", "treeitem", "option", "img", "region", "dialog", "log", "heading", "columnheader"}

// readable checks that everything a screen reader announces has a name, and that the page fits on a
// phone.
func (b *tab) readable() {
	b.t.Helper()
	tree, err := chromedp.Run(b.ctx,
		func(ctx context.Context, _ *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
			return chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		})
	require.NoError(b.t, err)
	for _, n := range tree.Nodes {
		if !n.Ignored && n.Role != nil && slices.Contains(unnamed, textOf(n.Role)) {
			require.NotEmpty(b.t, textOf(n.Name), "a %s without a name: node %d", textOf(n.Role), n.BackendDOMNodeID)
		}
	}
	b.do(chromedp.EmulateViewport(390, 844))
	b.wait(`[...document.querySelectorAll("body, header, nav, main")].every(e => e.scrollWidth <= e.clientWidth)`)
	b.do(chromedp.EmulateViewport(1200, 800))
}

func textOf(v *accessibility.Value) string {
	var text string
	if v != nil {
		_ = json.Unmarshal(v.Value, &text)
	}
	return strings.TrimSpace(text)
}

// shot checks the page as it is now, and takes pictures of it.
func (b *tab) shot(name string) {
	b.t.Helper()
	b.readable()
	b.pictures(name)
}

// pictures takes pictures in light, dark and phone width, if SHOTS names a directory for them.
func (b *tab) pictures(name string) {
	b.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	for _, look := range []struct {
		suffix, scheme string
		width, height  int64
	}{{"", "light", 1200, 800}, {"-dark", "dark", 1200, 800}, {"-phone", "light", 390, 844}} {
		b.do(chromedp.EmulateViewport(look.width, look.height),
			chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}})
				return err
			}), chromedp.Sleep(300*time.Millisecond))
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		require.NoError(b.t, err)
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+look.suffix+".png"), png, 0o644))
	}
	b.do(chromedp.EmulateViewport(1200, 800))
}

// hover moves the mouse onto the first element of a selector.
func hover(b *tab, selector string) chromedp.Action[chromedp.Void] {
	b.wait(fmt.Sprintf("document.querySelector(%s)", quoted(selector)))
	at := eval[struct{ X, Y float64 }](b, fmt.Sprintf(
		"(() => {const e = document.querySelector(%s); e.scrollIntoView({block:'center'}); const r = "+
			"e.getBoundingClientRect(); return {X: r.x + r.width/2, Y: r.y + r.height/2}})()", quoted(selector)))
	return chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y)
}
