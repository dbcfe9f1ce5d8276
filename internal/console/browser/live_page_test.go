package browser

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

func TestLive(t *testing.T) {
	t.Parallel()
	p := start(t, "slowlog-log-slower-than", "0", "notify-keyspace-events", "KEA")
	furnish(p)
	other, err := p.Server.Connect(p.Somewhere(), nil)
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
	b.see(".figure", "commands per second")
	b.see("td", "victim")
	b.see("[aria-label='Memory by type']", "sorted set")
	b.see("[aria-label='Slow log'] code", "MEMORY USAGE")
	b.see("[aria-label=Replication] dd", "master")
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
		"![...document.querySelectorAll('[aria-label=Monitor] .output pre:not([hidden])')].some(e => " +
		"e.textContent.includes('INCR'))")
	eval[bool](b, "(document.querySelector('main').scrollTop = 0, true)")
	b.shot("live")
	close(stop)
	<-done
	// What lies above may change its height between the look for a button and the click on it. A
	// button with the focus stays.
	b.wait("(document.querySelector('tr:has(td:nth-child(3):not(:empty)) button').focus(), true)")
	b.press(kb.Enter)
	b.see("dialog", "Close the connection of client")
	b.press(kb.Enter)
	b.wait("!document.querySelector('[aria-label=Clients]').innerText.includes('victim')")
	_, err = replies.Read()
	require.Error(t, err, "the client was killed")
}

// TestLiveKeepsTheOrderOfItsSamples: one that waits for the family of a new command does not come
// to stand behind those after it.
func TestLiveKeepsTheOrderOfItsSamples(t *testing.T) {
	t.Parallel()
	b := start(t).browse("live")
	b.wait("document.querySelectorAll('.chart .series').length >= 4")
	b.slow(2500)
	b.run("ZADD", "z", "1", "m")
	b.see(".legend", "sorted-set")
	require.True(t, eval[bool](b, `[...document.querySelectorAll(".chart .series")].every(line => {
		const xs = [...line.getAttribute("d").matchAll(/[ML]([\d.]+) /g)].map(m => Number(m[1]));
		return xs.every((x, i) => i === 0 || x >= xs[i - 1]);
	})`))
}

func TestLiveShowsReplicas(t *testing.T) {
	t.Parallel()
	master, replica := start(t), start(t)
	m, r := master.Visit(), replica.Visit()
	require.Equal(t, 200, m.Open())
	require.Equal(t, 200, r.Open())
	host, port, err := net.SplitHostPort(master.Server.Addrs()[0])
	require.NoError(t, err)
	require.Contains(t, r.Do("REPLICAOF", host, port), "OK")
	b := replica.browse("live")
	b.see("[aria-label=Replication] dd", "replica")
	b.see("[aria-label=Replication] dd", host+":"+port)
	b.see("[aria-label=Replication] dd", "up")

	b = master.browse("live")
	b.see("[aria-label=Replication] td", "online")
	m.Do("SET", "k", strings.Repeat("v", 5000))
	b.see("[aria-label=Replicas] tr td:nth-child(4)", "0 B")
	b.wait("Number(document.querySelector('[aria-label=Replicas] td:nth-child(3)').innerText.replaceAll(',', " +
		"'')) > 5000")
	eval[bool](b, "(document.querySelector('[aria-label=Replication]').scrollIntoView({block: 'center'}), true)")
	b.shot("live-replication")
	require.Contains(t, r.Do("REPLICAOF", "NO", "ONE"), "OK")
	b.wait("!document.querySelector('[aria-label=Replicas]')")
}

func TestLiveShowsAGroup(t *testing.T) {
	t.Parallel()
	var members []string
	for id := 1; id <= 3; id++ {
		port, err := launch.FreePort()
		require.NoError(t, err)
		members = append(members, fmt.Sprintf("%d=127.0.0.1:%d", id, port))
	}
	var places []*place
	for id := 1; id <= 3; id++ {
		places = append(places, start(t, "group-id", strconv.Itoa(id), "group-members", strings.Join(members, ","),
			"group-dir", t.TempDir(),
			"group-heartbeat", "3000")) // a slow machine elects no other leader meanwhile
	}
	b := places[0].browse("live")
	b.see("[aria-label=Group] td", "leader")
	b.wait("document.querySelectorAll('[aria-label=Members] tbody tr').length == 3")
	leader := eval[int](b, "Number([...document.querySelectorAll('[aria-label=Members] tbody tr')].find(r => "+
		"r.cells[1].innerText.startsWith('leader')).cells[0].innerText)")
	v := places[leader-1].Visit()
	require.Eventually(t, func() bool { return v.Open() == 200 && strings.Contains(v.Do("SET", "k", "v"), "OK") },
		patience, 50*time.Millisecond)
	b = places[leader-1].browse("live")
	b.see("[aria-label=Members] td:nth-child(2)", "leader, this one")
	b.see("[aria-label=Group] dd", "in the median")
	b.wait("[...document.querySelectorAll('[aria-label=Members] td:nth-child(6)')].map(e => e.innerText).join() " +
		"=== '0,0,0'")
	eval[bool](b, "(document.querySelector('[aria-label=Group]').scrollIntoView({block: 'center'}), true)")
	b.shot("live-group")
}
