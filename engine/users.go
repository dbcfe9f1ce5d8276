package engine

import (
	"slices"

	"github.com/miniserver-go/miniserver/acl"
	"github.com/miniserver-go/miniserver/release"
)

const defaultUserName = "default"

// users is the register of users, and the log of what was refused.
type users struct {
	byName      map[string]*acl.User
	defaultUser *acl.User // the user that sessions begin with
	log         aclLog

	channels string // the first rule of new users: resetchannels or allchannels
}

func newUsers(r *release.Release) users {
	u := asIn(r, acl.Default(nil))
	channels := "resetchannels"
	if !r.Has(selects) {
		channels = "allchannels"
	}
	return users{byName: map[string]*acl.User{defaultUserName: u}, defaultUser: u, log: aclLog{max: 128}, channels: channels}
}

// selects is when users got selectors, GETUSER began to show patterns as rules, and new users began to see no channels.
var selects = release.From("7.0.0")

// usersSanitize is when new users began to have the flag sanitize-payload; since leavesSanitizing the words are taken and mean nothing:
// all that is restored or loaded is checked.
var usersSanitize, leavesSanitizing = release.From("7.2.0"), release.From("valkey:9.1.0")

// asIn returns a new user with the flags that it has in a release.
func asIn(r *release.Release, u *acl.User) *acl.User {
	if !r.Has(usersSanitize) || r.Has(leavesSanitizing) {
		u.LeavePayload()
	}
	return u
}

// User returns the user of a name; nil if there is none.
func (e *Engine) User(name string) *acl.User { return e.users.byName[name] }

// User returns the user as whom the session runs.
func (s *Session) User() *acl.User { return s.user }

// requiresAuth reports whether a new session must authenticate first.
func (u *users) requiresAuth() bool { return !u.defaultUser.NoPass() || !u.defaultUser.Enabled() }

// HasPassword reports whether the default user needs a password. It takes the lock.
func (e *Engine) HasPassword() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.NeedsPassword()
}

// NeedsPassword is HasPassword for a caller that holds the lock, or has not started the engine yet.
func (e *Engine) NeedsPassword() bool { return !e.users.defaultUser.NoPass() }

// setPassword makes the default user's password the only one. With "" the default user needs none.
func (u *users) setPassword(password string) {
	words := []string{"resetpass", ">" + password}
	if password == "" {
		words = []string{"nopass"}
	}
	for _, word := range words {
		if err := u.defaultUser.Apply(word, nil); err != nil {
			panic(err)
		}
	}
}

// aclEntry is what was refused to a user.
type aclEntry struct {
	reason, context, object, user string

	id          int64
	count       int
	first, last int64 // microseconds
	clientInfo  string
}

// denialReasons are the kinds of refusals that INFO counts.
var denialReasons = [...]string{"auth", "command", "key", "channel"}

// aclLog is the latest refusals, the newest first. Equal refusals in quick succession are one entry, so that
// a client that retries cannot push out the others.
type aclLog struct {
	max     int
	next    int64 // id
	entries []*aclEntry
}

const sameDenial = 60e6 // microseconds within which equal refusals are one entry

func (l *aclLog) add(n *aclEntry) {
	same := slices.IndexFunc(l.entries, func(o *aclEntry) bool {
		return o.reason == n.reason && o.context == n.context && o.object == n.object && o.user == n.user &&
			n.last-o.last <= sameDenial
	})
	if same < 0 {
		n.id, l.next = l.next, l.next+1
	} else {
		old := l.entries[same]
		n.id, n.first, n.count = old.id, old.first, old.count+1
		l.entries = slices.Delete(l.entries, same, same+1)
	}
	l.entries = slices.Insert(l.entries, 0, n)
	if len(l.entries) > l.max {
		l.entries = l.entries[:l.max]
	}
}
