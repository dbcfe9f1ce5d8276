// Package console is the server's door for browsers and monitoring systems: a page, /metrics and
// /health on a port of its own.
//
//	browser ─ HTTP ─▶ guard ─▶ login ─▶ page ─ session ─▶ server ─▶ engine   as any client's
//	                    │                 └─── session ─▶ sandbox            of the page
//	                    ├──▶ events ◀── sampler                              figures, to all pages
//	                    ├──▶ /metrics, /health
//	                    └──▶ web/                                            its files, embedded
//
// A session is a connection within the process: server.Connect gives one end of a pair of sockets
// and serves the other as any client. So there is one gate: users, rights, limits, MONITOR, CLIENT
// LIST and the waiting for a group treat the console like everybody else, and the console has no
// rights of its own.
//
//	params, listen    http-port, http-bind, http-hosts, http-readonly; the listener
//	room              how many connections there may be
//	guard             what no browser may do: foreign hosts and origins, large or slow requests,
//	                  too many connections
//	login             users of the ACL, and the cookie that remembers them
//	page, session     what belongs to one open page of a browser
//	command, reply    POST /api/command: commands and replies as JSON
//	sampler, events   GET /api/events: what the engine counts, taken once for all pages
//	watch             GET /api/watch: MONITOR and subscriptions, for one page
//	sandbox           a server that a page may do with as it likes
//	trace, lint       a run of a script in the sandbox, line by line; what the linter finds
//	health, metrics   for load balancers and Prometheus
//
// Invariants:
//  1. While http-port is off nothing of this runs, and the engine knows nothing of it.
//  2. What a user may not do at port 6379 he may not do here.
//  3. Everything is bounded: connections, pages, sessions, streams, sandboxes, bytes of requests
//     and replies, the time of a request.
//  4. Only one sampler asks the engine, once a second, and only while somebody looks.
//  5. The browser loads code from this server only, and no inline code. It shows stored data as
//     text.
//
// # How to add a page
//
// A page of the console, such as Keys, is two files, and no other page knows them:
//
//	web/pages/keys.js     export const page = {title, open(main, context) ... }, see web/README.md
//	keys_page_test.go     drives it in a browser: see browser_test.go
//
// One line in web/pages.js puts it into the navigation. It gets data by context.run("HGETALL",
// "key"), by context.events("info", fn) and by context.sandbox.run(...); if that is not enough, add
// a route in routes, and a file here with its handler.
//
// The large parts of the page that are not ours, the editor and the charts, are bundles in
// web/vendor: see web/README.md for how they are rebuilt.
package console

import (
	"net"
	"net/http"
	"sync"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Options are what a console needs.
type Options struct {
	Engine *engine.Engine
	// Connect returns a connection to the server, for a client that has come from an endpoint. It
	// calls ended when the server ends that.
	Connect func(from engine.Endpoint, ended func()) (net.Conn, error)
	// Log writes a line to the log. The mark is the level: # warning, * notice.
	Log func(mark byte, format string, args ...any)
}

// Console is the door. It does nothing before Listen.
type Console struct {
	engine    *engine.Engine
	options   Options
	settings  settings
	haste     haste
	info      []string // the command that asks for all figures
	addresses []net.Addr
	server    *http.Server
	logins    logins
	pages     pages
	sampler   sampler
	streams   bounded
	sandboxes sandboxes
	held      *engine.Account // what requests hold
	ended     sync.WaitGroup
}

// New returns a console for an engine. Its Part has the parameters.
func New(o Options) *Console {
	c := &Console{engine: o.Engine, options: o, settings: defaultSettings(), haste: usualHaste,
		streams: bounded{most: maxStreams}, held: o.Engine.Open("console.requests", maxHeld),
		sandboxes: sandboxes{bounded: bounded{most: maxSandboxes}, account: o.Engine.Open("console.sandboxes", 0)},
		pages:     pages{bySecret: make(map[string]*page), ending: make(chan struct{})}}
	c.sampler.console = c
	return c
}

// routes returns what the console answers.
func (c *Console) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /health":       c.ready,
		"GET /health/live":  live,
		"GET /health/ready": c.ready,
		"GET /metrics":      c.metrics,
		"POST /api/login":   c.logIn,
		"POST /api/logout":  c.logOut,
		"POST /api/page":    c.openPage,
		"POST /api/leave":   c.onPage(c.leavePage),
		"POST /api/command": c.onPage(c.command),
		"GET /api/events":   c.onPage(c.events),
		"GET /api/watch":    c.onPage(c.watch),
		"POST /api/search":  c.onPage(c.search),
		"POST /api/lint":    c.onPage(c.lintScript),
		"POST /api/trace":   c.onPage(c.traceScript),
		"GET /{path...}":    c.file,
	} {
		mux.HandleFunc(pattern, handler)
	}
	return unrecovered(c.guard(mux))
}
