package serve

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// onSignal is how the server ends at a signal: shutdown-on-sigint and shutdown-on-sigterm.
type onSignal struct {
	interrupt, terminate engine.Shutdown
}

func (s *onSignal) params() []config.Param {
	return []config.Param{
		shutdown.Param("shutdown-on-sigint", &s.interrupt),
		shutdown.Param("shutdown-on-sigterm", &s.terminate),
	}
}

// heedSignals ends the server at SIGINT and SIGTERM as redis-server does, until stop is called: a
// server that cannot save its data goes on.
func (p *program) heedSignals() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for s := range signals {
			p.Engine.With(func() { p.heed(s) })
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// heed ends the server at a signal, under the lock: at once while it loads, when there is nothing
// to save, and at a second SIGINT.
func (p *program) heed(s os.Signal) {
	name, how := "SIGTERM", p.onSignal.terminate
	if s == os.Interrupt {
		name, how = "SIGINT", p.onSignal.interrupt
	}
	switch {
	case p.Engine.IsLoading():
		p.exit(0, "Received shutdown signal during loading, scheduling shutdown.")
	case shutdown.IsUnderway(p.Engine) && s == os.Interrupt:
		p.exit(1, "You insist... exiting now.")
	}
	p.Log.Print('#', "Received %s scheduling shutdown...", name)
	shutdown.Terminate(p.Engine, how)
}

// exit ends the process without saving.
func (p *program) exit(status int, why string) {
	p.Log.Print('#', "%s", why)
	p.close()
	os.Exit(status)
}
