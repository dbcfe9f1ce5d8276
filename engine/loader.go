package engine

import "github.com/miniserver-go/miniserver/internal/acl"

// StartLoading begins a phase in which data are loaded: until StopLoading clients get LOADING, and no key
// expires, and what is loaded goes neither to the journal nor to replicas. Phases nest, as when a part loads a journal whose first file another part reads.
func (e *Engine) StartLoading() { e.With(func() { e.setLoading(+1) }) }

// StopLoading ends what StartLoading began.
func (e *Engine) StopLoading() { e.With(func() { e.setLoading(-1) }) }

func (e *Engine) setLoading(more int) {
	e.persistence.loading += more
	e.home.Keyspace.Replaying = e.persistence.loading > 0
	e.connectPropagation()
}

// Loader executes the commands of a journal while the engine is loading. Unlike a client's they pass no gate
// and are not counted: they were allowed when they were written. So the loader's user may do everything, and EXEC
// does not compare them with the rules of today.
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

// Do executes commands in one hold of the lock, and returns how many. It stops at the first that is refused
// or replies with an error, and returns the error. A script's error does not count: what it wrote before was
// journaled, and must be there again.
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
