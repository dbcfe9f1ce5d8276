package engine

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/acl"
	"github.com/miniserver-go/miniserver/internal/command"
)

// The engine and persistence: the engine counts what changes, refuses writes that cannot be saved,
// and loads what was saved. How changes reach the journal is in propagation.go.

type persistence struct {
	loading    int   // how many load data, one within the other
	writeError error // refuses writes; nil if they are allowed
	reserved   bool  // a part takes a snapshot soon
}

// Snapshotting reports whether a snapshot of the data is being taken, or a part has reserved the
// next one: Redis' hasActiveChildProcess. It is called under the lock, like ReserveSnapshot.
func (w *World) Snapshotting() bool {
	return w.engine.persistence.reserved || w.Keyspace.Snapshotting()
}

// ReserveSnapshot keeps others from taking a snapshot, or no longer does.
func (e *Engine) ReserveSnapshot(yes bool) { e.persistence.reserved = yes }

// IsLoading reports whether data are being loaded. It is called under the lock.
func (e *Engine) IsLoading() bool { return e.persistence.loading > 0 }

// DenyWrites makes the gate refuse commands that write with err, because a part cannot save what
// they change; nil allows them again. If several parts refuse, the one that joined first provides
// the error. It is called under the lock.
func (e *Engine) DenyWrites(part string, err error) {
	e.part(part).writeError = err
	e.persistence.writeError = nil
	for _, p := range e.Parts.List {
		if e.persistence.writeError == nil {
			e.persistence.writeError = p.writeError
		}
	}
}

// isWriteDenied reports whether DenyWrites applies to the command. PING is among those, flagged
// HealthCheck, so that a load balancer notices trouble with the disk; it does not if only replicas
// are missing.
func (s *Session) isWriteDenied(cmd *command.Command, args [][]byte) bool {
	denied := command.Write | command.HealthCheck
	if s.engine.persistence.writeError == ErrNoReplicas {
		denied = command.Write
	}
	return s.world.FlagsWith(cmd, args)&denied != 0 || cmd.Flags&command.RunsTx != 0 && s.tx != nil &&
		s.tx.has(s.world, command.Write)
}

// mayRun reports whether the command, or one of the transaction that it runs, has one of the flags.
func (s *Session) mayRun(flags command.Flags, cmd *command.Command, args [][]byte) bool {
	return s.world.FlagsWith(cmd, args)&flags != 0 || cmd.Flags&command.RunsTx != 0 && s.tx != nil &&
		s.tx.has(s.world, flags)
}

// Libraries are the libraries of functions, which are saved with the data.
type Libraries interface {
	// Sources returns the sources of a world's libraries, in the order in which they were loaded.
	// They are not to be changed.
	Sources(w *World) [][]byte
	// Restore takes libraries of such sources into a world, all of them or none. It copies what it
	// keeps.
	Restore(w *World, sources [][]byte, how RestorePolicy) error
}

// RestorePolicy says what happens to the existing libraries, as in FUNCTION RESTORE.
type RestorePolicy int

// The ways of restoring libraries.
const (
	Append  RestorePolicy = iota // they stay; none may be there already
	Replace                      // they stay, but for those of the same name
	Flush                        // they go
)

// noLibraries is an engine without functions.
type noLibraries struct{}

// Sources implements Libraries.
func (noLibraries) Sources(*World) [][]byte { return nil }

// Restore implements Libraries.
func (noLibraries) Restore(_ *World, sources [][]byte, _ RestorePolicy) error {
	if len(sources) > 0 {
		return errors.New("there is no place for libraries of functions here")
	}
	return nil
}

// StartLoading begins a phase in which data are loaded: until StopLoading clients get LOADING, and
// no key expires, and what is loaded goes neither to the journal nor to replicas. Phases nest, as
// when a part loads a journal whose first file another part reads.
func (e *Engine) StartLoading() { e.With(func() { e.setLoading(+1) }) }

// StopLoading ends what StartLoading began.
func (e *Engine) StopLoading() { e.With(func() { e.setLoading(-1) }) }

func (e *Engine) setLoading(more int) {
	e.persistence.loading += more
	e.home.Keyspace.Replaying = e.persistence.loading > 0
	e.connectPropagation()
}

// Loader executes the commands of a journal while the engine is loading. Unlike a client's they
// pass no gate and are not counted: they were allowed when they were written. So the loader's user
// may do everything, and EXEC does not compare them with the rules of today.
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
	s.loader, s.authed, s.everAuthed, s.user = true, true, true, acl.Default(nil)
	return &Loader{engine: e, session: s}
}

// Do executes commands in one hold of the lock, and returns how many. It stops at the first that is
// refused or replies with an error, and returns the error. A script's error does not count: what it
// wrote before was journaled, and must be there again.
func (l *Loader) Do(batch [][][]byte) (done int, err error) {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	l.engine.home.readClock()
	for _, args := range batch {
		if err = l.execute(args); err != nil {
			break
		}
		done++
	}
	l.engine.home.stopTimer()
	return done, err
}

func (l *Loader) execute(args [][]byte) error {
	e, s := l.engine, l.session
	cmd, err := e.Commands.Resolve(args)
	if err != nil {
		return err
	}
	inTx := s.tx != nil
	l.scripts = inTx && l.scripts || cmd.RunsScripts()
	s.failure = nil
	s.Reply.Reset()
	e.home.runOrQueue(s, cmd, args)
	if l.scripts {
		return nil
	}
	return s.failure
}

// InTx reports whether the last command is part of a transaction that is not complete.
func (l *Loader) InTx() bool { return l.session.tx != nil }
