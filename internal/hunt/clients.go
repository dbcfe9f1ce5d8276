//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of the server with limits, and the memory that its process may take with them. Go's
// collector needs room.
var (
	tight = []string{"maxmemory 64mb", "maxmemory-policy allkeys-lru", "maxmemory-clients 32mb",
		"client-output-buffer-limit normal 16mb 0 0 pubsub 16mb 0 0 replica 16mb 0 0"}
	tightMemory = int64(512 << 20)
)

// openClients makes the server hold what crowds of clients send and do not read: once with Redis'
// defaults, beside redis-server, and once with limits. With the defaults it may take a few times
// what Redis takes, and must count it. With limits the process must stay small.
func openClients(h *hunt) (step, error) {
	plain, err := h.serve("--requirepass", password)
	if err != nil {
		return nil, err
	}
	limited, err := h.serve("--requirepass", password)
	if err != nil {
		return nil, err
	}
	limited.memory = tightMemory
	redis, err := h.compare("--requirepass", password)
	if err != nil {
		return nil, err
	}
	return func(r *rand.Rand) error {
		n := uint64(len(crowds))
		crowd := crowds[h.at%n].scaled(h)
		h.doing("%s", crowd)
		h.count("crowds", 1)
		if h.at/n%2 == 1 {
			_, err := limited.face(crowd, tight)
			return err
		}
		return h.beside(crowd, plain, redis)
	}, nil
}

// beside lets a crowd attack both servers and compares what it cost them.
func (h *hunt) beside(c crowd, ours, redis *target) error {
	cost, err := ours.face(c, nil)
	if err != nil || redis == nil || ours.trouble() != "" {
		return err
	}
	theirs, err := redis.face(c, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(h.out, "%-22s miniserver %v; redis-server %v\n", c.name, cost, theirs)
	for _, judge := range []struct {
		wrong bool
		what  string
	}{
		{cost.memory > 3*max(theirs.memory, cost.used)+128<<20, "takes far more memory than in Redis"},
		{cost.memory > 5*cost.used+128<<20, "is not counted in used_memory"},
		{cost.cpu > 5*theirs.cpu+time.Second, "takes far more of the processor than in Redis"},
		{cost.ping > 10*theirs.ping+time.Second, "makes others wait far longer than in Redis"},
	} {
		if judge.wrong {
			h.found(fmt.Sprintf("%s: %s\nminiserver %v\nredis-server %v", c.name, judge.what, cost, theirs), c.String())
		}
	}
	return nil
}

// cost is what a crowd costs a server.
type cost struct {
	memory, used int64         // bytes of the process and of used_memory, while the crowd is connected
	cpu          time.Duration // processor time
	ping         time.Duration // the longest
}

func (c cost) String() string {
	return fmt.Sprintf("%d MB (used_memory %d MB), %v of the processor, longest ping %v",
		c.memory>>20, c.used>>20, c.cpu.Round(10*time.Millisecond), c.ping.Round(time.Millisecond))
}

// face lets a crowd attack the server, after CONFIG SET of parameters, and returns what it cost.
func (t *target) face(c crowd, config []string) (cost, error) {
	admin, err := t.login()
	if err != nil {
		return cost{}, err
	}
	defer admin.Close()
	for _, line := range config {
		name, value, _ := strings.Cut(line, " ")
		admin.do("CONFIG", "SET", name, value) // an old server may lack the parameter
	}
	t.purge(admin)
	for _, line := range c.setup {
		if _, err := admin.do(strings.Fields(line)...); err != nil {
			return cost{}, err
		}
	}
	before := t.spent(admin)
	t.slowest.Store(0)
	leave := t.crowd(c)
	t.rest()
	after := t.spent(admin)
	leave()
	return cost{after.memory - before.memory, after.used - before.used, after.cpu - before.cpu, t.longest()}, nil
}

// purge removes the data and what earlier attacks left in memory.
func (t *target) purge(admin *conn) {
	admin.do("FLUSHALL")
	for range 20 {
		if admin.do("MEMORY", "PURGE"); t.resident() < t.rss+16<<20 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// spent returns what the process takes now.
func (t *target) spent(admin *conn) cost {
	info, _ := admin.do("INFO", "memory")
	used, _, _ := strings.Cut(after(info.Text, "used_memory:"), "\r\n")
	n, _ := strconv.ParseInt(used, 10, 64)
	return cost{memory: t.resident(), used: n, cpu: t.processor()}
}

func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

// rest waits until the process has hardly anything to do.
func (t *target) rest() {
	for range 200 {
		before := t.processor()
		if time.Sleep(50 * time.Millisecond); t.processor()-before <= 10*time.Millisecond {
			return
		}
	}
}

// processor returns the processor time that the process took; 0 where there is no /proc.
func (t *target) processor() time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", t.process.PID))
	fields := strings.Fields(after(string(data), ") "))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// crowd is some clients that all send the same.
type crowd struct {
	name     string
	setup    []string // commands of another client before
	clients  int
	stranger bool   // no AUTH
	reads    bool   // reads its replies
	head     string // sent once
	body     string // sent some times; %d is a number that counts
	times    int
	after    string // a command that one more client sends afterwards; it reads the replies; %d counts
	again    int    // how often that is sent
}

// scaled returns a small crowd in a test.
func (c crowd) scaled(h *hunt) crowd {
	c.clients, c.times, c.again = h.size(c.clients), h.size(c.times), h.size(c.again)
	return c
}

// String returns lines for bash.
func (c crowd) String() string {
	var b strings.Builder
	for _, line := range c.setup {
		fmt.Fprintf(&b, "redis-cli %s\n", line)
	}
	auth := fmt.Sprintf(`AUTH %s\r\n`, password)
	if c.stranger {
		auth = ""
	}
	read := ""
	if c.reads {
		read = "cat <&3 >/dev/null & "
	}
	fmt.Fprintf(&b, "for c in $(seq %d); do (exec 3<>/dev/tcp/127.0.0.1/6379; "+
		"%sprintf '%s%s' >&3; for i in $(seq %d); do %s; done >&3; sleep 60) & done # --requirepass %s\n",
		c.clients, read, auth, format(c.head), c.times, printf(c.body), password)
	if c.after != "" {
		fmt.Fprintf(&b, "(printf '%s'; for i in $(seq %d); do %s; done) | nc 127.0.0.1 6379 >/dev/null\n", auth,
			c.again, printf(c.after))
	}
	return b.String()
}

// printf returns a shell's command that prints the text, with the number i where it counts.
func printf(text string) string {
	return fmt.Sprintf("printf '%s'%s", format(text), strings.Repeat(" $i", strings.Count(text, "%")))
}

// format returns the text as a shell's format.
func format(text string) string { return strings.ReplaceAll(escape([]byte(text)), "%%", "%") }

// crowd connects the clients, and returns when all is sent that the server takes. The result
// disconnects them.
func (t *target) crowd(c crowd) (leave func()) {
	var open []*conn
	var senders sync.WaitGroup
	for range c.clients {
		client, err := t.enter(c.stranger)
		if err != nil {
			break // too many clients
		}
		open = append(open, client)
		if c.reads {
			go client.drain()
		}
		senders.Go(func() { client.recite(c.head, c.body, c.times) })
	}
	senders.Wait()
	if c.after != "" {
		open = append(open, t.follow(c))
	}
	return func() {
		for _, client := range open {
			if client != nil {
				client.Close()
			}
		}
	}
}

// follow connects one more client, and returns it when it has sent what comes afterwards and has
// read the replies.
func (t *target) follow(c crowd) *conn {
	client, err := t.enter(false)
	if err == nil {
		go client.recite("", c.after, c.again)
		for range c.again {
			client.replies.Read()
		}
	}
	return client
}

func (t *target) enter(stranger bool) (*conn, error) {
	if stranger {
		return t.dial()
	}
	return t.login()
}

// drain reads and forgets what arrives.
func (c *conn) drain() {
	buf := make([]byte, 64<<10)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}

// recite sends the head and some bodies. It gives up when the server does not take them for some
// time.
func (c *conn) recite(head, body string, times int) {
	buf := []byte(head)
	for i := range times {
		buf = fmt.Appendf(buf, body, slices.Repeat([]any{i}, strings.Count(body, "%"))...)
		if len(buf) > 16<<10 || i == times-1 {
			c.SetWriteDeadline(time.Now().Add(2 * time.Second))
			if _, err := c.Write(buf); err != nil {
				return
			}
			buf = buf[:0]
		}
	}
}
