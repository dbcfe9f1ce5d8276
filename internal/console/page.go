package console

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Limits of pages.
const (
	maxPages    = 512
	maxSessions = 8                // of a page
	pageLasts   = 10 * time.Minute // since it was last used; a page that is looked at uses itself
	tendTime    = 10 * time.Second
)

// page is one open page of a browser. Its sessions have names, so that what a person does in the
// terminal, MULTI say, does not concern what other parts of the page do.
type page struct {
	console *Console
	secret  string
	login   *login
	from    engine.Endpoint

	mu       sync.Mutex
	used     time.Time
	sessions map[string]*session
	sandbox  *sandbox // nil until it is used
	life     context.Context
	end      context.CancelFunc
}

// pages are the open pages, by their secrets.
type pages struct {
	mu       sync.Mutex
	bySecret map[string]*page
	ending   chan struct{}
	closed   bool
}

// add makes a page. It returns nil if there are too many.
func (ps *pages) add(p *page) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.bySecret) >= maxPages || ps.closed {
		return false
	}
	p.secret, p.used, p.sessions = rand.Text(), time.Now(), make(map[string]*session)
	p.life, p.end = context.WithCancel(context.Background())
	ps.bySecret[p.secret] = p
	return true
}

func (ps *pages) find(secret string) *page {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.bySecret[secret]
}

// removeIf closes the pages for which it is so.
func (ps *pages) removeIf(so func(p *page) bool) {
	ps.mu.Lock()
	var gone []*page
	for secret, p := range ps.bySecret {
		if so(p) {
			gone = append(gone, p)
			delete(ps.bySecret, secret)
		}
	}
	ps.mu.Unlock()
	for _, p := range gone {
		p.close()
	}
}

// closeOf closes the pages of a login.
func (ps *pages) closeOf(l *login) {
	if l != nil {
		ps.removeIf(func(p *page) bool { return p.login == l })
	}
}

// tend closes pages that are not used any more, until close.
func (ps *pages) tend() {
	ticker := time.NewTicker(tendTime)
	defer ticker.Stop()
	for {
		select {
		case <-ps.ending:
			return
		case <-ticker.C:
			ps.removeIf((*page).isForgotten)
		}
	}
}

func (ps *pages) close() {
	ps.mu.Lock()
	ps.closed = true
	ps.mu.Unlock()
	close(ps.ending)
	ps.removeIf(func(*page) bool { return true })
}

func (p *page) isForgotten() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.used) > pageLasts
}

func (p *page) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = time.Now()
}

// session returns the session of a name, in the server or in the page's sandbox. Sessions of both
// have names of their own.
func (p *page) session(name string, sandboxed bool) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sandboxed {
		name = "sandbox/" + name
	}
	if s := p.sessions[name]; s != nil {
		return s, nil
	}
	if len(p.sessions) >= maxSessions || p.life.Err() != nil {
		return nil, errors.New("the page has too many sessions")
	}
	var box *sandbox
	if sandboxed {
		var err error
		if box, err = p.lockedBox(); err != nil {
			return nil, err
		}
	}
	s := p.console.newSession(p.login, p.from, box)
	p.sessions[name] = s
	return s, nil
}

// box returns the sandbox of the page.
func (p *page) box() (*sandbox, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lockedBox()
}

func (p *page) lockedBox() (box *sandbox, err error) {
	if p.life.Err() != nil {
		return nil, errors.New("the page is not open any more")
	}
	if p.sandbox == nil {
		p.sandbox, err = p.console.newSandbox()
	}
	return p.sandbox, err
}

func (p *page) close() {
	p.mu.Lock()
	p.end()
	sessions, box := p.sessions, p.sandbox
	p.sessions, p.sandbox = nil, nil
	p.mu.Unlock()
	for _, s := range sessions {
		s.close()
	}
	if box != nil {
		box.close()
	}
}

// openPage is POST /api/page. The reply has the secret by which the other calls name the page, and
// what the page must know.
func (c *Console) openPage(w http.ResponseWriter, r *http.Request) {
	p := &page{console: c, login: c.loginOf(r), from: endpointOf(r)}
	if !c.pages.add(p) {
		refuse(w, http.StatusServiceUnavailable, "too many pages are open")
		return
	}
	s, err := p.session("main", false)
	if err == nil {
		var pong outcome
		pong, err = s.run(r.Context(), [][]string{{"PING"}})
		pong.held.release()
	}
	if err != nil {
		c.pages.removeIf(func(other *page) bool { return other == p })
		refuse(w, statusOf(err), err.Error())
		return
	}
	answer(w, map[string]any{"page": p.secret, "user": p.login.name(), "readonly": c.settings.readOnly,
		"version": build.Version, "release": c.engine.Release.String(), "sandbox": c.maySandbox(p.login)})
}

// statusOf returns how a request fails because of an error: a server that wants a password has the
// browser ask for it.
func statusOf(err error) int {
	var reply resp.ReplyError
	switch {
	case errors.As(err, &reply):
		return http.StatusUnauthorized
	case errors.Is(err, context.Canceled):
		return http.StatusRequestTimeout
	case errors.Is(err, errHeld):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadGateway
}

// leavePage is POST /api/leave: the browser closes the page.
func (c *Console) leavePage(w http.ResponseWriter, _ *http.Request, p *page) {
	c.pages.removeIf(func(other *page) bool { return other == p })
	answer(w, struct{}{})
}

// onPage finds the page that a request names. Its user must be the one who has opened it.
func (c *Console) onPage(handle func(w http.ResponseWriter, r *http.Request, p *page)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := c.pages.find(r.URL.Query().Get("page"))
		if p == nil || p.login != c.loginOf(r) {
			refuse(w, http.StatusGone, "the page is not open any more")
			return
		}
		p.touch()
		handle(w, r, p)
	}
}
