package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

func TestTerminal(t *testing.T) {
	t.Parallel()
	b := start(t).browse("terminal")
	enter := func(line, shows string) {
		b.fill("#command", line)
		b.press(kb.Enter)
		b.see(".output", shows)
	}
	b.wait("document.activeElement.id == 'command'")
	enter(`SET k "a \"b\" \xff"`, "OK")
	enter("GET k", `"a \"b\" \xff"`)
	enter("HSET h f1 v1 f2 v2", "(integer) 2")
	enter("HGETALL h", "1# \"f1\" => \"v1\"\n2# \"f2\" => \"v2\"")
	enter("INCR k", "(error) ERR value is not an integer or out of range")
	enter("SELECT 2", "OK")
	b.see(".prompt", "127.0.0.1[2]>")
	enter(`SET "<img src=x onerror=alert(1)>" "<script>alert(2)</script>"`, "OK")
	enter("KEYS *", `1) "<img src=x onerror=alert(1)>"`)
	require.Equal(t, 0, eval[int](b, "document.querySelectorAll('main img, main script').length"))
	enter("MULTI", "OK")
	b.see(".prompt", "(TX)>")
	enter("SET x 1", "QUEUED")
	enter("EXEC", "1) OK")
	b.shot("terminal")

	b.fill("#command", "zrangeb")
	b.see(".choices", "ZRANGEBYSCORE")
	b.press(kb.Tab)
	b.wait("document.querySelector('#command').value == 'ZRANGEBY'")
	b.fill("#command", "zadd ")
	b.see("#hint", "ZADD key [NX | XX] [GT | LT] [CH] [INCR]")
	b.fill("#command", "config ge")
	b.see(".choices", "CONFIG GET")
	enter("help object encoding", "OBJECT ENCODING key")
	b.press(kb.ArrowUp)
	b.wait("document.querySelector('#command').value == 'help object encoding'")

	enter("SUBSCRIBE news", `2) "news"`)
	b.run("PUBLISH", "news", "<b>hello</b>")
	b.see(".output", `3) "<b>hello</b>"`)
	b.press(kb.Escape)
	b.see(".output", "Stopped listening.")

	b.choose("main select", "sandbox")
	enter("DBSIZE", "(integer) 0")
	enter("MINI.CLOCK NOW", "(integer) 1")
}

func TestLogin(t *testing.T) {
	t.Parallel()
	b := start(t, "requirepass", "secret").browse("terminal")
	b.fill("dialog [type=password]", "wrong")
	b.press(kb.Enter)
	b.see("dialog .error", "WRONGPASS")
	b.forgive("401")
	b.fill("dialog [type=password]", "secret")
	b.press(kb.Enter)
	b.see(".prompt", ">")
	b.fill("#command", "acl whoami")
	b.press(kb.Enter)
	b.see(".output", `"default"`)
}
