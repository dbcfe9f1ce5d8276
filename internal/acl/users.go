package acl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
)

// DefaultName is the name of the user that sessions begin with.
const DefaultName = "default"

// Users is the register of users, with the words, flags and rules that a release of Redis has.
type Users struct {
	// NewChannels is the first rule of new users: resetchannels or allchannels, as
	// acl-pubsub-default says.
	NewChannels string

	byName    map[string]*User
	first     *User // the default user: always the same, with other rules, because sessions refer to it
	release   *release.Release
	catalogue Catalogue
}

// Selects is when users got selectors, GETUSER began to show patterns as rules, and new users began
// to see no channels.
var Selects = release.From("7.0.0")

// sanitizes is when new users began to have the flag sanitize-payload. Since LeavesSanitizing the
// words are taken and mean nothing: all that is restored or loaded is checked.
var (
	sanitizes        = release.From("7.2.0")
	LeavesSanitizing = release.From("valkey:9.1.0")
)

// NewUsers returns a register with the default user, who may do everything without a password.
func NewUsers(r *release.Release, catalogue Catalogue) *Users {
	us := &Users{NewChannels: "resetchannels", release: r, catalogue: catalogue}
	if !r.Has(Selects) {
		us.NewChannels = "allchannels"
	}
	us.first = us.flagged(Default(nil))
	us.byName = map[string]*User{DefaultName: us.first}
	return us
}

// flagged gives a new user the flags that it has in the release.
func (us *Users) flagged(u *User) *User {
	if !us.release.Has(sanitizes) || us.release.Has(LeavesSanitizing) {
		u.LeavePayload()
	}
	return u
}

// Default returns the user that sessions begin with.
func (us *Users) Default() *User { return us.first }

// RequiresAuth reports whether a new session must authenticate first.
func (us *Users) RequiresAuth() bool { return !us.first.NoPass() || !us.first.Enabled() }

// SetPassword makes a password the only one of the default user, who needs none with "".
func (us *Users) SetPassword(password string) {
	words := []string{"resetpass", ">" + password}
	if password == "" {
		words = []string{"nopass"}
	}
	for _, word := range words {
		if err := us.first.Apply(word, nil); err != nil {
			panic(err)
		}
	}
}

// Named returns the user of a name; nil if there is none.
func (us *Users) Named(name string) *User { return us.byName[name] }

// Names returns the names of all users, sorted.
func (us *Users) Names() []string { return slices.Sorted(maps.Keys(us.byName)) }

// New returns a user who is not in the register yet, and to whom only NewChannels was applied.
func (us *Users) New(name string) *User {
	u := us.flagged(New(name))
	if err := u.Apply(us.NewChannels, us.catalogue); err != nil {
		panic(err)
	}
	return u
}

// Put puts a user into the register, in place of the one of that name.
func (us *Users) Put(u *User) { us.byName[u.Name] = u }

// Remove removes a user and returns it; nil if there is none. The default user must stay.
func (us *Users) Remove(name string) *User {
	u := us.byName[name]
	delete(us.byName, name)
	return u
}

// Apply applies a rule with the words that the release has. What a user is after "reset" is what
// NewChannels lets new ones be.
func (us *Users) Apply(u *User, word string) error {
	if namesDatabases(word) && !us.release.Extends(LimitsDatabases) {
		return ErrSyntax
	}
	apply := u.Apply
	if !us.release.Has(Selects) {
		apply = u.ApplyPlain
	}
	err := apply(word, us.catalogue)
	if err == nil && strings.EqualFold(word, "reset") {
		err = u.Apply(us.NewChannels, us.catalogue)
	}
	if us.release.Has(LeavesSanitizing) {
		u.LeavePayload()
	}
	return err
}

// JoinSelectors is [JoinSelectors] in a release that has selectors.
func (us *Users) JoinSelectors(words []string) (joined []string, unmatched string) {
	if !us.release.Has(Selects) {
		return words, ""
	}
	return JoinSelectors(words)
}

// Lines returns the users as ACL LIST and their file have them, in order of their names.
func (us *Users) Lines() (lines []string) {
	for _, name := range us.Names() {
		lines = append(lines, "user "+name+" "+us.byName[name].Words())
	}
	return lines
}

// Declare adds a user from a line of a configuration file: a name and rules. The default user's
// earlier rules are replaced. It returns the error in Redis' words.
func (us *Users) Declare(name string, rules []string) error {
	if strings.ContainsAny(name, " \x00") {
		return errBlankName
	}
	u := us.New(name)
	rules, unmatched := us.JoinSelectors(rules)
	if unmatched != "" {
		return ErrUnknown
	}
	for _, rule := range rules {
		if err := us.Apply(u, rule); err != nil {
			return err
		}
	}
	if name == DefaultName {
		*us.first = *u
		return nil
	}
	us.Put(u)
	return nil
}

// Load replaces all users by those in the text of a file, or changes nothing if a line has an
// error. It returns the users who are gone in order of their names, or the errors in Redis' words.
// The name of the file is for those.
func (us *Users) Load(file string, text []byte) (gone []*User, err error) {
	r := reader{us: us, file: file, byName: make(map[string]*User)}
	for line := range strings.Lines(string(text)) {
		r.number++
		r.line(strings.Trim(line, " \t\r\n"))
	}
	if r.errors.Len() > 0 {
		return nil, fmt.Errorf(errUnchanged, r.errors.String())
	}
	return us.replace(r.byName), nil
}

// replace replaces all users and returns those before but for the default one.
func (us *Users) replace(byName map[string]*User) (gone []*User) {
	anybody := us.flagged(Default(us.catalogue))
	if u := byName[DefaultName]; u != nil {
		anybody = u
	}
	*us.first = *anybody
	byName[DefaultName] = us.first
	for _, name := range us.Names() {
		if name != DefaultName {
			gone = append(gone, us.byName[name])
		}
	}
	us.byName = byName
	return gone
}

// The errors of files, in Redis' words.
const (
	errBlankName = Error("Spaces not allowed in ACL usernames")
	errNoUser    = "%s:%d should start with user keyword followed by the username. "
	errTwice     = "WARNING: Duplicate user '%s' found on line %d. "
	errSelector  = "%s:%d: Unmatched parenthesis in selector definition."
	errRuleLine  = "%s:%d: Error in applying operation '%s': %s. "
	errLine      = "%s:%d: %s. "
	errUnchanged = "%sWARNING: ACL errors detected, no change to the previously active ACL rules was performed"
)

// reader reads the lines of a file of users, and gathers what is wrong with them.
type reader struct {
	us       *Users
	file     string
	number   int // of the line
	byName   map[string]*User
	errors   strings.Builder
	reported bool // an error was reported that may have caused further ones
}

func (r *reader) fail(form string, args ...any) { fmt.Fprintf(&r.errors, form, args...) }

func (r *reader) line(text string) {
	if text == "" {
		return
	}
	words := strings.Split(text, " ")
	switch {
	case words[0] != "user" || len(words) < 2:
		r.fail(errNoUser, r.file, r.number)
		return
	case r.byName[words[1]] != nil:
		r.fail(errTwice, words[1], r.number)
		return
	}
	rules, unmatched := r.us.JoinSelectors(words[2:])
	if unmatched != "" {
		r.fail(errSelector, r.file, r.number)
		return
	}
	u := r.us.New(words[1])
	r.byName[u.Name] = u
	for _, rule := range rules {
		rule = strings.Trim(rule, "\t\r\n")
		err := r.us.Apply(u, rule)
		switch {
		case err == nil || rule == "":
		case errors.Is(err, ErrUnknown):
			r.fail(errRuleLine, r.file, r.number, rule, err)
		case !r.reported:
			r.reported = true
			r.fail(errLine, r.file, r.number, err)
		}
	}
}
