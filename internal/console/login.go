package console

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// cookie is the name of the cookie that remembers a login. The port is part of the name: browsers
// do not tell ports apart.
func (c *Console) cookie() string { return "miniserver-" + c.settings.portText() }

// Limits of logins.
const (
	maxLogins   = 1024
	loginLasts  = 12 * time.Hour // since it was last used
	maxPassword = 1024
)

// login is a user who has logged in. The name and the password are those that each of his sessions
// sends with AUTH. A nil login is that of a browser that has not: its sessions are those of the
// default user, if that needs no password.
type login struct {
	user, password string
	used           time.Time
}

// name returns the name of the user.
func (l *login) name() string {
	if l == nil {
		return "default"
	}
	return l.user
}

// logins are the users who have logged in, by the secret in their cookie.
type logins struct {
	mu       sync.Mutex
	bySecret map[string]*login
}

// add remembers a login and returns its secret. The one that was not used for longest gives way.
func (l *logins) add(user, password string) (secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bySecret == nil {
		l.bySecret = make(map[string]*login)
	}
	for len(l.bySecret) >= maxLogins {
		oldest := ""
		for s, one := range l.bySecret {
			if oldest == "" || one.used.Before(l.bySecret[oldest].used) {
				oldest = s
			}
		}
		delete(l.bySecret, oldest)
	}
	secret = rand.Text()
	l.bySecret[secret] = &login{user, password, time.Now()}
	return secret
}

// find returns the login of a secret; nil if there is none.
func (l *logins) find(secret string) *login {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.bySecret[secret]
	if one == nil {
		return nil
	}
	if time.Since(one.used) > loginLasts {
		delete(l.bySecret, secret)
		return nil
	}
	one.used = time.Now()
	return one
}

func (l *logins) remove(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.bySecret, secret)
}

// loginOf returns the login of a request's cookie.
func (c *Console) loginOf(r *http.Request) *login {
	if k, err := r.Cookie(c.cookie()); err == nil {
		return c.logins.find(k.Value)
	}
	return nil
}

// logIn is POST /api/login: {"user", "password"}. The engine decides.
func (c *Console) logIn(w http.ResponseWriter, r *http.Request) {
	var who struct{ User, Password string }
	if !read(w, r, maxFirstBody, &who) {
		return
	}
	if who.User == "" {
		who.User = "default"
	}
	s := c.newSession(&login{user: who.User, password: who.Password}, endpointOf(r), nil)
	defer s.close()
	if err := s.connect(); err != nil {
		refuse(w, http.StatusUnauthorized, err.Error())
		return
	}
	http.SetCookie(w, &http.Cookie{Name: c.cookie(), Value: c.logins.add(who.User, who.Password), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	answer(w, struct{ User string }{who.User})
}

// logOut is POST /api/logout.
func (c *Console) logOut(w http.ResponseWriter, r *http.Request) {
	if k, err := r.Cookie(c.cookie()); err == nil {
		c.pages.closeOf(c.logins.find(k.Value))
		c.logins.remove(k.Value)
	}
	http.SetCookie(w,
		&http.Cookie{Name: c.cookie(), Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	answer(w, struct{}{})
}
