package consensus

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// newLogger hands what Raft and raft-wal report to Options.Log, for debugging. What matters and is
// said nowhere else is said in other words as well.
func newLogger(log func(level, message string)) hclog.Logger {
	l := hclog.NewInterceptLogger(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Debug})
	l.RegisterSink(&sink{log: log, said: make(map[string]time.Time)})
	return l
}

type sink struct {
	log  func(level, message string)
	mu   sync.Mutex
	said map[string]time.Time
}

// words are what is said in place of a message. The error follows.
var words = map[string]string{
	"failed to take snapshot":           "No snapshot could be written",
	"failed to install snapshot":        "A snapshot could not be handed over",
	"failed to restore snapshot":        "A snapshot could not be loaded",
	"failed to delete old segment":      "A file of the log could not be deleted",
	"failed to accept connection":       "Connections of other members cannot be accepted",
	"failed to decode incoming command": "A connection to the port for members was not one of a member",
}

// saidEvery is how often one thing is said at most.
const saidEvery = time.Minute

// Accept implements hclog.SinkAdapter.
func (s *sink) Accept(_ string, _ hclog.Level, message string, args ...any) {
	var b strings.Builder
	b.WriteString("Raft: " + message)
	var err any
	for i := 0; i+1 < len(args); i += 2 {
		fmt.Fprintf(&b, ", %v %v", args[i], plain(args[i+1]))
		if args[i] == "error" || args[i] == "err" {
			err = args[i+1]
		}
	}
	s.log("debug", b.String())
	if words[message] != "" && s.due(message) {
		s.log("warning", fmt.Sprintf("%s: %v", words[message], err))
	}
}

// due reports whether a message is to be said, and not again for a while.
func (s *sink) due(message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.said[message]) < saidEvery {
		return false
	}
	s.said[message] = time.Now()
	return true
}

// plain carries out the formats that hclog leaves to the receiver.
func plain(value any) any {
	if f, ok := value.(hclog.Format); ok && len(f) > 0 {
		return fmt.Sprintf(fmt.Sprint(f[0]), f[1:]...)
	}
	return value
}
