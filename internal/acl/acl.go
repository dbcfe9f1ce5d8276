// Package acl is access control lists: users, their passwords, and the rules that decide which
// commands they may run.
//
// A user has a root selector and may have more, in parentheses. A request is allowed if one
// selector allows all of it: the command, every key and every channel.
//
//	user alice on #2c26… ~app:* %R~conf:* &news +@read +set -keys (~tmp:* +@all)
//	           |  |      |                |     |                 |
//	           |  |      keys             |     commands          another selector
//	           |  password (SHA-256)      channels
//	           flags
//
// Rules are words. [User.Apply] applies them one by one, and [User.Words] returns words that make
// the same user again. A [Catalogue] returns the commands of a name or a category: this package
// knows commands by their numbers only.
//
// An invalid word leaves the user as it was. To apply several words or none of them, apply them to
// a Clone.
//
// Words returns the rules of commands as Redis 7.2 does: as they were applied, without those that
// later ones override. Redis 7.0 derives them from the resulting set of commands.
package acl

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/glob"
)

// Catalogue is the commands that exist.
type Catalogue interface {
	// Commands returns the numbers of a command and all its subcommands, or of one subcommand if
	// name is "command|subcommand". It returns nil if there is none. Names are in lower case.
	Commands(name string) []int

	// Category returns the numbers of the commands of a category. ok is false if the category does
	// not exist.
	Category(name string) (numbers []int, ok bool)
}

// Access is what a command does with a key.
type Access uint8

// A command may read a key's value, write it, both, or neither, like EXISTS.
const (
	Read Access = 1 << iota
	Write
)

// Key is a key that a request names.
type Key struct {
	At     int // its position in the arguments
	Access Access
}

// Database is a database that a request uses.
type Database struct {
	ID int
	At int // the argument that names it; 0 for the one that is selected
}

// Request is a command with its arguments.
type Request struct {
	Number   int  // the command's
	Free     bool // every user may run the command, like AUTH
	Args     [][]byte
	First    int // position of the first argument after the command's name
	Keys     []Key
	Channels []int // positions of the channels in the arguments
	Patterns bool  // the channels are patterns, which the rules must contain literally

	Databases []Database
	All       int // the number of all databases, if it uses them; 0 otherwise
}

// Denial is the reason why a request is denied.
type Denial uint8

// The denials in the order of the checks: a selector with a later one came nearer to allowing the
// request.
const (
	Allowed Denial = iota
	NoDatabase
	NoCommand
	NoKey
	NoChannel
)

// Check returns Allowed, or why the user may not make the request, and the position of the denied
// database, key or channel. If all selectors deny it, the result is that of the one that came
// nearest.
func (u *User) Check(r *Request) (why Denial, at int) {
	for _, s := range u.selectors {
		d, i := s.check(r)
		if d == Allowed {
			return Allowed, 0
		}
		if d > why || d == why && i > at {
			why, at = d, i
		}
	}
	return why, at
}

// MayReadAll reports whether the user may make the request by a selector that also allows reading
// every key.
func (u *User) MayReadAll(r *Request) bool {
	for _, s := range u.selectors {
		if why, _ := s.check(r); why == Allowed && s.readsAll() {
			return true
		}
	}
	return false
}

// MayRead reports whether the user may read a key with some command.
func (u *User) MayRead(key []byte) bool {
	return slices.ContainsFunc(u.selectors, func(s *selector) bool { return s.allowsKey(key, Read) })
}

// readsAll reports whether the selector allows reading every key. As in Redis only the pattern *
// says so.
func (s *selector) readsAll() bool {
	return s.allKeys ||
		slices.ContainsFunc(s.keys, func(p keyPattern) bool { return p.text == "*" && p.access&Read != 0 })
}

// MayListen reports whether the user may subscribe to a channel, or to a pattern of channels.
func (u *User) MayListen(channel string, pattern bool) bool {
	for _, s := range u.selectors {
		if s.allowsChannel([]byte(channel), pattern) {
			return true
		}
	}
	return false
}

// check is User.Check for one selector.
func (s *selector) check(r *Request) (why Denial, at int) {
	for _, db := range r.Databases {
		if !s.allowsDatabase(db.ID) {
			return NoDatabase, db.At
		}
	}
	if !s.allowsDatabases(r.All) {
		return NoDatabase, 0
	}
	if !r.Free && !s.allowsCommand(r) {
		return NoCommand, 0
	}
	for _, key := range r.Keys {
		if !s.allowsKey(r.Args[key.At], key.Access) {
			return NoKey, key.At
		}
	}
	for _, i := range r.Channels {
		if !s.allowsChannel(r.Args[i], r.Patterns) {
			return NoChannel, i
		}
	}
	return Allowed, 0
}

// allowsCommand reports whether the selector allows the command, or the command with its first
// argument.
func (s *selector) allowsCommand(r *Request) bool {
	if s.allCommands || s.has(r.Number) {
		return true
	}
	if r.First < len(r.Args) {
		for _, word := range s.firstArgs[r.Number] {
			if equalFold(word, r.Args[r.First]) {
				return true
			}
		}
	}
	return false
}

// allowsKey reports whether the selector allows an access to a key.
func (s *selector) allowsKey(key []byte, a Access) bool {
	if s.allKeys {
		return true
	}
	for _, p := range s.keys {
		if p.access&a == a && glob.Match(p.text, key) {
			return true
		}
	}
	return false
}

// allowsChannel reports whether the selector allows a channel, or contains a pattern literally.
func (s *selector) allowsChannel(channel []byte, pattern bool) bool {
	if s.allChannels {
		return true
	}
	for _, p := range s.channels {
		if pattern && p == string(channel) || !pattern && glob.Match(p, channel) {
			return true
		}
	}
	return false
}
