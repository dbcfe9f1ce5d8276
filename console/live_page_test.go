package console_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/resp"
)

func TestLive(t *testing.T) {
	p := start(t, "slowlog-log-slower-than", "0", "notify-keyspace-events", "KEA")
	furnish(p)
	other, err := p.server.Connect(p.somewhere())
	require.NoError(t, err)
	defer other.Close()
	replies := resp.NewReader(other)
	send := func(words ...string) {
		out := resp.NewWriter(2)
		out.Command(words...)
		_, err := other.Write(out.Bytes())
		require.NoError(t, err)
		_, err = replies.Read()
		require.NoError(t, err)
	}
	send("CLIENT", "SETNAME", "victim")
	b := p.browse("live")
	b.see(".figure", "commands a second")
	b.see("td", "victim")
	b.see("[aria-label='Memory by type']", "zset")
	b.see("[aria-label='Slow log'] code", "MEMORY USAGE")
	b.see("[aria-label=Replication] td", "master_replid")
	b.see("[aria-label='Calls by their time']", "µs")

	b.clickText("[aria-label=Monitor] button", "Watch")
	b.clickText("[aria-label=Events] button", "Watch")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				send("INCR", "<b>counter</b>")
				send("HSET", "hash", "f", "v")
			}
		}
	}()
	b.see("[aria-label=Monitor] .output", `"INCR" "<b>counter</b>"`)
	b.see("[aria-label=Events] .output", `__keyevent@0__:incrby  "<b>counter</b>"`)
	b.wait("document.querySelectorAll('.chart .series').length >= 5")
	b.see(".legend", "string")
	b.see(".legend", "hash")
	b.fill("[aria-label=Monitor] [type=search]", "HSET")
	b.wait("document.querySelectorAll('[aria-label=Monitor] .output pre:not([hidden])').length > 0 && " +
		"![...document.querySelectorAll('[aria-label=Monitor] .output pre:not([hidden])')].some(e => e.textContent.includes('INCR'))")
	eval[bool](b, "(document.querySelector('main').scrollTop = 0, true)")
	b.shot("live")
	close(stop)
	<-done
	b.clickText("tr:has(td:nth-child(3):not(:empty)) button", "Kill")
	b.see("dialog", "Close the connection of client")
	b.press(kb.Enter)
	b.wait("!document.querySelector('[aria-label=Clients]').innerText.includes('victim')")
	_, err = replies.Read()
	require.Error(t, err, "the client was killed")
}
