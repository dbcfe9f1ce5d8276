package engine

import (
	"bytes"
	"errors"
)

// The engine and persistence: the engine counts what changes, refuses writes that cannot be saved, and loads what
// was saved. How changes reach the journal is in propagation.go.

type persistence struct {
	dirty   int64 // changes since the last save
	loading int   // how many load data, one within the other
	denied  error // refuses writes; nil if they are allowed
}

// Dirty returns how many changes there were since the last save. It is called under the lock, like
// SetDirty.
func (e *Engine) Dirty() int64 { return e.persistence.dirty }

// SetDirty sets how many changes are not saved.
func (e *Engine) SetDirty(n int64) { e.persistence.dirty = n }

// FlushAll empties all databases, before other data take their place. Transactions that watch keys fail, and
// sessions that track keys get invalidations. It is called under the lock.
func (e *Engine) FlushAll() {
	for i := range e.Keyspace.Len() {
		e.touchDB(e.Keyspace.DB(i), nil)
		e.Keyspace.DB(i).Flush()
	}
	e.invalidateAll(nil)
}

// DenyWrites refuses commands that write with an error, because a part cannot save what they change; nil allows
// them again. If several parts refuse, the error is that of the one that joined first. It is called under the
// lock.
func (e *Engine) DenyWrites(part string, err error) {
	e.part(part).denial = err
	e.persistence.denied = nil
	for _, p := range e.Parts.List {
		if e.persistence.denied == nil {
			e.persistence.denied = p.denial
		}
	}
}

// refusedWithoutDisk reports whether the command is one that DenyWrites refuses.
func (s *Session) refusedWithoutDisk(cmd *Command, args [][]byte) bool {
	return cmd.flagsWith(args)&(Write|HealthCheck) != 0 || cmd.Flags&RunsTx != 0 && s.tx != nil && s.tx.writes()
}

// Libraries are the libraries of functions, which are saved with the data.
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

// Libraries returns the libraries, to be saved and restored. They are used under the lock.
func (e *Engine) Libraries() Libraries { return e.Parts.libraries }

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
	e.persistence.loading += more
	e.Keyspace.Replaying = e.persistence.loading > 0
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
// refused, or replies with an error, and returns the error. Scripts may fail: what they did
// before stays, as it did when they were journaled.
func (l *Loader) Do(batch [][][]byte) (done int, err error) {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	l.engine.readClock()
	for _, args := range batch {
		if err = l.execute(args); err != nil {
			break
		}
		done++
	}
	l.engine.stopTimer()
	return done, err
}

func (l *Loader) execute(args [][]byte) error {
	e, s := l.engine, l.session
	cmd, err := e.Resolve(args)
	if err != nil {
		return err
	}
	inTx := s.tx != nil
	l.scripts = inTx && l.scripts || cmd.runsScripts()
	if inTx && cmd.Flags&AllowTx == 0 {
		s.queue(cmd, args)
		return nil
	}
	s.failure = nil
	s.Reply.Reset()
	e.run(s, cmd, args)
	if l.scripts {
		return nil
	}
	return s.failure
}

// runsScripts reports whether a command's errors may be a script's.
func (cmd *Command) runsScripts() bool { return cmd.Flags&(MayBeSlow|RunsTx) == MayBeSlow }

// loaded ends a call of a loader's. The first error counts.
func (s *Session) loaded(reply []byte) {
	if len(reply) > 0 && reply[0] == '-' && s.failure == nil {
		s.failure = Error(bytes.TrimSpace(reply[1:]))
	}
}

// InTx reports whether the last command is part of a transaction that is not complete.
func (l *Loader) InTx() bool { return l.session.tx != nil }
