//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// outputLimit is what a client may leave unread; what a script's command replies has the limit of
// scripts.
const outputLimit = "16mb"

// most is what the process may take while the reply to a request is made: half again of what the
// request may, and the reserve of docs/security.md.
func most(f flatterer) int64 {
	limit := int64(16 << 20)
	if f.request[0] == "EVAL" {
		limit = 64 << 20 // scriptMemory
	}
	return limit*3/2 + 256<<20
}

// openReplies asks for replies that are far larger than the data. With an output limit, the server
// must end the client as Redis does, and need no more memory than the limit and its data. Without
// one it must survive, in the memory that its control group leaves it.
func openReplies(h *hunt) (step, error) {
	limited, err := h.serve("--client-output-buffer-limit", "normal "+outputLimit+" 0 0",
		"--script-memory-limit", scriptMemory)
	if err != nil {
		return nil, err
	}
	free, err := h.serve()
	if err != nil {
		return nil, err
	}
	redis, err := h.compare("--client-output-buffer-limit", "normal "+outputLimit+" 0 0")
	if err != nil {
		return nil, err
	}
	return func(r *rand.Rand) error {
		n := uint64(len(flatterers))
		f := flatterers[h.at%n]
		h.count("replies", 1)
		if h.at/n%2 == 1 && h.group != "" {
			h.doing("%s", f)
			_, err := free.flatter(f)
			return err
		}
		h.doing("redis-cli config set client-output-buffer-limit 'normal %s 0 0'\n%s", outputLimit, f)
		return h.limited(f, limited, redis)
	}, nil
}

// limited asks both servers for a reply beyond the limit.
func (h *hunt) limited(f flatterer, ours, redis *target) error {
	got, err := ours.flatter(f)
	if err != nil || ours.trouble() != "" {
		return err
	}
	again := h.attempted()
	if got.peak > most(f) {
		h.found(fmt.Sprintf("%s: takes %d MB of memory for a client that may have %s", f.request[0], got.peak>>20,
			outputLimit), again)
	}
	if redis == nil || f.endless {
		return nil
	}
	want, err := redis.flatter(f)
	if err == nil && want.closed && !got.closed && got.bytes > 16<<20 {
		h.found(fmt.Sprintf("%s: redis-server ends the client; miniserver sends %d MB", f.request[0], got.bytes>>20),
			again)
	}
	if err == nil && want.keys != got.keys {
		h.found(fmt.Sprintf("%s: leaves %d keys in redis-server, %d in miniserver", f.request[0], want.keys, got.keys),
			again)
	}
	return err
}

// flatterer is a request with a reply far larger than the data.
type flatterer struct {
	fill    string   // a script that adds data
	queue   []string // commands in MULTI before the request, which is then EXEC
	times   int      // of the queue
	request []string
	endless bool // redis-server takes too long
}

// String returns lines for a shell.
func (f flatterer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "redis-cli eval %q 0\n", f.fill)
	line := strings.Join(f.request, " ")
	if f.times > 0 {
		fmt.Fprintf(&b, "(echo MULTI; for i in $(seq %d); do echo '%s'; done; echo %s) | redis-cli >/dev/null", f.times,
			strings.Join(f.queue, " "), line)
	} else {
		fmt.Fprintf(&b, "redis-cli %.300s >/dev/null", line)
	}
	return b.String()
}

// outcome is how a server answered.
type outcome struct {
	bytes  int   // of the reply
	closed bool  // the server ended the client
	peak   int64 // bytes that the process took more than before
	keys   int64
}

// flatter fills the server and asks it for a large reply, of which the client reads all.
func (t *target) flatter(f flatterer) (o outcome, err error) {
	admin, err := t.login()
	if err != nil {
		return o, err
	}
	defer admin.Close()
	t.purge(admin)
	if v, err := admin.do("EVAL", f.fill, "0"); err != nil || v.IsError() {
		return o, fmt.Errorf("filling: %s %w", v.Text, err)
	}
	c, err := t.login()
	if err != nil {
		return o, err
	}
	defer c.Close()
	before := t.resident()
	t.forgetPeak()
	o.bytes, o.closed = c.gulp(f)
	o.peak = t.peak() - before
	v, err := admin.do("DBSIZE")
	o.keys = v.Int
	return o, err
}

// gulp sends the request and reads until nothing comes any more. It returns the number of bytes,
// and whether the server closed the connection.
func (c *conn) gulp(f flatterer) (n int, closed bool) {
	data := request(f.request...)
	if f.times > 0 {
		data = append(request("MULTI"), []byte(strings.Repeat(string(request(f.queue...)), f.times)+string(data))...)
	}
	go c.Write(append(data, request("ECHO", "the end")...))
	buf := make([]byte, 1<<20)
	tail := ""
	for !strings.HasSuffix(tail, "the end\r\n") {
		c.SetReadDeadline(time.Now().Add(replyTime))
		got, err := c.Read(buf)
		if n += got; err != nil {
			return n, true
		}
		tail += string(buf[max(0, got-9):got])
		tail = tail[max(0, len(tail)-9):]
	}
	return n, false
}

// forgetPeak makes peak begin at the present memory of the process.
func (t *target) forgetPeak() {
	os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", t.process.PID), []byte("5"), 0)
}

// peak returns the most bytes of the process in memory since forgetPeak; 0 where there is no /proc.
func (t *target) peak() int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.process.PID))
	fields := strings.Fields(after(string(data), "VmHWM:"))
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes << 10
}

const (
	fillString = "return redis.call('SET','big',string.rep('x',1000000))"
	fillSmall  = "redis.call('HSET','h','f',string.rep('x',1000)) redis.call('SADD','s',string.rep('x',1000)) " +
		"redis.call('ZADD','z',1,string.rep('x',1000)) redis.call('RPUSH','l',1,2,3)"
	fillKeys  = "for i=1,100000 do redis.call('SET',string.rep('k',300)..i,'') end"
	fillLists = "for i=1,30000 do redis.call('RPUSH','l',i) redis.call('SADD','s',i) redis.call('ZADD','z',i,i) end " +
		"redis.call('SET','big',string.rep('x',100000))"
	fillStream = "for i=1,1000 do redis.call('XADD','x','*','f',string.rep('x',100)) end " +
		"redis.call('XGROUP','CREATE','x','g','0')"
	fillGeo = "for i=1,30000 do redis.call('GEOADD','g',i/200,i/400,string.rep('x',1000)..i) end"
)

// repeated returns the words, followed by some more n times.
func repeated(n int, words string, more ...string) []string {
	args := strings.Fields(words)
	for range n {
		args = append(args, more...)
	}
	return args
}

func script(body string) []string { return []string{"EVAL", body, "0"} }

// flatterers are the requests. The large counts are those of a client that means harm.
var flatterers = []flatterer{
	{fill: fillKeys, request: []string{"KEYS", "*"}},
	{fill: fillKeys, request: strings.Fields("SCAN 0 COUNT 1000000000")},
	{fill: "for i=1,100000 do redis.call('PFADD','p'..i%1000,i) end", request: []string{"MEMORY", "DOCTOR"}},
	{fill: "for i=1,100000 do redis.call('RPUSH','l','x') end", request: strings.Fields("LPOS l x COUNT 0")},
	{fill: fillSmall, request: strings.Fields("HRANDFIELD h -9223372036854775807")},
	{fill: fillString, queue: []string{"GET", "big"}, times: 1000, request: []string{"EXEC"}},
	{fill: fillString, queue: []string{"SETRANGE", "new", "2000000", "x"}, times: 10, request: []string{"EXEC"}},
	{fill: fillString, queue: []string{"DUMP", "big"}, times: 3000, request: []string{"EXEC"}},
	{fill: fillLists, queue: strings.Fields("LRANGE l 0 -1"), times: 1000, request: []string{"EXEC"}},
	{fill: fillLists, queue: strings.Fields("SMEMBERS s"), times: 1000, request: []string{"EXEC"}},
	{fill: fillLists, queue: strings.Fields("ZRANGE z 0 -1 WITHSCORES"), times: 500, request: []string{"EXEC"}},
	{fill: fillLists, queue: strings.Fields("ZUNION 3 z z s WITHSCORES"), times: 100, request: []string{"EXEC"}},
	{fill: fillLists, queue: strings.Fields("SUNION s s"), times: 300, request: []string{"EXEC"}},
	{fill: fillStream, queue: strings.Fields("XRANGE x - +"), times: 1000, request: []string{"EXEC"}},
	{fill: fillStream, queue: strings.Fields("XREAD STREAMS x x x 0 0 0"), times: 300, request: []string{"EXEC"}},
	{fill: fillGeo, queue: strings.Fields("GEOSEARCH g FROMLONLAT 0 0 BYRADIUS 30000 km WITHCOORD WITHDIST WITHHASH"),
		times: 20, request: []string{"EXEC"}},
	{fill: fillSmall, queue: []string{"COMMAND"}, times: 500, request: []string{"EXEC"}},
	{fill: fillSmall, queue: []string{"COMMAND", "DOCS"}, times: 200, request: []string{"EXEC"}},
	{fill: fillSmall, queue: []string{"CONFIG", "GET", "*"}, times: 5000, request: []string{"EXEC"}},
	{fill: fillSmall, queue: []string{"INFO", "everything"}, times: 5000, request: []string{"EXEC"}},
	{fill: fillSmall, queue: []string{"ECHO", strings.Repeat("x", 100_000)}, times: 500, request: []string{"EXEC"}},
	{fill: fillString, request: script("local t={} for i=1,3000 do t[i]=redis.call('GET','big') end return t")},
	{fill: fillString, request: script("local t={} for i=1,20 do t={t,t} end return t")},
	{fill: fillSmall, request: script("return string.rep('x',300000000)")},
	{fill: fillSmall, request: script("return redis.status_reply(string.rep('x',300000000))")},
	{fill: fillSmall, request: script("return redis.error_reply(string.rep('x',300000000))")},
	{fill: "redis.call('SETRANGE','v',300000000,'x')", request: []string{"GET", "v"}},
	{fill: "redis.call('SETRANGE','v',300000000,'x')", request: []string{"DUMP", "v"}},
	{fill: "redis.call('SETRANGE','a',5000,'x') redis.call('SETRANGE','b',5000,'x')",
		request: []string{"LCS", "a", "b", "IDX"}},
	{fill: fillString, request: repeated(5000, "MGET", "big")},
	{fill: fillLists, request: repeated(10, "SORT l BY nosort", "GET", "big"), endless: true},
	{fill: fillSmall, request: strings.Fields("HRANDFIELD h -999999999"), endless: true},
	{fill: fillSmall, request: strings.Fields("HRANDFIELD h -999999999 WITHVALUES"), endless: true},
	{fill: fillSmall, request: strings.Fields("SRANDMEMBER s -999999999"), endless: true},
	{fill: fillSmall, request: strings.Fields("ZRANDMEMBER z -999999999"), endless: true},
	{fill: fillSmall, request: strings.Fields("ZRANDMEMBER z -999999999 WITHSCORES"), endless: true},
	{fill: fillSmall, request: strings.Fields("SRANDMEMBER s -9223372036854775807"), endless: true},
	{fill: fillString, request: repeated(1_000_000, "MGET", "big"), endless: true},
	{fill: fillLists, request: repeated(1000, "SORT s BY nosort", "GET", "big"), endless: true},
	{fill: fillString, queue: []string{"GETRANGE", "big", "0", "-1"}, times: 5000, request: []string{"EXEC"},
		endless: true},
	{fill: fillString, request: script("local b=redis.call('GET','big') local t={} for i=1,100000 do t[i]=b end " +
		"return t"), endless: true},
	{fill: fillString, request: script("local t={1} for i=1,7 do t={t,t,t,t,t,t,t,t,t,t} end return t"), endless: true},
	{fill: fillSmall, request: script("return redis.call('SRANDMEMBER','s',-999999999)"), endless: true},
	{fill: fillSmall, request: script("return redis.pcall('HRANDFIELD','h',-999999999)"), endless: true},
	{fill: "redis.call('SETRANGE','v',300000000,'x')", queue: []string{"GET", "v"}, times: 10,
		request: []string{"EXEC"}, endless: true},
	{fill: "redis.call('SETRANGE','a',50000,'x') redis.call('SETRANGE','b',50000,'x')",
		request: []string{"LCS", "a", "b"}, endless: true},
	{fill: "redis.call('SETBIT','b',4294967295,1)", request: repeated(10_000, "BITFIELD b", "GET", "u63", "0"),
		endless: true},
}
