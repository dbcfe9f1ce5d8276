package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// stop is what has got the focus: what it is and is called, and whether that can be seen.
type stop struct {
	Name  string
	Shown bool
}

// watchFocus notes the stops of the focus. It may be an outline of the element or of the box in
// which it lies, or the line around a box of a drawing.
const watchFocus = `(() => {
	const name = e => e.localName + " " + (e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? (e.innerText || e.title || e.className)).trim().slice(0, 40);
	const outlined = e => e && getComputedStyle(e).outlineStyle !== "none" && parseFloat(getComputedStyle(e).outlineWidth) > 0;
	window.stops = [];
	window.controls = () => {
		const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
		return [...new Set(all.filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).map(name))];
	};
	document.addEventListener("focusin", event => {
		const e = event.composedPath()[0], box = e.getBoundingClientRect();
		const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
		const line = e.ownerSVGElement !== undefined && getComputedStyle(e.firstElementChild).stroke !== "none";
		stops.push({name: name(e), shown: inView && (line || [e, e.parentElement, e.closest(".cm-editor")].some(outlined))});
	});
	document.activeElement.blur();
	return true;
})()`

// tabThrough presses Tab until the focus has been everywhere, and returns where it has been.
func (b *tab) tabThrough() []stop {
	b.t.Helper()
	eval[bool](b, watchFocus)
	for len(eval[[]stop](b, "stops")) < 400 {
		b.press(strings.Repeat(kb.Tab, 10))
		stops := eval[[]stop](b, "stops")
		for i, s := range stops {
			if i > 0 && s == stops[0] {
				return stops[:i]
			}
		}
	}
	require.Fail(b.t, "the focus does not come back to where it began")
	return nil
}

// TestTheKeyboardReachesEverything: Tab goes to all controls of each page, and it can be seen where
// it is.
func TestTheKeyboardReachesEverything(t *testing.T) {
	t.Parallel()
	p := start(t)
	furnish(p)
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	v.Do("EVAL", "for i = 1, 200 do redis.call('ZADD', 'big', i, 'member:' .. i) end", "0")
	v.Do("JSON.SET", "doc", "$", order)
	v.Do("TS.ADD", "series", "5", "1")
	v.Do("ARSET", "array", "5", "five")
	for _, page := range []string{"keys?key=user:alice", "keys?key=events", "keys?key=doc",
		"keys?key=series", "keys?key=array", "memory?key=visits:alice", "memory?key=big",
		"live", "terminal", limiterAt(), "scripts?breaks=45"} {
		b := p.browse(page)
		switch {
		case page == "live":
			b.see("[aria-label='Memory by type']", "sorted set")
			b.see("[aria-label=Clients] button", "Kill")
		case strings.HasPrefix(page, "limiter"):
			b.ends() // its buttons keep their names from here on
		case strings.HasPrefix(page, "scripts"):
			b.click(".run")
			b.at(45)
			b.click(".measure")
			b.wait("document.querySelector('.flame .command')")
		}
		been := make(map[string]bool)
		for _, s := range b.tabThrough() {
			been[s.Name] = true
			require.True(t, s.Shown, "%s: the focus on %q cannot be seen", page, s.Name)
		}
		for _, name := range eval[[]string](b, "controls()") {
			require.True(t, been[name], fmt.Sprintf("%s: Tab does not lead to %q", page, name))
		}
	}
}
