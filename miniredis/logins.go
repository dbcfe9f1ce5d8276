package miniredis

import "sync"

// logins are the passwords that clients must give. There are no rules about what a user may do.
type logins struct {
	mu        sync.Mutex
	passwords map[string]string // by user
}

// defaultUser is who logs in with a password only.
const defaultUser = "default"

// RequireAuth lets clients do nothing before AUTH with a password; "" for no password. Who has
// logged in already stays.
func (m *Miniredis) RequireAuth(pw string) { m.RequireUserAuth(defaultUser, pw) }

// RequireUserAuth lets clients do nothing before AUTH or HELLO with a name and a password, of which
// there may be several; "" removes a user.
func (m *Miniredis) RequireUserAuth(username, pw string) {
	l := &m.logins
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.passwords == nil {
		l.passwords = make(map[string]string)
	}
	if l.passwords[username] = pw; pw == "" {
		delete(l.passwords, username)
	}
	switch {
	case username == defaultUser:
	case pw == "":
		_, _ = m.DB(0).do("ACL", "SETUSER", username, "off", "resetpass")
	default:
		_, _ = m.DB(0).do("ACL", "SETUSER", username, "reset", "on", ">"+pw, "allkeys", "allchannels", "allcommands")
	}
	m.setDefault()
}

// setDefault lets clients in without a password only if there is none at all.
func (m *Miniredis) setDefault() {
	rules := []string{"ACL", "SETUSER", defaultUser, "resetpass"}
	if pw := m.logins.passwords[defaultUser]; pw != "" {
		rules = append(rules, ">"+pw)
	} else if len(m.logins.passwords) == 0 {
		rules = append(rules, "nopass")
	}
	_, _ = m.DB(0).do(rules...)
	m.engine.With(m.engine.AskForLogins)
}
