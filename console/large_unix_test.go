//go:build unix

package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var large = flag.Bool("large", false, "measure the pages with a million keys, and a hundred open pages")

// watchFrames is run in each document before its own scripts: it notes when rows and contents have come, and the longest frame and task.
const watchFrames = `
	window.longest = {frame: 0, task: 0};
	let last = performance.now();
	const frame = now => {
		longest.frame = Math.max(longest.frame, now - last);
		last = now;
		if (!window.rowsAt && document.querySelector(".key-row, .figure, tbody tr")) window.rowsAt = performance.now();
		requestAnimationFrame(frame);
	};
	requestAnimationFrame(frame);
	new PerformanceObserver(list => { for (const e of list.getEntries()) longest.task = Math.max(longest.task, e.duration); }).observe({type: "longtask"});
`

// fill makes a million keys, and a sorted set and a hash of a million elements.
func fill(p *place) {
	v := p.visit()
	require.Equal(p.t, 200, v.open())
	for i := 0; i < 1_000_000; i += 10_000 {
		reply := v.do("EVAL", `for i = ARGV[1] + 1, ARGV[1] + 10000 do
			redis.call('SET', 'user:' .. i % 1000 .. ':' .. i, 'value of ' .. i)
			redis.call('ZADD', 'board', i, 'member:' .. i)
			redis.call('HSET', 'table', 'field:' .. i, 'value:' .. i)
		end`, "0", strconv.Itoa(i))
		require.NotContains(p.t, reply, "error")
	}
}

// pauses notes how long a client waits for the engine, until stop.
type pauses struct {
	longest atomic.Int64
	stop    func()
}

func (p *place) pauses() *pauses {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s := &pauses{stop: func() { cancel(); <-ended }}
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			begin := time.Now()
			p.engine.With(func() {})
			s.longest.Store(max(s.longest.Load(), int64(time.Since(begin))))
			time.Sleep(20 * time.Microsecond)
		}
	}()
	return s
}

func (s *pauses) take() time.Duration { return time.Duration(s.longest.Swap(0)) }

// TestLargeDataset measures. What it finds depends on the machine, so it asserts nothing but that the pages work.
func TestLargeDataset(t *testing.T) {
	if !*large {
		t.Skip("-large runs it")
	}
	p := start(t, "slowlog-log-slower-than", "-1", "slowlog-max-len", "1000")
	begin := time.Now()
	fill(p)
	t.Logf("filled in %v", time.Since(begin))
	v := p.visit()
	require.Equal(t, 200, v.open())
	b := p.browse("terminal")
	if pid := chromedp.FromContext(b.ctx).Browser.Process(); pid != nil {
		usual(pid.Pid)
	}
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watchFrames})
		return err
	}))
	time.Sleep(2 * time.Second)
	s := p.pauses()
	defer s.stop()
	time.Sleep(3 * time.Second)
	t.Logf("longest pause without a page that does anything: %v", s.take())
	p.engine.With(func() { require.NoError(t, p.engine.Param("slowlog-log-slower-than").Set("200")) })

	tell := func(what string, act func()) {
		eval[bool](b, "(longest.frame = longest.task = 0, true)")
		s.take()
		act()
		pause := s.take()
		longest := eval[struct{ Frame, Task float64 }](b, "longest")
		t.Logf("%-44s longest frame %5.0f ms, longest task %4.0f ms, longest pause %v", what, longest.Frame, longest.Task, pause)
	}
	for _, page := range []string{"empty", "keys", "keys?key=board", "keys?key=table", "memory?key=board", "live"} {
		var first, rows []float64
		s.take()
		for range 5 {
			b.do(chromedp.Navigate("about:blank"))
			if page == "empty" { // what the browser needs for any page
				b.do(chromedp.Navigate(p.url + "/health"))
				b.wait("performance.getEntriesByName('first-contentful-paint').length")
				first, rows = append(first, eval[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime")), append(rows, 0)
				continue
			}
			b.do(chromedp.Navigate(p.url + "/#" + page))
			b.wait("document.body.dataset.ready && window.rowsAt && performance.getEntriesByName('first-contentful-paint').length")
			first = append(first, eval[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
			rows = append(rows, eval[float64](b, "window.rowsAt"))
		}
		slices.Sort(first)
		slices.Sort(rows)
		t.Logf("%-44s first paint %.0f ms (at most %.0f), contents %.0f ms (at most %.0f), longest pause %v", "#"+page, first[2], first[4], rows[2], rows[4], s.take())
	}

	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url+"/#keys"))
	b.see(".count", "searched")
	tell("search on through 10,000 keys", func() {
		for range 20 {
			before := eval[string](b, "document.querySelector('.count').textContent")
			b.click(".more")
			b.wait("document.querySelector('.count').textContent !== " + quoted(before))
		}
	})
	tell("scroll through them with the wheel", func() { wheel(b, ".rows", 300) })
	tell("a search that finds nothing", func() {
		b.fill("[type=search]", "nothing-is-called-so")
		b.wait("document.querySelector('.count').textContent.startsWith('0 keys')")
	})
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url+"/#keys?key=board"))
	b.see(".pager", "of 1,000,000")
	tell("page through a sorted set of a million", func() {
		for i := range 9 {
			b.clickText(".pager button", "Next")
			b.see(".pager", fmt.Sprintf("%d01 to", i+1))
			wheel(b, ".value-body .scroll", 10)
		}
	})
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.url+"/#live"))
	b.see("[aria-label='Memory by type']", "%")
	tell("look at the page Live for 10 s, and scroll", func() {
		for range 10 {
			wheel(b, "main", 60)
		}
	})
	b.forgive("favicon.ico") // of the page that is no console
	for _, slow := range slowest(t, v.do("SLOWLOG", "GET", "-1"), 8) {
		t.Logf("among the slowest commands: %d us %s", slow.micros, slow.words)
	}
}

// slow is an entry of the slow log.
type slow struct {
	micros int
	words  string
}

// slowest returns the slowest commands of a reply to SLOWLOG GET.
func slowest(t *testing.T, reply string, most int) (list []slow) {
	var entries [][]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(reply), &entries))
	for _, e := range entries {
		micros, err := strconv.Atoi(string(e[2]))
		require.NoError(t, err)
		list = append(list, slow{micros, string(e[3][:min(len(e[3]), 60)])})
	}
	slices.SortFunc(list, func(a, b slow) int { return b.micros - a.micros })
	return list[:min(len(list), most)]
}

// wheel turns the wheel of the mouse over an element, a notch a frame.
func wheel(b *tab, selector string, notches int) {
	b.wait(fmt.Sprintf("document.querySelector(%s)", quoted(selector)))
	at := eval[point](b, fmt.Sprintf("(() => {const r = document.querySelector(%s).getBoundingClientRect(); return {X: r.x + r.width/2, Y: r.y + Math.min(r.height, 400)/2}})()", quoted(selector)))
	for range notches {
		b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: at.X, Y: at.Y, DeltaX: 0.01, DeltaY: 240})
			return err
		}))
	}
}

// usual gives a browser the usual priority: the server may have been started with a higher one, so that it does not wait for the browser, as on machines
// of their own.
func usual(pid int) {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	for _, child := range strings.Fields(string(out)) {
		if n, err := strconv.Atoi(child); err == nil {
			usual(n)
		}
	}
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, 0)
}

// TestAHundredPages measures what pages that look at Live cost a client that reads and writes.
func TestAHundredPages(t *testing.T) {
	if !*large {
		t.Skip("-large runs it")
	}
	p := start(t)
	fill(p)
	client, err := p.server.Connect(p.somewhere())
	require.NoError(t, err)
	defer client.Close()
	replies := bufio.NewReader(client)
	rate := func() float64 {
		const most = 5 * time.Second
		begin, n := time.Now(), 0
		for time.Since(begin) < most {
			for range 100 {
				n++
				_, err := io.WriteString(client, "GET user:7:7\r\n")
				require.NoError(t, err)
				for range 2 {
					_, err = replies.ReadSlice('\n')
					require.NoError(t, err)
				}
			}
		}
		return float64(n) / time.Since(begin).Seconds()
	}
	rate()
	for _, pages := range []int{0, 1, 100} {
		var ends []func()
		for range pages {
			v := p.visit()
			require.Equal(t, 200, v.open())
			events, end := v.stream("/api/events?topics=info,clients,slowlog,latency&page=" + v.page)
			ends = append(ends, end)
			go func() {
				for range events {
				}
			}()
		}
		time.Sleep(1500 * time.Millisecond)
		before, busy := p.visit(), cpu()
		require.Equal(t, 200, before.open())
		s := p.pauses()
		time.Sleep(5 * time.Second)
		pause := s.take()
		s.stop()
		spent := cpu() - busy
		t.Logf("%3d pages: longest pause %v, %.1f %% of a processor, pages and the client of this test included; %.0f GET a second, one after another", pages, pause, 100*spent.Seconds()/5, rate())
		for _, end := range ends {
			end()
		}
	}
}

// cpu returns the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
