package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/acl"
	"github.com/miniserver-go/miniserver/internal/command"
)

// Users kept in a file of their own, a line each, as ACL LIST shows them.

// LoadUsers replaces all users by those of the file, or changes nothing if the file has an error. It closes
// the sessions of users that are gone; the caller's own after its reply. It returns the error in Redis'
// words.
func (e *Engine) LoadUsers(caller *Session) error {
	file := e.Parts.Host.Users
	text, err := file.Read()
	if err != nil {
		return command.Errorf(errACLOpen, file.Name(), cause(err))
	}
	r := userReader{engine: e, file: file.Name(), users: make(map[string]*acl.User)}
	for line := range strings.Lines(string(text)) {
		r.number++
		r.line(strings.Trim(line, " \t\r\n"))
	}
	if r.errors.Len() > 0 {
		return command.Errorf(errACLUnchanged, r.errors.String())
	}
	e.replaceUsers(caller, r.users)
	return nil
}

// cause returns the system's text of an error.
func cause(err error) string {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// replaceUsers replaces all users. The default user's value stays the same, with other rules, because
// sessions refer to it.
func (e *Engine) replaceUsers(caller *Session, users map[string]*acl.User) {
	anybody := asIn(e.Release, acl.Default(aclCommands{e}))
	if u := users[defaultUserName]; u != nil {
		anybody = u
	}
	*e.users.defaultUser = *anybody
	users[defaultUserName] = e.users.defaultUser
	gone := e.users.byName
	e.users.byName = users
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		if name != defaultUserName {
			e.closeClientsOf(caller, gone[name])
		}
	}
}

// userReader reads the lines of a file of users, and gathers what is wrong with them.
type userReader struct {
	engine   *Engine
	file     string
	number   int // of the line
	users    map[string]*acl.User
	errors   strings.Builder
	reported bool // an error was reported that may have caused further ones
}

func (r *userReader) fail(form string, args ...any) { fmt.Fprintf(&r.errors, form, args...) }

func (r *userReader) line(text string) {
	if text == "" {
		return
	}
	words := strings.Split(text, " ")
	switch {
	case words[0] != "user" || len(words) < 2:
		r.fail(errACLNoUser, r.file, r.number)
		return
	case r.users[words[1]] != nil:
		r.fail(errACLTwice, words[1], r.number)
		return
	}
	rules, unmatched := r.engine.joinSelectors(words[2:])
	if unmatched != "" {
		r.fail(errACLSelector, r.file, r.number)
		return
	}
	u := r.engine.newUser(words[1])
	r.users[u.Name] = u
	for _, rule := range rules {
		rule = strings.Trim(rule, "\t\r\n")
		err := r.engine.applyRule(u, rule)
		switch {
		case err == nil || rule == "":
		case errors.Is(err, acl.ErrUnknown):
			r.fail(errACLRuleLine, r.file, r.number, rule, err)
		case !r.reported:
			r.reported = true
			r.fail(errACLLine, r.file, r.number, err)
		}
	}
}

// newUser returns a user to which only the rule of acl-pubsub-default was applied.
func (e *Engine) newUser(name string) *acl.User {
	u := asIn(e.Release, acl.New(name))
	if err := u.Apply(e.users.channels, aclCommands{e}); err != nil {
		panic(err)
	}
	return u
}

// UserLines returns the users in the form of their file, in order of their names.
func (e *Engine) UserLines() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(e.users.byName)) {
		lines = append(lines, "user "+name+" "+e.users.byName[name].Words())
	}
	return lines
}

// DeclareUser adds a user from a line of a configuration file: a name and rules. The default user's earlier
// rules are replaced. It returns the error in Redis' words.
func (e *Engine) DeclareUser(name string, rules []string) error {
	if strings.ContainsAny(name, " \x00") {
		return command.Error("Spaces not allowed in ACL usernames")
	}
	u := e.newUser(name)
	rules, unmatched := e.joinSelectors(rules)
	if unmatched != "" {
		return acl.ErrUnknown
	}
	for _, rule := range rules {
		if err := e.applyRule(u, rule); err != nil {
			return err
		}
	}
	if name == defaultUserName {
		*e.users.defaultUser = *u
		return nil
	}
	e.users.byName[name] = u
	return nil
}

// ACL LOAD
func cmdACLLoad(c *Call) {
	if !c.hasUserFile() {
		return
	}
	if err := c.Engine.LoadUsers(c.Session); err != nil {
		c.Fail(fmt.Errorf("ERR %s", err))
		return
	}
	c.Reply.Status("OK")
}

// ACL SAVE
func cmdACLSave(c *Call) {
	if !c.hasUserFile() {
		return
	}
	if err := c.Engine.Parts.Host.Users.Write([]byte(strings.Join(c.Engine.UserLines(), "\n") + "\n")); err != nil {
		c.Fail(ErrACLSave)
		return
	}
	c.Reply.Status("OK")
}

func (c *Call) hasUserFile() bool {
	if f := c.Engine.Parts.Host.Users; f == nil || f.Name() == "" {
		c.Fail(ErrNoACLFile)
		return false
	}
	return true
}
