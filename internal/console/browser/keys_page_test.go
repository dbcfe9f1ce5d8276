package browser

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// furnish puts a key of every type into the server.
func furnish(p *place) {
	v := p.Visit()
	require.Equal(p.T, 200, v.Open())
	for _, c := range [][]string{
		{"SET", "greeting", "hello"}, {"SET", "page:home", "<script>alert(1)</script>", "EX", "90"},
		{"HSET", "user:alice", "name", "Alice", "mail", "alice@example.org", "visits", "42"},
		{"HPEXPIRE", "user:alice", "60000", "FIELDS", "1", "visits"},
		{"HSET", "user:bob", "name", "Bob"}, {"EXPIRE", "user:bob", "30"},
		{"RPUSH", "queue:mail", "first", "second", "third"}, {"SADD", "tags", "red", "green", "<b>blue</b>"},
		{"ZADD", "visits:alice", "1795260383", "a", "1795260391", "b", "1795260407", "c"},
		{"EXPIRE", "visits:alice", "60"},
		{"XADD", "events", "1795260383000-0", "kind", "login", "who", "alice"},
		{"XADD", "events", "1795260384000-0", "kind", "logout", "who", "alice"},
		{"XGROUP", "CREATE", "events", "workers", "0"},
		{"XREADGROUP", "GROUP", "workers", "one", "COUNT", "1", "STREAMS", "events", ">"},
		{"BF.ADD", "seen", "alice"}, {"SET", `<img src=x onerror="alert(1)">`, "x"},
	} {
		require.NotContains(p.T, v.Do(c...), `"error"`, c)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	p := start(t)
	furnish(p)
	b := p.browse("keys")
	b.see(".count", "10 of 10 keys")
	require.Equal(t, 0, eval[int](b, "document.querySelectorAll('main img, main script').length"))

	b.clickText(".key-row", "alice")
	b.see(".value h1", "user:alice")
	b.see(".value td", "alice@example.org")
	b.see(".value .timer", " s")
	b.shot("keys")
	const isShown = "[...document.querySelectorAll('.key-row .name')].some(e => e.textContent === 'alice')"
	b.press(kb.ArrowLeft + kb.ArrowLeft)
	b.wait("!" + isShown)
	b.press(kb.ArrowRight)
	b.wait(isShown)
	b.see(".same", "HSCAN user:alice 0 COUNT 100")

	b.clickText(".value .cell", "alice@example.org")
	b.fill("dialog input", `<i>new</i>`)
	b.press(kb.Enter)
	b.see(".value td", "<i>new</i>")
	require.Equal(t, `"\u003ci\u003enew\u003c/i\u003e"`, b.run("HGET", "user:alice", "mail"))

	b.clickText(".facts button", "Deadline")
	b.fill("dialog input", "100")
	b.press(kb.Enter)
	b.see(".facts .ring", " s")
	ttl, _ := strconv.Atoi(b.run("PTTL", "user:alice"))
	require.Positive(t, ttl)
	require.LessOrEqual(t, ttl, 100_000)

	b.fill("[type=search]", "visits")
	b.see(".count", "1 of 10 keys")
	b.press(kb.Tab)
	b.clickText(".key-row", "visits:alice")
	b.see(".value td", "1795260391")
	b.fill(".adder input", "d")
	b.fill(".adder div:nth-child(2) input", "1.5")
	b.clickText(".adder button", "Add")
	b.see(".value td", "1.5")
	require.Equal(t, `{"double":"1.5"}`, b.run("ZSCORE", "visits:alice", "d"))

	b.fill("[type=search]", "events")
	b.clickText(".key-row", "events")
	b.see(".value td", "kind: login")
	b.clickText(".group summary", "workers")
	b.clickText(".group button", "Acknowledge")
	b.see(".group summary", "0 pending")

	b.fill("[type=search]", "seen")
	b.clickText(".key-row", "seen")
	b.fill(".adder input", "nobody")
	b.clickText(".adder button", "Is it there?")
	b.see(".value p", "certainly not")

	b.run("CF.RESERVE", "cuckoo", "8")
	b.run("CF.ADD", "cuckoo", "a")
	b.run("CMS.INITBYDIM", "counts", "10", "3")
	b.run("CMS.INCRBY", "counts", "a", "1234")
	b.fill("[type=search]", "cuckoo")
	b.clickText(".key-row", "cuckoo")
	b.see(".value td", "12.5 %")
	b.fill(".adder input", "a")
	b.clickText(".adder button", "Is it there?")
	b.see(".value p", "may be")
	b.clickText(".adder button", "Add")
	b.see(".value td", "25 %")
	b.fill("[type=search]", "counts")
	b.clickText(".key-row", "counts")
	b.fill(".adder input", "a")
	b.clickText(".adder button", "How often?")
	b.see(".value p", "1,234")

	b.fill("[type=search]", "queue")
	b.clickText(".key-row", "queue")
	b.see(".value td", "second")
	b.click(`[aria-label="Remove element 1"]`)
	b.wait("!document.querySelector('.value').innerText.includes('second')")
	require.Equal(t, `["first","third"]`, b.run("LRANGE", "queue:mail", "0", "-1"))
	b.clickText(".facts button", "Delete")
	b.press(kb.Enter)
	b.see(".value", "Deleted")
	require.Equal(t, `0`, b.run("EXISTS", "queue:mail"))

	b.clickText(".tools button", "New key")
	b.fill("dialog input", "fresh")
	b.press(kb.Tab + kb.Tab)
	b.press("value")
	b.press(kb.Enter)
	b.see(".value h1", "fresh")
	b.fill(".value textarea", "changed")
	b.clickText(".value button", "Save")
	b.wait("document.querySelector('.value-view .same').textContent.startsWith('GET')")
	require.Equal(t, `"changed"`, b.run("GET", "fresh"))
}

// TestKeysOfALargeDatabase scrolls through fifty thousand of them, of which the page holds few
// rows.
func TestKeysOfALargeDatabase(t *testing.T) {
	t.Parallel()
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("EVAL", "for i = 1, 50000 do redis.call('SET', 'key:' .. i % 100 .. ':' .. i, i) end", "0")
	v.Do("CONFIG", "RESETSTAT")
	b := p.browse("keys")
	b.see(".count", "% of 50,000 searched")
	b.click(".more")
	b.wait("parseInt(document.querySelector('.count').textContent.replace(',', '')) >= 1000")
	require.Less(t, eval[int](b, "document.querySelectorAll('.key-row').length"), 80)
	stats := v.Do("INFO", "commandstats")
	require.NotContains(t, stats, "cmdstat_keys:")
	calls := 0
	_, _ = fmt.Sscanf(stats[max(0, strings.Index(stats, "cmdstat_scan:")):], "cmdstat_scan:calls=%d", &calls)
	require.Positive(t, calls)
	require.Less(t, calls, 20)
}

// TestASearchTellsHowFarItIs looks for what is not there, in a page whose requests take long.
func TestASearchTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	p := start(t)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("EVAL", "for i = 1, 400000 do redis.call('SET', 'key:' .. i, i) end redis.call('SET', 'needle', 1)", "0")
	b := p.browse("keys")
	b.see(".count", "% of 400,001 searched")
	b.slow(1000)
	b.fill("[type=search]", "nowhere")
	b.wait("document.querySelector('.tools progress')?.value > 0")
	b.see(".count", "0 keys, ")
	b.clickText(".more", "Stop")
	b.wait("document.querySelector('.tools progress').hidden")
	b.clickText(".more", "Search on")
	b.wait("!document.querySelector('.tools progress').hidden")
	b.fill("[type=search]", "needle") // another search takes its place
	b.slow(0)
	b.waitFor(5*patience, "document.querySelector('.count').innerText.includes('1 of 400,001 keys')")
	b.wait("document.querySelector('.tools progress').hidden && document.querySelector('.more').hidden")
	require.Equal(t, 1, eval[int](b, "document.querySelectorAll('.key-row').length"))
}

// TestAClickOutlastsItsRow: a row that is drawn anew between press and release, as when its facts
// arrive, is opened all the same.
func TestAClickOutlastsItsRow(t *testing.T) {
	t.Parallel()
	p := start(t)
	furnish(p)
	b := p.browse("keys")
	at := b.placeOf(".key-row", "visits:alice")
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at.X, at.Y, chromedp.ButtonLeft,
		chromedp.ClickCount(1)))
	eval[bool](b, `(() => {const rows = document.querySelector(".rows-body"); rows.replaceChildren(...[...rows.children].map(e => e.cloneNode(false))); return true})()`)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at.X, at.Y, chromedp.ButtonLeft,
		chromedp.ClickCount(1)))
	b.see(".value h1", "visits:alice")
}
