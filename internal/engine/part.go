package engine

import (
	"bytes"
	"fmt"
	"net"
	"reflect"
	"time"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/event"
)

// Part is what a package adds to an engine: commands, parameters, figures of INFO, and hooks that
// the engine calls. Every field may be left out. What no part asks for costs nothing.
type Part struct {
	Name  string // unique; needed for SetPropagate and DenyWrites
	State any    // whose methods run the part's commands: see On

	Families []command.Family // commands
	Types    []Type           // of data
	Modules  []Module         // of MODULE LIST
	// Auxiliary is what the part keeps for a world beside its keys, and what is saved with them.
	Auxiliary []Auxiliary
	Params    []config.Param    // of CONFIG
	Sections  []Section         // of INFO
	Figures   map[string]Figure // of INFO, by their names there, for sections of others
	Caches    []Cache           // of MEMORY STATS
	// CommandStats adds to the line of a command in INFO commandstats: ",name=value".
	CommandStats func(cmd *command.Command, b *bytes.Buffer)
	Debug        []DebugLine // subcommands of DEBUG

	Host      Host      // what the process does for the engine
	Clock     Clock     // in place of the clock that the engine was made with; an engine has one of them at most
	Libraries Libraries // the libraries of functions; an engine has one of them
	Guests    Guests    // who may log in as the default user by another name; an engine has one of them

	// The engine calls the hooks under its lock, in the order in which the parts joined.

	// Tick is called between commands and outside of transactions and scripts, five times a second
	// or more while there are batches and for some time after. It returns when it must be called
	// again at the latest, in milliseconds since the epoch by the home world's clock; 0 if only a
	// batch can give it something to do.
	Tick func() (next int64)
	// Due is Tick for each world, by its own clock.
	Due func(w *World) (next int64)
	// Lags reports whether others do not have everything that they are to have, for which SHUTDOWN
	// waits.
	Lags func() bool
	// Reset forgets what the part keeps for a world: see PerWorld.
	Reset func(w *World)
	// Forget drops what a server may lose of a world at any time, such as cached scripts.
	Forget func(w *World)
	// Reseed starts what is random in a world anew, for a part with a sequence of its own.
	Reseed func(w *World, seed uint64)
	// Flushed is called after FLUSHALL removed everything from the home world.
	Flushed func()
	// Shutdown is called before SHUTDOWN ends the process, that of the part that joined last first.
	// An error refuses it.
	Shutdown func(how Shutdown) error
	// Executed is called after a command, when it is known how long it took; what a script calls
	// counts only if a part is Precise.
	Executed func(x Executed)
	// Precise has each command timed by itself, which costs a reading of the clock for each.
	Precise bool
	// Replied is called after a command of a client that was not refused, with the bytes of its
	// reply.
	Replied func(x Executed, reply int)
	// Sampled gets what held clients up: see World.AddLatency.
	Sampled func(w *World, event string, micros int64)
	// Event is called for each keyspace event that notify-keyspace-events enables. fields are the
	// hash fields that the event names; nil unless it enables the channels for fields.
	Event func(w *World, db int, key []byte, ev event.Event, fields [][]byte)
	// Detach ends what commands set up in a session, because it ends, is reset or moves to another
	// world.
	Detach func(s *Session)
	// Describe describes a session in a line, for the log. An engine has one of them.
	Describe func(s *Session) string
	// Permits reports whether a user, whose rules have changed, may have what commands set up in a
	// session.
	Permits func(u *acl.User, s *Session) bool
	// Refused is told what a user was refused. The session is that of the client, also of what its
	// script called.
	Refused func(s *Session, r Refusal)
	// Propagate receives every change. SetPropagate starts and stops it while the engine runs.
	Propagate Propagate
	// Awaits is asked whenever replies and messages are taken for sending. They may tell of changes
	// that are not certain yet: unless it returns 0, the server holds them back until the part has
	// settled what it returned, see server.Barrier. settled says that they are nothing but the
	// replies to reads of keys for which Settled returned true. An engine has one of them.
	Awaits func(settled bool) uint64
	// Settled reports whether all changes of a key are certain. A part with Awaits has it.
	Settled func(key []byte) bool
	// Replicates says that Propagate feeds replicas, which receive messages as well, and not a
	// journal.
	Replicates bool

	writeError error // see DenyWrites
}

// Shutdown is the options of SHUTDOWN.
type Shutdown struct {
	Save, NoSave bool // whatever the parameters say
	Now, Force   bool // do not wait for replicas; exit even if saving fails
}

// Guests decides whether a name that no user has may log in as the default user. It returns the
// password to compare, and what to do after the login; nil if the name may not.
type Guests func(c *Call, name, password []byte) (compared []byte, admitted func())

// Refusal is what was refused to a user.
type Refusal struct {
	Reason  string // auth, command, key or channel
	Context string // toplevel, multi or lua
	Object  string // the command, the key or the channel
	User    string
}

// Clock is a clock that does not run as the machine's does. Its methods may be called from any
// goroutine.
type Clock interface {
	// Now returns the time in microseconds since the epoch.
	Now() int64
	// Wait returns how long it takes, by the machine's clock, until a Tick is needed that is due at
	// a time in milliseconds since the epoch; 0 for none.
	Wait(due int64) time.Duration
}

// parts is the parts that have joined, and what they brought.
type parts struct {
	List      []*Part
	Types     Types     // of all of them
	Host      Host      // what all of them do for the engine
	Sections  []Section // of INFO, in order
	Libraries Libraries // to be saved and restored, under the lock
	guests    Guests
	certainty certainty
	hooks     hooks
}

// hooks are those of all parts that are called for each command.
type hooks struct {
	executed []func(x Executed)
	replied  []func(x Executed, reply int)
	sampled  []func(w *World, event string, micros int64)
	event    []func(w *World, db int, key []byte, ev event.Event, fields [][]byte)
	precise  bool
}

// Rewire changes the hooks of a part while the engine runs. It is called under the lock.
func (e *Engine) Rewire(part string, change func(p *Part)) {
	change(e.part(part))
	e.connect()
}

// connect collects the hooks of the parts.
func (e *Engine) connect() {
	var h hooks
	for _, p := range e.Parts.List {
		if p.Executed != nil {
			h.executed = append(h.executed, p.Executed)
		}
		if p.Replied != nil {
			h.replied = append(h.replied, p.Replied)
		}
		if p.Sampled != nil {
			h.sampled = append(h.sampled, p.Sampled)
		}
		if p.Event != nil {
			h.event = append(h.event, p.Event)
		}
		h.precise = h.precise || p.Precise
	}
	e.Parts.hooks = h
	e.connectPropagation()
}

// part returns the part with a name. It panics if there is none: names are constants of the parts
// themselves.
func (e *Engine) part(name string) *Part {
	p := e.lookupPart(name)
	if p == nil {
		panic(fmt.Sprintf("engine: no part %q has joined", name))
	}
	return p
}

// lookupPart returns the part with a name, or nil.
func (e *Engine) lookupPart(name string) *Part {
	for _, p := range e.Parts.List {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (e *Engine) tickParts() (next int64) {
	for _, p := range e.Parts.List {
		if p.Tick != nil {
			next = earlier(next, p.Tick())
		}
	}
	return next
}

func (w *World) tickParts() (next int64) {
	for _, p := range w.engine.Parts.List {
		if p.Due != nil {
			next = earlier(next, p.Due(w))
		}
	}
	return next
}

// Forget calls the parts' Forget.
func (w *World) Forget() {
	for _, p := range w.engine.Parts.List {
		if p.Forget != nil {
			p.Forget(w)
		}
	}
}

// detachParts ends what the parts set up in a session.
func (e *Engine) detachParts(s *Session) {
	for _, p := range e.Parts.List {
		if p.Detach != nil {
			p.Detach(s)
		}
	}
	s.ofParts = nil
}

// reportFlushed calls the parts' Flushed.
func (e *Engine) reportFlushed() {
	for _, p := range e.Parts.List {
		if p.Flushed != nil {
			p.Flushed()
		}
	}
}

// Turn is a part of some work: see InTurns. It takes about as long as length, and reports whether
// there is more to do.
type Turn func(length time.Duration) (more bool)

// Work is something that is done in turns.
type Work struct {
	Turn    Turn
	Awaited bool   // a client waits for its end
	Done    func() // called when there is no more to do
}

// Host is what the process around an engine does for it. An engine has one hook of each kind, and
// each may be nil. Hooks are called under the lock and must not call the engine.
type Host struct {
	// Due asks for a Tick at a time, in milliseconds since the epoch, which is earlier than the
	// last Tick returned.
	Due func(deadline int64)
	// Spawn starts a goroutine that runs the rest of a script that is past its time limit.
	// Without it scripts run to their end inside Do. See slowscript.go.
	Spawn func(run func())
	// InTurns has an event loop do some work: see Engine.InTurns. It is called with the lock or
	// without it, and returns at once. It reports false, and does nothing, if no loop runs.
	InTurns func(Work) bool
	// Feed has an event loop read a connection: see Engine.Feed.
	Feed func(conn net.Conn, receive Receive) (Feed, error)
	// Listen closes the listeners, so that the system refuses connections, or opens them again.
	Listen func(on bool) error
	// OpenTo opens a port whose connections lead to another world, a free one for 0, and returns
	// it. The server must run. ShutTo closes it.
	OpenTo func(w *World, port int) (int, error)
	ShutTo func(w *World)
	// Exit ends the process, for SHUTDOWN, which is an error without it.
	Exit func()
	// Sleep blocks the server for some microseconds, for DEBUG SLEEP.
	Sleep func(micros int64)
	// Log writes a line to the log. The mark is the level: # warning, * notice.
	Log func(mark byte, format string, args ...any)
	// Purge gives memory back to the system, for MEMORY PURGE.
	Purge func()
	// CPU returns the processor time that the process has used, and that the system has for it, in
	// microseconds.
	CPU func() (user, system int64)
	// Memory returns what the process holds.
	Memory func() ProcessMemory
	// Machine is the memory in bytes that the machine, the container and the system's limits leave
	// to the process; 0 if that is unknown.
	Machine int64
	// Limit sets the collector to a new maxmemory, 0 for none.
	Limit func(bytes int64)
	// Traffic returns how many bytes came in and went out so far, and how often event loops looked
	// for input.
	Traffic func() (in, out, cycles int64)
	// Rewrite writes the parameters to the configuration file, for CONFIG REWRITE: those that
	// changed, or all.
	Rewrite func(all bool) error
	// Users is the file that keeps the users.
	Users UserFile
}

// Log writes a line to the host's log, if it has one. It is called under the lock.
func (e *Engine) Log(mark byte, format string, args ...any) {
	if e.Parts.Host.Log != nil {
		e.Parts.Host.Log(mark, format, args...)
	}
}

// merge adds the hooks of another host. It panics if both have the same hook.
func (h *Host) merge(other Host) {
	to, from := reflect.ValueOf(h).Elem(), reflect.ValueOf(other)
	for i := range from.NumField() {
		switch hook := from.Field(i); {
		case hook.IsZero():
		case !to.Field(i).IsZero():
			panic("engine: two parts have the hook " + from.Type().Field(i).Name)
		default:
			to.Field(i).Set(hook)
		}
	}
}

// DebugLine is a subcommand of DEBUG.
type DebugLine struct {
	Name        string
	Least, Most int    // arguments after the name
	Args, About string // of HELP; a line without About is not shown
	Run         Handler
	HomeOnly    bool // as the flag

	// The releases that have it, in the notation of package release; with encodings ziplist what
	// went is there too.
	Since, Until string
}

// UserFile is where users are kept, for ACL LOAD and ACL SAVE.
type UserFile interface {
	Name() string // as messages are to show it; "" if there is none
	Read() ([]byte, error)
	Write(text []byte) error // all of it or nothing
}
