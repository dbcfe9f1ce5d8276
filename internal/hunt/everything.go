//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/difftest"
)

// openEverything attacks one server from all sides at once: random commands of all families,
// crowds, damaged requests, scripts, changing parameters, saves and rewrites, users, monitors and
// replicas. Nothing is compared: the server must live. It is meant for -race.
func openEverything(h *hunt) (step, error) {
	server, err := h.serve("--appendonly", "yes", "--appendfsync", "everysec", "--busy-reply-threshold", "50",
		"--maxclients", "1000",
		"--client-output-buffer-limit", "normal 16mb 0 0 pubsub 8mb 0 0 replica 16mb 0 0", "--maxmemory", "200mb",
		"--maxmemory-policy", "allkeys-random")
	if err != nil {
		return nil, err
	}
	duration := 5 * time.Second
	if h.brief {
		duration = time.Second / 2
	}
	return func(r *rand.Rand) error {
		h.doing("all at once for %v; what the server wrote says where it fell", duration)
		end := time.Now().Add(duration)
		var all sync.WaitGroup
		for _, attack := range attacks {
			seed := r.Uint64()
			all.Go(func() {
				r := rand.New(rand.NewPCG(seed, 0))
				for time.Now().Before(end) {
					attack(h, server, r)
				}
			})
		}
		all.Wait()
		server.order("CONFIG SET appendonly no") // so that no file of it is open after the last step
		return nil
	}, nil
}

// attacks are what happens at once. Each returns after a moment; that a connection ends is no
// finding.
var attacks = []func(*hunt, *target, *rand.Rand){
	randomCommands, randomCommands, oneCrowd, oneCrowd, damagedRequests, oneScript, oneScript, oneChange,
	oneChange, oneVisit,
}

func randomCommands(h *hunt, t *target, r *rand.Rand) {
	generator, err := difftest.NewGenerator(r.Uint64(), difftest.Families())
	if err != nil {
		panic(err)
	}
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	go c.drain()
	for range 20 {
		for _, command := range generator.Take(50) {
			if c.send(command.Args...) != nil {
				return
			}
		}
		h.count("commands", 50)
	}
}

// oneCrowd lets a small crowd attack.
func oneCrowd(h *hunt, t *target, r *rand.Rand) {
	c := crowds[r.IntN(len(crowds))]
	c.clients, c.times, c.again = min(c.clients, 50), max(c.times/50, 1), c.again/50
	h.count("crowds", 1)
	leave := t.crowd(c)
	time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
	leave()
}

func damagedRequests(h *hunt, t *target, r *rand.Rand) {
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	go c.drain()
	for _, piece := range long(r, 500).pieces() {
		if _, err := c.Write(piece); err != nil {
			return
		}
	}
	h.count("streams", 1)
}

// oneScript runs a script and asks to end it. A script that wrote is left to itself: the server
// ends such a script only by ending as well.
func oneScript(h *hunt, t *target, r *rand.Rand) {
	text := generated(r)
	if r.IntN(2) == 0 {
		text = pick(r, scripts)
	}
	if strings.Contains(text, "redis.call('SET', KEYS[1], 'x')") {
		return
	}
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	h.count("scripts", 1)
	c.send("EVAL_RO", text, "1", "k", "argument")
	if _, err := c.await(200 * time.Millisecond); err != nil {
		t.order("SCRIPT KILL")
	}
}

// changes are commands that change how the server works. %d is a random number.
var changes = []string{
	"BGSAVE", "SAVE", "BGREWRITEAOF", "BGREWRITEAOF", "CONFIG SET appendonly no", "CONFIG SET appendonly yes",
	"CONFIG SET appendfsync always",
	"CONFIG SET appendfsync everysec", "CONFIG SET appendfsync no", "CONFIG SET maxmemory 100mb",
	"CONFIG SET maxmemory 200mb", "CONFIG SET maxmemory-policy allkeys-lru",
	"CONFIG SET maxmemory-policy volatile-ttl", "CONFIG SET maxmemory-policy allkeys-lfu", "CONFIG SET " +
		"maxmemory-clients 10mb", "CONFIG SET maxmemory-clients 0", "CONFIG SET hz %d", "CONFIG SET activedefrag yes",
	"CONFIG SET notify-keyspace-events KEA", "CONFIG SET notify-keyspace-events ''",
	"CONFIG SET slowlog-log-slower-than 0", "CONFIG SET tracking-table-max-keys %d",
	"CONFIG SET timeout 1", "CONFIG SET timeout 0", "CONFIG SET maxclients 500", "CONFIG SET maxclients 1000",
	"CONFIG SET latency-monitor-threshold 1", "CONFIG RESETSTAT", "CONFIG REWRITE",
	"CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub", "CLIENT KILL TYPE replica", "CLIENT PAUSE 50 WRITE",
	"CLIENT PAUSE 50", "CLIENT UNPAUSE", "CLIENT LIST", "CLIENT UNBLOCK %d ERROR", "CLIENT KILL ID %d",
	"ACL SETUSER u%d on nopass ~* &* +@all", "ACL DELUSER u%d", "ACL SETUSER default resetchannels",
	"ACL SETUSER default allchannels", "ACL LOG", "ACL LIST",
	"FLUSHALL", "FLUSHALL ASYNC", "SWAPDB 0 1", "SCRIPT FLUSH", "FUNCTION FLUSH", "FUNCTION DUMP",
	"INFO everything", "MEMORY STATS", "MEMORY DOCTOR", "MEMORY PURGE", "SLOWLOG GET", "LATENCY DOCTOR",
	"PUBLISH c%d x", "DBSIZE", "KEYS *", "COMMAND DOCS", "WAIT 1 10", "ROLE",
}

func oneChange(h *hunt, t *target, r *rand.Rand) {
	line := pick(r, changes)
	if strings.Contains(line, "%d") {
		line = fmt.Sprintf(line, 1+r.IntN(100))
	}
	h.count("changes", 1)
	t.order(line)
}

// order sends a command in a connection of its own, and waits for its reply.
func (t *target) order(line string) {
	if c, err := t.dial(); err == nil {
		defer c.Close()
		c.do(strings.Fields(line)...)
	}
}

// oneVisit connects a client of a special kind, which stays for a moment.
func oneVisit(h *hunt, t *target, r *rand.Rand) {
	c, err := t.dial()
	if err != nil {
		return
	}
	defer c.Close()
	if r.IntN(2) == 0 {
		go c.drain()
	}
	c.Write([]byte(pick(r, []string{"MONITOR\r\n", "PSYNC ? -1\r\n", "SYNC\r\n",
		"REPLCONF listening-port 1\r\nPSYNC ? -1\r\nREPLCONF ACK 1\r\n", "PSUBSCRIBE *\r\n",
		"HELLO 3\r\nCLIENT TRACKING ON BCAST\r\n", "CLIENT TRACKING ON\r\nGET k\r\n", "CLIENT REPLY OFF\r\n",
		"BLPOP a b c 0\r\n", "WATCH a b c\r\nMULTI\r\n", "SUBSCRIBE c1 c2\r\n"})))
	h.count("visits", 1)
	time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
}
