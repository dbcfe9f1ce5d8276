package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// longCommand is requests of one client that arrive in many pieces and take long, also together.
type longCommand struct {
	name    string
	setup   []string // a command before, as long; nil for none
	request func(w *resp.Writer)
	replies int
	after   []string // a command of another client when all is sent; nil for none
}

// numbered returns words, followed by n groups of words made from a pattern with the number of the
// group.
func numbered(n int, words []string, pattern string, more ...string) []string {
	for i := range n {
		words = append(append(words, fmt.Sprintf(pattern, i)), more...)
	}
	return words
}

// one returns a request of one command.
func one(words []string) func(*resp.Writer) { return func(w *resp.Writer) { w.Command(words...) } }

// longCommands are the rows.
func longCommands() []longCommand {
	const million = 1_000_000
	mset := numbered(million, []string{"MSET"}, "key:%07d", "x")
	return []longCommand{
		{name: "SADD of 1,000,000", replies: 1, request: one(numbered(million, []string{"SADD", "set"}, "%07d"))},
		{name: "RPUSH of 1,000,000", replies: 1, request: one(numbered(million, []string{"RPUSH", "list"}, "%07d"))},
		{name: "MSET of 1,000,000", replies: 1, request: one(mset)},
		{name: "DEL of 1,000,000", replies: 1, setup: mset,
			request: one(numbered(million, []string{"DEL"}, "key:%07d"))},
		{name: "EVAL with 200,000 arguments", replies: 1,
			request: one(numbered(200_000, []string{"EVAL", "return 1", "0"}, "%07d"))},
		{name: "60,000 BLPOPs, blocked", replies: 60_000, after: numbered(60_000, []string{"RPUSH", "list"}, "%07d"),
			request: func(w *resp.Writer) {
				for range 60_000 {
					w.Command("BLPOP", "list", "0")
				}
			}},
	}
}

// longColumns show requests on one server, and the ratio of ours to it. The time is that from the
// first byte sent to the last reply. The pings are the longest ones of another client, while the
// requests are sent and afterwards.
var longColumns = []column{
	{"long requests", "%s", "name"},
	{"server", "%s", "server"},
	{"ms", "%.0f", "took_ms"},
	{"ours/it", "%.2f", "took_ratio"},
	{"CPU ms", "%.0f", "cpu_ms"},
	{"ours/it", "%.2f", "cpu_ratio"},
	{"longest ping ms: arriving, then", "%.1f %.1f", "arriving_ping_ms later_ping_ms"},
	{"ours/it", "%.2f", "ping_ratio"},
}

// runLong is the subcommand long: what commands with a million arguments and long pipelines cost,
// and how long other clients wait meanwhile.
func runLong(args []string) error {
	o := newOptions("long").withServers("redis-server")
	o.flags.IntVar(&o.rounds, "rounds", 3, "rounds; in each another server is first")
	if err := o.parse(args); err != nil {
		return err
	}
	servers, stop, err := o.startAll()
	if err != nil {
		return err
	}
	defer stop()
	all := longCommands()
	bar := newSteps(len(all))
	defer bar.End()
	t := &table{columns: longColumns}
	for _, l := range all {
		if bar.begin(l.name); !o.filter.MatchString(l.name) {
			continue
		}
		rows, err := o.measureLong(l, servers)
		if err != nil {
			return err
		}
		t.rows = append(t.rows, rows...)
	}
	return o.print(t)
}

// measureLong returns a row for each server: the medians of the rounds.
func (o *options) measureLong(l longCommand, servers []*server) (rows []row, err error) {
	rounds := map[string][]row{}
	for round := range o.rounds {
		for _, s := range turn(servers, round) {
			r, err := l.run(s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.name, err)
			}
			rounds[s.name] = append(rounds[s.name], r)
		}
	}
	for _, s := range servers {
		rows = append(rows, row{"name": l.name, "server": s.name}.add("", medians(rounds[s.name])))
	}
	return beside(rows, "took_ms", "cpu_ms", "ping_ms"), nil
}

// run sends the requests to a server without other data.
func (l longCommand) run(s *server) (row, error) {
	if _, err := s.do("FLUSHALL"); err != nil {
		return nil, err
	}
	if l.setup != nil {
		if _, err := s.do(l.setup...); err != nil {
			return nil, err
		}
	}
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	l.request(c.writer)
	pings, err := s.ping()
	if err != nil {
		return nil, err
	}
	before, err := cpuOf(s.process.PID)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if _, err := c.conn.Write(c.writer.Bytes()); err != nil {
		return nil, err
	}
	arriving := pings.longest()
	if l.after != nil {
		if _, err := s.do(l.after...); err != nil {
			return nil, err
		}
	}
	c.queued = l.replies
	c.writer.Reset()
	if err := c.exchange(nil); err != nil {
		return nil, err
	}
	took, later := time.Since(start), pings.stop()
	spent, err := cpuOf(s.process.PID)
	return row{"took_ms": inMillis(took), "cpu_ms": inMillis(spent.user + spent.sys - before.user - before.sys),
		"arriving_ping_ms": inMillis(arriving),
		"later_ping_ms":    inMillis(later), "ping_ms": inMillis(max(arriving, later))}, err
}

// pings is a client that sends a short command to a server all the time.
type pings struct {
	slowest atomic.Int64
	end     atomic.Bool
	ended   chan struct{}
}

// ping starts to ping the server, until stop is called.
func (s *server) ping() (*pings, error) {
	return s.repeat(often, func(int) []string { return []string{"PING"} })
}

// often is the pause between commands of those who look how long clients wait.
const often = 100 * time.Microsecond

// pingNowAndThen is ping with so few that they take no time of a server that replies at once.
func (s *server) pingNowAndThen() (*pings, error) {
	return s.repeat(5*time.Millisecond, func(int) []string { return []string{"PING"} })
}

// repeat starts to send commands, one after the other with a pause between, until stop is called.
func (s *server) repeat(pause time.Duration, command func(n int) []string) (*pings, error) {
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	p := &pings{ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		defer c.conn.Close()
		for n := 0; !p.end.Load(); n++ {
			begun := time.Now()
			c.add(command(n)...)
			if c.exchange(nil) != nil {
				return
			}
			p.slowest.Store(max(p.slowest.Load(), int64(time.Since(begun))))
			time.Sleep(pause)
		}
	}()
	return p, nil
}

// lateness starts to measure how late a thread runs that slept until a time. A part of each
// server's waits is this machine's.
func lateness() *pings {
	const nap = 100 * time.Microsecond
	p := &pings{ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		for !p.end.Load() {
			begun := time.Now()
			time.Sleep(nap)
			p.slowest.Store(max(p.slowest.Load(), int64(time.Since(begun)-nap)))
		}
	}()
	return p
}

// longest returns the time of the longest ping since the last call.
func (p *pings) longest() time.Duration { return time.Duration(p.slowest.Swap(0)) }

// stop ends the pings and returns the time of the longest since the last call.
func (p *pings) stop() time.Duration {
	p.end.Store(true)
	<-p.ended
	return p.longest()
}
