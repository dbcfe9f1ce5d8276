package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// What a browser can be made to do by a page of somebody else, it must not be able to do here:
//
//   - A name of the attacker's may lead to this machine (DNS rebinding). So Host must be an
//     address, localhost, or one of http-hosts.
//   - A page of another origin may send requests. So Origin, which scripts cannot forge, must be
//     this one; Sec-Fetch-Site says the same where there is no Origin; and what changes something
//     must be JSON, which a form cannot send.
//   - A page may be shown inside of another one, or get code from elsewhere: headers forbid that.

// policy is the content security policy: everything from here, nothing inside of documents, and no
// script can make a document parse a string as HTML.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// guard lets only requests pass that a page of this console may send.
func (c *Console) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if status, why := c.objection(r); why != "" {
			refuse(w, status, why)
			return
		}
		counted := &body{r.Body, hold{of: c.held}}
		defer counted.release()
		r.Body = counted
		next.ServeHTTP(&response{w, c.held}, r)
	})
}

// unrecovered lets a panic of a handler end the process, as one in an event loop does: net/http
// would go on with what is half done.
func unrecovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch problem := recover(); problem {
			case nil:
			case http.ErrAbortHandler: // which only ends the response
				panic(problem)
			default:
				stack := debug.Stack()
				go panic(fmt.Sprintf("%v\n\n%s", problem, stack)) // a goroutine that nobody recovers
				select {}
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// objection returns why a request must not be answered; "" if it may.
func (c *Console) objection(r *http.Request) (status int, why string) {
	switch api := strings.HasPrefix(r.URL.Path, "/api/"); {
	case !c.knowsHost(r.Host):
		return http.StatusMisdirectedRequest,
			"this console is not reached by the name " + r.Host + "; http-hosts can allow it"
	case !isNear(r) && !c.engine.HasPassword():
		return http.StatusForbidden, "from other machines the console needs a password: see requirepass"
	case api && !sameOrigin(r):
		return http.StatusForbidden, "a page of another origin may not use the console"
	case r.Method == http.MethodPost && !isJSON(r):
		return http.StatusUnsupportedMediaType, "the content type must be application/json"
	}
	return 0, ""
}

// knowsHost reports whether a Host header is one by which the console is meant to be reached.
func (c *Console) knowsHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true // no name leads here by mistake
	}
	return strings.EqualFold(name, "localhost") || slices.ContainsFunc(c.settings.hosts, func(h string) bool {
		return strings.EqualFold(h, name) || strings.EqualFold(h, host)
	})
}

// isNear reports whether a request has come from this machine.
func isNear(r *http.Request) bool {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// sameOrigin reports whether a request has been sent by a page of this console, or by no browser.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err == nil && strings.EqualFold(u.Host, r.Host)
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin"
}

func isJSON(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

// answer sends a value as JSON.
func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// failure is the response to a request that failed: to the request, not to the commands in it.
type failure struct {
	Failure string `json:"failure"`
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(failure{why})
}

// Bytes of a request: before a page is open, and then.
const (
	maxFirstBody = 4 << 10
	maxBody      = 32 << 20
)

// read reads a request of at most so many bytes. It reports false if it has refused it.
func read(w http.ResponseWriter, r *http.Request, most int64, into any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "the request is too large")
	case errors.Is(err, errHeld):
		refuse(w, http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, http.StatusRequestTimeout, "the request came too slowly")
	case err != nil:
		refuse(w, http.StatusBadRequest, "the request is no valid JSON: "+err.Error())
	}
	return err == nil
}
