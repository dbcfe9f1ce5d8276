//go:build unix

package browser

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var (
	large     = flag.Bool("large", false, "measure the pages with a million keys, and a hundred open pages")
	largeKeys = flag.Int("keys", million, "with so many keys")
)

const million = 1_000_000

// watchFrames is run in each document before its own scripts: it notes when rows and contents have
// come, and the longest frame and task.
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

// startLarge starts a server with the large dataset. It skips the test unless -large is given: a
// measurement takes minutes.
func startLarge(t *testing.T, params ...string) *place {
	t.Helper()
	if !*large {
		t.Skip("-large runs it")
	}
	p := start(t, params...)
	fill(p)
	return p
}

// fill makes the keys, and a sorted set and a hash of a million elements.
func fill(p *place) {
	v := p.Visit()
	require.Equal(p.T, 200, v.Open())
	begin := time.Now()
	for i := 0; i < max(*largeKeys, million); i += 10_000 {
		reply := v.Do("EVAL", `for i = ARGV[1] + 1, ARGV[1] + 10000 do
			if i <= tonumber(ARGV[2]) then
				redis.call('SET', 'user:' .. i % 1000 .. ':' .. i, 'value of ' .. i)
			end
			if i <= tonumber(ARGV[3]) then
				redis.call('ZADD', 'board', i, 'member:' .. i)
				redis.call('HSET', 'table', 'field:' .. i, 'value:' .. i)
			end
		end`, "0", strconv.Itoa(i), strconv.Itoa(*largeKeys), strconv.Itoa(million))
		require.NotContains(p.T, reply, "error")
	}
	p.T.Logf("filled with %d keys in %v", *largeKeys, time.Since(begin))
}

// pauses notes how long a client waits for the engine, until stop. To tell whether the engine is
// the cause, it also notes how late a goroutine wakes up that needs nothing from the engine: so
// much time this process, or the machine, takes from everybody.
type pauses struct {
	stop func()

	mu            sync.Mutex
	waited, woken span
}

// span is a stretch of time.
type span struct {
	begin time.Time
	took  time.Duration
}

func (p *place) pauses() *pauses {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	s := &pauses{stop: func() { cancel(); running.Wait() }}
	const rest = 20 * time.Microsecond
	running.Go(func() {
		for ctx.Err() == nil {
			begin := time.Now()
			p.Engine.With(func() {})
			s.note(&s.waited, span{begin, time.Since(begin)})
			time.Sleep(rest)
		}
	})
	running.Go(func() {
		for ctx.Err() == nil {
			begin := time.Now()
			time.Sleep(rest)
			s.note(&s.woken, span{begin, time.Since(begin) - rest})
		}
	})
	return s
}

// note keeps the longest span.
func (s *pauses) note(longest *span, now span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.took > longest.took {
		*longest = now
	}
}

// take returns what was longest since the last call.
func (s *pauses) take() pause {
	s.mu.Lock()
	defer s.mu.Unlock()
	longest := pause{s.waited, s.woken}
	s.waited, s.woken = span{}, span{}
	return longest
}

// pause is the longest time for which a client waited, and the longest by which a goroutine woke up
// too late.
type pause struct{ waited, woken span }

func (p pause) String() string {
	text := fmt.Sprintf("longest pause %v, latest goroutine %v", p.waited.took.Round(time.Microsecond),
		p.woken.took.Round(time.Microsecond))
	if p.waited.begin.Before(p.woken.begin.Add(p.woken.took)) &&
		p.woken.begin.Before(p.waited.begin.Add(p.waited.took)) {
		text += " at the same time"
	}
	return text
}

// TestLargeDataset measures what docs/console.md says of large databases. What it finds depends on
// the machine, so it asserts nothing but that the pages work. A higher priority than the browser's
// keeps the browser from holding up the server:
//
//	nice -n -10 go test ./internal/console/browser -large -v \
//		-run 'TestLargeDataset|TestAHundredPages'
func TestLargeDataset(t *testing.T) {
	p := startLarge(t, "slowlog-log-slower-than", "-1", "slowlog-max-len", "1000")
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	b, chromium := p.browseWatched()
	time.Sleep(2 * time.Second)
	s := p.pauses()
	defer s.stop()
	time.Sleep(3 * time.Second)
	t.Logf("without a page that does anything: %v", s.take())
	p.Engine.With(func() { require.NoError(t, p.Engine.Params.Named("slowlog-log-slower-than").Set("200")) })

	tell := func(what string, act func()) {
		eval[bool](b, "(longest.frame = longest.task = 0, true)")
		s.take()
		begin, delay, stolen := time.Now(), delayOf(chromium), stolen()
		act()
		pause := s.take()
		longest := eval[struct{ Frame, Task float64 }](b, "longest")
		t.Logf("%-44s longest frame %5.0f ms, longest task %4.0f ms, %v; "+
			"in %.1f s chromium's threads waited %v for a processor, and the machine got none for %v", what,
			longest.Frame, longest.Task, pause, time.Since(begin).Seconds(),
			(delayOf(chromium) - delay).Round(time.Millisecond), stolenSince(stolen))
	}
	for _, page := range []string{"empty", "keys", "keys?key=board", "keys?key=table", "memory?key=board", "live"} {
		var first, rows []float64
		s.take()
		for range 5 {
			b.do(chromedp.Navigate("about:blank"))
			if page == "empty" { // what the browser needs for any page
				b.do(chromedp.Navigate(p.URL + "/health"))
				b.wait("performance.getEntriesByName('first-contentful-paint').length")
				first, rows = append(first, eval[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime")), append(rows, 0)
				continue
			}
			b.do(chromedp.Navigate(p.URL + "/#" + page))
			b.wait("document.body.dataset.ready && window.rowsAt && " +
				"performance.getEntriesByName('first-contentful-paint').length")
			first = append(first, eval[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
			rows = append(rows, eval[float64](b, "window.rowsAt"))
		}
		slices.Sort(first)
		slices.Sort(rows)
		t.Logf("%-44s first paint %.0f ms (at most %.0f), contents %.0f ms (at most %.0f), %v", "#"+page, first[2],
			first[4], rows[2], rows[4], s.take())
	}

	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.URL+"/#keys"))
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
		begin := time.Now()
		b.fill("[type=search]", "nothing-is-called-so")
		b.wait("!document.querySelector('.tools progress').hidden")
		t.Logf("a search that finds nothing tells after %v how far it is", time.Since(begin))
		b.waitFor(5*time.Minute, "document.querySelector('.count').textContent.startsWith('0 of ')")
		t.Logf("and after %v that there is nothing", time.Since(begin))
	})
	tell("a search that is stopped", func() {
		b.fill("[type=search]", "nothing-is-called-this")
		b.wait("!document.querySelector('.tools progress').hidden")
		begin := time.Now()
		b.click(".more")
		b.wait("document.querySelector('.tools progress').hidden")
		t.Logf("it stops within %v: %s", time.Since(begin),
			eval[string](b, "document.querySelector('.count').textContent"))
	})
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.URL+"/#keys?key=board"))
	b.see(".pager", "of 1,000,000")
	tell("page through a sorted set of a million", func() {
		for i := range 9 {
			b.clickText(".pager button", "Next")
			b.see(".pager", fmt.Sprintf("%d01 to", i+1))
			wheel(b, ".value-body .scroll", 10)
		}
	})
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.URL+"/#live"))
	b.see("[aria-label='Memory by type']", "%")
	tell("look at the page Live for 10 s, and scroll", func() {
		for range 10 {
			wheel(b, "main", 60)
		}
	})
	b.forgive("favicon.ico") // of the page that is no console
	for _, slow := range slowest(t, v.Do("SLOWLOG", "GET", "-1"), 8) {
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
	at := eval[point](b, fmt.Sprintf("(() => {const r = document.querySelector(%s).getBoundingClientRect(); "+
		"return {X: r.x + r.width/2, Y: r.y + Math.min(r.height, 400)/2}})()", quoted(selector)))
	for range notches {
		b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: input.DispatchMouseEventTypeMouseWheel, X: at.X, Y: at.Y, DeltaX: 0.01, DeltaY: 240})
			return err
		}))
	}
}

// browseWatched opens a page whose frames are watched. It returns the process of the browser, too,
// with the usual priority: the server may have been started with a higher one, so that it does not
// wait for the browser, as on machines of their own.
func (p *place) browseWatched() (b *tab, pid int) {
	b = p.browse("terminal")
	pid = chromedp.FromContext(b.ctx).Browser.Process().Pid
	for _, thread := range threadsOf(pid) {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, thread, 0)
	}
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument,
			cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watchFrames})
		return err
	}))
	return b, pid
}

// threadsOf returns the threads of a process and of those that it has started; where there is no
// /proc, the processes.
func threadsOf(pid int) (threads []int) {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		threads = append(threads, pid)
	}
	for _, entry := range list {
		if n, err := strconv.Atoi(entry.Name()); err == nil {
			threads = append(threads, n)
		}
	}
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	for _, child := range strings.Fields(string(out)) {
		if n, err := strconv.Atoi(child); err == nil {
			threads = append(threads, threadsOf(n)...)
		}
	}
	return threads
}

// delayOf returns for how long the threads of a process, and of those that it has started, could
// have run but had no processor. Linux alone tells.
func delayOf(pid int) (sum time.Duration) {
	for _, thread := range threadsOf(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", thread))
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			sum += time.Duration(n)
		}
	}
	return sum
}

// stolen returns for how long this machine's processors could have run but worked for other
// machines, in hundredths of a second. Linux alone tells.
func stolen() int64 {
	text, _ := os.ReadFile("/proc/stat")
	if fields := strings.Fields(string(text)); len(fields) > 8 {
		n, _ := strconv.ParseInt(fields[8], 10, 64)
		return n
	}
	return 0
}

func stolenSince(before int64) time.Duration {
	return time.Duration(stolen()-before) * 10 * time.Millisecond
}

// TestOpeningLive opens the page many times and tells the longest pauses; then it has the commands
// of the page run without a browser, which takes the processors from the server.
func TestOpeningLive(t *testing.T) {
	p := startLarge(t, "slowlog-log-slower-than", "200", "slowlog-max-len", "1000")
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("SLOWLOG", "RESET")
	b, _ := p.browseWatched()
	s := p.pauses()
	defer s.stop()
	tell := func(what string, list []pause) {
		slices.SortFunc(list, func(a, b pause) int { return cmp.Compare(b.waited.took, a.waited.took) })
		t.Logf("%s: in the median %v", what, list[len(list)/2])
		for _, longest := range list[:5] {
			t.Logf("%s: among the longest %v", what, longest)
		}
	}
	var opened, alone []pause
	before := stolen()
	for range 80 {
		b.do(chromedp.Navigate("about:blank"))
		s.take()
		b.do(chromedp.Navigate(p.URL + "/#live"))
		b.see("[aria-label='Memory by type']", "%")
		opened = append(opened, s.take())
	}
	tell("opened in a browser", opened)
	t.Logf("meanwhile the machine got no processor for %v", stolenSince(before))
	b.do(chromedp.Navigate("about:blank"))
	for range 400 {
		s.take()
		p.askAsLive()
		alone = append(alone, s.take())
	}
	tell("its commands without a browser", alone)
	for _, slow := range slowest(t, v.Do("SLOWLOG", "GET", "-1"), 8) {
		t.Logf("among the slowest commands: %d us %s", slow.micros, slow.words)
	}
}

// askAsLive runs the commands with which the page Live begins.
func (p *place) askAsLive() {
	v := p.Visit()
	require.Equal(p.T, 200, v.Open())
	for _, words := range []string{"INFO server", "CLIENT LIST", "SLOWLOG GET 1", "LATENCY HISTOGRAM"} {
		v.Do(strings.Fields(words)...)
	}
	events, end := v.Stream("/api/events?topics=info,clients,slowlog,latency&page=" + v.Page)
	<-events
	for range 200 {
		key := v.Do("RANDOMKEY")
		v.Do("TYPE", strings.Trim(key, `"`))
		v.Do("MEMORY", "USAGE", strings.Trim(key, `"`), "SAMPLES", "5")
	}
	end()
	v.Send("POST", "/api/leave?page="+v.Page, "{}")
}

// TestAHundredPages measures what pages that look at Live cost a client that reads and writes.
func TestAHundredPages(t *testing.T) {
	p := startLarge(t)
	client, err := p.Server.Connect(p.Somewhere(), nil)
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
			v := p.Visit()
			require.Equal(t, 200, v.Open())
			events, end := v.Stream("/api/events?topics=info,clients,slowlog,latency&page=" + v.Page)
			ends = append(ends, end)
			go func() {
				for range events {
				}
			}()
		}
		time.Sleep(1500 * time.Millisecond)
		before, busy := p.Visit(), cpu()
		require.Equal(t, 200, before.Open())
		s := p.pauses()
		time.Sleep(5 * time.Second)
		pause := s.take()
		s.stop()
		spent := cpu() - busy
		t.Logf("%3d pages: %v, %.1f %% of a processor, pages and the client of this test included; "+
			"%.0f GET a second, one after another", pages, pause, 100*spent.Seconds()/5, rate())
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
