package engine

import (
	"bytes"
	"errors"
)

// What the engine has to do with whoever keeps its data on disk: it hands out what changes, takes
// back what was kept, and refuses writes that could not be kept.

// SetJournal says where changes go from now on: fn receives the commands that reproduce each change, in
// order, and must not keep args; nil for none. It is called under the lock, in no transaction.
func (e *Engine) SetJournal(fn Effects) {
	e.journaled = fn
	e.setLogs()
}

// Effects receives commands, each with its database.
type Effects func(db int, args [][]byte)

// setLogs has changes told to those who want to know: the journal, the relay, both or nobody.
func (e *Engine) setLogs() {
	switch journal := e.journaled; {
	case !e.relay.running:
		e.log = journal
	case journal == nil:
		e.log = e.feed
	default:
		e.log = func(db int, args [][]byte) {
			journal(db, args)
			e.feed(db, args)
		}
	}
	e.Keyspace.NameLapsed = e.log != nil
}

// Durable is who knows what of the changes is safe on disk. It is called under the lock.
type Durable interface {
	// Synced reports whether changes are kept at all, and whether all of them are on disk.
	Synced() (kept, synced bool)
	// Await has done called, under the lock, when what was changed so far is on disk.
	Await(done func())
}

// SetDurable says who knows, for WAITAOF.
func (e *Engine) SetDurable(d Durable) { e.durable = d }

func (e *Engine) synced() (kept, synced bool) {
	if e.durable == nil {
		return false, false
	}
	return e.durable.Synced()
}

// InTx reports whether a transaction or script is under way, whose changes are one unit in the journal.
func (e *Engine) InTx() bool { return e.tx.depth > 0 || e.slow.session != nil }

// Keeper is one who keeps the data.
type Keeper int

// The keepers, in the order in which their troubles are told.
const (
	KeptBySnapshot Keeper = iota
	KeptByJournal
	keepers
)

// DenyWrites has commands that write refused with an error's text, because a keeper cannot keep what
// they change; "" allows them again. It is called under the lock.
func (e *Engine) DenyWrites(by Keeper, text string) {
	e.denials[by] = text
	e.denied = ""
	for _, text := range e.denials {
		if e.denied == "" {
			e.denied = text
		}
	}
}

// deniable reports whether the command is one that DenyWrites refuses. PING is, so that whoever only
// asks for health hears of the trouble.
func (s *Session) deniable(cmd *Command, args [][]byte) bool {
	return cmd.flagsWith(args)&Write != 0 || cmd.Name == "ping" || cmd.Name == "exec" && s.tx != nil && s.tx.writes()
}

// Libraries are the libraries of functions, which are kept with the data.
type Libraries interface {
	// Sources returns their sources, in the order in which they were loaded. They are not to be changed.
	Sources() [][]byte
	// Restore takes in libraries of such sources, all of them or none. It copies what it keeps.
	Restore(sources [][]byte, how Restoring) error
}

// Restoring says what becomes of the libraries that are there.
type Restoring int

// The ways of restoring libraries.
const (
	Append  Restoring = iota // they stay; none may be there already
	Replace                  // they stay, but for those of the same name
	Flush                    // they go
)

// SetLibraries says who has the libraries. It is called before any are restored.
func (e *Engine) SetLibraries(l Libraries) { e.libraries = l }

// Libraries returns the libraries for whoever keeps them. They are used under the lock.
func (e *Engine) Libraries() Libraries { return e.libraries }

// noLibraries are those of an engine without functions.
type noLibraries struct{}

// Sources implements Libraries.
func (noLibraries) Sources() [][]byte { return nil }

// Restore implements Libraries.
func (noLibraries) Restore(sources [][]byte, _ Restoring) error {
	if len(sources) > 0 {
		return errors.New("there is no place for libraries of functions here")
	}
	return nil
}

// StartLoading begins to take in data: until StopLoading clients hear LOADING, and no key becomes due. Whoever
// calls a part that takes in data may have begun before.
func (e *Engine) StartLoading() { e.With(func() { e.setLoading(+1) }) }

// StopLoading ends what StartLoading began. Data are taken in until that was done as often.
func (e *Engine) StopLoading() { e.With(func() { e.setLoading(-1) }) }

func (e *Engine) setLoading(more int) {
	e.loading += more
	e.Keyspace.Replaying = e.loading > 0
}

// Loader executes the commands that a journal holds, while the engine is loading. Unlike those of
// clients they need no password and no memory to spare, and no statistic counts them.
type Loader struct {
	engine  *Engine
	session *Session
	scripts bool // the transaction that is open runs scripts
}

// NewLoader returns a loader, to be used by one goroutine.
func (e *Engine) NewLoader() *Loader {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.bareSession()
	s.loader, s.authed = true, true
	return &Loader{engine: e, session: s}
}

// Do executes commands in one hold of the lock, and returns how many. It stops at the first that is
// refused, or replies with an error, and returns the error's text. Scripts may fail: what they did
// before stays, as it did when they were journaled.
func (l *Loader) Do(batch [][][]byte) (done int, failure string) {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	l.engine.sample()
	for _, args := range batch {
		if failure = l.execute(args); failure != "" {
			break
		}
		done++
	}
	l.engine.lap()
	return done, failure
}

func (l *Loader) execute(args [][]byte) (failure string) {
	e, s := l.engine, l.session
	cmd, refusal := e.Resolve(args)
	if refusal != "" {
		return refusal
	}
	inTx := s.tx != nil
	l.scripts = inTx && l.scripts || cmd.runsScripts()
	if inTx && !cmd.runsInTx() {
		s.queue(cmd, args)
		return ""
	}
	s.failure = ""
	s.Reply.Reset()
	e.run(s, cmd, args)
	if l.scripts {
		return ""
	}
	return s.failure
}

// runsScripts reports whether a command's errors may be a script's.
func (cmd *Command) runsScripts() bool { return cmd.Name != "exec" && cmd.Flags&MayBeSlow != 0 }

// loaded ends a call of a loader's. The first error counts.
func (s *Session) loaded(reply []byte) {
	if len(reply) > 0 && reply[0] == '-' && s.failure == "" {
		s.failure = string(bytes.TrimSpace(reply[1:]))
	}
}

// InTx reports whether the last command is part of a transaction that is not complete.
func (l *Loader) InTx() bool { return l.session.tx != nil }
