package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/resp"
)

var kills = flag.Int("kills", 2, "how often a server is killed under load, for each appendfsync policy")

// TestKilledUnderLoad kills a server with signal 9 at random moments, while clients write and the
// journal is rewritten, and checks the data after the next start. All kills use the same files.
func TestKilledUnderLoad(t *testing.T) {
	binary := built(t)
	for _, policy := range []string{"always", "everysec", "no"} {
		t.Run(policy, func(t *testing.T) {
			v := &victim{t: t, binary: binary, dir: t.TempDir(), policy: policy}
			for i := range v.writers {
				v.writers[i] = &writer{name: strconv.Itoa(i)}
			}
			for round := range *kills {
				life := time.Duration(20+rand.IntN(300)) * time.Millisecond
				if round%10 == 9 {
					life += 3 * time.Second // longer than anything may be lost
				}
				v.live(life)
				v.examine(round%20 == 19)
			}
		})
	}
}

// victim is a server that is killed, and its writers.
type victim struct {
	t       *testing.T
	binary  string
	dir     string
	policy  string
	writers [8]*writer
}

// writer writes the numbers from 1 up, in transactions that leave each number in three places.
type writer struct {
	name  string
	next  int // the number that comes
	acked []ack
	base  int // what was there at the start of the round
}

// ack is a number whose transaction was replied to, and when by the writer's own clock: that stands
// still while no replies come, as they do not from a server that stands still with the machine.
type ack struct {
	n  int
	at time.Duration
}

func (v *victim) start() *launch.Server {
	s, err := launch.Start(launch.Spec{Path: v.binary, Unix: true, Args: []string{"--dir", v.dir, "--appendonly", "yes",
		"--appendfsync", v.policy, "--auto-aof-rewrite-percentage", "50", "--auto-aof-rewrite-min-size", "64kb"}})
	require.NoError(v.t, err)
	return s
}

// live has the writers write until the server is killed.
func (v *victim) live(life time.Duration) {
	s := v.start()
	var busy sync.WaitGroup
	for _, w := range v.writers {
		conn, err := net.Dial(s.Network, s.Address)
		require.NoError(v.t, err)
		w.next, w.acked = w.base+1, nil
		busy.Go(func() {
			w.write(conn)
			conn.Close()
		})
	}
	time.Sleep(life)
	require.NoError(v.t, s.Stop())
	busy.Wait()
}

// write goes on until the connection breaks.
func (w *writer) write(conn net.Conn) {
	const still = 100 * time.Millisecond
	in := resp.NewReader(conn)
	for at, last := time.Duration(0), time.Now(); ; {
		n := strconv.Itoa(w.next)
		var b bytes.Buffer
		fmt.Fprintf(&b, "MULTI\r\nSET a%s %s\r\nRPUSH log%s %s\r\n", w.name, n, w.name, n)
		fmt.Fprintf(&b, "EVAL \"redis.call('SET', KEYS[1], ARGV[1]) return 1\" 1 b%s %s\r\nEXEC\r\n", w.name, n)
		if _, err := conn.Write(b.Bytes()); err != nil {
			return
		}
		for reply := range 5 {
			v, err := in.Read()
			if err != nil {
				return
			}
			if reply == 4 && len(v.Elems) == 3 {
				now := time.Now()
				at, last = at+min(now.Sub(last), still), now
				w.acked = append(w.acked, ack{w.next, at})
				w.next++
			}
		}
	}
}

// examine starts the server again and looks at what it kept; then that may be forgotten, so that it
// does not grow without end.
func (v *victim) examine(forget bool) {
	s := v.start()
	defer s.Stop()
	conn, err := net.Dial(s.Network, s.Address)
	require.NoError(v.t, err)
	defer conn.Close()
	in := resp.NewReader(conn)
	ask := func(command string) resp.Value {
		for {
			_, err := conn.Write([]byte(command + "\r\n"))
			require.NoError(v.t, err)
			reply, err := in.Read()
			require.NoError(v.t, err)
			if !reply.IsError() {
				return reply
			}
			require.Contains(v.t, reply.Text, "LOADING")
			time.Sleep(time.Millisecond)
		}
	}
	for _, w := range v.writers {
		log := ask("LRANGE log" + w.name + " 0 -1").Elems
		kept := len(log)
		for i, e := range log {
			require.Equal(v.t, strconv.Itoa(i+1), e.Text, "writes of %s in order", w.name)
		}
		if kept > 0 {
			require.Equal(v.t, strconv.Itoa(kept), ask("GET a"+w.name).Text, "none half applied")
			require.Equal(v.t, strconv.Itoa(kept), ask("GET b"+w.name).Text, "none half applied")
		}
		w.judge(v, kept)
	}
	if forget {
		require.Equal(v.t, "OK", ask("FLUSHALL").Text)
		ask("WAITAOF 1 0 0")
		for _, w := range v.writers {
			w.base = 0
		}
	}
}

// judge compares the saved data with the acknowledged writes.
func (w *writer) judge(v *victim, kept int) {
	require.LessOrEqual(v.t, kept, w.next, "nothing that was not written")
	if n := len(w.acked); n > 0 {
		last := w.acked[n-1].at
		for _, a := range w.acked {
			if v.policy == "always" || last-a.at > 2*time.Second {
				require.GreaterOrEqual(v.t, kept, a.n, "acknowledged %v before the end", last-a.at)
			}
		}
	}
	w.base = kept
}
