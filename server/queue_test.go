package server

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Lists as queues between many connections, some of which are closed while they are blocked.

var queueTime = flag.Duration("queue", time.Second, "how long producers and consumers exchange elements")

const (
	manyPeers  = 200
	killedPart = 10 // one in so many consumers is cut off
)

// consumer waits for elements on a connection of its own.
type consumer struct {
	*client
	id  string // from CLIENT ID
	got []string
	end chan error
}

func (r *running) consumer(t *testing.T) *consumer {
	c := &consumer{client: r.dial(t), end: make(chan error, 1)}
	c.id = strings.TrimPrefix(c.ask("CLIENT ID"), ":")
	return c
}

// element reads the reply of one BLPOP.
func (c *consumer) element() (string, error) {
	lines := make([]string, 5)
	for i := range lines {
		line, err := c.ReadString('\n')
		if err != nil {
			if i > 0 {
				err = fmt.Errorf("half a reply: %w", err)
			}
			return "", err
		}
		lines[i] = strings.TrimSpace(line)
	}
	return lines[4], nil
}

// consume takes elements until the connection ends or the element "end" comes.
func (c *consumer) consume() {
	for {
		if _, err := io.WriteString(c.Conn, "BLPOP other q 0\r\n"); err != nil {
			_, err = c.element() // what came in between
			c.end <- err
			return
		}
		e, err := c.element()
		if err != nil || e == "end" {
			c.end <- err
			return
		}
		c.got = append(c.got, e)
	}
}

// cutOff ends the consumer's connection: the server closes it, or the consumer closes its writing
// side and reads what is still on its way.
func (c *consumer) cutOff(byServer bool, admin *client) {
	if byServer {
		admin.ask("CLIENT KILL ID " + c.id)
		return
	}
	require.NoError(c.t, c.Conn.(*net.TCPConn).CloseWrite())
}

// TestQueueDeliversEachElementOnce: many producers and consumers exchange elements as fast as they
// can. One consumer in ten is cut off at a random moment. No element is lost or delivered twice.
func TestQueueDeliversEachElementOnce(t *testing.T) {
	r := start(t, Options{})
	admin := r.dial(t)
	consumers := make([]*consumer, manyPeers)
	for i := range consumers {
		consumers[i] = r.consumer(t)
		go consumers[i].consume()
	}
	stop := make(chan struct{})
	produced := make([]int, manyPeers)
	var producers sync.WaitGroup
	for i := range produced {
		p := r.dial(t)
		producers.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rand.IntN(2000)) * time.Microsecond):
				}
				p.ask(fmt.Sprintf("RPUSH q %d.%d", i, produced[i]))
				produced[i]++
			}
		})
	}
	for _, i := range rand.Perm(manyPeers)[:manyPeers/killedPart] {
		time.Sleep(*queueTime * killedPart / manyPeers)
		consumers[i].cutOff(i%2 == 0, admin)
	}
	close(stop)
	producers.Wait()
	for range consumers { // as many as are left take one each
		admin.ask("RPUSH q end")
	}
	seen := map[string]int{}
	for _, c := range consumers {
		if err := <-c.end; err != nil {
			require.NotContains(t, err.Error(), "half a reply")
			require.NotContains(t, err.Error(), "timeout")
		}
		for _, e := range c.got {
			seen[e]++
		}
	}
	total := 0
	for i, n := range produced {
		total += n
		for k := range n {
			require.Equal(t, 1, seen[fmt.Sprintf("%d.%d", i, k)], "element %d of producer %d", k, i)
		}
	}
	require.Len(t, seen, total)
	t.Logf("%d elements", total)
}

// TestOldestWaiterIsServedFirst: consumers block one after the other, and many producers push at
// once. The elements go to the consumers in the order in which these blocked. Consumers that were
// cut off are skipped.
func TestOldestWaiterIsServedFirst(t *testing.T) {
	r := start(t, Options{})
	admin := r.dial(t)
	blocked := func(n int) {
		eventually(t, "they are blocked",
			func() bool { return strings.Contains(r.info(), fmt.Sprintf("blocked_clients:%d\r", n)) })
	}
	var waiting []*consumer
	for range manyPeers {
		c := r.consumer(t)
		c.send("BLPOP q other 0\r\n")
		waiting = append(waiting, c)
		blocked(len(waiting))
	}
	for k := range manyPeers / killedPart {
		i := rand.IntN(len(waiting))
		waiting[i].cutOff(k%2 == 0, admin)
		waiting = append(waiting[:i], waiting[i+1:]...)
		blocked(len(waiting))
	}
	var producers sync.WaitGroup
	for i := range waiting {
		p := r.dial(t)
		producers.Go(func() {
			p.send(fmt.Sprintf("MULTI\r\nRPUSH q e%d\r\nRPUSH order e%d\r\nEXEC\r\n", i, i))
			for range 6 {
				p.line()
			}
		})
	}
	producers.Wait()
	for i, c := range waiting {
		got, err := c.element()
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("$%d", len(got)), admin.ask(fmt.Sprintf("LINDEX order %d", i)))
		require.Equal(t, got, admin.line(), "waiter %d", i)
	}
	require.Equal(t, ":0", admin.ask("LLEN q"))
}
