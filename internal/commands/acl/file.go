package acl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// Load replaces all users by those of the file that the engine's host names, or changes nothing if
// the file has an error. It ends the sessions of users that are gone; the caller's own after its
// reply. It returns the error in Redis' words.
func Load(e *engine.Engine, caller *engine.Session) error {
	file := e.Parts.Host.Users
	text, err := file.Read()
	if err != nil {
		return command.Errorf(errOpen, file.Name(), cause(err))
	}
	gone, err := e.Users.Load(file.Name(), text)
	for _, u := range gone {
		endSessionsOf(e, u, caller, true)
	}
	return err
}

// cause returns the system's text of an error.
func cause(err error) string {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// ACL LOAD
func cmdACLLoad(c *engine.Call) {
	if !hasFile(c) {
		return
	}
	if err := Load(c.Engine, c.Session); err != nil {
		c.Fail(fmt.Errorf("ERR %s", err))
		return
	}
	c.Reply.Status("OK")
}

// ACL SAVE
func cmdACLSave(c *engine.Call) {
	if !hasFile(c) {
		return
	}
	if err := c.Engine.Parts.Host.Users.Write([]byte(strings.Join(c.Engine.Users.Lines(), "\n") + "\n")); err != nil {
		c.Fail(errSave)
		return
	}
	c.Reply.Status("OK")
}

func hasFile(c *engine.Call) bool {
	if f := c.Engine.Parts.Host.Users; f == nil || f.Name() == "" {
		c.Fail(errNoFile)
		return false
	}
	return true
}
