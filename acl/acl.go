// Package acl says who may do what: users, their passwords, and the rules by which a command is theirs
// to run.
//
// A user has a root selector and may have more, in parentheses. A command is allowed if one of the
// selectors allows all of it: the command, every key it names and every channel.
//
//	user alice on #2c26… ~app:* %R~conf:* &news +@read +set -keys (~tmp:* +@all)
//	           |  |      |                |     |                 |
//	           |  |      keys             |     commands          another selector
//	           |  password (SHA-256)      channels
//	           flags
//
// Rules are words, applied in order by User.Apply; User.Words returns words that make the same user
// again. What commands there are, and which belong to a category, a Catalogue tells: this package
// knows commands by their numbers only.
//
// A set of words that contains a mistake changes nothing: apply them to a Clone and keep that.
//
// Differs from Redis 7.0, like 7.2: the words of commands are kept as they were given, without those
// that later ones made void, where 7.0 derives other words from the resulting set.
package acl

import "github.com/miniserver-go/miniserver/glob"

// Catalogue tells the commands that rules are about.
type Catalogue interface {
	// Commands returns the numbers of the command called name, or of its subcommand if name is
	// "command|subcommand", and of all its subcommands; nil if there is none. Names have small
	// letters.
	Commands(name string) []int

	// Category returns the numbers of the commands of a category; ok is false if there is none of
	// that name.
	Category(name string) (numbers []int, ok bool)
}

// Access is what a command does with a key.
type Access uint8

// A command may read a key's value, write it, both, or neither, such as EXISTS.
const (
	Read Access = 1 << iota
	Write
)

// Key is a key that a request names.
type Key struct {
	At     int // its position in the arguments
	Access Access
}

// Request is a command as somebody wants to run it.
type Request struct {
	Number   int  // the command's
	Free     bool // the command is anybody's, such as AUTH
	Args     [][]byte
	First    int // position of the first argument behind the command's name
	Keys     []Key
	Channels []int // positions
	Patterns bool  // the channels are patterns, which must stand in the rules as they are
}

// Denial is why a request is refused.
type Denial uint8

// Allowed and the reasons, the nearer to being allowed the later.
const (
	Allowed Denial = iota
	NoCommand
	NoKey
	NoChannel
)

// Check reports whether the user may make the request, and if not why, and the position of the key or
// channel that it is about. It takes the selector that came nearest.
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

// MayListen reports whether the user may be subscribed to a channel, or a pattern of channels.
func (u *User) MayListen(channel string, pattern bool) bool {
	for _, s := range u.selectors {
		if s.listens([]byte(channel), pattern) {
			return true
		}
	}
	return false
}

func (s *selector) check(r *Request) (why Denial, at int) {
	if !r.Free && !s.runs(r) {
		return NoCommand, 0
	}
	for _, key := range r.Keys {
		if !s.opens(r.Args[key.At], key.Access) {
			return NoKey, key.At
		}
	}
	for _, i := range r.Channels {
		if !s.listens(r.Args[i], r.Patterns) {
			return NoChannel, i
		}
	}
	return Allowed, 0
}

// runs reports whether the selector has the command, or its first argument.
func (s *selector) runs(r *Request) bool {
	if s.every || s.has(r.Number) {
		return true
	}
	if r.First < len(r.Args) {
		for _, word := range s.firsts[r.Number] {
			if equalFold(word, r.Args[r.First]) {
				return true
			}
		}
	}
	return false
}

// opens reports whether the selector has a key for such an access.
func (s *selector) opens(key []byte, a Access) bool {
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

// listens reports whether the selector has a channel, or a pattern as it stands.
func (s *selector) listens(channel []byte, pattern bool) bool {
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
