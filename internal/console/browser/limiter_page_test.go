package browser

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// verdicts returns what the summary of the page Limiter says of a limiter: how many requests
// passed, and how many bounced.
func (b *tab) verdicts(row int) [2]string {
	b.t.Helper()
	return eval[[2]string](b, fmt.Sprintf(`(() => {const r = document.querySelectorAll('.summary tbody tr')[%d];
		return [r.querySelector('.passed-count').innerText, r.querySelector('.bounced-count').innerText]})()`, row))
}

// ends waits until the run of the page has come to its end.
func (b *tab) ends() {
	b.t.Helper()
	b.wait("document.querySelector('.limiter').dataset.ended")
}

// limiterAt returns the address of the page with settings, in pairs; the clock does not wait.
func limiterAt(settings ...string) string { return "limiter?speed=0&" + query(settings...) }

// query returns parameters, in pairs, as an address has them.
func query(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

func TestLimiterShowsWhereTwoDisagree(t *testing.T) {
	t.Parallel()
	b := start(t).
		browse(limiterAt("load", "list", "limit", "2", "window", "1000", "list", "0\n900\n950\n1000\n1100\n1950"))
	b.ends()
	// The fixed window opens at 0 and again at 1000; the sliding one has room again at 1000 and
	// at 1900.
	require.Equal(t, [2]string{"4", "2"}, b.verdicts(0))
	require.Equal(t, [2]string{"4", "2"}, b.verdicts(1))
	b.see(".timeline", "2 disagreements")
	b.see(".disagreements tbody tr:nth-child(1)", "1.100 s")
	b.see(".disagreements tbody tr:nth-child(1) .yes", "passes")
	b.see(".disagreements tbody tr:nth-child(2)", "1.950 s")
	b.see(".summary", "3, more than 2") // what the fixed window lets pass within a window
	require.Equal(t, eval[string](b, "getComputedStyle(document.body).fontFamily"),
		eval[string](b, "getComputedStyle(document.querySelector('.set-up .field.wide')).fontFamily"))
	b.clickText(".disagreements button", "1.100 s")
	b.see(".clock", "1.10 s")
	b.see(".timeline .inside", "2 of 2 in the window")
	b.pictures("limiter-list")

	b.choose(".set-a", "own")
	b.fill(".set-script", "return {0, 0, 7}")
	b.wait("document.querySelector('.passed-count')?.innerText == '0'")
	b.fill(".set-script", "return redis.call('GET')")
	b.see(".error", "Wrong number of args calling Redis command from script")
	require.Contains(t, eval[string](b, "location.hash"), "script=return+redis.call")
}

// TestLimiterOpensWhereWindowsMeet: whatever the speed, the page opens with what a fixed window is
// known for. Nine requests pass within four seconds, which a sliding window does not let happen.
func TestLimiterOpensWhereWindowsMeet(t *testing.T) {
	t.Parallel()
	b := start(t).browse("limiter?speed=0.1")
	b.wait("document.querySelector('.limiter').dataset.playing == 'true'")
	b.click(".play") // it pauses, and goes on before the server has replied to what it was asked
	b.click(".play")
	b.choose(".set-speed", "0")
	b.ends()
	require.Equal(t, [2]string{"20", "0"}, b.verdicts(0))
	require.Equal(t, [2]string{"12", "8"}, b.verdicts(1))
	b.see(".set-up", "One request opens a window")
	b.see(".summary tbody tr:nth-child(1)", "9, more than 5")
	b.shot("limiter")
}

func TestLimiterPlaysBurstsOnAClockThatIsDragged(t *testing.T) {
	t.Parallel()
	b := start(t).browse("limiter?b=token-bucket&load=bursts&speed=0.1")
	b.wait("document.querySelector('.limiter').dataset.playing == 'true'")
	b.click(".play") // it pauses
	b.wait("document.querySelector('.limiter').dataset.playing == 'false'")
	require.Empty(t, eval[string](b, "document.querySelector('.limiter').dataset.ended ?? ''"))
	eval[bool](b, "(() => {const e = document.querySelector('.scrub'); e.value = 4000; "+
		"return e.dispatchEvent(new Event('input'))})()")
	b.see(".clock", "4.00 s")
	b.wait("document.querySelector('.passed-count').innerText == '5'") // 4 and, in the second burst, 1
	b.click(".send")
	b.wait("document.querySelector('.bounced-count').innerText == '1'")
	b.choose(".set-speed", "0")
	b.click(".play")
	b.ends()
	// 5 in each of the windows from 0, 12, 24, 36 and 48 s; one request was sent by hand
	require.Equal(t, [2]string{"25", "36"}, b.verdicts(0))
	b.shot("limiter-bursts")

	link := eval[string](b, "location.hash")
	require.Contains(t, link, "b=token-bucket")
	b.choose(".set-load", "many")
	b.fill(".set-users", "20")
	b.see(".users h2", "Users")
	b.see(".users tbody", "user20")
	b.ends()
	require.NotEqual(t, link, eval[string](b, "location.hash"))
	b.shot("limiter-users")
	b.fill(".set-limit", "0")
	b.see(".error", "Limit (requests):")
}

func TestLimiterRunsAllAlgorithms(t *testing.T) {
	t.Parallel()
	p := start(t)
	b := p.browse("terminal")
	for _, name := range []string{"fixed-window", "sliding-window-hash", "sliding-window-zset", "token-bucket",
		"leaky-bucket", "throttle", "increx", "redisson", "own"} {
		b.do(chromedp.Navigate(p.URL + "/#" + limiterAt("a", name, "b", "none", "load", "list", "limit", "2", "burst",
			"2", "window", "10000", "list", "0\n1\n2\n30000\n30001\n30002")))
		b.wait("document.querySelector('.set-a')?.value == " + quoted(name))
		b.ends()
		require.Equal(t, [2]string{"4", "2"}, b.verdicts(0), name) // two at a time, and all are forgotten after 30 s
		require.Empty(t, eval[string](b, "document.querySelector('.limiter .error').innerText"), name)
	}
}
