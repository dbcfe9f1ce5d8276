// Package shutdown is SHUTDOWN, and the end of a server that somebody else asks for: a signal, or
// the program around it.
//
// A shutdown waits until the replicas have everything, at most shutdown-timeout. Writes wait
// meanwhile. So no write is lost when a replica takes over, and the replicas can go on with this
// server when it is back.
package shutdown

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// state is the shutdown of an engine. It is used under the lock.
type state struct {
	engine    *engine.Engine
	timeout   int64 // seconds, shutdown-timeout
	how       engine.Shutdown
	deadline  int64             // milliseconds since the epoch; 0 if none is in progress
	waiting   []*engine.Blocked // the clients that asked for it
	requested *engine.Shutdown  // by Terminate; nil for none
}

// Part returns SHUTDOWN with its parameter.
func Part(e *engine.Engine) engine.Part {
	s := of(e)
	s.timeout = 10
	return engine.Part{Families: []command.Family{family}, Tick: s.tick,
		Params: []config.Param{config.Int("shutdown-timeout", &s.timeout, 0, math.MaxInt32),
			Param("shutdown-on-sigint", new(engine.Shutdown)).Inert(),
			Param("shutdown-on-sigterm", new(engine.Shutdown)).Inert()},
		Sections: []engine.Section{{Name: "Server", Fill: s.fill}}}
}

// of returns the shutdown of an engine.
func of(e *engine.Engine) *state {
	s := engine.PerEngine[state](e)
	s.engine = e
	return s
}

// fill writes how long a shutdown waits at most, for INFO server.
func (s *state) fill(w *engine.World, b *bytes.Buffer) {
	if s.deadline != 0 {
		engine.Fields(b, "shutdown_in_milliseconds", s.deadline-w.Millis())
	}
}

// IsUnderway reports whether a shutdown waits.
func IsUnderway(e *engine.Engine) bool { return of(e).deadline != 0 }

// Await makes a shutdown wait if a part lags, and reports whether it does. The host's Exit ends the
// wait. It is called under the lock.
func Await(e *engine.Engine, how engine.Shutdown) bool { return of(e).await(how) }

// Terminate asks for the end of the process as SIGTERM does: like SHUTDOWN, but no script is cut
// off. If the data cannot be saved the process goes on. It is called under the lock.
func Terminate(e *engine.Engine, how engine.Shutdown) {
	of(e).requested = &how
	if due := e.Parts.Host.Due; due != nil {
		due(e.Home().Millis())
	}
}

// Crash ends the process at once, without saving. There must be a host with Exit.
func Crash(e *engine.Engine) {
	_ = of(e).prepare(engine.Shutdown{NoSave: true, Now: true, Force: true})
	e.Parts.Host.Exit()
}

func (s *state) await(how engine.Shutdown) bool {
	if how.Now || s.timeout == 0 || !s.lags() {
		return false
	}
	if s.how = how; s.deadline == 0 {
		home := s.engine.Home()
		s.deadline = home.Millis() + s.timeout*1000
		home.Pause(engine.PausedForShutdown, math.MaxInt64, false)
		s.engine.Log('*', "Waiting for replicas before shutting down.")
	}
	return true
}

// lags reports whether a part lags.
func (s *state) lags() bool {
	return slices.ContainsFunc(s.engine.Parts.List, func(p *engine.Part) bool { return p.Lags != nil && p.Lags() })
}

// lookAgain is when to look again whether parts still lag, in milliseconds.
const lookAgain = 100

// tick begins what Terminate asked for, and ends the process if a shutdown has waited long enough.
func (s *state) tick() (next int64) {
	if how := s.requested; how != nil {
		s.requested = nil
		if _, err := s.begin(*how); err != nil {
			s.engine.Log('#', "Errors trying to shut down the server. Check the logs for more information.")
		}
	}
	if s.deadline == 0 {
		return 0
	}
	if home := s.engine.Home(); home.Millis() < s.deadline && s.lags() {
		return home.TickIn(lookAgain)
	}
	if s.exit(s.how) != nil {
		s.abort()
	}
	s.deadline = 0
	return 0
}

// begin ends the process, or makes it wait for that. An error says that it goes on.
func (s *state) begin(how engine.Shutdown) (waits bool, err error) {
	s.engine.Log('*', "User requested shutdown...")
	if waits = s.await(how); !waits {
		err = s.exit(how)
	}
	return waits, err
}

// exit ends the process, unless a part returns an error.
func (s *state) exit(how engine.Shutdown) error {
	err := s.prepare(how)
	if err == nil {
		s.engine.Parts.Host.Exit()
	}
	return err
}

// prepare calls the parts' Shutdown, the last part's first, and returns the first error.
func (s *state) prepare(how engine.Shutdown) error {
	for _, p := range slices.Backward(s.engine.Parts.List) {
		if p.Shutdown == nil {
			continue
		}
		if err := p.Shutdown(how); err != nil {
			return err
		}
	}
	return nil
}

// abort lets the server go on. Who asked for its end gets an error.
func (s *state) abort() {
	for _, b := range s.waiting {
		if !b.Ended() {
			b.Fail(engine.ErrShutdown)
		}
	}
	s.deadline, s.waiting = 0, nil
	s.engine.Home().Unpause(engine.PausedForShutdown)
}

// endServer ends the server, now or when the replicas have everything. The call is over then.
func endServer(c *engine.Call, how engine.Shutdown) {
	s := of(c.Engine)
	switch waits, err := s.begin(how); {
	case err != nil:
		c.Fail(err)
	case waits:
		if b := c.Block(0, func(*engine.Session) {}); b != nil {
			s.waiting = append(s.waiting, b)
		}
	default:
		c.Session.CloseAfterReply() // there is no reply: the connection ends with the server
	}
}
