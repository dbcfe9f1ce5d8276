package transcript

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// World is a server against which a transcript runs.
type World interface {
	Traits() Traits

	// Dial opens a connection that speaks RESP2, or RESP3 if the world's traits say so.
	Dial(name string) (Conn, error)

	// SetConfig sets a parameter until the next Reset.
	SetConfig(name, value string) error

	// Advance moves the clock, by at most Traits.Sleep.
	Advance(d time.Duration) error

	// Reset empties the server and restores its first parameters. The caller has closed the
	// connections.
	Reset() error

	// Check is called at the end of a file. It reports errors in the server's state that
	// replies do not show, such as a broken invariant.
	Check() error

	Close() error
}

// clockSetter is a World whose clock can be set.
type clockSetter interface {
	Now() time.Time
	SetTime(at time.Time) error
}

// Admitter is a World that does not run every test.
type Admitter interface {
	// Admit returns the reason why a test does not run.
	Admit(t Test) error
}

// Conn is a client's connection. Replies, late replies of blocked commands, and messages arrive on
// it in order.
type Conn interface {
	Send(args []string) error

	// SetProto switches the connection to protocol version 2 or 3.
	SetProto(proto int) error

	// Next returns the next reply or message, or false if nothing arrives. If patient it
	// waits long, for a reply that must come; otherwise only until it is likely that nothing comes.
	Next(patient bool) (resp.Value, bool, error)

	Close() error
}

// Closed is what Next returns, once, after the server closed the connection.
var Closed = resp.Value{Kind: resp.Error, Text: "(closed by the server)"}

// Traits are the properties of a world.
type Traits struct {
	Name  string        // for messages: "redis", "miniserver over TCP"
	Tags  []string      // for only and not
	Proto int           // of new connections; 2 if 0
	Sleep time.Duration // longest Advance

	Release   *release.Release // of the server, or of the one that ours stands for; nil has every version
	RealClock bool             // time passes between steps

	// Lacks reports whether the world has not a command, or what the command sets. Such a step is
	// left out with those up to the next reset, unless an unknown command is just what it expects.
	// Nil for none.
	Lacks func(args []string) bool
}

// passes reports whether a world with these traits runs the steps under g.
func (t Traits) passes(g guard) bool {
	tagged := slices.ContainsFunc(g.args, t.has)
	switch g.word {
	case "only":
		return tagged
	case "not":
		return !tagged
	}
	since := release.From(strings.Join(g.args, " "))
	if g.word == "like" || g.word == "unlike" {
		return cmp.Or(t.Release, &release.Default).Has(since) == (g.word == "like")
	}
	has := t.Release == nil || t.Release.Extends(since)
	return has == (g.word == "since")
}

// has reports whether the world has the tag, or is of the product of that name: valkey or
// redis-stack.
func (t Traits) has(tag string) bool {
	return slices.Contains(t.Tags, tag) || t.Release != nil && t.Release.Is(tag) && tag != "redis"
}

// plan returns for each step whether a world with these traits runs it. After an Advance that is
// too long for the world, or a command that it lacks, the steps up to the next reset are left out.
func (f *File) plan(steps []step, t Traits) []bool {
	runs := make([]bool, len(steps))
	late := false
	for i, s := range steps {
		guarded := slices.ContainsFunc(s.guards, func(g guard) bool { return !t.passes(g) })
		if s.kind == stepReset {
			late = false
		}
		if !guarded && (s.kind == stepAdvance && s.delay > t.Sleep || f.lacks(s, t)) {
			late = true
		}
		runs[i] = !guarded && !late
	}
	return runs
}

// lacks reports whether a step sends what the world does not know, or sets such a parameter.
func (f *File) lacks(s step, t Traits) bool {
	if t.Lacks == nil || strings.HasPrefix(f.reply(s), unknown) {
		return false
	}
	if s.kind == stepConfig {
		return t.Lacks([]string{"CONFIG", "SET", s.args[0], s.args[1]})
	}
	return slices.ContainsFunc(s.commands(), t.Lacks)
}
