package browser

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// inEditor is an expression for an element of the editor, which is a tree of its own.
func inEditor(selector string) string {
	return fmt.Sprintf("document.querySelector('.editor').shadowRoot.querySelector(%s)", quoted(selector))
}

// selectAll presses Ctrl+A. A KeyEvent of chromedp would type a character, too.
func (b *tab) selectAll() {
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent,
			input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "a", Code: "KeyA",
				WindowsVirtualKeyCode: 65, Modifiers: int64(chromedp.ModifierCtrl)})
		return err
	}))
}

// insert types a text, all at once.
func (b *tab) insert(text string) {
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// local returns the value of a variable that the page Scripts shows.
func (b *tab) local(name string) string {
	b.t.Helper()
	return eval[string](b,
		fmt.Sprintf("document.querySelector('.variables tr[data-name=%s] td')?.innerText ?? ''", name))
}

// at waits until the run of the page is at a line; 0 for its end.
func (b *tab) at(line int) {
	b.t.Helper()
	text := ""
	if line > 0 {
		text = fmt.Sprint(line)
	}
	b.wait("document.querySelector('.panels').dataset.line === " + quoted(text) +
		" && !document.querySelector('.move-back').disabled")
}

func TestScriptsStepAheadAndBack(t *testing.T) {
	t.Parallel()
	b := start(t).browse("scripts?breaks=45")
	b.wait(inEditor(".cm-content") + ".innerText.includes('Token bucket')")
	require.Equal(t, "api:alice", eval[string](b, "document.querySelector('.keys').value"))
	b.fill(".args", "10 1 1000 4 1700000000000")
	b.click(".run")
	b.at(45)
	require.Equal(t, "10000", b.local("level"))
	require.Equal(t, "4000", b.local("parts"))
	b.click(".move-into")
	b.at(46)
	require.Equal(t, "6000", b.local("level"))
	require.True(t,
		eval[bool](b, "document.querySelector('.variables tr[data-name=level]').classList.contains('changed')"))
	b.click(".move-back")
	b.at(45)
	require.Equal(t, "10000", b.local("level"))
	b.see(".calls", "HMGET api:alice level at")
	b.see(".calls tr.done", "[NULL,NULL]")
	b.see(".calls tbody tr:nth-child(3)", "PEXPIRE api:alice 4000")
	b.see(".calls tbody tr:nth-child(3) button", "52")
	b.see(".keys-panel [data-at=before]", "none")
	b.see(".keys-panel [data-at=here]", "none")
	b.see(".keys-panel [data-at=after]", `["level","6000","at","1700000000000"]`)
	b.fill(".expression", "level / period")
	b.press(kb.Enter)
	b.see(".watched", "10")
	b.shot("scripts")
	b.click(".move-over")
	b.at(46)
	b.see(".watched", "6")
	b.click(".move-continue")
	b.at(0)
	b.see(".reply", "2) (integer) 6")
	b.see(".keys-panel [data-at=here]", "6000")
	b.click(".move-reverse")
	b.at(45)
	b.see(".coverage", "lines have run")
	require.Equal(t, "1", eval[string](b, inEditor(".hits")+".innerText"))
	require.Equal(t, "null", b.run("GET", "api:alice"), "the data of the server are as they were")
}

func TestScriptsStopWhereAConditionIsTrue(t *testing.T) {
	t.Parallel()
	source := "local function add(n)\n  return redis.call('INCRBY', KEYS[1], n)\nend\nlocal sum = 0\n" +
		"for i = 1, 5 do\n  sum = add(i)\nend\nreturn sum"
	b := start(t).browse("scripts?" +
		query("source", source, "keys", "total", "args", "", "breaks", "2", "setup", "SET total 100"))
	b.click(".run")
	b.at(2)
	require.Equal(t, "1", b.local("n"))
	b.fill(".point input", "n == 4")
	b.press(kb.Enter)
	b.click(".move-continue")
	b.wait("document.querySelector('.variables tr[data-name=n] td')?.innerText == '4'")
	b.see(".keys-panel [data-at=here]", `"106"`)
	b.see(".keys-panel [data-at=before]", `"100"`)
	b.click(".move-out")
	b.at(5) // of the loop
	b.click(".measure")
	// Its text is cut where the box is narrow.
	b.wait("document.querySelector('.flame .command')?.ariaLabel.startsWith('redis.call INCRBY')")
	require.True(t, eval[bool](b, "(() => {const box = document.querySelector('.flame .command'); box.focus(); "+
		"return document.querySelector('.flame-told').innerText.includes('calls: 1000')})()"))
	b.shot("scripts-flame")
	require.Equal(t, "null", b.run("GET", "total"))
}

func TestScriptsRunOnTheDataAndShowWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := start(t).browse("scripts?" +
		query("source", "return redis.call('INCR', KEYS[1])", "keys", "n", "args", "", "where", "data"))
	b.run("SET", "n", "41")
	b.click(".run")
	b.see(".reply", "(integer) 42")
	require.Equal(t, `"42"`, b.run("GET", "n"))
	b.see(".keys-panel [data-at=before]", `"41"`)
	b.choose(".where", "copy")
	b.click(".run")
	b.see(".reply", "(integer) 43")
	require.Equal(t, `"42"`, b.run("GET", "n"))

	b.click(".editor")
	b.selectAll()
	b.insert("redis.call('ECHO', '<img src=x onerror=alert(1)>') return redis.call('GET', KEYS[0])")
	b.see(".findings", "KEYS[0]")
	b.wait(inEditor(".cm-lintRange"))
	b.click(".run")
	b.see(".reply", "(error) ERR")
	b.see(".calls", "<img src=x onerror=alert(1)>")
	require.Equal(t, 0, eval[int](b, "document.querySelectorAll('main img').length"))
	b.shot("scripts-lint")
	b.fill(".args", `"open`)
	b.click(".run")
	b.see(".error", "quotes are not balanced")
}

// TestAPageThatIsLeftKeepsOffTheAddress: the page Scripts writes what was typed into the address a
// little later.
func TestAPageThatIsLeftKeepsOffTheAddress(t *testing.T) {
	t.Parallel()
	b := start(t).browse("scripts")
	b.fill(".args", "1 2 3")
	b.wait("location.hash.includes('args=1')")
	b.fill(".args", "4 5 6")
	b.visit("terminal")
	time.Sleep(time.Second)
	require.Equal(t, "#terminal", eval[string](b, "location.hash"))
}
