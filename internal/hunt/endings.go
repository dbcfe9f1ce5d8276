//go:build linux

package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// What each client of the area endings leaves unread, what sockets may keep of it, and what the
// process may keep of all.
const (
	unread    = 24 << 20
	inSockets = 8 << 20
	notLetGo  = 48 << 20
)

// openEndings lets clients make the server hold bytes that they do not read, or requests that they
// do not finish, and ends them in one of the ways in which Redis does. Whoever is ended is let go:
// descriptors and memory are free at once, and a client reads no more than its socket has.
func openEndings(h *hunt) (step, error) {
	dir, err := os.MkdirTemp("", "endings")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the server has read them
	cert, key, err := launch.SelfSigned(dir)
	if err != nil {
		return nil, err
	}
	var ports [3]string // of TCP, TLS and the console
	for i := range ports {
		free, err := launch.FreePort()
		if err != nil {
			return nil, err
		}
		ports[i] = strconv.Itoa(free)
	}
	server, err := h.serve("--port", ports[0], "--tls-port", ports[1], "--http-port", ports[2], "--bind", "127.0.0.1",
		"--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-auth-clients", "no", "--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes",
		"--client-output-buffer-limit", "pubsub 0 0 0 replica 0 0 0")
	if err != nil {
		return nil, err
	}
	return func(r *rand.Rand) error {
		e := &endings{hunt: h, server: server, ports: ports, crowd: pick(r, deafCrowds), end: pick(r, endingWays),
			paused: r.IntN(4) == 0}
		for !e.end.ends(e.crowd.name) {
			e.end = pick(r, endingWays)
		}
		return e.attack()
	}, nil
}

// endings is one step.
type endings struct {
	*hunt
	server *target
	ports  [3]string
	crowd  deafCrowd
	end    endingWay
	paused bool // writes of clients, while they are ended
	admin  *conn
	open   []net.Conn
	pages  []func() error // of the console, to be left
}

// A deafCrowd is clients that have logged in, send something, and read nothing.
type deafCrowd struct {
	name string
	port int    // of which kind
	head string // sent first
	body string // sent once for each megabyte; what follows is a megabyte
	tail string
	feed []string // what another client sends for each megabyte; what follows is a megabyte
}

const megabyteFollows = "$1048576\r\n"

var deafCrowds = []deafCrowd{
	{name: "replies", body: "GET big\r\n"},
	{name: "replies over TLS", port: 1, body: "GET big\r\n"},
	{name: "replies before a command that blocks", body: "GET big\r\n", tail: "BLPOP nothing 0\r\n"},
	{name: "replies before QUIT", body: "GET big\r\n", tail: "QUIT\r\n"},
	{name: "MONITOR", head: "MONITOR\r\n", feed: []string{"ECHO"}},
	{name: "SUBSCRIBE", head: "SUBSCRIBE c\r\n", feed: []string{"PUBLISH", "c"}},
	{name: "SUBSCRIBE in the console", port: 2, feed: []string{"PUBLISH", "c"}},
	{name: "a replica", head: "PSYNC ? -1\r\n", feed: []string{"SET", "k"}},
	{name: "half an argument", head: fmt.Sprintf("*2\r\n$4\r\nECHO\r\n$%d\r\n", unread+1),
		body: strings.Repeat("x", 1<<20)},
	{name: "half an argument over TLS", port: 1, head: fmt.Sprintf("*2\r\n$4\r\nECHO\r\n$%d\r\n", unread+1),
		body: strings.Repeat("x", 1<<20)},
	{name: "MULTI", head: "MULTI\r\n",
		body: "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n" + megabyteFollows + strings.Repeat("x", 1<<20) + "\r\n"},
	{name: "SCRIPT DEBUG", head: fmt.Sprintf("SCRIPT DEBUG YES\r\n"+
		"EVAL \"local s = string.rep('x', %d)\\nreturn #s\" 0\r\n*1\r\n$4\r\nstep\r\n", unread)},
}

// An endingWay is what ends clients.
type endingWay struct {
	name   string
	does   func(*endings) error // it is called again until all have ended
	spares []string             // crowds that it does not end
	only   []string             // the only ones that it ends, if any
}

func (w endingWay) ends(crowd string) bool {
	return !slices.Contains(w.spares, crowd) && (w.only == nil || slices.Contains(w.only, crowd))
}

var (
	// Which the console reads, and drops.
	nothingUnread = []string{"half an argument", "half an argument over TLS", "MULTI", "SCRIPT DEBUG",
		"SUBSCRIBE in the console"}
	neverIdle = []string{"replies before a command that blocks", "MONITOR", "SUBSCRIBE", "SUBSCRIBE in the console",
		"a replica", "SCRIPT DEBUG"}
)

var endingWays = []endingWay{
	{name: "CLIENT KILL ID", does: killEach("id", "ID")},
	{name: "CLIENT KILL ADDR", does: killEach("addr", "ADDR")},
	{name: "CLIENT KILL address", does: killEach("addr", "")},
	{name: "CLIENT KILL USER", does: order("CLIENT KILL USER deaf")},
	{name: "CLIENT KILL USER in MULTI", does: order("MULTI", "CLIENT KILL USER deaf", "EXEC")},
	{name: "CLIENT KILL TYPE",
		does: order("CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub", "CLIENT KILL TYPE replica")},
	{name: "CLIENT KILL MAXAGE", does: order("CLIENT KILL MAXAGE 1")},
	{name: "ACL DELUSER", does: order("ACL DELUSER deaf")},
	{name: "ACL SETUSER", does: order("ACL SETUSER deaf resetchannels"),
		only: []string{"SUBSCRIBE", "SUBSCRIBE in the console"}},
	{name: "maxmemory-clients", does: order("CONFIG SET maxmemory-clients 1mb"),
		spares: []string{"a replica", "SCRIPT DEBUG", "SUBSCRIBE in the console"}},
	{name: "a hard limit", does: limitOutput("1mb 0 0"), spares: nothingUnread},
	{name: "a soft limit", does: limitOutput("0 1mb 1"), spares: nothingUnread},
	{name: "timeout", does: order("CONFIG SET timeout 1"), spares: neverIdle},
	{name: "client-query-buffer-limit", does: (*endings).limitInput,
		only: []string{"half an argument", "half an argument over TLS"}},
	{name: "REPLICAOF", does: order("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"), only: []string{"a replica"}},
	{name: "the clients leave", does: (*endings).leave},
}

// order returns what sends commands.
func order(lines ...string) func(*endings) error {
	return func(e *endings) error {
		for _, line := range lines {
			if err := e.tell(strings.Fields(line)...); err != nil {
				return err
			}
		}
		return nil
	}
}

func limitOutput(limits string) func(*endings) error {
	return func(e *endings) error {
		return e.tell("CONFIG", "SET", "client-output-buffer-limit",
			fmt.Sprintf("normal %s pubsub %s replica %s", limits, limits, limits))
	}
}

// killEach returns what ends each client by a field of its line in CLIENT LIST.
func killEach(field, filter string) func(*endings) error {
	return func(e *endings) error {
		values, err := e.listed(field)
		for _, value := range values {
			err = errors.Join(err, e.tell(strings.Fields("CLIENT KILL "+filter+" "+value)...))
		}
		return err
	}
}

// limitInput takes effect when more arrives.
func (e *endings) limitInput() error {
	err := e.tell("CONFIG", "SET", "client-query-buffer-limit", "1mb")
	for _, nc := range e.open {
		nc.SetWriteDeadline(time.Now().Add(time.Second))
		nc.Write([]byte("x")) // it may have ended
	}
	return err
}

func (e *endings) leave() error {
	for _, nc := range e.open {
		nc.Close()
	}
	return nil
}

// clients is how many there are.
func (e *endings) clients() int {
	if e.brief {
		return 4
	}
	return 10
}

// attack lets the crowd come, ends it, and looks what is left of it.
func (e *endings) attack() (err error) {
	e.doing("# %d clients: %s; %s, writes paused: %v", e.clients(), e.crowd.name, e.end.name, e.paused)
	if e.admin, err = e.server.dial(); err != nil {
		return err
	}
	defer e.admin.Close()
	if err := e.prepare(); err != nil {
		return err
	}
	e.admin.do("MEMORY", "PURGE")
	rss, descriptors := e.server.resident(), e.server.open()
	defer e.leave()
	if err := errors.Join(e.enter(), e.feed(), e.await("they are at rest", e.atRest)); err != nil {
		return err
	}
	e.count("clients", e.clients())
	e.count("megabytes that they held", int(e.server.resident()-rss)>>20)
	if e.paused {
		err = e.tell("CLIENT", "PAUSE", "60000", "WRITE")
	}
	err = errors.Join(err, e.await("they are ended", e.ended), e.tell("CLIENT", "UNPAUSE"), e.leavePages())
	if err != nil {
		return err
	}
	if most := e.readRest(); most > inSockets {
		e.found(fmt.Sprintf("%s, %s: one that was ended reads %d MB more", e.crowd.name, e.end.name, most>>20),
			e.attempted())
	}
	err = e.await("descriptors and memory are free", func() (bool, error) {
		e.admin.do("MEMORY", "PURGE")
		return e.server.open() <= descriptors+2 && e.server.resident() < rss+notLetGo, nil
	})
	if err != nil {
		return fmt.Errorf("%w: %d descriptors (before %d), %d MB (before %d)", err, e.server.open(), descriptors,
			e.server.resident()>>20, rss>>20)
	}
	return nil
}

// prepare leaves nothing of the step before.
func (e *endings) prepare() error {
	return order("FLUSHALL", "SETRANGE big 1048575 x", "ACL SETUSER deaf reset on >x ~* &* +@all",
		"CONFIG SET maxmemory-clients 0 timeout 0 client-query-buffer-limit 1gb",
		"CONFIG SET repl-backlog-size 16kb", "CLIENT NO-EVICT ON")(e)
}

// tell sends a command of the administrator and returns the error that it replies, unless that is
// of a client that has ended already.
func (e *endings) tell(words ...string) error {
	reply, err := e.admin.do(words...)
	if err == nil && reply.IsError() && !strings.Contains(reply.Text, "No such client") {
		err = fmt.Errorf("%q: %s", words, reply.Text)
	}
	return err
}

// await waits for a state.
func (e *endings) await(what string, reached func() (bool, error)) error {
	for end := time.Now().Add(e.settling); ; time.Sleep(20 * time.Millisecond) {
		if ok, err := reached(); ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s, %s: waited in vain until %s", e.crowd.name, e.end.name, what)
		}
	}
}

// enter lets the clients come, and send what they send.
func (e *endings) enter() error {
	if err := limitOutput("0 0 0")(e); err != nil {
		return err
	}
	var all sync.WaitGroup
	for range e.clients() {
		nc, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", e.ports[e.crowd.port]))
		if err != nil {
			return err
		}
		nc.(*net.TCPConn).SetReadBuffer(64 << 10)
		e.open = append(e.open, nc)
		all.Go(func() { e.recite(nc) })
	}
	all.Wait()
	return e.await("they have come", func() (bool, error) {
		last, err := e.listed("cmd")
		if e.crowd.feed != nil && e.crowd.port == 0 { // what is fed to them before they listen they do not get
			listens := strings.ToLower(strings.Fields(e.crowd.head)[0])
			last = slices.DeleteFunc(last, func(cmd string) bool { return cmd != listens })
		}
		if len(last) != e.clients() || err != nil {
			return false, err
		}
		replication, err := e.admin.do("INFO", "replication")
		return !strings.Contains(replication.Text, "state=wait_bgsave"), err // as a snapshot would have it already
	})
}

// recite logs a client in and sends what it sends, as far as the server takes it.
func (e *endings) recite(nc net.Conn) {
	var to io.ReadWriter = nc
	nc.SetDeadline(time.Now().Add(e.patience))
	switch e.crowd.port {
	case 1:
		to = tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
	case 2:
		e.watch(nc)
		return
	}
	io.WriteString(to, "AUTH deaf x\r\n")
	io.ReadFull(to, make([]byte, len("+OK\r\n"))) // which must not wait when PSYNC comes
	io.WriteString(to, e.crowd.head)
	for range unread >> 20 {
		if _, err := io.WriteString(to, e.crowd.body); err != nil {
			return
		}
	}
	io.WriteString(to, e.crowd.tail)
}

// watch logs in at the console, opens a page, and asks for a stream of it.
func (e *endings) watch(nc net.Conn) error {
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar, Transport: &http.Transport{}}
	console := "http://127.0.0.1:" + e.ports[2]
	if _, err := postJSON(browser, console+"/api/login", `{"user": "deaf", "password": "x"}`); err != nil {
		return err
	}
	var opened struct{ Page string }
	body, err := postJSON(browser, console+"/api/page", "{}")
	if err := errors.Join(err, json.Unmarshal(body, &opened)); err != nil {
		return err
	}
	e.mu.Lock()
	e.pages = append(e.pages, func() error {
		_, err := postJSON(browser, console+"/api/leave?page="+opened.Page, "{}")
		browser.CloseIdleConnections()
		return err
	})
	e.mu.Unlock()
	request, err := http.NewRequest("GET",
		console+"/api/watch?page="+opened.Page+"&command="+url.QueryEscape(`["SUBSCRIBE", "c"]`), nil)
	if err != nil {
		return err
	}
	for _, cookie := range jar.Cookies(request.URL) {
		request.AddCookie(cookie)
	}
	return request.Write(nc)
}

// leavePages ends what the pages have besides their streams.
func (e *endings) leavePages() (err error) {
	for _, leave := range e.pages {
		err = errors.Join(err, leave())
	}
	return err
}

// feed lets another client send what the crowd is to get.
func (e *endings) feed() error {
	if e.crowd.feed == nil {
		return nil
	}
	words := append(slices.Clone(e.crowd.feed), strings.Repeat("x", 1<<20))
	for range unread >> 20 {
		if err := e.tell(words...); err != nil {
			return err
		}
	}
	return nil
}

// listed returns a field of each of the clients in CLIENT LIST.
func (e *endings) listed(field string) (values []string, err error) {
	list, err := e.admin.do("CLIENT", "LIST")
	for line := range strings.Lines(list.Text) {
		// A page has a session besides.
		if strings.Contains(line, " user=deaf ") && (e.crowd.port != 2 || strings.Contains(line, " sub=1 ")) {
			value, _, _ := strings.Cut(after(" "+line, " "+field+"="), " ")
			values = append(values, value)
		}
	}
	return values, err
}

// atRest reports whether the server has taken what it takes.
func (e *endings) atRest() (bool, error) {
	before, err := e.held()
	time.Sleep(100 * time.Millisecond)
	now, failed := e.held()
	return before == now, errors.Join(err, failed)
}

// held returns the megabytes that the server holds for all clients of the crowd.
func (e *endings) held() (megabytes int, err error) {
	values, err := e.listed("tot-mem")
	for _, value := range values {
		n, _ := strconv.Atoi(value)
		megabytes += n >> 20
	}
	return megabytes, err
}

// ended ends those that are left, and reports whether none is.
func (e *endings) ended() (bool, error) {
	if err := e.end.does(e); err != nil {
		return false, err
	}
	left, err := e.listed("id")
	return len(left) == 0, err
}

// readRest reads from half of the clients what is still to be read, and returns the most bytes of
// one. The other half never reads.
func (e *endings) readRest() (most int64) {
	for _, nc := range e.open[len(e.open)/2:] {
		nc.SetReadDeadline(time.Now().Add(e.settling))
		n, _ := io.Copy(io.Discard, nc)
		most = max(most, n)
	}
	return most
}
