//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// What docs/security.md states: a process at rest takes no more than so many percent of
// used_memory, and so many bytes. And how much address space the area gives it.
const (
	reserveShare = 150
	reserveBytes = 256 << 20
	holdersSpace = 4 << 30
)

// holderLimits bound what clients make a server hold, besides what is bounded by itself.
var holderLimits = []string{"--maxmemory-clients", "128mb", "--client-query-buffer-limit", "32mb",
	"--script-memory-limit", "64mb",
	"--client-output-buffer-limit", "normal 32mb 0 0 pubsub 32mb 0 0 replica 64mb 0 0", "--slowlog-max-len", "20000",
	"--acllog-max-len", "20000"}

// openHolders lets each holder of bytes take what it can, of a server in a limited address space:
// with maxmemory, and without. Nothing may end the process, and when it is at rest used_memory and
// the reserve must bound what it takes.
func openHolders(h *hunt) (step, error) {
	var servers [2]*holders
	for i, limits := range [][]string{{"--maxmemory", "200mb"}, nil} {
		port, err := launch.FreePort()
		if err != nil {
			return nil, err
		}
		options := []string{"--http-port", strconv.Itoa(port), "--test-kit", "yes", "--enable-debug-command", "yes",
			"--requirepass", password, "--repl-diskless-sync-delay", "0"}
		server := h.server(slices.Concat(options, holderLimits, limits)...)
		server.space = holdersSpace
		if _, err := h.start(server); err != nil {
			return nil, err
		}
		servers[i] = &holders{hunt: h, server: server, console: fmt.Sprint("127.0.0.1:", port)}
	}
	return func(r *rand.Rand) error {
		rows := holderRows()
		return servers[h.at/uint64(len(rows))%2].hold(rows[h.at%uint64(len(rows))])
	}, nil
}

// holders is one server.
type holders struct {
	*hunt
	server  *target
	console string // its address
	cookie  string // of one who has logged in there
	admin   *conn
	open    []io.Closer
	pages   []string
}

// A holder is one kind of what holds bytes.
type holder struct {
	name   string
	take   func(*holders) error // lets it take what it can
	giveUp []string             // commands that end what clients do not
}

// holderRows returns all of them, what crowds of clients make the server hold last.
func holderRows() (rows []holder) {
	rows = append(rows, otherHolders...)
	for _, c := range crowds {
		rows = append(rows, holder{name: c.name, take: func(h *holders) error { return h.crowd(c) }})
	}
	return rows
}

var otherHolders = []holder{
	{name: "keys", take: repeat(400, "SETRANGE key:%d 1000000 x")},
	{name: "scripts that are debugged",
		take: debugged("local s = string.rep('x', 40000000)\nlocal n = #s\nreturn n", "step")},
	{name: "replies to scripts that are debugged",
		take: debugged("redis.call('SETRANGE', 'k', 30000000, 'x')\nlocal n = #redis.call('GET', 'k')\nreturn n",
			"step", "step")},
	{name: "copies in which scripts are debugged",
		take: filled(40, debugged("redis.call('SET', 'k', 'v')\nreturn 1", "step"))},
	{name: "what scripts that are debugged write",
		take: debugged("for i = 1, 200 do redis.call('SET', i, string.rep('x', 1000000)) end\nreturn 1",
			"break 2", "continue")},
	{name: "snapshots", take: filled(40, repeat(40, "MINI.WORLD SNAPSHOT w%d")),
		giveUp: numbered(40, "MINI.WORLD FORGET w%d")},
	{name: "forks", take: filled(40, repeat(40, "MINI.WORLD FORK default w%d")),
		giveUp: numbered(40, "MINI.WORLD DROP w%d")},
	{name: "empty worlds", take: repeat(5000, "MINI.WORLD FORK default e%d"),
		giveUp: numbered(5000, "MINI.WORLD DROP e%d")},
	{name: "marks of leaks", take: (*holders).marks, giveUp: []string{"MINI.WORLD RESET"}},
	{name: "faults",
		take:   repeat(20_000, "MINI.FAULT ADD fault:%0100d ON KEY key:%0100d DO DELAY 1"),
		giveUp: []string{"MINI.FAULT CLEAR"}},
	{name: "the backlog",
		take:   with("CONFIG SET repl-backlog-size 100mb", (*holders).backlog),
		giveUp: []string{"CONFIG SET repl-backlog-size 1mb"}},
	{name: "the log of ACL", take: repeat(20_000, "AUTH %0500d wrong"), giveUp: []string{"ACL LOG RESET"}},
	{name: "a save while all changes",
		take:   with("CONFIG SET rdb-key-save-delay 100000", (*holders).saveAndChange),
		giveUp: []string{"CONFIG SET rdb-key-save-delay 0"}},
	{name: "requests to the console that are not finished",
		take: requests(20, "Content-Length: 30000000\r\n\r\n"+`{"commands":[["ECHO","`+
			strings.Repeat("x", 29_000_000))},
	{name: "replies of the console that are not read",
		take: filled(40, requests(200, sized(`{"commands":[["GET","key:1"],["GET","key:2"],["GET","key:3"]]}`)))},
	{name: "replies of the console that wait for more",
		take: filled(40, requests(100, sized(`{"commands":[["GET","key:1"],["GET","key:2"],["GET","key:3"],["BLPOP","none","0"]]}`)))},
	{name: "streams of the console that are not read", take: (*holders).streams},
	{name: "sandboxes", take: requests(32, sized(`{"world":"sandbox","commands":[`+
		`["EVAL","for i = 1, 60 do redis.call('SET', i, string.rep('x', 1000000)) end","0"],["MINI.WORLD","SNAPSHOT","a"],`+`["EVAL","for i = 1, 400 do redis.call('SET', i, string.rep('x', 1000000)) end","0"]]}`))},
}

// sized returns the rest of a POST.
func sized(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// nothingLeft ends what most holders hold, if it does not end with the clients.
var nothingLeft = []string{"FLUSHALL", "SCRIPT FLUSH", "FUNCTION FLUSH", "SLOWLOG RESET", "LATENCY RESET",
	"CONFIG RESETSTAT", "CONFIG SET slowlog-log-slower-than 10000 latency-monitor-threshold 0"}

// hold lets one holder take what it can, and compares.
func (h *holders) hold(row holder) (err error) {
	h.doing("# %s; %s", row.name, strings.Join(h.server.options, " "))
	h.cookie = "" // the process may be another one
	if h.admin, err = h.server.login(); err != nil {
		return err
	}
	defer h.admin.Close()
	if _, err := h.admin.do("CLIENT", "NO-EVICT", "ON"); err != nil {
		return err
	}
	err = row.take(h)
	if err == nil {
		h.server.rest()
		err = h.judge(row.name)
	}
	h.leave()
	for _, line := range slices.Concat(nothingLeft, row.giveUp) {
		h.tell(line)
	}
	h.count("holders", 1)
	return err
}

// judge waits until used_memory and the reserve bound what the process takes.
func (h *holders) judge(name string) error {
	var now cost
	for end := time.Now().Add(h.settling / 4); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if h.tell("MEMORY PURGE") != nil {
			return errors.New("the administrator was disconnected")
		}
		if now = h.server.spent(h.admin); now.memory <= now.used*reserveShare/100+reserveBytes {
			fmt.Fprintf(h.out, "%-45s %4d MB, used_memory %4d MB\n", name, now.memory>>20, now.used>>20)
			return nil
		}
	}
	h.found(fmt.Sprintf("%s: the process takes %d MB at a used_memory of %d MB", name, now.memory>>20, now.used>>20),
		h.attempted())
	return nil
}

// leave ends what clients hold.
func (h *holders) leave() {
	for _, c := range h.open {
		c.Close()
	}
	for _, page := range h.pages {
		if response, err := h.post("/api/leave?page="+page, "{}"); err == nil {
			response.Body.Close()
		}
	}
	http.DefaultClient.CloseIdleConnections()
	h.open, h.pages = nil, nil
}

// tell sends a command of the administrator; its reply may be an error.
func (h *holders) tell(line string) error {
	_, err := h.admin.do(strings.Fields(line)...)
	return err
}

// crowd lets a crowd of clients take what it can.
func (h *holders) crowd(c crowd) error {
	c = c.scaled(h.hunt)
	for _, line := range c.setup {
		if err := h.tell(line); err != nil {
			return err
		}
	}
	h.open = append(h.open, closing(h.server.crowd(c)))
	return nil
}

type closing func()

// Close implements io.Closer.
func (c closing) Close() error {
	c()
	return nil
}

// repeat returns what sends numbered commands, some of which may be refused.
func repeat(times int, format string) func(*holders) error {
	return func(h *holders) error {
		for _, line := range numbered(h.size(times), format) {
			if err := h.tell(line); err != nil {
				return err
			}
		}
		return nil
	}
}

func numbered(times int, format string) (lines []string) {
	for i := range times {
		lines = append(lines, fmt.Sprintf(format, slices.Repeat([]any{i}, strings.Count(format, "%"))...))
	}
	return lines
}

// filled returns what takes something when there are so many megabytes of data.
func filled(megabytes int, take func(*holders) error) func(*holders) error {
	return func(h *holders) error {
		return errors.Join(repeat(megabytes, "SETRANGE key:%d 1000000 x")(h), take(h))
	}
}

// with returns what takes something after a command.
func with(line string, take func(*holders) error) func(*holders) error {
	return func(h *holders) error { return errors.Join(h.tell(line), take(h)) }
}

// debugged returns what lets clients debug a script, and leave it after some orders.
func debugged(script string, orders ...string) func(*holders) error {
	return func(h *holders) error {
		for range h.size(1000) {
			c, err := h.server.login()
			if err != nil {
				return err
			}
			h.open = append(h.open, c)
			if _, err := c.do("SCRIPT", "DEBUG", "YES"); err != nil {
				return err
			}
			c.do("EVAL", script, "0")
			for _, line := range orders {
				if _, err := c.do(strings.Fields(line)...); err != nil {
					break // the run was refused
				}
			}
			if len(h.open) == 30 {
				break
			}
		}
		return nil
	}
}

// marks remembers many keys at many moments.
func (h *holders) marks() error {
	if err := h.tell(fmt.Sprint("DEBUG POPULATE ", h.size(50_000))); err != nil {
		return err
	}
	for _, line := range numbered(64, "MINI.LEAKS MARK m%d") { // all that there may be, also in a test
		if err := h.tell(line); err != nil {
			return err
		}
	}
	return nil
}

// saveAndChange changes large values of all kinds while they are saved.
func (h *holders) saveAndChange() error {
	const fill = `for i = 1, tonumber(ARGV[1]) do
	  redis.call('HSET', 'hash', i, string.rep(ARGV[2], 100)) redis.call('RPUSH', 'list', string.rep(ARGV[2], 100))
	  redis.call('ZADD', 'zset', i, string.rep(ARGV[2], 100) .. i) redis.call('SET', 's' .. i, string.rep(ARGV[2], 100)) end`
	n := fmt.Sprint(h.size(100_000))
	for _, words := range [][]string{{"EVAL", fill, "0", n, "x"}, {"BGSAVE"}, {"EVAL", fill, "0", n, "y"},
		{"DEL", "list", "zset"}} {
		if _, err := h.admin.do(words...); err != nil {
			return err
		}
	}
	return nil
}

// backlog lets a replica read changes, which the backlog keeps.
func (h *holders) backlog() error {
	return h.crowd(crowd{clients: 1, reads: true, head: "PSYNC ? -1\r\n", times: 1, after: "SET k %010000d\r\n",
		again: 15_000})
}

// page opens a page of the console, as one who has logged in.
func (h *holders) page() (page string, err error) {
	if h.cookie == "" {
		response, err := h.post("/api/login", fmt.Sprintf(`{"password": %q}`, password))
		if err != nil {
			return "", err
		}
		response.Body.Close()
		cookie := response.Cookies()[0]
		h.cookie = cookie.Name + "=" + cookie.Value
	}
	response, err := h.post("/api/page", "{}")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var opened struct{ Page string }
	err = json.NewDecoder(response.Body).Decode(&opened)
	h.pages = append(h.pages, opened.Page)
	return opened.Page, err
}

func (h *holders) post(path, body string) (*http.Response, error) {
	r, err := http.NewRequest("POST", "http://"+h.console+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", h.cookie)
	return http.DefaultClient.Do(r)
}

// send sends a request to the console and never reads the reply.
func (h *holders) send(head, rest string) error {
	nc, err := net.Dial("tcp", h.console)
	if err != nil {
		return err
	}
	h.open = append(h.open, nc)
	nc.(*net.TCPConn).SetReadBuffer(64 << 10)
	nc.SetDeadline(time.Now().Add(h.patience))
	fmt.Fprintf(nc, "%s HTTP/1.1\r\nHost: localhost\r\nCookie: %s\r\n%s", head, h.cookie, rest) // which may be refused
	return nil
}

// requests returns what sends requests to pages of their own.
func requests(times int, rest string) func(*holders) error {
	return func(h *holders) error {
		for range max(3, h.size(times)) {
			page, err := h.page()
			if err != nil {
				return err
			}
			if err := h.send("POST /api/command?page="+page, "Content-Type: application/json\r\n"+rest); err != nil {
				return err
			}
		}
		return nil
	}
}

// streams opens streams and publishes.
func (h *holders) streams() error {
	page, err := h.page()
	for range max(3, h.size(250)) {
		err = errors.Join(err, h.send("GET /api/watch?page="+page+"&command="+url.QueryEscape(`["SUBSCRIBE","c"]`), "\r\n"))
	}
	text := strings.Repeat("x", 1<<20)
	for range h.size(100) {
		_, failed := h.admin.do("PUBLISH", "c", text)
		err = errors.Join(err, failed)
	}
	return err
}
